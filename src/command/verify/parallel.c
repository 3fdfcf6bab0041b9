#include "command/verify/parallel.h"
#include "command/commands.h"
#include "command/verify/judge.h"
#include "command/verify/parallel_calls.h"
#include "common/local_rank.h"
#include "scalapack/routine.h"

#include <stdlib.h>
#include <string.h>

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
