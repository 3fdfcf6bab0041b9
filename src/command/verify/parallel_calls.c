#include "command/verify/parallel_calls.h"
#include "command/verify/parallel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int parallel_routine_named(const char *name, size_t length)
{
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        const char *const known = parallel_routine_of((enum parallel_symbol)i)->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

bool parallel_routine_is_listed(int routine, const char *list)
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

static bool make(struct threefold *of, const struct parallel_routine *routine, int number,
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

static struct outcome check(const struct parallel_routine *routine, host_function *ours, host_function *host,
                            const struct parallel_grid *grid)
{
    struct outcome outcome = {.kept = true};
    for (int number = 0; number < PARALLEL_CALLS; number++) {
        struct threefold of;
        if (!make(&of, routine, number, grid))
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
        const struct outcome outcome = check(routine, ours, host, grid);
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
