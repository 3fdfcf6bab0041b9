/* The host's foretold times where its BLAS is Netlib's reference: one slow thread, whatever the machine has, and
 * nothing else of the model changes. */
#include "policy_calls.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static struct machine_model model_of(int cores, bool is_reference)
{
    struct machine_model model = crossover_builtin_model(NULL, cores);
    crossover_use_processors(&model, 64, 32 << 20);
    if (is_reference)
        crossover_use_reference_host(&model);
    return model;
}

static struct blas_call product(int64_t n)
{
    static double storage;
    const struct blas_matrix matrix = {&storage, n, n, n, PART_FULL};
    return (struct blas_call){.family = FAMILY_GEMM, .type = TYPE_D, .m = n, .n = n, .k = n,
                              .a = matrix, .b = matrix, .c = matrix};
}

static struct predicted_times product_times(int cores, bool is_reference, int64_t n)
{
    const struct machine_model model = model_of(cores, is_reference);
    const struct blas_call call = product(n);
    return crossover_times(&model, &call);
}

static void test_products(void)
{
    const struct predicted_times slow = product_times(16, true, 512), quick = product_times(1, false, 512);
    tap_ok(slow.host_us > 0.5 * 0.115e6 && slow.host_us < 2 * 0.115e6,
           "a dgemm of order 512 takes half to twice of the 0.115 s that were measured: %.3f", 1e-6 * slow.host_us);
    tap_ok(slow.host_us > 4 * quick.host_us, "more than four times what OpenBLAS takes on one core");
    tap_ok(product_times(1, true, 512).host_us == slow.host_us, "as much on one core as on 16");
    tap_ok(product_times(16, true, 512).resident_us == product_times(16, false, 512).resident_us,
           "the device's time is what it was");
}

/* Calls that would wake a device, of `most`; 0: all of them would not. */
static int calls_until_waking(bool is_reference, int most)
{
    const struct machine_model model = model_of(2, is_reference);
    const struct blas_call call = product(512);
    struct wake_account account = {0};
    for (int i = 1; i <= most; i++)
        if (wake(OFFLOAD_AUTO, &model, &call, 0, &account))
            return i;
    return 0;
}

static void test_choices(void)
{
    const struct machine_model slow = model_of(16, true), quick = model_of(16, false);
    bool lower = true;
    for (int family = FAMILY_GEMV; family < FAMILY_COUNT; family++)
        for (int type = TYPE_S; type <= TYPE_Z; type++)
            lower = lower && (blas_is_update((enum blas_family)family) ||
                              policy_floor(OFFLOAD_AUTO, &slow, (enum blas_family)family, (enum blas_type)type) <
                                  policy_floor(OFFLOAD_AUTO, &quick, (enum blas_family)family, (enum blas_type)type));
    tap_ok(lower, "each floor is lower than OpenBLAS', but for updates, whose terms have bounds of their own");
    const int calls = calls_until_waking(true, 20);
    tap_ok(calls > 0 && calls_until_waking(false, 20) == 0,
           "the call number %d of two seconds of dgemm wakes a device, none does with OpenBLAS", calls);
}

static struct route_shape shape_of(enum lapack_family family, enum blas_type type, bool vectors)
{
    const int64_t n = 512;
    return (struct route_shape){.family = family, .type = type, .vectors = vectors, .m = n, .n = n, .k = n};
}

static double route_seconds(bool is_reference, const struct learned_times *learned, const struct route_shape *shape)
{
    struct machine_model model = model_of(1, is_reference);
    if (learned)
        crossover_use_learned(&model, learned);
    return 1e-6 * route_times_predict(&model, shape).host_us;
}

/* As measured (bench/results/reference-host.csv). */
static void test_routes(void)
{
    static const struct {
        const char *name;
        enum lapack_family family;
        enum blas_type type;
        bool vectors;
        double seconds;
    } measured[] = {
        {"dpotrf", LAPACK_POTRF, TYPE_D, false, 0.0218},       {"dgetrf", LAPACK_GETRF, TYPE_D, false, 0.0387},
        {"dsyevd, vectors", LAPACK_SYEVD, TYPE_D, true, 0.383}, {"dsyevd", LAPACK_SYEVD, TYPE_D, false, 0.0657},
        {"zheevd, vectors", LAPACK_SYEVD, TYPE_Z, true, 0.593}, {"dgesdd", LAPACK_GESDD, TYPE_D, true, 0.866},
        {"zgeev, vectors", LAPACK_GEEV, TYPE_Z, true, 2.58},
    };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const struct route_shape shape = shape_of(measured[i].family, measured[i].type, measured[i].vectors);
        const double seconds = route_seconds(true, NULL, &shape);
        tap_ok(seconds > measured[i].seconds / 2 && seconds < 2 * measured[i].seconds,
               "%s of order 512: half to twice of the %.3f s that were measured: %.3f", measured[i].name,
               measured[i].seconds, seconds);
    }
}

static bool read_text(struct learned_times *times, const char *text)
{
    char fault[LEARNED_FAULT_BYTES];
    const bool good = learned_times_parse(times, text, fault);
    if (good)
        learned_times_settle(times, "blas", 16);
    return good;
}

/* A recipe's times of the host go before, over OpenBLAS' curves as the tuner took them. */
static void test_learned(void)
{
    static struct learned_times times;
    const struct route_shape vectors = shape_of(LAPACK_SYEVD, TYPE_D, true), lu = shape_of(LAPACK_GETRF, TYPE_Z, false);
    const struct route_shape values = shape_of(LAPACK_SYEVD, TYPE_Z, false);
    const bool read = read_text(&times, "host-blas blas\nhost-threads 16\nroute host real vectors 3\n"
                                        "route host real level3 5\n");
    tap_ok(read && route_seconds(true, &times, &vectors) == route_seconds(false, &times, &vectors) &&
               route_seconds(true, &times, &lu) == route_seconds(false, &times, &lu),
           "a learned factor counts, of level 3 for complex types, too");
    tap_ok(route_seconds(true, &times, &values) == route_seconds(true, NULL, &values) &&
               route_seconds(true, &times, &values) != route_seconds(false, NULL, &values),
           "a curve that was not learned stays the reference's");
    tap_ok(read_text(&times, "host-blas another\nhost-threads 16\nroute host real vectors 3\n") &&
               route_seconds(true, &times, &vectors) == route_seconds(true, NULL, &vectors),
           "so does what was learned with another host BLAS");
}

UNIT_TEST(test_reference_host)
{
    test_products();
    test_choices();
    test_routes();
    test_learned();
    return tap_done();
}
