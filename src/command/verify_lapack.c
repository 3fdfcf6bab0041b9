#include "command/verify_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct verify_lapack_kind *const kinds[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYEV] = &verify_eigen,  [LAPACK_SYEVD] = &verify_eigen,  [LAPACK_SYEVR] = &verify_eigen,
    [LAPACK_SYEVX] = &verify_eigen, [LAPACK_SYGV] = &verify_eigen,   [LAPACK_SYGVD] = &verify_eigen,
    [LAPACK_SYGVX] = &verify_eigen, [LAPACK_POTRF] = &verify_factor, [LAPACK_POTRS] = &verify_factor,
    [LAPACK_POSV] = &verify_factor, [LAPACK_POTRI] = &verify_factor, [LAPACK_TRTRI] = &verify_factor,
    [LAPACK_GETRF] = &verify_factor, [LAPACK_GESV] = &verify_factor, [LAPACK_GEQRF] = &verify_orthogonal,
    [LAPACK_ORGQR] = &verify_orthogonal, [LAPACK_GESDD] = &verify_orthogonal,
    [LAPACK_GESVD] = &verify_orthogonal,
};

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family)
{
    return lapack_call_is_known(family) ? kinds[family] : NULL;
}

static double value_at(const struct lapack_routine *routine, const struct lapack_arguments *arguments, int64_t index)
{
    return blas_is_single(routine->type) ? (double)((const float *)arguments->w)[index]
                                         : ((const double *)arguments->w)[index];
}

static void print_values(const struct lapack_routine *routine, const struct verify_lapack_kind *kind,
                         const struct lapack_arguments *after)
{
    const int64_t count = kind->values(routine, after);
    printf("values %lld %lld", (long long)after->info, (long long)count);
    for (int64_t i = 0; i < count; i++)
        printf(" %.17g", value_at(routine, after, i));
    putchar('\n');
}

/* One routine under the shim. False: no memory. */
static bool check(const struct lapack_routine *routine, host_function *ours)
{
    const struct verify_lapack_kind *const kind = kinds[routine->family];
    struct lapack_arguments after = {0}, before = {0};
    bool kept = true, good = true;
    double worst = 0;
    int calls = 0;
    for (; good && kind->choose(routine, calls, &after); calls += good) {
        before = after;
        const bool made = lapack_arguments_make(&after, routine->type);
        good = lapack_arguments_make(&before, routine->type) && made;
        if (good) {
            kind->fill(routine, calls, true, &after);
            kind->fill(routine, calls, true, &before);
            lapack_call(ours, routine, &after);
            print_values(routine, kind, &after);
            worst = fmax(worst, after.info == 0 ? kind->gauge(routine, &after, &before) : (double)INFINITY);
            kept = kept && kind->kept(routine, &after, &before);
        }
        lapack_arguments_free(&after);
        lapack_arguments_free(&before);
        after = (struct lapack_arguments){0};
    }
    if (good)
        printf("done %s %d %.17g %d\n", routine->name, calls, worst, kept);
    fflush(stdout);
    return good;
}

int verify_lapack_calls(const char *list)
{
    struct host_library host;
    bool good = lapack_call_host(&host);
    for (int i = 0; good && i < lapack_routine_count(); i++) {
        const struct lapack_routine *const routine = lapack_routine_row(i);
        host_function *const ours = lapack_call_in_shim(routine);
        if (!lapack_routine_is_listed(i, list) || !verify_lapack_kind_of(routine->family))
            continue;
        if (!ours || !lapack_call_in_host(routine, &host)) {
            fprintf(stderr, "mublas verify: %s: %s has no such routine\n", routine->name, ours ? host.path : "the shim");
            continue;
        }
        printf("begin %s\n", routine->name);
        good = check(routine, ours);
    }
    return !good;
}

/* The farthest of the values in `text`, over `unit`. */
static double farthest(const struct lapack_routine *routine, const struct lapack_arguments *hosts, int64_t count, double unit,
                       char *text)
{
    double worst = 0;
    if (strtoll(text, &text, 10) != hosts->info || strtoll(text, &text, 10) != count || !(unit > 0))
        return INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double apart = fabs(strtod(text, &text) - value_at(routine, hosts, i)) / unit;
        worst = isnan(apart) ? (double)INFINITY : fmax(worst, apart);
    }
    return worst;
}

/* The same call on the host, and how far its values are from those of `text`. */
static double difference(const struct lapack_routine *routine, int number, const struct host_library *host, char *text)
{
    const struct verify_lapack_kind *const kind = kinds[routine->family];
    host_function *const function = lapack_call_in_host(routine, host);
    struct lapack_arguments hosts = {0}, before = {0};
    double worst = INFINITY;
    if (!function || !kind->choose(routine, number, &hosts))
        return worst;
    before = hosts;
    const bool made = lapack_arguments_make(&hosts, routine->type);
    if (lapack_arguments_make(&before, routine->type) && made) {
        kind->fill(routine, number, false, &hosts);
        kind->fill(routine, number, false, &before);
        lapack_call(function, routine, &hosts);
        worst = farthest(routine, &hosts, kind->values(routine, &hosts), kind->scale(routine, &before), text);
    }
    lapack_arguments_free(&hosts);
    lapack_arguments_free(&before);
    return worst;
}

void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_lapack_outcome *outcomes)
{
    char *line = NULL, name[16];
    size_t bytes = 0;
    int routine = -1, number = 0, kept;
    double worst = 0;
    while (getline(&line, &bytes, answers) > 0) {
        struct verify_lapack_outcome outcome = {.begun = true};
        if (sscanf(line, "begin %15s", name) == 1) {
            routine = lapack_routine_named(name, strlen(name));
            number = 0, worst = 0;
        } else if (routine >= 0 && strncmp(line, "values ", 7) == 0) {
            worst = fmax(worst, difference(lapack_routine_row(routine), number++, host, line + 7));
            continue;
        } else if (sscanf(line, "done %15s %d %lf %d", name, &outcome.calls, &outcome.gauge, &kept) == 4) {
            outcome.gauge = fmax(outcome.gauge, worst);
            outcome.kept = kept;
        }
        if (routine >= 0)
            outcomes[routine] = outcome;
    }
    free(line);
}
