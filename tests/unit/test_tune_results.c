/* What results cost on their way home, by a machine with planted times. */
#include "command/tune/tune_results.h"
#include "mirror/ledger/staged_results.h"
#include "mirror/pinning/pins.h"
#include "tap.h"

#include <math.h>
#include <string.h>

struct machine {
    bool small_pins;    /* results that come home again and again are pinned (staged_results.h) */
    bool disturbed;     /* rounds take longer each, and in some one call does */
    double missing;     /* results of so many bytes and more cannot be timed; 0: all can */
    enum blas_family family; /* ... of this family */
    int rounds, on_host;
    double most_bytes;  /* of a result that was asked for */
};

static double bytes_of(const struct blas_call *call)
{
    const double n = (double)call->n;
    return sizeof(double) * (call->family == FAMILY_SYRK ? n * (n + 1) / 2 : (double)call->m * n);
}

static double span_of(const struct blas_call *call)
{
    return sizeof(double) * (double)call->n * (double)call->n;
}

/* 120 us a MiB where it is staged, 20 and, for a triangle in pieces, 30 more where it is pinned. */
static double planted(const struct machine *machine, const struct blas_call *call)
{
    const bool triangle = call->family == FAMILY_SYRK;
    const double least = (double)staged_results_least_bytes(triangle ? PART_LOWER : PART_FULL);
    const double mebibytes = bytes_of(call) / (1 << 20);
    if (span_of(call) >= (machine->small_pins ? least : PIN_BYTES_MIN))
        return (triangle ? 50 : 20) + 20 * mebibytes;
    return 40 + 120 * mebibytes;
}

/* What a call of a round takes longer than planted: all by as much, and in four of nine rounds the last one,
 * in another the first one, by far more. */
static double disturbance(const struct machine *machine, int i, int count)
{
    static const bool odd_one[] = {false, true, false, true, false, true, false, true, true, false};
    const int round = machine->rounds % 10;
    if (round == 0)
        return 1e4 * (i + 1); /* not to be counted at all: matrices move, memory is pinned */
    if (!machine->disturbed)
        return 0;
    return 30 * round + (odd_one[round] && i == round % 2 * (count - 1) ? 700 : 0);
}

static void time_calls(void *argument, enum call_side side, const struct blas_call *calls, int count,
                       double *us)
{
    struct machine *machine = argument;
    machine->on_host += side != SIDE_DEVICE;
    for (int i = 0; i < count; i++) {
        us[i] = planted(machine, &calls[i]) + disturbance(machine, i, count);
        if (machine->missing > 0 && calls[i].family == machine->family && bytes_of(&calls[i]) >= machine->missing)
            us[i] = 0;
        machine->most_bytes = fmax(machine->most_bytes, span_of(&calls[i]));
    }
    machine->rounds++;
}

/* As many rounds as there are disturbances of. */
static void learn(struct machine *machine, double most_bytes, struct result_times *times)
{
    tune_results(time_calls, machine, most_bytes, times);
}

/* The call of which a sample is. */
static struct blas_call call_of(enum result_way way, double bytes)
{
    const bool triangle = way == RESULT_STAGED_TRIANGLE || way == RESULT_PINNED_TRIANGLE;
    const double elements = bytes / sizeof(double);
    const int64_t n = llround(triangle ? (sqrt(8 * elements + 1) - 1) / 2 : sqrt(elements));
    return (struct blas_call){.family = triangle ? FAMILY_SYRK : FAMILY_GEMM, .type = TYPE_D,
                              .m = triangle ? 0 : n, .n = n};
}

/* The least that was planted for samples of the way's family. */
static double least_planted(const struct result_times *times, const struct machine *machine,
                            enum blas_family family)
{
    double least = HUGE_VAL;
    for (int way = 0; way < RESULT_WAYS; way++)
        for (int i = 0; i < times->ways[way].count; i++) {
            const struct blas_call call = call_of((enum result_way)way, times->ways[way].samples[i].amount);
            if (call.family == family)
                least = fmin(least, planted(machine, &call));
        }
    return least;
}

/* The greatest difference, in us, between what was learned and what was planted beyond the least. */
static double worst_of(const struct result_times *times, const struct machine *machine)
{
    double worst = 0;
    for (int way = 0; way < RESULT_WAYS; way++)
        for (int i = 0; i < times->ways[way].count; i++) {
            const struct time_sample *sample = &times->ways[way].samples[i];
            const struct blas_call call = call_of((enum result_way)way, sample->amount);
            const double beyond = planted(machine, &call) - least_planted(times, machine, call.family);
            worst = fmax(worst, fabs(sample->us - fmax(beyond, sample->amount / 64e3)));
        }
    return worst;
}

static bool has_all(const struct result_times *times, const int counts[RESULT_WAYS])
{
    bool all = true;
    for (int way = 0; way < RESULT_WAYS; way++)
        all = all && times->ways[way].count == counts[way];
    return all;
}

static void test_planted(struct result_times *times)
{
    static const int all[RESULT_WAYS] = {7, 7, 2, 2};
    struct machine machine = {.disturbed = false};
    memset(times, 0x55, sizeof *times);
    learn(&machine, 1 << 28, times);
    tap_ok(has_all(times, all) && machine.on_host == 0, "every way has its samples, from the device alone");
    tap_ok(worst_of(times, &machine) < 1e-6, "which are what results take longer than the smallest one");
    const struct time_sample *first = &times->ways[RESULT_STAGED].samples[0];
    tap_ok(first->amount <= 512 && fabs(first->us - first->amount / 64e3) < 1e-9,
           "that itself comes at 64 GB/s: %.3f us", first->us);
    machine.disturbed = true;
    learn(&machine, 1 << 28, times);
    const double worst = worst_of(times, &machine);
    tap_ok(has_all(times, all) && worst < 1e-6, "rounds that are disturbed make no difference: %g us", worst);
}

/* Some that are pinned are home before the smallest one, which is staged. */
static void test_reference(struct result_times *times)
{
    struct machine machine = {.small_pins = true, .disturbed = true};
    const double change = (double)staged_results_least_bytes(PART_FULL);
    learn(&machine, 1 << 28, times);
    const double worst = worst_of(times, &machine);
    const struct time_curve *staged = &times->ways[RESULT_STAGED];
    tap_ok(worst < 1e-6, "what comes home fastest is the reference, small or not: %g us", worst);
    tap_ok(staged->samples[0].us > 15 && staged->samples[2].amount > change &&
           fabs(staged->samples[2].us - staged->samples[2].amount / 64e3) < 1e-9,
           "so the smallest takes longer, %.1f us, than one beyond the change of ways, %.2f us",
           staged->samples[0].us, staged->samples[2].us);
    double fastest = HUGE_VAL; /* microseconds a byte */
    for (int way = 0; way < RESULT_WAYS; way++)
        for (int i = 0; i < times->ways[way].count; i++)
            fastest = fmin(fastest, times->ways[way].samples[i].us / times->ways[way].samples[i].amount);
    tap_ok(fastest > 0.999 / 64e3, "nothing comes faster than 64 GB/s: %.1f GB/s", 1e-3 / fastest);
}

static void test_missing(struct result_times *times)
{
    static const int triangles[RESULT_WAYS] = {0, 7, 0, 2}, full[RESULT_WAYS] = {7, 0, 2, 0};
    struct machine machine = {.missing = PIN_BYTES_MIN, .family = FAMILY_GEMM};
    learn(&machine, 1 << 28, times);
    tap_ok(has_all(times, triangles) && worst_of(times, &machine) < 1e-6,
           "if one full result cannot be timed, nothing is learned of them, but of triangles");
    machine = (struct machine){.missing = 1, .family = FAMILY_SYRK};
    learn(&machine, 1 << 28, times);
    tap_ok(has_all(times, full) && worst_of(times, &machine) < 1e-6, "nor the other way about");
}

static void test_limits(struct result_times *times)
{
    static const int small[RESULT_WAYS] = {5, 5, 0, 0}, none[RESULT_WAYS] = {0};
    struct machine machine = {.disturbed = true};
    learn(&machine, 1 << 21, times);
    tap_ok(has_all(times, small) && machine.most_bytes <= 1 << 21 && worst_of(times, &machine) < 1e-6,
           "no result is larger than wanted");
    machine = (struct machine){.rounds = 0};
    learn(&machine, 100, times);
    tap_ok(has_all(times, none) && machine.rounds == 0, "where none is small enough none is timed");
}

int main(void)
{
    struct result_times *times = malloc(sizeof *times);
    test_planted(times);
    test_reference(times);
    test_missing(times);
    test_limits(times);
    free(times);
    return tap_done();
}
