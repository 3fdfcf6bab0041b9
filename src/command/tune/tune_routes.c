/* The part of tune.h that learns how far this machine's times of LAPACK routines are from the built-in
 * curves (learned_times.h): dsyevd and zheevd, with and without vectors, dgetrf and dgesdd, near the orders
 * from which they pay; from which order on mublas' own eigensolver is faster than cuSOLVER's, from which ones
 * it is in two stages, and up to which ones a cluster reduces. */
#include "command/run/run.h"
#include "command/tune/tune.h"
#include "common/clock.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/eigensolver/own_eigen.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/crossover.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 3, PROCESSES = 3 };
static const double most_us = 50e3; /* of a call on the host */

/* Calls that stand for a curve each; those that take less time come first. */
static const struct timed {
    const char *name;
    enum lapack_family family;
    enum blas_type type;
    enum route_curve curve;
    char jobz;
    int64_t orders[ORDERS];
} timed[] = {
    {"dgetrf", LAPACK_GETRF, TYPE_D, ROUTE_LEVEL3, '-', {256, 400, 640}},
    {"dsyevd", LAPACK_SYEVD, TYPE_D, ROUTE_VALUES, 'N', {160, 256, 400}},
    {"dsyevd", LAPACK_SYEVD, TYPE_D, ROUTE_VECTORS, 'V', {160, 256, 400}},
    {"zheevd", LAPACK_SYEVD, TYPE_Z, ROUTE_VALUES, 'N', {160, 256, 400}},
    {"zheevd", LAPACK_SYEVD, TYPE_Z, ROUTE_VECTORS, 'V', {160, 256, 400}},
    {"dgesdd", LAPACK_GESDD, TYPE_D, ROUTE_SINGULAR, 'S', {160, 256, 400}},
};
enum { TIMED = sizeof timed / sizeof *timed };

/* A call's microseconds at its orders by both eigensolvers; 0: not timed. */
struct times {
    double own[ORDERS], solver[ORDERS];
};

static bool is_eigenproblem(const struct timed *call)
{
    return call->curve == ROUTE_VALUES || call->curve == ROUTE_VECTORS;
}

/* Squares up, and down. */
static struct route_times predict(const struct machine_model *model, const struct timed *call, int64_t n)
{
    static const double up[ROUTE_CURVES] = {0.5, 0.5, 1, 1}, down[ROUTE_CURVES] = {0, 1, 1, 2};
    const double square = (double)blas_element_bytes(call->type) * (double)(n * n);
    const struct route_shape shape = {.family = call->family, .type = call->type, .m = n, .n = n, .k = n,
                                      .vectors = call->jobz == 'V' || call->jobz == 'S',
                                      .bytes_up = (uint64_t)(up[call->curve] * square),
                                      .bytes_down = (uint64_t)(down[call->curve] * square)};
    return route_times_predict(model, &shape);
}

/* One curve, until the host would take too long; `all`, if not NULL: the times. */
static void learn(struct route_factors *factors, struct call_timer *timer, enum call_side side,
                  const struct timed *call, double *all)
{
    const struct machine_model model = crossover_model_here(NULL);
    double ratios[ORDERS], us, slower = 1;
    size_t count = 0;
    for (int i = 0; i < ORDERS; i++) {
        const struct route_times built_in = predict(&model, call, call->orders[i]);
        if ((side == SIDE_HOST && slower * built_in.host_us > most_us) ||
            !call_timer_route(timer, call->name, call->orders[i], call->jobz, &us))
            break;
        if (all)
            all[i] = us;
        slower = side == SIDE_HOST ? us / built_in.host_us : (us - built_in.moving_us) / built_in.compute_us;
        ratios[count++] = slower;
    }
    if (count > 0)
        route_factors_learn(factors, side, call->curve, blas_is_complex(call->type),
                            statistics_median(ratios, count));
}

/* Calls that stayed on the host say nothing of the device. */
static void forget_stayed(struct route_factors *factors, const char *report)
{
    struct offload_row row;
    for (int i = 0; i < TIMED; i++)
        if (!offload_report_row(report, timed[i].name, &row) || row.on_host > 0)
            factors->factors[SIDE_DEVICE][timed[i].curve][blas_is_complex(timed[i].type)] = 0;
}

static bool starts(struct call_timer *timer, enum call_side side, const char *eigensolver, const char *who)
{
    const struct shim_child_settings settings = {.offload = side == SIDE_HOST ? "never" : "always",
                                                 .eigensolver = eigensolver, .huge_pages = true};
    return call_timer_start(timer, &settings, who, 0);
}

/* The device's times are those of our own eigensolver, where that is able to do the call. */
static void learn_side(struct route_factors *factors, enum call_side side, bool eigenproblems_alone,
                       struct times *times, const char *who)
{
    struct call_timer timer;
    struct route_factors learned = {0};
    if (!starts(&timer, side, "own", who))
        return;
    const double end = clock_seconds() + TUNE_ROUTES_SECONDS / PROCESSES; /* one curve at least */
    for (int i = 0; i < TIMED; i++)
        if (clock_seconds() < end && (is_eigenproblem(&timed[i]) || !eigenproblems_alone))
            learn(&learned, &timer, side, &timed[i], side == SIDE_DEVICE ? times[i].own : NULL);
    if (shim_child_wait(&timer.child) == 0) {
        if (side == SIDE_DEVICE)
            forget_stayed(&learned, timer.child.report);
        route_factors_keep(&learned, factors);
        *factors = learned;
    }
    shim_child_clean(&timer.child);
}

/* For a border. An order's time is guessed from the one before; an order that would end too late is not
 * begun. */
struct search {
    struct call_timer *timer;
    enum route_border border;
    enum blas_type type;
    double end, us_by_cube;
};

static bool time_ways(void *context, int64_t n, double *ratio)
{
    struct search *const search = context;
    const double cube = pow((double)n, 3), unlike = 1.5;
    const int turns = search->border == BORDER_CLUSTER ? EIGEN_WAYS_CLUSTER_TURNS : 1;
    double us[2];
    if (clock_seconds() + 1e-6 * unlike * cube * search->us_by_cube > search->end ||
        !call_timer_border(search->timer, search->border, search->type, n, us) || !(us[0] > 0 && us[1] > 0))
        return false;
    search->us_by_cube = turns * (us[0] + us[1]) / cube;
    *ratio = us[1] / us[0];
    return true;
}

/* No further than a cluster has room, which is looked for first. */
static void learn_cluster(struct route_factors *factors, struct call_timer *timer, double end)
{
    enum { LARGEST = TRIDIAGONAL_THREADS, STEP = 32 };
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        struct search search = {.timer = timer, .border = BORDER_CLUSTER, .type = type, .end = end};
        int64_t most = LARGEST;
        double ratio;
        while (most > 0 && !time_ways(&search, most, &ratio))
            most -= STEP;
        if (most > 0)
            factors->orders[BORDER_CLUSTER][type] =
                border_search(chip_cluster_to(type, TRIDIAGONAL_WARPS), most, time_ways, &search);
    }
}

/* Small orders tell what larger ones will take. A first time counts for nothing: kernels are loaded. */
static void learn_two_stages(struct route_factors *factors, struct call_timer *timer, double end)
{
    enum { FIRST = 256, LAST = 2048, PARTS = ROUTE_BORDERS - BORDER_TWO_STAGES };
    struct search search = {
        .timer = timer, .border = BORDER_TWO_STAGES_ALL, .type = TYPE_D, .end = end};
    double ratio;
    for (int64_t n = FIRST; n <= LAST; n *= 2)
        if (!time_ways(&search, n, &ratio) || !time_ways(&search, n, &ratio))
            return;
    for (int type = TYPE_D; type >= TYPE_S; type--) {
        search.type = (enum blas_type)type;
        const struct two_stage_borders from = route_factors_two_stages(factors, search.type);
        const int64_t known[PARTS] = {from.none, from.tenth, from.all};
        search.border = BORDER_TWO_STAGES;
        time_ways(&search, from.none, &ratio);
        for (int i = 0; i < PARTS; i++) {
            search.border = (enum route_border)(BORDER_TWO_STAGES + i);
            factors->orders[search.border][type] =
                border_search(known[i], ROUTE_ORDER_NEVER, time_ways, &search);
        }
    }
}

/* cuSOLVER's times at the orders at which there are our own, of all vectors, and from which order on ours are
 * less. And the borders between ways of ours. */
static void learn_ways(struct route_factors *factors, struct times *times, double stage_seconds,
                       const char *who)
{
    struct call_timer timer;
    struct route_factors borders = {0};
    struct offload_row row;
    if (!starts(&timer, SIDE_DEVICE, "cusolver", who))
        return;
    const double end = clock_seconds() + TUNE_ROUTES_SECONDS / PROCESSES;
    for (int i = 0; i < TIMED; i++)
        for (int j = 0; timed[i].curve == ROUTE_VECTORS && j < ORDERS && times[i].own[j] > 0; j++)
            if (clock_seconds() > end || !call_timer_route(&timer, timed[i].name, timed[i].orders[j],
                                                           timed[i].jobz, &times[i].solver[j]))
                break;
    const double ways_end = clock_seconds() + stage_seconds;
    learn_cluster(&borders, &timer, ways_end);
    learn_two_stages(&borders, &timer, ways_end);
    const bool good = shim_child_wait(&timer.child) == 0;
    for (int i = 0; i < TIMED && good; i++) {
        int count = 0;
        while (count < ORDERS && times[i].own[count] > 0 && times[i].solver[count] > 0)
            count++;
        if (offload_report_row(timer.child.report, timed[i].name, &row) && row.on_host == 0)
            route_factors_learn_own(&borders, blas_is_complex(timed[i].type), timed[i].orders, times[i].own,
                                    times[i].solver, count);
    }
    if (good)
        memcpy(factors->orders, borders.orders, sizeof borders.orders);
    shim_child_clean(&timer.child);
}

void tune_routes(struct route_factors *factors, bool eigenproblems_alone, double stage_seconds,
                 const char *who)
{
    struct times times[TIMED] = {0};
    if (!solver_library_find())
        return;
    for (int side = 0; side < CALL_SIDES; side++)
        learn_side(factors, (enum call_side)side, eigenproblems_alone, times, who);
    learn_ways(factors, times, stage_seconds, who);
}
