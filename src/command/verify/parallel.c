#include "command/verify/verify.h"
#include "command/commands.h"
#include "common/launcher.h"
#include "scalapack/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a parallel routine, an enum parallel_symbol; -1: there is none of that name. */
static int parallel_routine_named(const char *name, size_t length)
{
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        const char *const known = parallel_routine_of((enum parallel_symbol)i)->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

/* True when `list` has the routine: names with commas between, or "-" for all. */
static bool parallel_routine_is_listed(int routine, const char *list)
{
    bool is_listed = strcmp(list, "-") == 0;
    for (const char *at = list; !is_listed && *at; at += strcspn(at, ","), at += *at == ',')
        is_listed = parallel_routine_named(at, strcspn(at, ",")) == routine;
    return is_listed;
}

struct outcome {
    int calls;
    double worst;
    bool kept;
};

/* Three times the same call: to be made through the shim, to be made on the host, and as it was. */
struct threefold {
    struct parallel_problem ours, hosts, before;
};

static bool make_threefold(struct threefold *of, const struct parallel_routine *routine, int number,
                           const struct parallel_grid *grid)
{
    const bool made = parallel_problem_make(&of->ours, routine, number, true, grid);
    const bool made_hosts = parallel_problem_make(&of->hosts, routine, number, false, grid);
    return parallel_problem_make(&of->before, routine, number, true, grid) && made && made_hosts;
}

static void compare(struct threefold *of, host_function *ours, host_function *host, struct outcome *outcome)
{
    if (!parallel_problem_make_workspaces(&of->ours, host) || !parallel_problem_make_workspaces(&of->hosts, host))
        abort(); /* the others have theirs, and wait */
    parallel_problem_call(&of->ours, ours);
    parallel_problem_call(&of->hosts, host);
    const double error = parallel_error(&of->ours, &of->hosts, &of->before);
    const bool kept = parallel_kept(&of->ours, &of->before);
    outcome->worst = fmax(outcome->worst, error);
    outcome->kept &= parallel_grid_largest(of->ours.grid, kept ? 0 : 1) == 0;
    outcome->calls++;
}

static struct outcome check_calls(const struct parallel_routine *routine, host_function *ours,
                                  host_function *host, const struct parallel_grid *grid)
{
    struct outcome outcome = {.kept = true};
    for (int number = 0; number < PARALLEL_CALLS; number++) {
        struct threefold of;
        if (!make_threefold(&of, routine, number, grid))
            abort(); /* as above */
        compare(&of, ours, host, &outcome);
        parallel_problem_free(&of.ours);
        parallel_problem_free(&of.hosts);
        parallel_problem_free(&of.before);
    }
    return outcome;
}

static void check_routine(const struct parallel_routine *routine, const struct parallel_grid *grid)
{
    char name[32];
    snprintf(name, sizeof name, "%s_", routine->name);
    host_function *const ours = parallel_library_shim(name), *const host = parallel_library_host(grid->library, name);
    const bool speaks = grid->me == 0;
    if (speaks)
        printf(ours && host ? "begin %s\n" : "absent %s\n", routine->name);
    if (ours && host) {
        const struct outcome outcome = check_calls(routine, ours, host, grid);
        if (speaks)
            printf("done %s %d %.17g %d\n", routine->name, outcome.calls, outcome.worst, outcome.kept);
    }
    fflush(stdout);
}

int verify_parallel_calls(const char *what)
{
    char list[512];
    struct parallel_library library;
    struct parallel_grid grid;
    const size_t length = strcspn(what, " ");
    const char *const files = what[length] ? what + length + 1 : "-";
    snprintf(list, sizeof list, "%.*s", (int)length, what);
    if (!parallel_library_open(strcmp(files, "-") == 0 ? NULL : files, &library) ||
        !parallel_grid_open(&library, &grid))
        return 1;
    if (grid.me == 0)
        printf("library %s %d %d\n", library.name, grid.place.rows, grid.place.columns);
    for (int i = 0; i < PARALLEL_COUNT; i++)
        if (parallel_routine_is_listed(i, list))
            check_routine(parallel_routine_of((enum parallel_symbol)i), &grid);
    parallel_grid_close(&grid);
    return 0;
}

static const char who[] = "mublas verify";
static const double limit = 30; /* as for LAPACK */

struct options {
    const char *routines, *files; /* "-": not given */
};

struct answers {
    struct verify_outcome outcomes[PARALLEL_COUNT];
    bool are_absent[PARALLEL_COUNT];
};

bool parallel_is_asked(char **arguments)
{
    while (*arguments && strcmp(*arguments, "--parallel") != 0)
        arguments++;
    return *arguments;
}

static bool take_routines(const char *list, struct options *options)
{
    options->routines = list;
    for (const char *at = list; at == list || at[-1] == ','; at += strcspn(at, ",") + 1) {
        const size_t length = strcspn(at, ",");
        if (parallel_routine_named(at, length) < 0) {
            fprintf(stderr, "%s: --routines: '%.*s' is not a parallel routine\n", who, (int)length, at);
            return false;
        }
        if (!at[length])
            break;
    }
    return true;
}

static bool take_options(char **arguments, struct options *options)
{
    for (; *arguments; arguments++) {
        if (strncmp(*arguments, "--routines=", 11) == 0) {
            if (!take_routines(*arguments + 11, options))
                return false;
        } else if (strncmp(*arguments, "--scalapack=", 12) == 0 && (*arguments)[12]) {
            options->files = *arguments + 12;
        } else if (strcmp(*arguments, "--parallel") != 0) {
            fprintf(stderr, "%s: '%s' does not go with --parallel; mublas verify --help lists options\n", who, *arguments);
            return false;
        }
    }
    return true;
}

static void take_answer(const char *line, struct answers *answers)
{
    struct verify_outcome outcome = {.begun = true};
    char name[32], library[256];
    int kept, rows, columns;
    if (sscanf(line, "library %255s %d %d", library, &rows, &columns) == 3)
        printf("host ScaLAPACK: %s, on a grid of %d x %d processes\n", library, rows, columns);
    if (sscanf(line, "absent %31s", name) == 1)
        answers->are_absent[parallel_routine_named(name, strlen(name))] = true;
    if (sscanf(line, "done %31s %d %lf %d", name, &outcome.calls, &outcome.ratio, &kept) == 4)
        outcome.kept = kept;
    else if (sscanf(line, "begin %31s", name) != 1)
        return;
    answers->outcomes[parallel_routine_named(name, strlen(name))] = outcome;
}

static void judge_all(const struct answers *answers, const struct options *options, const char *report,
                      struct score *score)
{
    printf("%-8s %6s %10s  result (largest difference from the host's, residual or loss of orthogonality,\n"
           "%27s in eps * order * norm; %g would fail)\n", "routine", "calls", "error", "", limit);
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        const char *const name = parallel_routine_of((enum parallel_symbol)i)->name;
        if (!parallel_routine_is_listed(i, options->routines))
            continue;
        if (answers->are_absent[i])
            printf("%-8s %6s %10s  -: the host's library has no such routine\n", name, "-", "-");
        else
            judge(name, &answers->outcomes[i], limit, report, score);
    }
}

static int report_and_end(struct shim_child *child, const struct options *options)
{
    struct answers *const answers = calloc(1, sizeof *answers);
    struct score score = {0, 0};
    char line[512];
    if (!answers)
        return EXIT_FAILURE;
    while (fgets(line, sizeof line, child->answers))
        take_answer(line, answers);
    const int status = shim_child_wait(child);
    judge_all(answers, options, child->report, &score);
    free(answers);
    const bool good = judge_end(child, status);
    printf("%d of %d routines pass\n", score.passed, score.listed);
    return !good || score.passed != score.listed;
}

/* The host's libraries print in other processes, too; that is none of the answers. */
static int wait_and_end(struct shim_child *child)
{
    char line[512];
    while (fgets(line, sizeof line, child->answers))
        fputs(line, stderr);
    const int status = shim_child_wait(child);
    shim_child_clean(child);
    return status != 0;
}

int verify_parallel(char **arguments)
{
    static const struct shim_child_settings settings = {.offload = "always"};
    struct options options = {"-", "-"};
    struct shim_child child;
    const struct local_rank world = world_rank();
    char what[1024];
    if (!take_options(arguments, &options))
        return EXIT_BAD_COMMAND_LINE;
    if (world.rank < 0) {
        fprintf(stderr, "%s: --parallel: no launcher has started this process; mpirun -n 4 mublas verify --parallel\n",
                who);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (snprintf(what, sizeof what, "%s %s", options.routines, options.files) >= (int)sizeof what ||
        strlen(options.routines) > 500) {
        fprintf(stderr, "%s: --parallel: the list is too long\n", who);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (!shim_child_start(&child, &settings, who, VERIFY_PARALLEL_COMMAND, what))
        return EXIT_FAILURE;
    return world.rank == 0 ? report_and_end(&child, &options) : wait_and_end(&child);
}
