/* Predicted times of LAPACK routines, built in and as the tuner learned them. */
#include "interpose/policy.h"
#include "tap.h"
#include "tuner/online/crossover.h"
#include "unit_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static struct route_shape shape_of(enum lapack_family family, enum blas_type type, int64_t n, int64_t vectors)
{
    const uint64_t bytes = (uint64_t)(n * n) * blas_element_bytes(type);
    return (struct route_shape){.family = family, .type = type, .vectors = vectors > 0, .m = n, .n = n,
                                .k = vectors > 0 ? vectors : n, .bytes_up = bytes, .bytes_down = bytes};
}

static struct route_times predict(const struct learned_times *learned, enum lapack_family family,
                                  enum blas_type type, int64_t n, int64_t vectors)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    const struct route_shape shape = shape_of(family, type, n, vectors);
    if (learned)
        crossover_use_learned(&model, learned);
    return route_times_predict(&model, &shape);
}

static bool read_text(struct learned_times *times, const char *text)
{
    char fault[LEARNED_FAULT_BYTES];
    const bool good = learned_times_parse(times, text, fault);
    if (good)
        learned_times_settle(times, "blas", 16);
    return good;
}

static void test_built_in(void)
{
    const struct route_times small = predict(NULL, LAPACK_SYEVD, TYPE_D, 1024, 1024);
    const struct route_times large = predict(NULL, LAPACK_SYEVD, TYPE_D, 2048, 2048);
    tap_ok(close_to(small.compute_us, 4.6e3) && close_to(large.compute_us, 14.8e3) &&
               close_to(large.host_us / small.host_us, 0.44 / 0.10),
           "between the table's orders times are its own: %.0f and %.0f us", small.compute_us,
           large.compute_us);
    const struct route_times between = predict(NULL, LAPACK_SYEVD, TYPE_D, 1448, 1448);
    tap_ok(between.compute_us > small.compute_us && between.compute_us < large.compute_us &&
               fabs(between.compute_us / sqrt(small.compute_us * large.compute_us) - 1) < 0.01,
           "and powers of the order between");
    const struct route_times few = predict(NULL, LAPACK_SYEVX, TYPE_Z, 2048, 204),
                             all = predict(NULL, LAPACK_SYEVX, TYPE_Z, 2048, 2048),
                             none = predict(NULL, LAPACK_SYEVX, TYPE_Z, 2048, 0);
    tap_ok(few.host_us > none.host_us && few.host_us < all.host_us &&
               close_to(few.compute_us, all.compute_us),
           "few vectors save time on the host alone");
}

/* The times of our own eigensolver where that solves the problem, cuSOLVER's elsewhere. */
static void test_own(struct learned_times *times)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    struct route_shape shape = shape_of(LAPACK_SYGVD, TYPE_D, 2048, 2048);
    const struct route_times own = route_times_predict(&model, &shape);
    shape.solvers_alone = true;
    const struct route_times solvers = route_times_predict(&model, &shape);
    tap_ok(own.own && !solvers.own && close_to(solvers.compute_us - own.compute_us, 28e3 - 14.8e3),
           "what only cuSOLVER solves takes its time: %.0f and %.0f us", own.compute_us, solvers.compute_us);
    bool read = read_text(times, "route own real 1000\nroute own complex 1\n");
    const struct route_times below = predict(times, LAPACK_SYEVD, TYPE_S, 999, 999),
                             at = predict(times, LAPACK_SYEVD, TYPE_S, 1000, 1000);
    tap_ok(read && !below.own && at.own && below.compute_us > at.compute_us &&
               predict(times, LAPACK_SYTRD, TYPE_D, 1000, 0).own &&
               !predict(times, LAPACK_SYTRD, TYPE_D, 999, 0).own &&
               predict(times, LAPACK_SYEV, TYPE_C, 100, 0).own,
           "the recipe may have an order from which ours is faster");
    tap_ok(!predict(NULL, LAPACK_GETRF, TYPE_D, 2000, 0).own &&
               !predict(NULL, LAPACK_ORMTR, TYPE_D, 2000, 0).own &&
               !predict(NULL, LAPACK_STEDC, TYPE_D, 2000, 2000).own &&
               !predict(NULL, LAPACK_GEEV, TYPE_D, 2000, 2000).own,
           "of other routines there is no such thing");
    struct route_shape singular = shape_of(LAPACK_GESVD, TYPE_Z, 2048, 2048);
    const struct route_times ours = route_times_predict(&model, &singular);
    singular.solvers_alone = true;
    const struct route_times theirs = route_times_predict(&model, &singular);
    tap_ok(ours.own && !theirs.own && ours.compute_us < theirs.compute_us &&
               predict(NULL, LAPACK_GESDD, TYPE_D, 60, 60).own && predict(NULL, LAPACK_GELSD, TYPE_S, 1000, 1000).own,
           "singular values are found by what is predicted to be faster");
}

static int64_t learned_own(double first, double second, double third)
{
    static const int64_t orders[] = {160, 256, 400};
    const double own[] = {first, second, third}, solver[] = {100, 100, 100};
    struct route_factors factors = {0};
    route_factors_learn_own(&factors, 1, orders, own, solver, 3);
    return factors.orders[BORDER_OWN][1];
}

static void test_learning_own(struct learned_times *times)
{
    tap_ok(learned_own(90, 80, 101) == 1 && learned_own(110, 99, 80) == 256 &&
               learned_own(90, 120, 90) == 400 && learned_own(90, 90, 110) == ROUTE_ORDER_NEVER,
           "ours are for orders above those at which cuSOLVER's was clearly faster");
    struct route_factors factors = {0}, before = {.orders[BORDER_OWN] = {7, 8}};
    route_factors_learn_own(&factors, 0, NULL, NULL, NULL, 0);
    tap_ok(factors.orders[BORDER_OWN][0] == 0, "where nothing was timed nothing is learned");
    factors.orders[BORDER_OWN][1] = 300;
    route_factors_keep(&factors, &before);
    memset(times, 0, sizeof *times);
    times->routes = factors;
    char *text = learned_times_text(times);
    tap_ok(text && read_text(times, text) && times->routes.orders[BORDER_OWN][0] == 7 &&
               times->routes.orders[BORDER_OWN][1] == 300,
           "what was not learned anew stays, and all can be read again");
    free(text);
}

static bool has_borders(const struct learned_times *times, enum blas_type type, int64_t none, int64_t tenth,
                        int64_t all)
{
    const struct two_stage_borders from = route_factors_two_stages(times ? &times->routes : NULL, type);
    return from.none == none && from.tenth == tenth && from.all == all;
}

static bool has_clusters(const struct route_factors *factors, int64_t s, int64_t d, int64_t c, int64_t z)
{
    return route_factors_cluster_to(factors, TYPE_S) == s && route_factors_cluster_to(factors, TYPE_D) == d &&
           route_factors_cluster_to(factors, TYPE_C) == c && route_factors_cluster_to(factors, TYPE_Z) == z;
}

/* From which orders on there are two stages, and up to which there are clusters; 0: as built in. */
static void test_borders(struct learned_times *times)
{
    const struct two_stage_borders wide = two_stage_borders(TYPE_D), single = two_stage_borders(TYPE_S);
    tap_ok(has_borders(NULL, TYPE_D, wide.none, wide.tenth, wide.all) &&
               has_borders(NULL, TYPE_S, single.none, single.tenth, single.all) &&
               read_text(times, "route own real 7\n") &&
               has_borders(times, TYPE_D, wide.none, wide.tenth, wide.all),
           "where no border was learned there are the built-in ones");
    bool read = read_text(times, "route two-stages double 3000\nroute two-stages-tenth double 5000\n"
                                 "route two-stages-all double 7000\nroute two-stages-tenth single 6000\n");
    tap_ok(read && has_borders(times, TYPE_D, 3000, 5000, 7000) &&
               has_borders(times, TYPE_S, single.none * 3000 / wide.none, 6000, single.all * 7000 / wide.all),
           "learned ones count, and single precision's follow where they were not");
    read = read_text(times, "route two-stages double 9000\n");
    tap_ok(read && has_borders(times, TYPE_D, 9000, 9000, wide.all > 9000 ? wide.all : 9000),
           "more vectors take two stages no sooner than fewer");
    read = has_clusters(NULL, 0, 0, 0, 0) && has_clusters(&times->routes, 0, 0, 0, 0) &&
           read_text(times, "route cluster single 1\nroute cluster complex-double 224\n") &&
           has_clusters(&times->routes, 1, 0, 0, 224) &&
           read_text(times, "route cluster double 384\nroute cluster complex-single 2147483647\n");
    tap_ok(read && has_clusters(&times->routes, 0, 384, INT32_MAX, 0),
           "clusters have a border for each type, in older recipes none");
    struct route_factors factors = {.orders = {[BORDER_CLUSTER] = {2, 0, 4, 0}, {0, 1}, {0}, {0, 3}}};
    const struct route_factors before = {
        .orders = {[BORDER_CLUSTER] = {6, 5, 8, 7}, {0, 4}, {8, 5}, {9, 6}}};
    route_factors_keep(&factors, &before);
    memset(times, 0, sizeof *times);
    times->routes = factors;
    char *text = learned_times_text(times);
    memset(times, 0, sizeof *times);
    tap_ok(text && read_text(times, text) && has_borders(times, TYPE_D, 1, 5, 5) &&
               has_clusters(&times->routes, 2, 5, 4, 7) &&
               times->routes.orders[BORDER_TWO_STAGES_ALL][TYPE_D] == 3 &&
               times->routes.orders[BORDER_TWO_STAGES][TYPE_S] == 0 &&
               times->routes.orders[BORDER_TWO_STAGES_ALL][TYPE_S] == 9,
           "what was not learned anew stays, and all can be read again");
    free(text);
}

static void test_bad_borders(struct learned_times *times)
{
    static const char *const borders[] = {
        "own real 5\nroute own real 6", "own real 0", "own 5", "own double 5",
        "two-stages-all double 5\nroute two-stages-all double 6", "two-stages single 0", "two-stages 5",
        "two-stages-all real 5", "two-stages-half single 5", "two-stages-all single 5 6",
        "two-stages complex-double 5", "cluster single 5\nroute cluster single 6", "cluster double 0",
        "cluster double 2147483648", "cluster real 5", "cluster 5", "cluster double"};
    char text[80], fault[LEARNED_FAULT_BYTES] = "";
    int taken = 0, unnamed = 0;
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        snprintf(text, sizeof text, "wake 1\nroute %s\n", borders[i]);
        taken += learned_times_parse(times, text, fault);
        unnamed += !strstr(fault, strchr(borders[i], '\n') ? " line 3:" : " line 2:");
    }
    tap_ok(taken == 0 && unnamed == 0,
           "a border a second time, none, and one of no type are faults of a line: %d are not, %d of others",
           taken, unnamed);
    learned_times_parse(times, "wake 1\nroute cluster quad 5\n", fault);
    tap_ok(strstr(fault, " line 2: ") && strstr(fault, "'quad'"), "a wrong word is named: %s", fault);
}

/* The times of two stages from their border on. */
static void test_two_stages(struct learned_times *times)
{
    read_text(times, "route two-stages double 8192\nroute two-stages-tenth double 8192\n"
                     "route two-stages-all double 16384\n");
    tap_ok(close_to(predict(times, LAPACK_SYEVD, TYPE_D, 8192, 0).compute_us, 174e3) &&
               close_to(predict(times, LAPACK_SYEVX, TYPE_D, 16384, 16384).compute_us, 1.72e6) &&
               close_to(predict(times, LAPACK_SYEVX, TYPE_D, 8192, 8192).compute_us, 432e3) &&
               predict(times, LAPACK_SYEVD, TYPE_D, 8191, 0).compute_us > 350e3,
           "two stages have their times from their border on");
    const double few = predict(times, LAPACK_SYEVX, TYPE_D, 16384, 1638).compute_us,
                 half = predict(times, LAPACK_SYEVX, TYPE_D, 16384, 9011).compute_us;
    tap_ok(fabs(few / 886e3 - 1) < 0.01 && fabs(half / ((886e3 + 1.72e6) / 2) - 1) < 0.01,
           "by the part of the vectors: %.0f and %.0f us", few, half);
    read_text(times, "route own real 20000\nroute two-stages double 100\n");
    tap_ok(predict(times, LAPACK_SYEVD, TYPE_D, 8192, 0).compute_us > 500e3 &&
               predict(times, LAPACK_SYTRD, TYPE_D, 30000, 0).compute_us > 10e6 &&
               close_to(predict(times, LAPACK_SYEVD, TYPE_Z, 20000, 0).compute_us,
                        predict(NULL, LAPACK_SYEVD, TYPE_Z, 20000, 0).compute_us),
           "neither cuSOLVER's way, nor a reduction alone, nor complex matrices do");
}

/* Every curve has its own factors, and no other's. */
static void test_factors(struct learned_times *times)
{
    static const char text[] =
        "host-blas blas\nhost-threads 16\n"
        "route host real values 2\nroute host real vectors 3\nroute device real vectors 0.5\n"
        "route device complex values 4\n";
    const bool read = read_text(times, text);
    const struct route_times plain = predict(NULL, LAPACK_SYEVD, TYPE_D, 700, 700),
                             now = predict(times, LAPACK_SYEVD, TYPE_D, 700, 700);
    tap_ok(read && close_to(now.host_us, 3 * plain.host_us) &&
               close_to(now.compute_us, 0.5 * plain.compute_us) && now.moving_us == plain.moving_us,
           "learned factors of vectors count: %.2f and %.2f", now.host_us / plain.host_us,
           now.compute_us / plain.compute_us);
    const struct route_times values = predict(NULL, LAPACK_SYEVR, TYPE_S, 700, 0),
                             values_now = predict(times, LAPACK_SYEVR, TYPE_S, 700, 0);
    tap_ok(close_to(values_now.host_us, 2 * values.host_us) &&
               close_to(values_now.compute_us, values.compute_us),
           "of values, too, of other precision and routine");
    const struct route_times half = predict(NULL, LAPACK_SYGVX, TYPE_D, 700, 350),
                             half_now = predict(times, LAPACK_SYGVX, TYPE_D, 700, 350);
    tap_ok(close_to(half_now.host_us, 2.5 * half.host_us) &&
               close_to(half_now.compute_us, 0.5 * half.compute_us),
           "half of the vectors are half-way: %.2f", half_now.host_us / half.host_us);
    const struct route_times complex = predict(NULL, LAPACK_SYEV, TYPE_Z, 700, 0),
                             complex_now = predict(times, LAPACK_SYEV, TYPE_Z, 700, 0);
    tap_ok(close_to(complex_now.host_us, complex.host_us) &&
               close_to(complex_now.compute_us, 4 * complex.compute_us),
           "complex types have their own");
    const struct route_times tridiagonal = predict(NULL, LAPACK_SYTRD, TYPE_D, 700, 0),
                             tridiagonal_now = predict(times, LAPACK_SYTRD, TYPE_D, 700, 0),
                             factor = predict(NULL, LAPACK_POTRF, TYPE_D, 700, 0),
                             factor_now = predict(times, LAPACK_POTRF, TYPE_D, 700, 0);
    tap_ok(close_to(tridiagonal_now.host_us, 2 * tridiagonal.host_us), "sytrd goes by values alone");
    tap_ok(factor_now.host_us == factor.host_us && factor_now.compute_us == factor.compute_us,
           "a factorisation by none of these");
}

/* The times that a factor of one curve gives a routine: host and device. */
static bool follows(const struct learned_times *times, enum lapack_family family, enum blas_type type,
                    double host, double device)
{
    const struct route_times plain = predict(NULL, family, type, 700, 700),
                             now = predict(times, family, type, 700, 700);
    return close_to(now.host_us, host * plain.host_us) && close_to(now.compute_us, device * plain.compute_us);
}

/* dgetrf stands for level 3, dgesdd for singular values. */
static void test_groups(struct learned_times *times)
{
    static const enum lapack_family level3[] = {LAPACK_POTRF, LAPACK_POTRS, LAPACK_POSV,  LAPACK_POTRI,
                                                LAPACK_GETRF, LAPACK_GETRS, LAPACK_GESV,  LAPACK_GETRI,
                                                LAPACK_GEQRF, LAPACK_ORGQR, LAPACK_ORMQR, LAPACK_GELS,
                                                LAPACK_TRTRI, LAPACK_ORGTR, LAPACK_ORMTR, LAPACK_SYGST,
                                                LAPACK_STEDC};
    static const enum lapack_family others[] = {LAPACK_SYEV,  LAPACK_SYEVD, LAPACK_SYEVR,
                                                LAPACK_SYEVX, LAPACK_SYGV,  LAPACK_SYGVD,
                                                LAPACK_SYGVX, LAPACK_SYTRD, LAPACK_GEEV};
    int wrong = 0;
    bool read = read_text(
        times, "host-blas blas\nhost-threads 16\nroute host real level3 3\nroute device real level3 0.5\n"
               "route host real singular 5\nroute device real singular 2\n");
    for (size_t i = 0; i < sizeof level3 / sizeof *level3; i++)
        wrong += !follows(times, level3[i], TYPE_S, 3, 0.5) + !follows(times, level3[i], TYPE_Z, 3, 0.5);
    tap_ok(read && wrong == 0, "what is level 3 follows its factors, complex types, too: %d do not", wrong);
    tap_ok(follows(times, LAPACK_GESDD, TYPE_D, 5, 2) && follows(times, LAPACK_GESVD, TYPE_C, 5, 2),
           "singular values theirs");
    wrong = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        wrong += !follows(times, others[i], TYPE_D, 1, 1) + !follows(times, others[i], TYPE_C, 1, 1);
    tap_ok(wrong == 0, "others neither: %d do", wrong);
    read = read_text(
        times, "host-blas blas\nhost-threads 16\nroute host real level3 3\nroute host complex level3 7\n");
    tap_ok(read && follows(times, LAPACK_GESV, TYPE_Z, 7, 1) && follows(times, LAPACK_GESV, TYPE_D, 3, 1),
           "complex types have their own where there is one");
    read = read_text(
        times, "host-blas blas\nhost-threads 16\nroute host real values 3\nroute device real vectors 2\n");
    tap_ok(read && route_factors_have(&times->routes, ROUTE_VALUES) &&
               route_factors_have(&times->routes, ROUTE_VECTORS) &&
               !route_factors_have(&times->routes, ROUTE_LEVEL3) &&
               !route_factors_have(&times->routes, ROUTE_SINGULAR) &&
               follows(times, LAPACK_GETRF, TYPE_D, 1, 1) && follows(times, LAPACK_GESDD, TYPE_D, 1, 1),
           "an older recipe has eigensolvers alone");
}

static void test_older_and_other(struct learned_times *times)
{
    const struct route_times plain = predict(NULL, LAPACK_SYEVD, TYPE_D, 700, 700);
    bool read = read_text(times, "host-blas blas\nhost-threads 16\nwake 3e5\n");
    struct route_times now = predict(times, LAPACK_SYEVD, TYPE_D, 700, 700);
    tap_ok(read && now.host_us == plain.host_us && now.compute_us == plain.compute_us,
           "a recipe without routes is valid and changes nothing");
    read = read_text(
        times, "host-blas other\nhost-threads 16\nroute host real vectors 3\nroute device real vectors 2\n");
    now = predict(times, LAPACK_SYEVD, TYPE_D, 700, 700);
    tap_ok(read && now.host_us == plain.host_us && close_to(now.compute_us, 2 * plain.compute_us),
           "of another host BLAS the device's factors alone count");
}

static void test_bounds(struct learned_times *times)
{
    struct route_factors factors = {0};
    route_factors_learn(&factors, SIDE_HOST, ROUTE_VALUES, 0, 1000);
    route_factors_learn(&factors, SIDE_DEVICE, ROUTE_VECTORS, 1,
                        -3); /* the way there was thought to take longer than all */
    route_factors_learn(&factors, SIDE_DEVICE, ROUTE_VALUES, 1, 1.5);
    tap_ok(factors.factors[SIDE_HOST][ROUTE_VALUES][0] == 16 &&
               factors.factors[SIDE_DEVICE][ROUTE_VECTORS][1] == 0.0625 &&
               factors.factors[SIDE_DEVICE][ROUTE_VALUES][1] == 1.5 &&
               factors.factors[SIDE_HOST][ROUTE_VECTORS][0] == 0,
           "factors are kept within a sixteenth and sixteen");
    memset(times, 0, sizeof *times);
    times->routes = factors;
    char *text = learned_times_text(times);
    tap_ok(text && read_text(times, text) && times->routes.factors[SIDE_DEVICE][ROUTE_VECTORS][1] == 0.0625 &&
               times->routes.factors[SIDE_DEVICE][ROUTE_VALUES][1] == 1.5,
           "and these can be read again");
    free(text);
    const struct route_factors before = {.factors[SIDE_HOST] = {{7, 8}, {9, 0}}};
    route_factors_keep(&factors, &before);
    tap_ok(factors.factors[SIDE_HOST][ROUTE_VALUES][0] == 16 &&
               factors.factors[SIDE_HOST][ROUTE_VALUES][1] == 8 &&
               factors.factors[SIDE_HOST][ROUTE_VECTORS][0] == 9 &&
               factors.factors[SIDE_HOST][ROUTE_VECTORS][1] == 0,
           "what was not learned anew stays");
}

static const struct residency none;

static int64_t first_order(const struct learned_times *learned)
{
    int64_t n = ROUTE_ORDER_LEAST;
    for (; n < 1 << 14; n++) {
        const struct route_times times = predict(learned, LAPACK_SYEVD, TYPE_D, n, n);
        if (policy_decide_route(OFFLOAD_AUTO, &times, &none).device)
            break;
    }
    return n;
}

/* Matrices that may stay: a route that pays with its way up keeps it once that was paid for twice; one that
 * pays without it alone, once its account covers it. */
static void test_kept(void)
{
    const struct route_times pays = {.host_us = 100, .compute_us = 10, .moving_us = 50, .kept_us = 40};
    const struct route_times pays_without = {.host_us = 50, .compute_us = 10, .moving_us = 50, .kept_us = 40};
    struct residency residency = {.trackable = true};
    struct policy_decision decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.gain_us == 40 && decision.credit_us == 40,
           "at first it is sent");
    residency.credit_us = 40;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.credit_us == 40, "and once more");
    residency.credit_us = 80;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && decision.keeps && decision.credit_us == 0, "then it is kept");
    residency.setbacks = 1;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps, "after a setback twice as much is wanted");
    residency = (struct residency){.trackable = true};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays_without, &residency);
    tap_ok(!decision.device && decision.reason == HOST_NOT_RESIDENT && decision.credit_us == 30,
           "what pays without alone is credited");
    residency.credit_us = 20;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays_without, &residency);
    tap_ok(decision.device && decision.keeps, "and bought");
    residency = (struct residency){.trackable = true, .resident = true};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays_without, &residency);
    tap_ok(decision.device && decision.keeps && decision.gain_us == 30, "what is there is used");
    residency = (struct residency){.trackable = false, .credit_us = 100};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.credit_us == 0,
           "what cannot be tracked is neither kept nor credited");
    tap_ok(!policy_decide_route(OFFLOAD_AUTO, &pays_without, &residency).device, "nor bought");
    residency = (struct residency){.trackable = true, .resident = true, .renewed = true};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.gain_us == 40 && decision.earned_us == 0,
           "what is there but was rewritten is sent");
    residency.recurs = true;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays_without, &residency);
    tap_ok(decision.device && decision.keeps, "and kept at once where that pays each time");
}

/* Results that a route writes over its matrix may stay. */
static void test_kept_results(void)
{
    const struct route_times pays = {.host_us = 100, .compute_us = 10, .moving_us = 50, .kept_us = 40};
    struct residency residency = {.trackable = true, .is_result = true, .credit_us = 1000, .renewed = true};
    struct policy_decision decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.credit_us == 0 && decision.gain_us == 40,
           "a result does not stay by what its matrix would have saved before it was rewritten");
    residency.recurs = true;
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && decision.keeps && decision.gain_us == 40, "but where that pays each time");
    residency = (struct residency){.trackable = true, .is_result = true, .resident = true};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && decision.keeps && decision.gain_us == 80 && decision.earned_us == 40,
           "and where the last one is there, which spares the way up");
    residency = (struct residency){.trackable = true, .is_result = true};
    decision = policy_decide_route(OFFLOAD_AUTO, &pays, &residency);
    tap_ok(decision.device && !decision.keeps && decision.credit_us == 40, "that is credited where it is not");
    residency = (struct residency){.is_result = true, .recurs = true};
    tap_ok(!policy_decide_route(OFFLOAD_AUTO, &pays, &residency).keeps, "not what cannot be tracked");
    residency = (struct residency){.is_result = true};
    tap_ok(policy_decide_route(OFFLOAD_ALWAYS, &pays, &residency).keeps, "in always mode it stays");
}

static void test_decision(struct learned_times *times)
{
    const int64_t built_in = first_order(NULL);
    read_text(times, "route device real vectors 8\n");
    const int64_t slow = first_order(times);
    read_text(times, "route device real vectors 0.1\n");
    tap_ok(slow > 2 * built_in && first_order(times) <= built_in && slow < 1 << 14,
           "a slow device gets larger matrices only: from %lld on instead of %lld", (long long)slow,
           (long long)built_in);
}

UNIT_TEST(test_route_times)
{
    struct learned_times *times = malloc(sizeof *times);
    test_built_in();
    test_own(times);
    test_learning_own(times);
    test_borders(times);
    test_bad_borders(times);
    test_two_stages(times);
    test_factors(times);
    test_groups(times);
    test_older_and_other(times);
    test_bounds(times);
    test_kept();
    test_kept_results();
    test_decision(times);
    free(times);
    return tap_done();
}
