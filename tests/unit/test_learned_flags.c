/* Lessons on flags and the device's sets: lines of text, times of calls, floors. */
#include "interpose/policy.h"
#include "tuner/online/learned_times.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <string.h>

static const char text[] = "host-blas b\nhost-threads 4\n"
                           "host zgemv_transpose_square 4096 10 67108864 20\n"
                           "flags zgemv_transpose_square 0.5 2\n"
                           "host zgemv_transpose_tall 4096 40 67108864 80\n"
                           "host zgemv_transpose_far_tall 4096 40 67108864 80\n"
                           "host dsymv_upper 4096 1 1048576 300\n"
                           "device dsymv_upper 4096 15 1048576 20\n"
                           "host dtrmv_none 4096 1 1048576 300\nflags dtrmv_none 0.8 0.8 1.25 1.25\n"
                           "device dtrmv_none 4096 15 1048576 20\n"
                           "device-sets dtrmv_none 1 1.2 1 1.25 1 1.5 1 1.4\n"
                           "host dtrmv_transpose 4096 1 1048576 300\n"
                           "device dtrmv_transpose 4096 15 1048576 20\n"
                           "host zgemm_deep 4096 1 100000000 3000\n"
                           "flags zgemm_deep 1 1.1 1.2 0.9 0.8 1 1.4 1.35 0.7\n"
                           "host ztrmm_left_deep 4096 1 100000000 3000\n"
                           "flags ztrmm_left_deep 1 1.1 1.2 1.3 1.4 1.5 0.9 0.8 0.7 0.6 0.55 1.55\n"
                           "host ztrmm_right_deep 4096 1 100000000 3000\n";

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static bool read_text(struct learned_times *times, const char *lines)
{
    char fault[LEARNED_FAULT_BYTES];
    const bool good = learned_times_parse(times, lines, fault);
    if (!good)
        printf("# %s\n", fault);
    return good;
}

static void test_text(struct learned_times *times)
{
    const bool read = read_text(times, text);
    char *written = learned_times_text(times);
    tap_ok(read && written && strcmp(written, text) == 0,
           "flags and the device's sets are written as they were read");
    free(written);
    read_text(times, "host daxpy 1000 1 10000 10\n");
    times->flags[timed_class_parse("daxpy")][0] = 1;
    written = learned_times_text(times);
    tap_ok(written && !strstr(written, "flags"), "nothing is written of calls that have none");
    free(written);
    tap_ok(read_text(times, "narrow-shares dsymv_upper 0.05\nhost daxpy 1000 1 10000 10\n") &&
               times->host[timed_class_parse("daxpy")].count == 2,
           "what older recipes have besides is passed over");
}

static void test_bad_text(struct learned_times *times)
{
    static const struct {
        const char *text, *phrase;
    } wrong[] = {
        {"flags dfoo 1 1\n", "crossover line 1: there is no class of calls 'dfoo'"},
        {"flags dgemm 1 1 1 1\n", "crossover line 1: there is no class of calls 'dgemm'"},
        {"flags\n", "crossover line 1: a word is wanted where the line ends"},
        {"flags dsymm_left_deep\n", "crossover line 1: a number is wanted where the line ends"},
        {"flags dsymm_left_deep 1\n", "crossover line 1: a number is wanted where the line ends"},
        {"flags zgemm_deep 1 1 1 1 1 1 1 1\n", "crossover line 1: a number is wanted where the line ends"},
        {"flags dsymm_left_deep 1 2 3\n", "crossover line 1: the end of the line is wanted where '3' stands"},
        {"flags daxpy 1 1\n", "crossover line 1: the end of the line is wanted where '1' stands"},
        {"flags dsymm_left_deep 1  1\n", "crossover line 1: a number is wanted where a space stands"},
        {"flags dsymm_left_deep 1 0\n", "crossover line 1: 0 is not from 0.01 to 100"},
        {"flags dsymm_left_deep 1e9 1\n", "crossover line 1: 1e+09 is not from 0.01 to 100"},
        {"flags dsymm_left_deep 1 0.0099\n", "crossover line 1: 0.0099 is not from 0.01 to 100"},
        {"flags dsymm_left_deep 1 -1\n", "crossover line 1: a number is wanted where '-1' stands"},
        {"flags dsymm_left_deep nan 1\n", "crossover line 1: a number is wanted where 'nan' stands"},
        {"device-sets dfoo 1 1\n", "crossover line 1: there is no class of calls 'dfoo'"},
        {"device-sets dsymm_left_deep 1 1 1\n", "crossover line 1: a number is wanted where the line ends"},
        {"device-sets daxpy 1 1 1\n", "crossover line 1: the end of the line is wanted where '1' stands"},
        {"device-sets daxpy 1 101\n", "crossover line 1: 101 is not from 0.01 to 100"},
        {"device-sets daxpy 1 1\ndevice-sets daxpy 1 1\n", "crossover line 2: factors a second time"},
        {"flags dsymm_left_deep 1 1\nflags ssymm_left_deep 1 1\nflags dsymm_left_deep 1 1\n",
         "crossover line 3: factors a second time"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char fault[LEARNED_FAULT_BYTES] = "";
        const bool read = learned_times_parse(times, wrong[i].text, fault);
        tap_ok(!read && strcmp(fault, wrong[i].phrase) == 0, "refused: %s", read ? wrong[i].text : fault);
    }
    tap_ok(read_text(times, "flags dsymm_left_deep 0.01 100\n"), "the bounds themselves are taken");
}

/* The worst ratio of a class's times by flags to its curve's time and the factors that stand in the text. */
static double worst_factor(const struct learned_times *times, const char *name, const double *factors)
{
    const int class = timed_class_parse(name);
    double worst = 1, us;
    for (int set = 0; set < flag_sets_of(class); set++) {
        struct blas_call call = timed_class_call(class, 1e6);
        const double plain = time_curve_at(&times->host[class], TIME_SHRINKS, call_work_products(&call));
        flag_set_apply(set, &call);
        if (!learned_times_host(times, timed_call_of(&call), &us))
            return HUGE_VAL;
        worst = fmax(worst, exp(fabs(log(us / (plain * factors[set])))));
    }
    return worst;
}

static void test_times(struct learned_times *times)
{
    static const double trmm[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 0.9, 0.8, 0.7, 0.6, 0.55, 1.55},
                        gemm[] = {1, 1.1, 1.2, 0.9, 0.8, 1, 1.4, 1.35, 0.7},
                        none[FLAG_SETS_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct machine_model model = crossover_builtin_model(NULL, 16);
    struct blas_call gemv = {.family = FAMILY_GEMV, .type = TYPE_Z, .m = 1022, .n = 256,
                             .trans = TRANS_TRANSPOSE};
    double plain, conjugate, lower, upper;
    read_text(times, text);
    learned_times_settle(times, "b", 4);
    tap_ok(close_to(worst_factor(times, "zgemm_deep", gemm), 1) &&
               close_to(worst_factor(times, "ztrmm_left_deep", trmm), 1),
           "a call's time on the host is its class's times its flags' factor");
    tap_ok(close_to(worst_factor(times, "ztrmm_right_deep", none), 1),
           "where flags are not known all are alike");
    learned_times_host(times, timed_call_of(&gemv), &plain);
    gemv.trans = TRANS_CONJUGATE;
    learned_times_host(times, timed_call_of(&gemv), &conjugate);
    const double square = time_curve_at(&times->host[timed_class_of(&gemv)], TIME_SHRINKS, 1022 * 256);
    tap_ok(close_to(conjugate, 4 * plain) && close_to(plain, 0.5 * square), "gemv's, too: %.2f and %.2f us",
           plain, conjugate);
    struct blas_call call = timed_class_call(timed_class_parse("dtrmv_none"), 1 << 20);
    crossover_use_learned(&model, times);
    lower = predicted_call(&model, &call, 0, true).host_us;
    call.uplo = UPLO_UPPER;
    upper = predicted_call(&model, &call, 0, true).host_us;
    tap_ok(close_to(lower, 240) && close_to(upper, 375), "so is what is predicted: %.1f and %.1f us", lower,
           upper);
}

static bool gains(const struct learned_times *times, enum blas_uplo uplo, int64_t n)
{
    const struct blas_call call = {.family = FAMILY_TRMV, .type = TYPE_D, .n = n, .uplo = uplo};
    const struct timed_call timed = timed_call_of(&call);
    double host, device;
    return learned_times_host(times, timed, &host) &&
           learned_times_resident(times, timed, result_home_us(&call, true), &device) && device < host;
}

static int64_t first_gain(const struct learned_times *times, enum blas_uplo uplo)
{
    int64_t n = 1;
    while (n < 10000 && !gains(times, uplo, n))
        n++;
    return n;
}

/* The gate must not keep a call that gains for its flags. */
static void test_floor(struct learned_times *times)
{
    static const char slow[] =
        "host dtrmv_none 4096 1.25 1048576 375\ndevice dtrmv_none 4096 15 1048576 20\n"
        "host dtrmv_transpose 4096 1.25 1048576 375\ndevice dtrmv_transpose 4096 15 1048576 20\n";
    uint64_t floor = 0, slow_floor = 0;
    read_text(times, text);
    learned_times_settle(times, "b", 4);
    const bool known = learned_times_floor(times, FAMILY_TRMV, TYPE_D, &floor);
    const int64_t lower = first_gain(times, UPLO_LOWER), upper = first_gain(times, UPLO_UPPER);
    tap_ok(known && (int64_t)floor <= upper && (double)floor > 0.97 * (double)upper,
           "the floor, %llu, is that of the flags that take longest: n = %lld", (unsigned long long)floor,
           (long long)upper);
    tap_ok(lower > upper + upper / 10, "calls with others gain later: n = %lld", (long long)lower);
    read_text(times, slow);
    learned_times_settle(times, "", 0);
    tap_ok(learned_times_floor(times, FAMILY_TRMV, TYPE_D, &slow_floor) && slow_floor == floor,
           "a host that takes as long with all flags has the same");
}

/* The device's sets are even and odd ones of each set of flags; those that gain most make the floor. */
static void test_device_sets(struct learned_times *times)
{
    static const char plain[] = "host dtrmv_none 4096 1 1048576 300\nflags dtrmv_none 0.8 0.8 1.25 1.25\n"
                                "device dtrmv_none 4096 15 1048576 20\n"
                                "host dtrmv_transpose 4096 1 1048576 300\n"
                                "device dtrmv_transpose 4096 15 1048576 20\n",
                      sets[] = "device-sets dtrmv_none 1 0.5 1 1 1 1.25 1 1\n";
    char both[sizeof plain + sizeof sets];
    struct blas_call even = timed_class_call(timed_class_parse("dtrmv_none"), 1 << 20), odd = even;
    double even_us, odd_us, upper_us;
    uint64_t floor = 0, floor_of_sets = 0;
    read_text(times, plain);
    learned_times_settle(times, "", 0);
    learned_times_floor(times, FAMILY_TRMV, TYPE_D, &floor);
    snprintf(both, sizeof both, "%s%s", plain, sets);
    read_text(times, both);
    learned_times_settle(times, "", 0);
    learned_times_floor(times, FAMILY_TRMV, TYPE_D, &floor_of_sets);
    even.a.ld = 1024, odd.a.ld = 1025;
    learned_times_resident(times, timed_call_of(&even), result_home_us(&even, false), &even_us);
    learned_times_resident(times, timed_call_of(&odd), result_home_us(&odd, false), &odd_us);
    odd.uplo = UPLO_UPPER;
    learned_times_resident(times, timed_call_of(&odd), result_home_us(&odd, false), &upper_us);
    tap_ok(close_to(odd_us, 0.5 * even_us) && close_to(upper_us, 1.25 * even_us),
           "a call on the device takes its set's part of %.2f us: %.2f and %.2f", even_us, odd_us, upper_us);
    int64_t n = 1;
    for (struct blas_call call = odd; ; n++) {
        double host_us, device_us;
        call.uplo = UPLO_LOWER, call.n = call.a.ld = 2 * n - 1;
        const struct timed_call timed = timed_call_of(&call);
        if (learned_times_host(times, timed, &host_us) &&
            learned_times_resident(times, timed, result_home_us(&call, true), &device_us) &&
            device_us < host_us)
            break;
    }
    tap_ok((int64_t)floor_of_sets <= 2 * n - 1 && (double)floor_of_sets > 0.97 * (double)(2 * n - 1) &&
               floor_of_sets < floor,
           "the floor, %llu instead of %llu, is that of the set that gains most: n = %lld",
           (unsigned long long)floor_of_sets, (unsigned long long)floor, (long long)(2 * n - 1));
}

static void test_other_host(struct learned_times *times)
{
    static const struct {
        const char *host;
        int threads;
        bool kept;
    } hosts[] = {{"b", 4, true}, {"other", 4, false}, {"b", 5, false}};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        read_text(times, text);
        learned_times_settle(times, hosts[i].host, hosts[i].threads);
        char *written = learned_times_text(times);
        tap_ok(written && !strstr(written, "flags ") == !hosts[i].kept &&
               !strstr(written, "host dtrmv_none") == !hosts[i].kept,
               "with %d threads of %s flags are %s", hosts[i].threads, hosts[i].host,
               hosts[i].kept ? "kept" : "forgotten");
        free(written);
    }
}

UNIT_TEST(test_learned_flags)
{
    struct learned_times *times = malloc(sizeof *times);
    test_text(times);
    test_bad_text(times);
    test_times(times);
    test_floor(times);
    test_device_sets(times);
    test_other_host(times);
    free(times);
    return tap_done();
}
