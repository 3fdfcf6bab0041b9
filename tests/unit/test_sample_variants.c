/* With which flags, and with even or odd sizes, samples are timed. */
#include "tap.h"
#include "tuner/learn/call_sampler.h"
#include "tuner/online/tuning_class.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 240, FEW = 4 /* times each */ };

/* Even, but no multiples of four, as samples are. */
static struct blas_call sample_of(int class, int number)
{
    struct blas_call call = timed_class_call(class, 3e4 * pow(1.05, number));
    int64_t *const sizes[] = {&call.m, &call.n, &call.k};
    for (int i = 0; i < 3; i++)
        if (*sizes[i] > SAMPLE_BLOCK)
            *sizes[i] = *sizes[i] / 4 * 4 + 2;
    return call;
}

static bool has_odd(const struct blas_call *call)
{
    return call->m % 2 || call->n % 2 || call->k % 2;
}

/* Each of the device's sets once in as many times, the first of them even. Calls too small for an odd size of
 * their class have none. */
static bool takes_turns(int class, const struct blas_call *sample)
{
    const int sets = device_sets_of(class);
    int found[DEVICE_SETS_MOST] = {0};
    bool good = true, any_odd = false;
    for (int timed = 0; timed < sets; timed++) {
        struct blas_call call = *sample;
        sample_variant_apply(class, (unsigned)timed, &call);
        good = good && timed_class_of(&call) == class && (timed > 0 || !has_odd(&call)) &&
               llabs(call.m - sample->m) <= 1 && llabs(call.n - sample->n) <= 1 &&
               llabs(call.k - sample->k) <= 1;
        any_odd = any_odd || has_odd(&call);
        found[2 * flag_set_of(&call) + has_odd(&call)]++;
    }
    for (int set = 0; set < sets && any_odd; set++)
        good = good && found[set] == 1;
    return good;
}

/* How often the rarest and the commonest set come in a few times of each sample, over what is right. */
static void range_of(int class, double *least, double *most)
{
    const int sets = device_sets_of(class);
    int found[DEVICE_SETS_MOST] = {0}, count = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (unsigned timed = 0; timed < FEW; timed++, count++) {
            struct blas_call call = sample_of(class, i);
            sample_variant_apply(class, timed, &call);
            found[2 * flag_set_of(&call) + has_odd(&call)]++;
        }
    for (int set = 0; set < sets; set++) {
        *least = fmin(*least, (double)found[set] * sets / count);
        *most = fmax(*most, (double)found[set] * sets / count);
    }
}

UNIT_TEST(test_sample_variants)
{
    double least = 1, most = 1;
    bool good = true;
    int classes = 0;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class) || timed_class_family(class) == FAMILY_AXPY)
            continue;
        classes++;
        for (int i = 0; i < SAMPLES; i++) {
            const struct blas_call sample = sample_of(class, i);
            if (timed_class_of(&sample) == class && !has_odd(&sample))
                good = good && takes_turns(class, &sample);
        }
        range_of(class, &least, &most);
    }
    tap_ok(classes > 150 && good,
           "each set of flags with even and with odd sizes in turn, first an even one");
    /* 40 come to 17 to 63 by chance; one more of three or nine sets is even in the first round. */
    tap_ok(least > 0.4 && most < 1.6,
           "each about as often among the first times of many samples: %.2f to %.2f", least, most);
    return tap_done();
}
