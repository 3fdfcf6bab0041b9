#include "command/tune/timed_calls.h"
#include "command/routine_call.h"
#include "command/tune/timed_routes.h"
#include "common/clock.h"
#include "interpose/pack.h"
#include "mirror/pins.h"
#include "mirror/result_ranges.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/timed_class.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST_REPEATS = 101, COLD_REPEATS = 3 };
enum { NUMBERS = 256 << 10 }; /* bytes of numbers, again and again */

/* Memory of `matrix_bytes`, of which the first `filled` have numbers in them. */
struct pool {
    char *memory;
    size_t filled;
};

/* What calls share, so that matrices stay where they are from call to call. Those large enough to be pinned
 * have memory of their own: pinned once, it would make small ones fast, too. What level 3 writes on the
 * device has a new mapping whenever it is larger than any before, if it is so large: a pin of less would be
 * in the way of its pin. On the host each type has a result of its own: what one type wrote is nonsense to
 * others, doubles as floats now and then too small to be normal, with which a host takes twice as long; and
 * numbers anew for each call would take as long as the calls. */
struct pools {
    struct pool a[2], b[2], c[TYPE_COUNT][2]; /* c is what level 3 writes; of the device's only the first's */
    size_t matrix_bytes;
    enum call_side side; /* that performs the calls */
    bool c_is_new; /* the call's result has memory that no call has written to */
    bool small_is_pinned; /* the memory of small results */
    char *vectors, *x, *y, *x_before; /* these in that */
    size_t vector_bytes;
};

static double microseconds(void)
{
    return 1e-3 * (double)clock_nanoseconds();
}

/* Numbers as float from 1 to 2, as double from 2^-7 to 2: no sum overflows or underflows. */
static const char *numbers(void)
{
    static uint32_t words[NUMBERS / sizeof(uint32_t)];
    uint32_t state = 12345;
    for (size_t i = 0; i < NUMBERS / sizeof *words && !words[NUMBERS / sizeof *words - 1]; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = 0x3f800000u | state >> 9;
    }
    return (const char *)words;
}

static void fill(char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += NUMBERS)
        memcpy(memory + at, numbers(), bytes - at < NUMBERS ? bytes - at : NUMBERS);
}

static char *filled(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory)
        fill(memory, bytes);
    return memory;
}

/* At other offsets in their pages: processors take a store to a place for one to another page's same
 * place. */
static bool provide_vectors(struct pools *pools, size_t bytes)
{
    enum { PAGE = 4096, APART = PAGE / 2 + 64 };
    const size_t stride = (bytes + PAGE - 1) / PAGE * PAGE + APART;
    if (bytes <= pools->vector_bytes)
        return true;
    free(pools->vectors);
    pools->vectors = filled(2 * stride + bytes);
    pools->x = pools->vectors;
    pools->y = pools->vectors + stride;
    pools->x_before = pools->vectors + 2 * stride;
    pools->vector_bytes = pools->vectors ? bytes : 0;
    return pools->vectors;
}

static union blas_scalar scalar(enum blas_type type, double value)
{
    union blas_scalar result;
    memset(&result, 0, sizeof result);
    if (type == TYPE_S || type == TYPE_C)
        result.c[0] = (float)value;
    else
        result.z[0] = value;
    return result;
}

static size_t matrix_bytes(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return (size_t)matrix->ld * (size_t)matrix->columns * blas_element_bytes(call->type);
}

/* The first `bytes` of a pool, with numbers in them; NULL: it has not as many. */
static char *provide(const struct pools *pools, struct pool *pool, size_t bytes)
{
    if (bytes > pools->matrix_bytes || (!pool->memory && !(pool->memory = malloc(pools->matrix_bytes))))
        return NULL;
    if (bytes > pool->filled) {
        const size_t begin = pool->filled / sizeof(double) * sizeof(double);
        fill(pool->memory + begin, bytes - begin);
        pool->filled = bytes;
    }
    return pool->memory;
}

/* Zeros, where there is not as much already. */
static char *provide_result(struct pools *pools, struct pool *pool, size_t bytes)
{
    pools->c_is_new = bytes > pool->filled;
    if (pools->c_is_new) {
        free(pool->memory);
        pool->memory = calloc(bytes, 1);
        pool->filled = pool->memory ? bytes : 0;
    }
    return pool->memory;
}

static bool provide_matrices(struct pools *pools, struct blas_call *call)
{
    struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    struct pool *const c = pools->c[pools->side == SIDE_HOST ? call->type : 0];
    struct pool *const from[] = {pools->a, pools->b, c};
    pools->c_is_new = false;
    for (int i = 0; i < 3; i++) {
        const size_t bytes = matrix_bytes(call, matrices[i]);
        const bool large = bytes >= PIN_BYTES_MIN;
        if (bytes && large && i == 2 && pools->side == SIDE_DEVICE)
            matrices[i]->pointer = provide_result(pools, &c[1], bytes);
        else if (bytes)
            matrices[i]->pointer = provide(pools, &from[i][large], bytes);
        if (bytes && !matrices[i]->pointer)
            return false;
    }
    return true;
}

/* Shapes first, then the least leading dimensions, and memory; scalars with which results stay of one
 * magnitude. B := alpha op(A) B again and again grows instead: with a small alpha B would come to numbers too
 * small to be normal, with which a host computes a hundred times as long; infinite ones and what is no number
 * take no longer than others. */
static bool prepare(struct pools *pools, struct blas_call *call, int64_t lda)
{
    call->a.ld = call->b.ld = call->c.ld = INT64_MAX;
    call->x.increment = call->y.increment = 1;
    call->alpha = scalar(call->type, blas_is_in_place(call) ? 2 : 1e-3);
    call->beta = scalar(call->type, 0.5);
    if (!pack_legal(call))
        return false;
    call->a.ld = lda > call->a.rows ? lda : call->a.rows;
    call->b.ld = call->b.rows;
    call->c.ld = call->c.rows;
    const int64_t longest = call->x.length > call->y.length ? call->x.length : call->y.length;
    if (longest && !provide_vectors(pools, (size_t)longest * blas_element_bytes(call->type)))
        return false;
    call->x.pointer = longest ? pools->x : NULL;
    call->y.pointer = call->y.length ? pools->y : NULL;
    return provide_matrices(pools, call);
}

/* trmv's, which writes it. */
static void renew_vector(const struct pools *pools, const struct blas_call *call)
{
    memcpy(call->x.pointer, pools->x_before, (size_t)call->x.length * blas_element_bytes(call->type));
}

static double time_once(host_function *function, const struct pools *pools, const struct blas_call *call)
{
    if (call->family == FAMILY_TRMV) /* else x would grow without end */
        renew_vector(pools, call);
    double started = microseconds();
    routine_call(function, call);
    return microseconds() - started;
}

/* A large result is pinned once as much has been staged as it spans: of a triangle half at a time. */
static int calls_to_pin(const struct pools *pools, const struct blas_call *call)
{
    const bool large = call->c.rows && matrix_bytes(call, &call->c) >= PIN_BYTES_MIN;
    return !large || pools->side == SIDE_HOST || !pools->c_is_new ? 0 : call->c.part == PART_FULL ? 2 : 4;
}

/* A small one once it has come home to the same pages some times; and anew whenever it is larger than the one
 * before. So the first makes room for all: by products as large as small results can be. */
static void pin_small_results(struct pools *pools)
{
    enum { ROWS = 1024 };
    const size_t bytes = pools->matrix_bytes < PIN_BYTES_MIN ? pools->matrix_bytes : PIN_BYTES_MIN - 1;
    struct blas_call product = {.family = FAMILY_GEMM, .type = TYPE_D, .m = ROWS,
                                .n = (int64_t)(bytes / (ROWS * sizeof(double))), .k = 1};
    host_function *function = routine_in_shim(routine_of(FAMILY_GEMM, TYPE_D));
    pools->small_is_pinned = true;
    if (!function || product.n < 1 || !prepare(pools, &product, 0))
        return;
    for (int i = (int)result_ranges_times(matrix_bytes(&product, &product.c)); i >= 0; i--)
        routine_call(function, &product);
}

static bool has_small_result(const struct blas_call *call)
{
    const size_t bytes = matrix_bytes(call, &call->c);
    return call->c.rows && bytes >= result_ranges_least_bytes(call->c.part) && bytes < PIN_BYTES_MIN;
}

/* After a first call, which does not count, nor do those until what they write is pinned, as many as the
 * budget has time for. *first: of the first. */
static double time_warm(host_function *function, struct pools *pools, const struct blas_call *call,
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
        renew_vector(pools, call);
    return statistics_median(times, count);
}

/* Both sides, as a program has them. */
struct sides {
    struct pools pools[CALL_SIDES];
    struct host_library host;
};

/* NULL: it has none. */
static host_function *function_of(const struct sides *sides, enum call_side side, int routine)
{
    return side == SIDE_HOST ? routine_in_host(routine, &sides->host) : routine_in_shim(routine);
}

struct answer {
    double us[2];
};

static bool answer_warm(struct sides *sides, const char *request, struct answer *answer)
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
    struct pools *pools = &sides->pools[by];
    if (!function || !prepare(pools, &call, lda))
        return false;
    if (by == SIDE_DEVICE && !pools->small_is_pinned && has_small_result(&call)) {
        pin_small_results(pools);
        prepare(pools, &call, lda);
    }
    answer->us[0] = time_warm(function, pools, &call, budget, &answer->us[1]);
    return true;
}

/* The medians of several matrices; a program frees and allocates in between as well. */
static bool answer_cold(struct pools *pools, const char *request, struct answer *answer)
{
    double bytes, first[COLD_REPEATS], second[COLD_REPEATS];
    const int routine = routine_of(FAMILY_GEMV, TYPE_D);
    host_function *function = routine_in_shim(routine);
    if (!function || sscanf(request, "cold %lf", &bytes) != 1 || !(bytes >= 64 && bytes < 1e12))
        return false;
    for (int i = 0; i < COLD_REPEATS; i++) {
        const int64_t n = (int64_t)sqrt(bytes / sizeof(double));
        struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = n, .n = n};
        struct pools own = *pools;
        own.a[0] = own.a[1] = (struct pool){NULL, 0};
        own.matrix_bytes = (size_t)bytes; /* a mapping of its own, as large as the matrix */
        const bool good = prepare(&own, &call, 0);
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
    answer->us[0] = statistics_median(first, COLD_REPEATS);
    answer->us[1] = statistics_median(second, COLD_REPEATS);
    return true;
}

/* Where answers go: what a host BLAS prints (MKL_VERBOSE) is none of them, and goes to standard error. */
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
    struct answer answer;
    while (fgets(request, sizeof request, stdin))
        if (strcmp(request, TIMED_CALLS_ANSWER) == 0)
            fflush(answers);
        else if (answer_warm(sides, request, &answer) ||
                 answer_cold(&sides->pools[SIDE_DEVICE], request, &answer) ||
                 timed_routes_answer(request, answer.us))
            fprintf(answers, "%.4f %.4f\n", answer.us[0], answer.us[1]);
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
