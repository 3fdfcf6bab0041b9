#include "command/routine_call.h"
#include "command/run/run.h"
#include "command/tune/tune.h"
#include "common/clock.h"
#include "mirror/ledger/account.h"
#include "mirror/pinning/pins.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/tuning_class.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* For as many calls; one that does not come back must not keep the user for ever. */
enum { PATIENCE_MS = 60000, CALLS = 8 };
/* The first calls after the other side's take up to a tenth longer, until the threads of the host have found
 * their processors: they are performed twice. */
enum { LEAD = 3 };

static const char *const side_names[CALL_SIDES] = {[SIDE_HOST] = "host", [SIDE_DEVICE] = "device"};

bool call_timer_start(struct call_timer *timer, const struct shim_child_settings *child_settings,
                      const char *who, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", bytes);
    timer->side = -1;
    timer->running = shim_child_start(&timer->child, child_settings, who, TIMED_CALLS_COMMAND, text);
    return timer->running;
}

static bool is_answered(const struct call_timer *timer, int calls)
{
    struct pollfd answers = {.fd = fileno(timer->child.answers), .events = POLLIN};
    int ready;
    while ((ready = poll(&answers, 1, PATIENCE_MS * (1 + calls / CALLS))) < 0 && errno == EINTR)
        continue;
    if (ready == 0)
        kill(timer->child.process, SIGKILL);
    return ready > 0;
}

/* Have what was requested performed. */
static bool perform(struct call_timer *timer, int calls)
{
    return fputs(TIMED_CALLS_ANSWER, timer->child.requests) >= 0 && fflush(timer->child.requests) == 0 &&
           is_answered(timer, calls);
}

static bool read_times(struct call_timer *timer, double *us, double *other_us)
{
    char answer[64];
    return fgets(answer, sizeof answer, timer->child.answers) &&
           sscanf(answer, "%lf %lf", us, other_us) == 2;
}

static void request(struct call_timer *timer, enum call_side side, const struct blas_call *call,
                    double budget_us)
{
    char name[ROUTINE_NAME];
    const int routine = routine_of(call->family, call->type);
    timer->side = (int)side;
    fprintf(timer->child.requests, "warm %s %s %lld %lld %lld %d %d %d %d %d %lld %.0f\n", side_names[side],
            routine < 0 ? "none" : routine_name(routine, name), (long long)call->m, (long long)call->n,
            (long long)call->k, (int)call->side, (int)call->uplo, (int)call->trans,
            (int)call->trans_b, (int)call->diag, (long long)call->a.ld, budget_us);
}

bool call_timer_warm(struct call_timer *timer, enum call_side side, const struct blas_call *call,
                     double budget_us, double *us, double *first_us)
{
    double first;
    if (!timer->running)
        return false;
    request(timer, side, call, budget_us);
    return perform(timer, 1) && read_times(timer, us, first_us ? first_us : &first);
}

void call_timer_warm_all(struct call_timer *timer, enum call_side side, const struct blas_call *calls,
                         int count, double budget_us, double *us)
{
    const int wanted = timer->side == (int)side ? 0 : LEAD, lead = count < wanted ? count : wanted;
    double first;
    for (int i = 0; i < count; i++)
        us[i] = 0;
    if (!timer->running)
        return;
    for (int i = -lead; i < count; i++)
        request(timer, side, &calls[i < 0 ? i + lead : i], budget_us);
    if (perform(timer, lead + count))
        for (int i = -lead; i < count; i++)
            if (!read_times(timer, &us[i < 0 ? 0 : i], &first))
                us[i < 0 ? 0 : i] = 0;
}

bool call_timer_cold(struct call_timer *timer, double bytes, double *first_us, double *second_us)
{
    if (!timer->running)
        return false;
    fprintf(timer->child.requests, "cold %.0f\n", bytes);
    return perform(timer, 1) && read_times(timer, first_us, second_us);
}

bool call_timer_route(struct call_timer *timer, const char *name, int64_t n, char jobz, double *us)
{
    double first;
    fprintf(timer->child.requests, "route %s %lld %c\n", name, (long long)n, jobz);
    return perform(timer, 1) && read_times(timer, us, &first);
}

bool call_timer_border(struct call_timer *timer, enum route_border border, enum blas_type type, int64_t n,
                       double us[2])
{
    fprintf(timer->child.requests, "border %d %d %lld\n", (int)border, (int)type, (long long)n);
    return perform(timer, 1) && read_times(timer, &us[0], &us[1]);
}

bool call_timer_stop(struct call_timer *timer, struct call_timer_end *end)
{
    struct offload_row row;
    char host[sizeof end->host];
    if (!timer->running)
        return false;
    bool good = shim_child_wait(&timer->child) == 0;
    for (int routine = 0; routine < ROUTINES; routine++) {
        char name[ROUTINE_NAME];
        if (!offload_report_row(timer->child.report, routine_name(routine, name), &row))
            continue;
        end->any_on_device |= row.on_device > 0;
        end->stayed[routine] |= row.on_host > 0;
        if (row.on_host && !end->reason[0])
            memcpy(end->reason, row.reason, sizeof end->reason);
    }
    if (offload_report_host(timer->child.report, host, sizeof host))
        memcpy(end->host, host, sizeof end->host);
    shim_child_clean(&timer->child);
    timer->running = false;
    return good;
}

enum { MOST_REPEATS = 101, COLD_REPEATS = 3, ROUTE_REPEATS = 3 };

static double microseconds(void)
{
    return 1e-3 * (double)clock_nanoseconds();
}

static double time_once(host_function *function, const struct operand_pools *pools,
                        const struct blas_call *call)
{
    if (call->family == FAMILY_TRMV) /* else x would grow without end */
        operand_pools_renew_vector(pools, call);
    double started = microseconds();
    routine_call(function, call);
    return microseconds() - started;
}

/* A large result is pinned once as much has been staged as it spans: of a triangle half at a time. */
static int calls_to_pin(const struct operand_pools *pools, const struct blas_call *call)
{
    const bool large = call->c.rows && operand_bytes(call, &call->c) >= PIN_BYTES_MIN;
    return !large || pools->side == SIDE_HOST || !pools->c_is_new ? 0 : call->c.part == PART_FULL ? 2 : 4;
}

/* A small one once it has come home to the same pages some times; and anew whenever it is larger than the one
 * before. So the first makes room for all: by products as large as small results can be. */
static void pin_small_results(struct operand_pools *pools)
{
    enum { ROWS = 1024 };
    const size_t bytes = pools->matrix_bytes < PIN_BYTES_MIN ? pools->matrix_bytes : PIN_BYTES_MIN - 1;
    struct blas_call product = {.family = FAMILY_GEMM, .type = TYPE_D, .m = ROWS,
                                .n = (int64_t)(bytes / (ROWS * sizeof(double))), .k = 1};
    host_function *function = routine_in_shim(routine_of(FAMILY_GEMM, TYPE_D));
    pools->small_is_pinned = true;
    if (!function || product.n < 1 || !operand_pools_prepare(pools, &product, 0))
        return;
    for (int i = (int)staged_results_until_pin(operand_bytes(&product, &product.c)); i >= 0; i--)
        routine_call(function, &product);
}

static bool has_small_result(const struct blas_call *call)
{
    const size_t bytes = operand_bytes(call, &call->c);
    return call->c.rows && bytes >= staged_results_least_bytes(call->c.part) && bytes < PIN_BYTES_MIN;
}

/* After a first call, which does not count, nor do those until what they write is pinned, as many as the
 * budget has time for. *first: of the first. */
static double time_warm(host_function *function, struct operand_pools *pools, const struct blas_call *call,
                        double budget, double *first)
{
    double times[MOST_REPEATS];
    size_t count = 0;
    *first = time_once(function, pools, call);
    for (int i = calls_to_pin(pools, call); i > 0; i--)
        time_once(function, pools, call);
    const double started = microseconds();
    do
        times[count++] = time_once(function, pools, call);
    while (count < MOST_REPEATS && microseconds() - started < budget);
    if (call->family == FAMILY_TRMV) /* doubles are, as floats, now and then too small to be normal */
        operand_pools_renew_vector(pools, call);
    return statistics_median(times, count);
}

/* Both sides, as a program has them. */
struct sides {
    struct operand_pools pools[CALL_SIDES];
    struct host_library host;
};

/* NULL: it has none. */
static host_function *function_of(const struct sides *sides, enum call_side side, int routine)
{
    return side == SIDE_HOST ? routine_in_host(routine, &sides->host) : routine_in_shim(routine);
}

static bool answer_warm(struct sides *sides, const char *request, double us[2])
{
    char where[8], name[ROUTINE_NAME];
    long long m, n, k, lda;
    int side, uplo, trans, trans_b, diag;
    double budget;
    if (sscanf(request, "warm %7s %7s %lld %lld %lld %d %d %d %d %d %lld %lf", where, name, &m, &n, &k, &side,
               &uplo, &trans, &trans_b, &diag, &lda, &budget) != 12)
        return false;
    const int routine = routine_named(name);
    if (routine < 0)
        return false;
    struct blas_call call = {.family = routine_family(routine), .type = routine_type(routine), .m = m,
                             .n = n, .k = k,
                             .side = (enum blas_side)side, .uplo = (enum blas_uplo)uplo,
                             .trans = (enum blas_trans)trans, .trans_b = (enum blas_trans)trans_b,
                             .diag = (enum blas_diag)diag};
    const enum call_side by = strcmp(where, "host") == 0 ? SIDE_HOST : SIDE_DEVICE;
    host_function *function = function_of(sides, by, routine);
    struct operand_pools *pools = &sides->pools[by];
    if (!function || !operand_pools_prepare(pools, &call, lda))
        return false;
    if (by == SIDE_DEVICE && !pools->small_is_pinned && has_small_result(&call)) {
        pin_small_results(pools);
        operand_pools_prepare(pools, &call, lda);
    }
    us[0] = time_warm(function, pools, &call, budget, &us[1]);
    return true;
}

/* The medians of several matrices; a program frees and allocates in between as well. */
static bool answer_cold(struct operand_pools *pools, const char *request, double us[2])
{
    double bytes, first[COLD_REPEATS], second[COLD_REPEATS];
    const int routine = routine_of(FAMILY_GEMV, TYPE_D);
    host_function *function = routine_in_shim(routine);
    if (!function || sscanf(request, "cold %lf", &bytes) != 1 || !(bytes >= 64 && bytes < 1e12))
        return false;
    for (int i = 0; i < COLD_REPEATS; i++) {
        const int64_t n = (int64_t)sqrt(bytes / sizeof(double));
        struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = n, .n = n};
        struct operand_pools own = *pools;
        own.a[0] = own.a[1] = (struct pool){NULL, 0};
        own.matrix_bytes = (size_t)bytes; /* a mapping of its own, as large as the matrix */
        const bool good = operand_pools_prepare(&own, &call, 0);
        pools->vectors = own.vectors, pools->vector_bytes = own.vector_bytes;
        pools->x = own.x, pools->y = own.y, pools->x_before = own.x_before;
        if (good) {
            first[i] = time_once(function, &own, &call);
            second[i] = time_once(function, &own, &call);
        }
        free(own.a[0].memory);
        free(own.a[1].memory);
        if (!good)
            return false;
    }
    us[0] = statistics_median(first, COLD_REPEATS);
    us[1] = statistics_median(second, COLD_REPEATS);
    return true;
}

static void randomise(char *matrix, size_t bytes)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)matrix)[i] = 2 * random_part(&seed) - 1;
}

static double time_route(host_function *function, const struct lapack_routine *routine,
                         struct lapack_arguments *arguments)
{
    const size_t bytes = (size_t)(arguments->n * arguments->lda) * blas_element_bytes(routine->type);
    randomise(arguments->a, bytes);
    const double started = microseconds();
    lapack_call(function, routine, arguments);
    return microseconds() - started;
}

static bool answer_route(const char *request, double us[2])
{
    char name[16], jobz;
    long long n;
    struct host_library host;
    double times[ROUTE_REPEATS];
    if (sscanf(request, "route %15s %lld %c", name, &n, &jobz) != 3 || n < 1 || !lapack_call_host(&host))
        return false;
    const int number = lapack_routine_named(name, strlen(name));
    const struct lapack_routine *const routine = number < 0 ? NULL : lapack_routine_row(number);
    host_function *const function =
        routine && lapack_call_is_known(routine->family) ? lapack_call_in_shim(routine) : NULL;
    struct lapack_arguments arguments = {
        .jobz = jobz, .range = 'A', .uplo = 'L', .m = n, .n = n, .lda = n, .ldb = n, .ldz = n};
    if (!function)
        return false;
    const bool made = lapack_arguments_make(&arguments, routine->type);
    if (made) {
        us[1] = time_route(function, routine, &arguments);
        for (int i = 0; i < ROUTE_REPEATS; i++)
            times[i] = time_route(function, routine, &arguments);
        us[0] = statistics_median(times, ROUTE_REPEATS);
    }
    lapack_arguments_free(&arguments);
    return made && arguments.info == 0;
}

static bool answer_border(const char *request, double us[2])
{
    int border, type;
    long long n;
    return sscanf(request, "border %d %d %lld", &border, &type, &n) == 3 && n > 0 && type >= 0 &&
           border >= BORDER_CLUSTER && border < ROUTE_BORDERS &&
           type <= (border == BORDER_CLUSTER ? TYPE_Z : TYPE_D) &&
           eigen_ways_time((enum route_border)border, (enum blas_type)type, n, us);
}

/* Takes standard output for answers: what a host BLAS prints (MKL_VERBOSE) goes to standard error instead. */
static FILE *take_output(void)
{
    fflush(stdout);
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    FILE *answers = output < 0 ? NULL : fdopen(output, "w");
    if (answers)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return answers;
}

static void answer_all(struct sides *sides, FILE *answers)
{
    char request[256];
    double us[2];
    while (fgets(request, sizeof request, stdin))
        if (strcmp(request, TIMED_CALLS_ANSWER) == 0)
            fflush(answers);
        else if (answer_warm(sides, request, us) ||
                 answer_cold(&sides->pools[SIDE_DEVICE], request, us) ||
                 answer_route(request, us) || answer_border(request, us))
            fprintf(answers, "%.4f %.4f\n", us[0], us[1]);
        else
            fputs("none\n", answers);
}

int timed_calls(const char *bytes)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct sides sides = {.pools = {{.side = SIDE_HOST}, {.side = SIDE_DEVICE}}};
    for (int side = 0; side < CALL_SIDES; side++)
        sides.pools[side].matrix_bytes = strtoull(bytes, NULL, 10);
    if (!host_search("dgemm_", &sides.host)) {
        fputs("mublas: no host BLAS found; set MUBLAS_HOST_BLAS\n", stderr);
        return 1;
    }
    if (!routine_in_shim(routine_of(FAMILY_GEMV, TYPE_D))) {
        fputs("mublas: the shim was not loaded into a process that was to have it\n", stderr);
        return 1;
    }
    FILE *answers = take_output();
    if (!answers) {
        fprintf(stderr, "mublas: no output for times: %s\n", strerror(errno));
        return 1;
    }
    answer_all(&sides, answers);
    fclose(answers);
    return 0;
}
