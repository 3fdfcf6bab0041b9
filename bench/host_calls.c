/* host_calls.c - how long do calls of BLAS and LAPACK take on the host, and is what mublas foretells right?
 *
 *   MUBLAS_HOST_BLAS=FILE bench/host_calls [ORDER...]    (128 512)
 *
 * Each routine of BLAS that mublas offloads with all its flags on square operands of each order, and some of LAPACK's
 * with random matrices, by the host that a program without BLAS of its own would get. A line of comma-separated values
 * for each: seconds, thousand million operations a second, and what the built-in model of this host (crossover.h)
 * foretells over the seconds. The figures of learned_times.c are from here. */
#include "command/routine_call.h"
#include "command/tune/tune.h"
#include "common/blas_call.h"
#include "interpose/lapack/call.h"
#include "timing.h"
#include "tuner/online/crossover.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_MOST = 4096, ROUNDS = 3, TURNS = 3, ORDER_MOST = 8192 };
static const double turns_seconds = 0.05; /* what takes longer has one turn */

struct machine {
    struct host_library host, lapack;
    struct machine_model model;
};

/* The least of some rounds over all calls counts: work of others on a core's other thread halves its rate. */
static struct row {
    char name[16], flags[8];
    int64_t n;
    double seconds, operations, foretold;
} rows[ROWS_MOST];
static int row_count; /* of this round */

static void note(const char *name, const char *flags, int64_t n, double seconds, double operations, double foretold)
{
    if (row_count == ROWS_MOST)
        return;
    struct row *const row = &rows[row_count++];
    if (!row->n || seconds < row->seconds)
        row->seconds = seconds;
    row->n = n;
    row->operations = operations;
    row->foretold = foretold;
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->flags, sizeof row->flags, "%s", flags);
}

static void print(void)
{
    puts("routine,flags,order,seconds,gflops,foretold");
    for (const struct row *row = rows; row < rows + row_count; row++)
        printf("%s,%s,%lld,%.3g,%.3g,%.2f\n", row->name, row->flags, (long long)row->n, row->seconds,
               1e-9 * row->operations / row->seconds, row->foretold / row->seconds);
}

static double time_call(host_function *function, const struct operand_pools *pools, const struct blas_call *call)
{
    double times[TURNS];
    size_t count = 0;
    do {
        operand_pools_renew_vector(pools, call);
        const double started = seconds_now();
        routine_call(function, call);
        times[count++] = seconds_now() - started;
    } while (count < TURNS && times[0] < turns_seconds);
    return median(times, count);
}

/* The routine has these of side, uplo, trans, trans_b and diag. */
static void write_flags(const struct blas_call *call, char flags[8])
{
    static const char transpositions[] = "NTC";
    const struct blas_signature *const signature = &blas_families[call->family].signature;
    for (int i = 0; i < signature->argument_count; i++)
        switch (signature->arguments[i]) {
        case ARGUMENT_SIDE: *flags++ = call->side == SIDE_LEFT ? 'L' : 'R'; break;
        case ARGUMENT_UPLO: *flags++ = call->uplo == UPLO_LOWER ? 'L' : 'U'; break;
        case ARGUMENT_TRANS: *flags++ = transpositions[call->trans]; break;
        case ARGUMENT_TRANS_B: *flags++ = transpositions[call->trans_b]; break;
        case ARGUMENT_DIAG: *flags++ = call->diag == DIAG_UNIT ? 'U' : 'N'; break;
        default: break;
        }
    *flags = 0;
}

static void time_blas(const struct machine *machine, int routine, int64_t n)
{
    static struct operand_pools pools = {.matrix_bytes = (size_t)ORDER_MOST * ORDER_MOST * sizeof(double),
                                         .side = SIDE_HOST};
    char name[ROUTINE_NAME], text[8];
    struct blas_call flags = {.family = routine_family(routine), .type = routine_type(routine)};
    host_function *const function = routine_in_host(routine, &machine->host);
    do {
        struct blas_call call = flags;
        call.m = call.n = call.k = n;
        if (!function || !operand_pools_prepare(&pools, &call, 0))
            continue;
        write_flags(&call, text);
        note(routine_name(routine, name), text, n, time_call(function, &pools, &call), call_work_of(&call).operations,
              1e-6 * crossover_times(&machine->model, &call).host_us);
    } while (routine_next_flags(&flags));
}

/* Large on the diagonal, so that it has all factors. */
static void fill(struct lapack_arguments *arguments, enum blas_type type)
{
    const int parts = blas_scalar_parts(type);
    const int64_t n = arguments->n;
    for (int64_t i = 0; i < parts * n * n; i++) {
        const bool is_diagonal = parts == 2 ? i % 2 == 0 && i / 2 % (n + 1) == 0 : i % (n + 1) == 0;
        const double value = entry(1, (uint64_t)i, 0) + (is_diagonal ? 2 * (double)n : 0);
        if (blas_is_single(type))
            ((float *)arguments->a)[i] = (float)value;
        else
            ((double *)arguments->a)[i] = value;
    }
}

static double time_lapack(host_function *function, const struct lapack_routine *routine,
                          struct lapack_arguments *arguments)
{
    double times[TURNS];
    size_t count = 0;
    do {
        fill(arguments, routine->type);
        const double started = seconds_now();
        lapack_call(function, routine, arguments);
        times[count++] = seconds_now() - started;
    } while (count < TURNS && times[0] < turns_seconds);
    return median(times, count);
}

static void time_route(const struct machine *machine, const struct lapack_routine *routine, char jobz, int64_t n)
{
    host_function *const function = lapack_call_in_host(routine, &machine->lapack);
    struct lapack_arguments arguments = {.jobz = jobz, .jobvl = 'N', .range = 'A', .uplo = 'L', .diag = 'N', .side = 'L',
                                         .trans = 'N', .itype = 1, .m = n, .n = n, .k = n, .nrhs = n, .lda = n,
                                         .ldb = n, .ldz = n};
    const struct route_shape shape = {.family = routine->family, .type = routine->type, .vectors = jobz != 'N',
                                      .m = n, .n = n, .k = n};
    if (!function || !lapack_arguments_make(&arguments, routine->type))
        return;
    const double seconds = time_lapack(function, routine, &arguments);
    if (arguments.info == 0)
        note(routine->name, (char[]){jobz, '\0'}, n, seconds, route_operations(&shape),
              1e-6 * route_times_predict(&machine->model, &shape).host_us);
    lapack_arguments_free(&arguments);
}

/* One of each curve of route_times.c, of which the others are made. */
static void time_routes(const struct machine *machine, int64_t n)
{
    static const struct {
        const char *name;
        char jobz;
    } routes[] = {{"spotrf", 'N'}, {"dpotrf", 'N'}, {"zpotrf", 'N'}, {"sgetrf", 'N'}, {"dgetrf", 'N'},
                  {"zgetrf", 'N'}, {"sgeqrf", 'N'}, {"dgeqrf", 'N'}, {"zgeqrf", 'N'}, {"dsytrd", 'N'},
                  {"zhetrd", 'N'}, {"ssyevd", 'N'}, {"ssyevd", 'V'}, {"dsyevd", 'N'}, {"dsyevd", 'V'},
                  {"zheevd", 'N'}, {"zheevd", 'V'}, {"dsyevr", 'V'}, {"dsyev", 'V'},  {"dsygvd", 'N'},
                  {"dsygvd", 'V'}, {"dgesdd", 'N'}, {"dgesdd", 'S'}, {"dgesvd", 'N'}, {"dgesvd", 'S'},
                  {"zgesdd", 'S'}, {"dgeev", 'N'},  {"dgeev", 'V'},  {"zgeev", 'V'}};
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const int number = lapack_routine_named(routes[i].name, strlen(routes[i].name));
        if (number >= 0)
            time_route(machine, lapack_routine_row(number), routes[i].jobz, n);
    }
}

static void time_order(const struct machine *machine, int64_t n)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        time_blas(machine, routine, n);
    time_routes(machine, n);
}

static int64_t read_order(const char *text)
{
    char *end;
    const long long order = strtoll(text, &end, 10);
    if (end != text && !*end && order >= 1 && order <= ORDER_MOST)
        return order;
    fprintf(stderr, "host_calls: '%s' is no order from 1 to %d\n", text, ORDER_MOST);
    exit(2);
}

int main(int count, char **arguments)
{
    static const char *const usual[] = {"128", "512"};
    struct machine machine = {.model = crossover_model_here(NULL)};
    if (!host_search("dgemm_", &machine.host) || !lapack_call_host(&machine.lapack)) {
        fputs("host_calls: no host BLAS and LAPACK found; set MUBLAS_HOST_BLAS\n", stderr);
        return 1;
    }
    if (host_library_is_reference(&machine.host))
        crossover_use_reference_host(&machine.model);
    printf("# BLAS of %s, LAPACK of %s\n", machine.host.path, machine.lapack.path);
    for (int round = 0; round < ROUNDS; round++) {
        row_count = 0;
        for (int i = 0; i < (count > 1 ? count - 1 : 2); i++)
            time_order(&machine, read_order(count > 1 ? arguments[i + 1] : usual[i]));
    }
    print();
    return 0;
}
