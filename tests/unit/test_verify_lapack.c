/* `mublas verify` on LAPACK's results, of every routine: the host's own pass, each result that is wrong by
 * some hundred units is seen, and so is each byte that was written beside them. Argument: a seed. */
#include "command/routine_call.h"
#include "command/verify/lapack.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2, ORDER_MOST = 33, SIZE_MOST = 100 };
static const double limit = 30;

struct findings {
    int calls, failing, changed, unseen, stray, unseen_stray, unexpected;
    double worst;
};

static struct findings findings;

/* The largest part of any element. */
static double size_of(enum blas_type type, const struct verify_place *place, const struct verify_part *part,
                      bool is_real)
{
    double most = 0;
    for (int64_t j = 0; j < part->columns; j++)
        for (int64_t i = 0; i < part->rows; i++) {
            const char *const column = place->memory + (size_t)j * place->column;
            if (verify_part_has(part, i, j))
                most = fmax(most, is_real ? fabs(number_real(type, column, i))
                                          : number_size(number_get(type, column, i)));
        }
    return most;
}

static bool has_reals(enum verify_array array)
{
    return array == ARRAY_W || array == ARRAY_E || array == ARRAY_SCALE;
}

static void spoil(const struct lapack_routine *routine, enum verify_array array,
                  const struct verify_place *place, int64_t i, int64_t j, double by)
{
    char *const column = place->memory + (size_t)j * place->column;
    const enum blas_type real = blas_is_single(routine->type) ? TYPE_S : TYPE_D;
    if (array == ARRAY_IPIV) {
        lapack_integer_put(column, i, lapack_integer_get(column, i) + 1);
        return;
    }
    const enum blas_type type = has_reals(array) ? real : routine->type;
    struct number value = number_get(type, column, i);
    value.re += by;
    number_put(type, column, i, value);
}

/* Least squares, whose solution has what it lacks below it. */
static bool has_residuals(const struct lapack_routine *routine)
{
    return routine->family == LAPACK_GELS || routine->family == LAPACK_GELSD ||
           routine->family == LAPACK_GELSS;
}

/* There a column's sum of squares is the result. */
static int64_t rows_apart(const struct lapack_routine *routine, const struct lapack_arguments *before,
                          enum verify_array array, const struct verify_part *part)
{
    return has_residuals(routine) && array == ARRAY_B ? before->n : part->rows;
}

/* Some results of the array, each wrong alone. */
static void change_results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before, enum verify_array array,
                           const struct verify_part *part, uint64_t *seed)
{
    const struct verify_place place = verify_arrays_place(routine, after, array);
    const double size = array == ARRAY_IPIV ? 1 : size_of(routine->type, &place, part, has_reals(array));
    const double by = 40 * limit * dense_ulp(routine->type) * (double)(before->n + before->m) *
                      fmax(size, 0.1);
    for (int n = 0; n < TRIES; n++) {
        const int64_t i = (int64_t)(random_part(seed) * (double)rows_apart(routine, before, array, part));
        const int64_t j = (int64_t)(random_part(seed) * (double)part->columns);
        char kept[LAPACK_ELEMENT_MOST], *const at = place.memory + (size_t)j * place.column +
                                                    (size_t)i * place.element;
        if (!verify_part_has(part, i, j))
            continue;
        memcpy(kept, at, place.element);
        spoil(routine, array, &place, i, j, by);
        findings.changed++;
        if (!(verify_lapack_ratio(routine, after, before) >= limit)) {
            findings.unseen++;
            printf("# %s, n=%lld, array %d, element %lld, %lld\n", routine->name, (long long)before->n,
                   (int)array, (long long)i, (long long)j);
        }
        memcpy(at, kept, place.element);
    }
}

/* Changes values that are compared with the host's since no vectors tell of them. */
static void change_values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                          const struct lapack_arguments *before, enum verify_array array,
                          const struct verify_part *part)
{
    const struct verify_lapack_kind *const kind = verify_lapack_kind_of(routine->family);
    const struct verify_place place = verify_arrays_place(routine, after, array);
    static double values[2 * VERIFY_ORDER_MOST], changed[2 * VERIFY_ORDER_MOST];
    static struct number room[VERIFY_ORDER_MOST * VERIFY_ORDER_MOST];
    const double by = limit * dense_ulp(routine->type) * (double)before->n *
                      kind->norm(routine, before, room);
    for (int64_t i = 0; i < part->rows; i++) {
        double most = 0;
        char kept[LAPACK_ELEMENT_MOST], *const at = place.memory + (size_t)i * place.element;
        const int64_t count = kind->values(routine, after, values);
        memcpy(kept, at, place.element);
        spoil(routine, array, &place, i, 0, 2 * by);
        findings.unseen += kind->values(routine, after, changed) != count;
        for (int64_t k = 0; k < count; k++)
            most = fmax(most, fabs(changed[k] - values[k]));
        findings.changed++;
        findings.unseen += !(most > by);
        memcpy(at, kept, place.element);
    }
}

/* One column's part below is too long. */
static void change_residuals(const struct lapack_routine *routine, const struct lapack_arguments *after,
                             const struct lapack_arguments *before)
{
    for (int64_t i = before->n; i < before->m; i++) {
        struct number value = number_get(routine->type, after->b, i);
        value.re *= 1.01, value.im *= 1.01;
        number_put(routine->type, after->b, i, value);
    }
    findings.changed++;
    findings.unseen += !(verify_lapack_ratio(routine, after, before) >= limit);
}

static void change_others(const struct lapack_routine *routine, const struct lapack_arguments *after,
                          const struct lapack_arguments *before, enum verify_array array,
                          const struct verify_parts *parts, uint64_t *seed)
{
    const struct verify_place place = verify_arrays_place(routine, after, array);
    for (int n = 0; n < 8 * TRIES; n++) {
        const int64_t j = (int64_t)(random_part(seed) * (double)place.columns);
        const size_t offset = (size_t)(random_part(seed) * (double)place.column);
        char *const at = place.memory + (size_t)j * place.column + offset;
        if (verify_part_has(&parts->of[array], (int64_t)(offset / place.element), j))
            continue;
        *at ^= 1;
        findings.stray++;
        findings.unseen_stray += verify_arrays_kept(routine, after, before, parts);
        *at ^= 1;
    }
}

static void check_call(const struct lapack_routine *routine, host_function *function,
                       struct lapack_arguments *after, const struct lapack_arguments *before, uint64_t *seed)
{
    struct verify_parts parts = {0};
    lapack_call(function, routine, after);
    verify_lapack_kind_of(routine->family)->results(routine, after, &parts);
    const double ratio = verify_lapack_ratio(routine, after, before);
    findings.calls++;
    findings.worst = fmax(findings.worst, ratio);
    findings.failing += !(ratio < limit) || !verify_arrays_kept(routine, after, before, &parts);
    for (int array = 0; array < VERIFY_ARRAYS && before->n <= ORDER_MOST && before->m <= 2 * ORDER_MOST;
         array++) {
        if (!parts.of[array].is_free)
            change_results(routine, after, before, (enum verify_array)array, &parts.of[array], seed);
        else if (array == ARRAY_W || (array == ARRAY_E && routine->family != LAPACK_STEDC))
            change_values(routine, after, before, (enum verify_array)array, &parts.of[array]);
        change_others(routine, after, before, (enum verify_array)array, &parts, seed);
    }
    if (has_residuals(routine) && before->m > before->n)
        change_residuals(routine, after, before);
    after->info = 1;
    findings.unexpected += isfinite(verify_lapack_ratio(routine, after, before));
}

static void check_routine(const struct lapack_routine *routine, const struct host_library *host,
                          uint64_t *seed)
{
    host_function *const function = lapack_call_in_host(routine, host);
    struct lapack_arguments after, before;
    enum verify_made made = VERIFY_MADE;
    findings = (struct findings){0};
    for (int number = 0; made == VERIFY_MADE && function; number++) {
        made = verify_lapack_make(routine, number, false, &after, &before);
        if (made == VERIFY_MADE && before.n <= SIZE_MOST && before.m <= SIZE_MOST)
            check_call(routine, function, &after, &before, seed);
        lapack_arguments_free(&after);
        lapack_arguments_free(&before);
    }
    tap_ok(made == VERIFY_NO_MORE && findings.calls > 0 && findings.failing == 0 && findings.changed > 0 &&
               findings.unseen == 0 && findings.stray > 0 && findings.unseen_stray == 0 &&
               findings.unexpected == 0,
           "%s: %d calls, %g at most; of %d wrong results %d unseen, of %d strays %d", routine->name,
           findings.calls, findings.worst, findings.changed, findings.unseen, findings.stray,
           findings.unseen_stray);
}

int main(int count, char **arguments)
{
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    struct host_library host;
    if (!lapack_call_host(&host))
        tap_skip_all("there is no LAPACK");
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < lapack_routine_count(); i++)
        check_routine(lapack_routine_row(i), &host, &seed);
    return tap_done();
}
