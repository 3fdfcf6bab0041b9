#include "command/commands.h"
#include "command/routine_call.h"
#include "command/run/run.h"
#include "command/tune/tune.h"
#include "command/verify/lapack.h"
#include "command/verify/verify.h"
#include "common/text.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/entries/pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void judge(const char *name, const struct verify_outcome *outcome, double limit, const char *report,
           struct score *score)
{
    struct offload_row row;
    score->listed++;
    if (outcome->calls == 0) {
        printf("%-8s %6s %10s  FAIL: %s\n", name, "-", "-",
               outcome->begun ? "the process ended in it" : "not reached");
        return;
    }
    const bool counted = offload_report_row(report, name, &row);
    printf("%-8s %6d %10.3g  ", name, outcome->calls, outcome->ratio);
    if (!(outcome->ratio < limit))
        puts("FAIL: the results differ");
    else if (!outcome->kept)
        puts("FAIL: something beside the results was written");
    else if (!counted)
        puts("FAIL: nothing was counted");
    else if (row.on_host)
        printf("FAIL: %llu of %llu call%s stayed on the host: %s\n", row.on_host, row.calls,
               plural(row.calls), row.reason);
    else if (row.on_device < (unsigned long long)outcome->calls)
        puts("FAIL: calls are missing in the report");
    else {
        puts("pass");
        score->passed++;
    }
}

bool judge_end(struct shim_child *child, int status)
{
    if (WIFSIGNALED(status))
        printf("the checking process ended by signal %d\n", WTERMSIG(status));
    shim_child_clean(child);
    return status == 0;
}

struct checks {
    host_function *ours, *hosts;
    uint64_t seed;
    int calls;
    double worst;
    bool kept, enough_memory;
};

static union blas_scalar scalar(enum blas_type type, double re, double im)
{
    union blas_scalar value;
    memset(&value, 0, sizeof value);
    number_put(type, (char *)&value, 0, (struct number){re, im});
    return value;
}

static void check_call(struct checks *checks, const struct blas_call *call)
{
    struct verify_operands operands;
    if (verify_operands_make(&operands, call, &checks->seed)) {
        routine_call(checks->ours, &operands.ours);
        routine_call(checks->hosts, &operands.hosts);
        checks->worst = fmax(checks->worst, verify_operands_ratio(&operands));
        checks->kept &= verify_operands_kept(&operands);
        checks->calls++;
    } else {
        checks->enough_memory = false;
    }
    verify_operands_free(&operands);
}

static int64_t aligned(int64_t rows)
{
    return (rows + 15) / 16 * 16;
}

static int64_t odd_above(int64_t rows)
{
    return rows + 1 + rows % 2;
}

/* Gives the call legal leading dimensions, for the shapes that pack_legal finds. */
static void set_leading(struct blas_call *call, int64_t leading(int64_t))
{
    call->a.ld = call->b.ld = call->c.ld = INT32_MAX;
    call->x.increment = call->y.increment = 1;
    pack_legal(call);
    call->a.ld = leading(call->a.rows);
    call->b.ld = leading(call->b.rows);
    call->c.ld = leading(call->c.rows);
}

/* With aligned columns, unit increments and a sum; then with none of these. */
static void check_layouts(struct checks *checks, struct blas_call call)
{
    const bool real_alpha = call.family == FAMILY_HERK, real_beta = real_alpha || call.family == FAMILY_HER2K;
    call.alpha = scalar(call.type, 1.25, real_alpha ? 0 : -0.5);
    call.beta = scalar(call.type, 0.5, real_beta ? 0 : 0.25);
    set_leading(&call, aligned);
    check_call(checks, &call);
    call.alpha = scalar(call.type, -0.75, real_alpha ? 0 : 0.5);
    call.beta = scalar(call.type, 0, 0);
    set_leading(&call, odd_above);
    call.x.increment = -2, call.y.increment = 3;
    check_call(checks, &call);
}

/* gemv: square, tall and wide. Level 3, whose check takes n^3 operations: a sixth, with no two sizes
 * equal. */
static void check_shapes(struct checks *checks, struct blas_call call, int64_t size)
{
    const bool level3 = call.family >= FAMILY_GEMM;
    call.m = level3 ? size / 6 + 5 : call.family == FAMILY_GEMV ? size : 0;
    call.n = level3 ? size / 8 + 3 : size;
    call.k = level3 ? size / 9 + 2 : 0;
    check_layouts(checks, call);
    if (call.family != FAMILY_GEMV)
        return;
    call.m = 4 * size, call.n = size / 4 + 1;
    check_layouts(checks, call);
    call.m = size / 4 + 1, call.n = 4 * size;
    check_layouts(checks, call);
}

static void check_routine(struct checks *checks, int routine, int64_t size)
{
    struct blas_call call = {.family = routine_family(routine), .type = routine_type(routine)};
    do
        check_shapes(checks, call, size);
    while (routine_next_flags(&call));
}

static bool check_and_tell(int routine, int64_t size, const struct host_library *host)
{
    char name[ROUTINE_NAME];
    struct checks checks = {.ours = routine_in_shim(routine), .hosts = routine_in_host(routine, host),
                            .seed = (uint64_t)routine, .kept = true, .enough_memory = true};
    routine_name(routine, name);
    if (!checks.ours || !checks.hosts) {
        fprintf(stderr, "mublas verify: %s: %s has no such routine\n", name,
                checks.ours ? host->path : "the shim");
        return false;
    }
    printf("begin %s\n", name);
    fflush(stdout);
    check_routine(&checks, routine, size);
    if (!checks.enough_memory) {
        fprintf(stderr, "mublas verify: %s: not enough memory for --size=%lld\n", name, (long long)size);
        return false;
    }
    printf("done %s %d %.17g %d\n", name, checks.calls, checks.worst, checks.kept);
    fflush(stdout);
    return true;
}

int verify_calls(const char *what)
{
    static const char lapack[] = "lapack";
    char *list;
    if (strncmp(what, lapack, sizeof lapack - 1) == 0)
        return verify_lapack_calls(what[sizeof lapack - 1] ? what + sizeof lapack : NULL);
    int64_t size = strtoll(what, &list, 10);
    struct host_library host;
    bool good = true;
    if (!host_search("dgemm_", &host)) {
        fputs("mublas verify: no host BLAS found; set MUBLAS_HOST_BLAS\n", stderr);
        return 1;
    }
    for (int routine = 0; good && routine < ROUTINES; routine++)
        if (routine_is_listed(routine, *list ? list + 1 : NULL))
            good = check_and_tell(routine, size, &host);
    return !good;
}

enum { DEFAULT_SIZE = 600, LEAST_SIZE = 4, GREATEST_SIZE = 20000, WHAT_BYTES = 512 };
static const char who[] = "mublas verify";
static const double blas_limit = 16, lapack_limit = 30; /* the second is the threshold of LAPACK's testers */

struct options {
    const char *routines; /* NULL: all */
    bool blas, lapack;    /* the list has routines of BLAS, of LAPACK */
    long size;
};

static bool take_routines(const char *list, struct options *options)
{
    options->routines = list;
    options->blas = options->lapack = false;
    for (;;) {
        const int length = (int)strcspn(list, ",");
        const bool lapack = lapack_routine_named(list, (size_t)length) >= 0;
        int wrong_length;
        if (!lapack && routine_list_error(list, &wrong_length) == list) {
            fprintf(stderr, "mublas verify: --routines: '%.*s' is not an offloaded routine\n", length, list);
            return false;
        }
        options->lapack |= lapack;
        options->blas |= !lapack;
        if (!list[length])
            return true;
        list += length + 1;
    }
}

static bool take_size(const char *text, struct options *options)
{
    char *end;
    options->size = strtol(text, &end, 10);
    if (end != text && !*end && options->size >= LEAST_SIZE && options->size <= GREATEST_SIZE)
        return true;
    fprintf(stderr, "mublas verify: --size='%s' is not a number from %d to %d\n", text, LEAST_SIZE,
            GREATEST_SIZE);
    return false;
}

static bool take_options(char **arguments, struct options *options)
{
    for (; *arguments; arguments++) {
        if (strncmp(*arguments, "--routines=", 11) == 0) {
            if (!take_routines(*arguments + 11, options))
                return false;
        } else if (strncmp(*arguments, "--size=", 7) == 0) {
            if (!take_size(*arguments + 7, options))
                return false;
        } else {
            fprintf(stderr, "mublas verify: '%s' is not an option; mublas verify --help lists them\n",
                    *arguments);
            return false;
        }
    }
    return true;
}

static void read_outcomes(FILE *answers, struct verify_outcome outcomes[ROUTINES])
{
    char line[128], name[16];
    while (fgets(line, sizeof line, answers)) {
        struct verify_outcome outcome = {.begun = true};
        int kept;
        if (sscanf(line, "done %15s %d %lf %d", name, &outcome.calls, &outcome.ratio, &kept) == 4)
            outcome.kept = kept;
        else if (sscanf(line, "begin %15s", name) != 1)
            continue;
        const int routine = routine_named(name);
        if (routine >= 0)
            outcomes[routine] = outcome;
    }
}

static void judge_blas(const struct verify_outcome outcomes[ROUTINES], const struct options *options,
                       const char *report, struct score *score)
{
    char name[ROUTINE_NAME], host[PATH_MAX];
    if (offload_report_host(report, host, sizeof host))
        printf("host BLAS: %s\n", host);
    printf("%-8s %6s %10s  result (largest difference in eps of the terms' magnitudes; %g would fail)\n",
           "routine", "calls", "difference", blas_limit);
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_is_listed(routine, options->routines))
            judge(routine_name(routine, name), &outcomes[routine], blas_limit, report, score);
}

static void judge_lapack(const struct verify_outcome *outcomes, const struct options *options,
                         const char *report, struct score *score)
{
    printf(
        "%-8s %6s %10s  result (largest residual, loss of orthogonality or distance from the host's values,\n"
        "%27s in eps * order * norm; %g would fail)\n",
        "routine", "calls", "error", "", lapack_limit);
    for (int i = 0; i < lapack_routine_count(); i++)
        if (lapack_routine_is_listed(i, options->routines))
            judge(lapack_routine_row(i)->name, &outcomes[i], lapack_limit, report, score);
}

/* Tries to wake a device with this build's kernels, and closes it again. False after one line. */
static bool has_device(void)
{
    struct device *device;
    const enum status status = device_wake(&device);
    if (status == STATUS_OK)
        device_close(device);
    else
        fprintf(stderr, "%s: no device to check: %s (mublas doctor says what to do)\n", who,
                status_text(status));
    return status == STATUS_OK;
}

/* Starts a process that makes calls under the shim. False after a line that says why. */
static bool start(struct shim_child *child, const char *what)
{
    static const struct shim_child_settings settings = {.offload = "always"};
    return shim_child_start(child, &settings, who, VERIFY_CALLS_COMMAND, what);
}

static bool check_blas(const struct options *options, struct score *score)
{
    struct shim_child child;
    struct verify_outcome outcomes[ROUTINES] = {{0}};
    char what[WHAT_BYTES];
    snprintf(what, sizeof what, "%ld%s%s", options->size, options->routines ? " " : "",
             options->routines ? options->routines : "");
    if (!start(&child, what))
        return false;
    read_outcomes(child.answers, outcomes);
    const int status = shim_child_wait(&child);
    judge_blas(outcomes, options, child.report, score);
    return judge_end(&child, status);
}

/* If LAPACK cannot run on the device, says so; that is a failure only if the user asked for LAPACK. */
static bool check_lapack(const struct options *options, struct score *score)
{
    struct shim_child child;
    struct host_library host;
    struct verify_outcome *outcomes;
    char what[WHAT_BYTES];
    if (!lapack_call_host(&host)) {
        puts("LAPACK: not checked, no host LAPACK was found (liblapack.so.3, or in the BLAS of "
             "MUBLAS_HOST_BLAS)");
        return !options->routines;
    }
    if (!solver_library_find()) {
        puts("LAPACK: stays on the host, there is no cuSOLVER (MUBLAS_CUSOLVER names one)");
        return !options->routines;
    }
    printf("host LAPACK: %s\n", host.path);
    snprintf(what, sizeof what, "lapack%s%s", options->routines ? " " : "",
             options->routines ? options->routines : "");
    if (!(outcomes = calloc((size_t)lapack_routine_count(), sizeof *outcomes)) || !start(&child, what)) {
        free(outcomes);
        return false;
    }
    verify_lapack_read(child.answers, &host, outcomes);
    const int status = shim_child_wait(&child);
    judge_lapack(outcomes, options, child.report, score);
    free(outcomes);
    return judge_end(&child, status);
}

int verify_run(char **arguments)
{
    struct options options = {.size = DEFAULT_SIZE, .blas = true, .lapack = true};
    struct score score = {0, 0};
    if (parallel_is_asked(arguments))
        return verify_parallel(arguments);
    if (!take_options(arguments, &options))
        return EXIT_BAD_COMMAND_LINE;
    if (options.routines && strlen(options.routines) + 32 > WHAT_BYTES) {
        fputs("mublas verify: --routines: the list is too long\n", stderr);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (!shim_child_possible(who, TIMED_CALLS_COMMAND))
        return 1;
    if (!has_device())
        return EXIT_NO_DEVICE;
    bool good = !options.blas || check_blas(&options, &score);
    good = (!options.lapack || check_lapack(&options, &score)) && good;
    printf("%d of %d routines pass\n", score.passed, score.listed);
    return !good || score.passed != score.listed;
}
