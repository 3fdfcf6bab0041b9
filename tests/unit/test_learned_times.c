/* Curves, classes, learned times and their text, and what the predictions make of them. */
#include "interpose/entries/pack.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static double stays(const struct time_curve *curve, double amount)
{
    return time_curve_at(curve, TIME_STAYS, amount);
}

static void test_curve(void)
{
    struct time_curve curve = {0};
    bool added = time_curve_add(&curve, 400, 40) && time_curve_add(&curve, 100, 10);
    added = added && time_curve_add(&curve, 1600, 640);
    tap_ok(added && curve.count == 3 && curve.samples[0].amount == 100,
           "samples come in any order and are kept ascending");
    bool through = close_to(stays(&curve, 400), 40) && close_to(stays(&curve, 200), 20);
    tap_ok(through && close_to(stays(&curve, 800), 160),
           "through the samples, straight in logarithms between");
    tap_ok(close_to(stays(&curve, 1), 10) && close_to(time_curve_at(&curve, TIME_SHRINKS, 50), 5),
           "below the first sample the device's time stays and the host's shrinks");
    tap_ok(close_to(stays(&curve, 2600), 640 + 500), "above the last the rate of the last two goes on");
    time_curve_add(&curve, 1600, 39);
    tap_ok(curve.count == 3 && close_to(stays(&curve, 3200), 39), "noise makes no time that falls");
    struct time_curve close = {0};
    time_curve_add(&close, 100, 10), time_curve_add(&close, 1000, 100), time_curve_add(&close, 1100, 300);
    tap_ok(close_to(stays(&close, 11000), 300 + 0.29 * 9900),
           "nor, beside a close neighbour, one that leaps");
    bool taken = time_curve_add(&curve, 0, 1) || time_curve_add(&curve, 5, -1) || time_curve_add(&curve, NAN,
                                                                                                 1);
    tap_ok(!taken && !time_curve_add(&curve, 5, INFINITY) && curve.count == 3,
           "what is no time is not taken");
    for (int i = 0; curve.count < TIME_CURVE_SAMPLES; i++)
        time_curve_add(&curve, 1e6 + i, 1e4);
    tap_ok(!time_curve_add(&curve, 7, 7) && time_curve_add(&curve, 100, 7) && curve.samples[0].us == 7,
           "a full curve takes no more amounts, but better times");
}

static struct time_curve line(double latency, double rate, double first, double last)
{
    struct time_curve curve = {0};
    for (double amount = first; amount <= last; amount *= 2)
        time_curve_add(&curve, amount, latency + rate * amount);
    return curve;
}

static void test_first_gain(void)
{
    struct time_curve host = line(0.1, 0.01, 256, 1 << 20), device = line(20, 0.001, 256, 1 << 20);
    double gain = time_curve_first_gain(&host, &device), exact = (20 - 0.1) / (0.01 - 0.001);
    tap_ok(gain <= exact * 1.01 && gain >= 0.95 * exact, "two lines cross at %.0f, found %.0f", exact, gain);
    host = line(0.1, 0.01, 256, 1024);
    device = line(20, 0.001, 256, 1024);
    gain = time_curve_first_gain(&host, &device);
    tap_ok(gain <= exact * 1.01 && gain >= 0.95 * exact, "also beyond all samples: %.0f", gain);
    device = line(20, 0.011, 256, 1 << 20);
    tap_ok(isinf(time_curve_first_gain(&host, &device)), "a device of a worse rate never gains");
    device = line(0.01, 0.001, 256, 1 << 20);
    gain = time_curve_first_gain(&host, &device);
    tap_ok(gain > 0 && gain < 256, "one that always gains does so below the first sample: %.0f", gain);
}

/* A call of the class that is told apart from all others. */
static bool is_sound(int class, double amount)
{
    char name[TIMED_CLASS_NAME];
    const struct blas_call call = timed_class_call(class, amount);
    const double exact = call_work_products(&call);
    const uint64_t size = call_gated_size(&call), gate = timed_class_gated(class, exact);
    return timed_class_of(&call) == class && timed_class_parse(timed_class_name(class, name)) == class &&
           exact <= 1.001 * amount && exact >= 0.8 * amount && gate <= size &&
           (call.family >= FAMILY_GEMM || gate + 1 >= size);
}

static void test_classes(void)
{
    int wrong = 0, classes = 0;
    char name[TIMED_CLASS_NAME];
    for (int class = 0; class < TIMED_CLASSES; class++)
        for (double amount = 5e5; timed_class_exists(class) && amount < 1e10; amount *= 7, classes++)
            if (!is_sound(class, amount)) {
                wrong++;
                printf("# %s, amount %g\n", timed_class_name(class, name), amount);
            }
    tap_ok(wrong == 0 && classes == 6 * (60 + 144),
           "every class's calls are of it and have its amount and gated size (%d, %d wrong)", classes, wrong);
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        const double amount = timed_class_amount_of(class, 1 << 20);
        struct blas_call call = timed_class_call(class, amount);
        call.a.ld = call.b.ld = call.c.ld = INT64_MAX, call.x.increment = call.y.increment = 1;
        pack_legal(&call);
        const int64_t a = call.a.rows * call.a.columns, b = call.b.rows * call.b.columns,
            c = call.c.rows * call.c.columns;
        const int64_t most = a > b && a > c ? a : b > c ? b : c > 0 ? c : call.n;
        const double bytes = (double)most * (double)blas_element_bytes(call.type);
        if (bytes > 1.001 * (1 << 20) || bytes < 0.9 * (1 << 20)) {
            wrong++;
            printf("# %s: %g bytes\n", timed_class_name(class, name), bytes);
        }
    }
    tap_ok(wrong == 0, "and, where wanted, a largest matrix of a MiB");
    struct blas_call wide = {.family = FAMILY_SYMV, .type = TYPE_W, .n = 5};
    tap_ok(timed_class_of(&wide) == TIMED_CLASS_NONE && timed_class_parse("wsymv") == TIMED_CLASS_NONE &&
           timed_class_parse("dgemv_none") == TIMED_CLASS_NONE,
               "no class where programs have no routine or no form is said");
}

/* NULL or the fault. */
static const char *read_text(struct learned_times *times, const char *text)
{
    static char fault[LEARNED_FAULT_BYTES];
    return learned_times_parse(times, text, fault) ? NULL : fault;
}

static const char text[] =
    "host-blas /usr/lib/a path/libblas.so.3\nhost-threads 16\nwake 3.1e+05\nserved-wake 4000\n"
    "links-together 0.75\n"
    "upload pinned 65536 30 1048576 120\nupload pinned-huge 65536 25\nupload staged 65536 20 1048576 140\n"
    "upload served 4194304 200 16777216 600\n"
    "route host real values 0.0625\nroute host complex vectors 1.25\nroute device real vectors 16\n"
    "route device real level3 0.5\nroute device real singular 1.75\n"
    "host dgemv_none_tall 4096 1 1048576 300\ndevice dgemv_none_tall 4096 15 1048576 20\n"
    "host dgemv_none_far_tall 4096 1.5 1048576 350\ndevice dgemv_none_far_tall 4096 16 1048576 22\n"
    "host dsymv 4096 1 1048576 300\ndevice dsymv 4096 15 1048576 20\n"
    "host dsymv_upper 4096 1.01 1048576 301\ndevice dsymv_upper 4096 15 1048576 21\n";

static void test_triangles(struct learned_times *times)
{
    const int lower = timed_class_parse("dsymv"), upper = timed_class_parse("dsymv_upper");
    const struct blas_call call = timed_class_call(upper, 1e6);
    tap_ok(timed_class_of(&call) == upper && call.uplo == UPLO_UPPER && upper != lower,
           "the upper triangle has a class of its own");
    const char *fault = read_text(times, text);
    tap_ok(!fault && times->host[upper].samples[0].us == 1.01 && times->host[lower].samples[0].us == 1,
           "a recipe has both");
}

static void test_far_forms(struct learned_times *times)
{
    const int tall = timed_class_parse("dgemv_none_tall"), far = timed_class_parse("dgemv_none_far_tall"),
              wide = timed_class_parse("cgemv_transpose_wide"),
              far_wide = timed_class_parse("cgemv_transpose_far_wide");
    const struct blas_call call = timed_class_call(far, 640000), other = timed_class_call(far_wide, 640000);
    tap_ok(call.m == 6400 && call.n == 100 && other.m == 100 && other.n == 6400,
           "sides of 64 to 1 have classes of their own");
    struct blas_call at = {.family = FAMILY_GEMV, .type = TYPE_D, .m = 3200, .n = 100},
                     before = {.family = FAMILY_GEMV, .type = TYPE_D, .m = 3199, .n = 100};
    tap_ok(timed_class_of(&at) == far && timed_class_of(&before) == tall, "which begin at 32 to 1");
    at.type = before.type = TYPE_C, at.trans = before.trans = TRANS_TRANSPOSE;
    at.m = before.m = 100, at.n = 3200, before.n = 3199;
    tap_ok(timed_class_of(&at) == far_wide && timed_class_of(&before) == wide, "and 1 to 32");
    const char *fault = read_text(times, text);
    tap_ok(!fault && times->host[far].samples[0].us == 1.5 && times->host[tall].samples[0].us == 1,
           "a recipe has both");
}

static void test_text(struct learned_times *times)
{
    const char *fault = read_text(times, text);
    tap_ok(!fault && times->host_threads == 16 && times->wake_us == 3.1e5, "text is read: %s",
           fault ? fault : "all");
    char *written = learned_times_text(times);
    tap_ok(written && strcmp(written, text) == 0, "and written as it was");
    free(written);
    tap_ok(!read_text(times, ""), "an empty section is one");
}

static void test_bad_text(struct learned_times *times)
{
    static const char *const wrong[] = {"host\n",
                                        "host \n",
                                        "speed 3\n",
                                        "\n",
                                        "host dsymm 4 5\n",
                                        "host dsymv\n",
                                        "host dsymv 4\n",

                                        "host dsymv 4  5\n",
                                        "host dsymv 4 0\n",
                                        "host dsymv 4 -5\n",
                                        "host dsymv 4 nan\n",
                                        "host dsymv 4 inf\n",
                                        "host dsymv 4 0x5\n",
                                        "host dsymv 4 1e299\n",
                                        "host dsymv 4 5",
                                        "host dsymv 5 1 4 1\n",
                                        "host dsymv 4 1 4 1\n",
                                        "host dsymv 0 1\n",
                                        "host dsymv 4 5\nhost dsymv 4 5\n",
                                        "wake -1\n",
                                        "wake 1 1\n",
                                        "wake 1\nwake 1\n",
                                        "host-threads 0\n",
                                        "host-threads 1.5\n",
                                        "host-threads 1e9\n",
                                        "host-blas \n",
                                        "host-blas a\nhost-blas a\n",
                                        "upload pinned\n",
                                        "served-wake -1\n",
                                        "upload floppy 4 5\n",
                                        "device wsymv 4 5\n",
                                        "host dgemv_none 4 5\n",
                                        "host a_name_that_is_longer_than_any_class_has 4 5\n",
                                        "host dsymv 1.2.3 5\n",
                                        "host dsymv 4e 5\n",
                                        "route\n",
                                        "route host\n",
                                        "route host real\n",
                                        "route host real values\n",
                                        "route both real values 1\n",
                                        "route host quaternion values 1\n",
                                        "route host real schur 1\n",
                                        "route host real values 1 1\n",
                                        "route host real values 0.0624\n",
                                        "route host real values 16.1\n",
                                        "route host real values 0\n",
                                        "route host real values nan\n",
                                        "route host real level4 1\n",
                                        "route host level3 1\n",
                                        "route device real singular 16.1\n",
                                        "route device real level3 1\nroute device real level3 1\n",
                                        "route host real values 1\nroute host real values 1\n"};
    int taken = 0, wordless = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *fault = read_text(times, wrong[i]);
        wordless += fault && strncmp(fault, "crossover line ", 15) != 0;
        taken += !fault;
        if (!fault)
            printf("# taken: %s\n", wrong[i]);
    }
    tap_ok(taken == 0 && wordless == 0, "%d of %zu wrong texts are taken", taken,
           sizeof wrong / sizeof *wrong);
    char *long_curve = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&long_curve, &bytes);
    fputs("host dsymv", stream);
    for (int i = 0; i <= TIME_CURVE_SAMPLES; i++)
        fprintf(stream, " %d 5", i + 1);
    fputs("\n", stream);
    fclose(stream);
    tap_ok(read_text(times, long_curve), "nor one sample too many");
    free(long_curve);
}

static void test_predictions(struct learned_times *times)
{
    struct machine_model model = crossover_builtin_model(NULL, 16), built_in = model;
    struct blas_call call = symv_call(1024);
    read_text(times, text);
    learned_times_settle(times, "/usr/lib/a path/libblas.so.3", 16);
    crossover_use_learned(&model, times);
    struct predicted_times predicted = predicted_call(&model, &call, 1 << 20, true);
    tap_ok(close_to(predicted.host_us, 300) && close_to(predicted.resident_us, 20) &&
           close_to(predicted.upload_us, 120),
           "learned times go before the model's");
    struct machine_model served = built_in;
    crossover_serve(&served, 1);
    crossover_use_learned(&served, times);
    tap_ok(close_to(served.wake_us, 4e3) && close_to(model.wake_us, 3.1e5) &&
               close_to(crossover_copies_us(&served, 4 << 20, true), 200) &&
               close_to(crossover_copies_us(&served, 1 << 20, false), 140),
           "through a service those that were learned through one");
    tap_ok(close_to(predicted_call(&model, &call, 1 << 20, false).upload_us, 140),
           "staged where memory cannot be tracked");
    model.huge_pages = true;
    tap_ok(close_to(predicted_call(&model, &call, 65536, true).upload_us, 25),
           "and huge pages have their own figures");
    call.a.ld = 1124;
    tap_ok(close_to(predicted_call(&model, &call, 0, true).resident_us,
                    20 + 1024 * 800 * model.scan_us_per_byte),
           "gaps are scanned");
    call = symv_call(1024);
    call.type = TYPE_S;
    tap_ok(close_to(predicted_call(&model, &call, 0, true).host_us, predicted_call(&built_in, &call, 0,
                                                                                         true).host_us),
           "what was not learned is as built in");
    tap_ok(model.wake_us == 3.1e5 && model.call_us == 15, "waking and the least time are the learned ones");
    learned_times_settle(times, "/usr/lib/libother.so", 16);
    call = symv_call(1024);
    predicted = predicted_call(&model, &call, 0, true);
    tap_ok(close_to(predicted.host_us, predicted_call(&built_in, &call, 0, true).host_us) &&
           close_to(predicted.resident_us, 20),
           "with another host BLAS the host's curves are forgotten, the device's stay");
    read_text(times, text);
    learned_times_settle(times, "/usr/lib/a path/libblas.so.3", 1);
    tap_ok(times->host[timed_class_of(&call)].count == 0, "so with another number of threads");
}

static struct blas_call update(enum blas_family family, int64_t n, int64_t k)
{
    return (struct blas_call){.family = family, .type = TYPE_D, .m = family == FAMILY_GEMM ? n : 0, .n = n,
                              .k = k};
}

/* Results come home at 50 GB/s where they are pinned, else 25 us later at 7.5; the rest takes 10 us and 1 for
 * 100,000 products. */
static double planted_update(const struct blas_call *call, bool pinned)
{
    const double bytes = (double)call->m * (double)call->n * 8;
    return 10 + call_work_products(call) * 1e-5 + (pinned ? bytes / 50e3 : 25 + bytes / 7.5e3);
}

static struct blas_call gemv_call(int64_t m, int64_t n)
{
    return (struct blas_call){
        .family = FAMILY_GEMV, .type = TYPE_D, .m = m, .n = n, .trans = TRANS_TRANSPOSE};
}

static void test_ratios(struct learned_times *times)
{
    const struct blas_call square = gemv_call(512, 512), tall = gemv_call(2048, 128),
                           wide = gemv_call(128, 2048);
    double of_square, of_tall, unknown;
    read_text(times, "host dgemv_transpose_square 4096 10 67108864 20\n"
                     "host dgemv_transpose_tall 4096 40 67108864 80\n");
    learned_times_host(times, timed_call_of(&square), &of_square);
    learned_times_host(times, timed_call_of(&tall), &of_tall);
    tap_ok(close_to(of_tall, 4 * of_square), "each ratio's class has its own times");
    tap_ok(!learned_times_host(times, timed_call_of(&wide), &unknown),
           "what is not learned is not known from others");
}

/* Curves over the amount of work know nothing of a result's size. */
static void test_results(struct learned_times *times)
{
    const int class = timed_class_parse("dgemm_panel");
    struct machine_model model = crossover_builtin_model(NULL, 16);
    const char *fault = read_text(times, "result staged 1048576 200 8388608 1600\nscan 0.0003\nscan 1\n");
    char *written = learned_times_text(times);
    tap_ok(!fault && written && !*written, "what older recipes say of results and scans is passed over");
    free(written);
    for (int64_t n = 128; n <= 2048; n *= 2) {
        const struct blas_call call = update(FAMILY_GEMM, n, 32);
        time_curve_add(&times->resident[class], call_work_products(&call), planted_update(&call, true));
    }
    learned_times_settle(times, "", 0);
    crossover_use_learned(&model, times);
    double worst = 0;
    for (int64_t n = 300; n < 3000; n += 100)
        for (int64_t k = 8; k <= 32; k *= 4) {
            const struct blas_call call = update(FAMILY_GEMM, n, k);
            const double pinned = predicted_call(&model, &call, 0, true).resident_us,
                         staged = predicted_call(&model, &call, 0, false).resident_us;
            worst = fmax(worst, fabs(pinned / planted_update(&call, true) - 1));
            worst = fmax(worst, fabs(staged / planted_update(&call, false) - 1));
        }
    tap_ok(worst < 0.07, "results of other sizes, pinned or staged, within %.3f", worst);
    const struct blas_call triangle = update(FAMILY_SYRK, 1000, 32), square = update(FAMILY_GEMM, 1000, 32);
    const struct blas_call vector = {.family = FAMILY_GEMV, .type = TYPE_D, .m = 1000, .n = 1000};
    tap_ok(result_home_us(&triangle, true) < 0.51 * result_home_us(&square, true) &&
               result_home_us(&triangle, false) > 1.5 * result_home_us(&square, false) &&
               result_home_us(&vector, false) == 0,
           "a triangle goes in pieces, a vector not at all");
    static const char sides[] = "host dtrmm_left_deep 1000 5 1000000000 500\n"
                                "host dtrmm_right_deep 1000 8 1000000000 800\n";
    struct blas_call call = {.family = FAMILY_TRMM, .type = TYPE_D, .m = 400, .n = 500};
    double left, right;
    read_text(times, sides);
    const bool both = learned_times_host(times, timed_call_of(&call), &left) &&
                      (call.side = SIDE_RIGHT,
                       learned_times_host(times, timed_call_of(&call), &right));
    tap_ok(both && right > 1.5 * left, "a triangle from the right has a time of its own: %.3g and %.3g us",
           left, right);
}

/* The gate must not keep a call that the policy would send. */
static void test_floors(struct learned_times *times)
{
    struct machine_model model = crossover_builtin_model(NULL, 16), built_in = model;
    read_text(times, text);
    learned_times_settle(times, "/usr/lib/a path/libblas.so.3", 16);
    crossover_use_learned(&model, times);
    uint64_t floor = policy_floor(OFFLOAD_AUTO, &model, FAMILY_SYMV, TYPE_D);
    struct residency residency = {.trackable = true, .resident = true};
    int64_t n = 1;
    for (struct blas_call call = symv_call(n); !decide(OFFLOAD_AUTO, &model, &call, &residency).device;
         call = symv_call(n))
        n++;
    tap_ok((int64_t)floor <= n && (int64_t)floor > 0.97 * (double)n,
           "dsymv gains from n = %lld on, its floor is %llu",
           (long long)n, (unsigned long long)floor);
    tap_ok(policy_floor(OFFLOAD_AUTO, &model, FAMILY_GEMV, TYPE_D) <= policy_floor(OFFLOAD_AUTO, &built_in,
                                                                                   FAMILY_GEMV,
                                                                                       TYPE_D) * 25 / 15,
           "a routine with classes that are not learned has no floor above the built-in one");
    static const char never[] =
        "host-blas b\nhost-threads 1\nhost dsymv 4096 1 1048576 10\ndevice dsymv 4096 15 1048576 40\n"
        "host dsymv_upper 4096 1 1048576 10\ndevice dsymv_upper 4096 15 1048576 40\n";
    tap_ok(!read_text(times, never), "a text of a host that is always faster");
    learned_times_settle(times, "b", 1);
    tap_ok(policy_floor(OFFLOAD_AUTO, &model, FAMILY_SYMV, TYPE_D) == UINT64_MAX, "never is learned");
    struct blas_call giant = symv_call(40000);
    tap_ok(!decide(OFFLOAD_AUTO, &model, &giant, &residency).device, "and a resident giant stays");
}

static void test_links(struct learned_times *times)
{
    *times = (struct learned_times){.links_part = 0};
    tap_ok(learned_links_part(NULL) == 1 && learned_links_part(times) == 1,
           "links carry together what they carry alone where nobody has measured that");
    times->links_part = 0.6;
    const double measured = learned_links_part(times);
    times->links_part = 1.02; /* noise */
    tap_ok(measured == 0.6 && learned_links_part(times) == 1, "their part as measured, never more than all");
}

UNIT_TEST(test_learned_times)
{
    struct learned_times *times = malloc(sizeof *times);
    test_curve();
    test_first_gain();
    test_classes();
    test_triangles(times);
    test_far_forms(times);
    test_text(times);
    test_bad_text(times);
    test_predictions(times);
    test_ratios(times);
    test_results(times);
    test_links(times);
    test_floors(times);
    free(times);
    return tap_done();
}
