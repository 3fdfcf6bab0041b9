#include "command/verify/lapack.h"
#include "command/routine_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum element { ELEMENT, REAL, INTEGER };

/* `ld` is 0 for a vector. */
static const struct {
    size_t pointer, ld;
    enum element element;
} arrays[VERIFY_ARRAYS] = {
#define AT(name) offsetof(struct lapack_arguments, name)
    [ARRAY_A] = {AT(a), AT(lda), ELEMENT}, [ARRAY_B] = {AT(b), AT(ldb), ELEMENT},
    [ARRAY_Z] = {AT(z), AT(ldz), ELEMENT}, [ARRAY_W] = {AT(w), 0, REAL},
    [ARRAY_E] = {AT(e), 0, REAL},          [ARRAY_TAU] = {AT(tau), 0, ELEMENT},
    [ARRAY_SCALE] = {AT(scale), 0, REAL},  [ARRAY_IPIV] = {AT(ipiv), 0, INTEGER},
#undef AT
};

struct verify_place verify_arrays_place(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, enum verify_array array)
{
    const char *const base = (const char *)arguments;
    const size_t whole = blas_element_bytes(routine->type),
                 real = whole / (size_t)blas_scalar_parts(routine->type);
    const int64_t columns = lapack_arguments_columns(arguments);
    const size_t bytes[] = {[ELEMENT] = whole, [REAL] = real, [INTEGER] = lapack_integer_bytes()};
    struct verify_place place = {.element = bytes[arrays[array].element], .columns = 1,
                                 .column = (size_t)columns * LAPACK_ELEMENT_MOST};
    memcpy(&place.memory, base + arrays[array].pointer, sizeof place.memory);
    if (arrays[array].ld) {
        int64_t ld;
        memcpy(&ld, base + arrays[array].ld, sizeof ld);
        place.column = (size_t)ld * whole;
        place.columns = columns;
    }
    return place;
}

/* Sets all bytes of all arrays to 0xff, which is NaN, or to 0. */
static void verify_arrays_set(const struct lapack_routine *routine, struct lapack_arguments *arguments,
                              bool poisoned)
{
    for (int i = 0; i < VERIFY_ARRAYS; i++) {
        const struct verify_place place = verify_arrays_place(routine, arguments, (enum verify_array)i);
        memset(place.memory, poisoned ? 0xff : 0, (size_t)place.columns * place.column);
    }
}

bool verify_part_has(const struct verify_part *part, int64_t i, int64_t j)
{
    return i < part->rows && j < part->columns && (!part->uplo || dense_is_in_triangle(part->uplo, i, j)) &&
           !(part->but_diagonal && i == j);
}

bool verify_arrays_kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, const struct verify_parts *parts)
{
    for (int array = 0; array < VERIFY_ARRAYS; array++) {
        const struct verify_place now = verify_arrays_place(routine, after, (enum verify_array)array),
                                  then = verify_arrays_place(routine, before, (enum verify_array)array);
        const struct verify_part *const part = &parts->of[array];
        for (int64_t j = 0; j < then.columns; j++)
            for (size_t at = 0; at < then.column; at += then.element) {
                const size_t place = (size_t)j * then.column + at;
                if (!verify_part_has(part, (int64_t)(at / then.element), j) &&
                    memcmp(now.memory + place, then.memory + place, then.element) != 0)
                    return false;
            }
    }
    return true;
}

/* The seed of a call: arguments of the same routine and call number get the same numbers. */
static uint64_t verify_arrays_seed(const struct lapack_routine *routine, int number)
{
    return (uint64_t)number + 1000 * (uint64_t)routine->type;
}

struct number verify_random(uint64_t *seed)
{
    const double re = 2 * random_part(seed) - 1, im = 2 * random_part(seed) - 1;
    return (struct number){re, im};
}

void verify_fill_random(enum blas_type type, int64_t rows, int64_t columns, char *matrix, int64_t ld,
                        uint64_t *seed)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            number_put(type, matrix, i + j * ld, verify_random(seed));
}

void verify_fill_hermitian(enum blas_type type, char uplo, int64_t n, char *matrix, int64_t ld, bool poisoned,
                           uint64_t *seed)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            struct number value = verify_random(seed);
            if (i == j)
                value.im = poisoned ? 1 : 0;
            if (dense_is_in_triangle(uplo, i, j))
                number_put(type, matrix, i + j * ld, value);
        }
}

void verify_fill_triangle(enum blas_type type, char uplo, bool unit, int64_t n, char *matrix, int64_t ld,
                          uint64_t *seed)
{
    const double factor = 0.5 / (double)n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const struct number value = verify_random(seed);
            if (dense_is_in_triangle(uplo, i, j) && !(unit && i == j))
                number_put(type, matrix, i + j * ld,
                           (struct number){factor * value.re + (i == j), i == j ? 0 : factor * value.im});
        }
}

const struct verify_lapack_kind *verify_lapack_kind_of(enum lapack_family family)
{
    static const struct verify_lapack_kind *const kinds[LAPACK_KIND_COUNT] = {
#define LAPACK_KIND(NAME, methods, check) [LAPACK_KIND_##NAME] = &verify_##check,
#include "common/routines.def"
    };
    return kinds[lapack_kind_of(family)];
}

static bool make_arguments(const struct lapack_routine *routine, int number, bool poisoned,
                           struct lapack_arguments *arguments)
{
    uint64_t seed = verify_arrays_seed(routine, number);
    if (!lapack_arguments_make(arguments, routine->type))
        return false;
    verify_arrays_set(routine, arguments, poisoned);
    verify_lapack_kind_of(routine->family)->fill_arrays(routine, poisoned, &seed, arguments);
    return true;
}

enum verify_made verify_lapack_make(const struct lapack_routine *routine, int number, bool poisoned,
                                    struct lapack_arguments *after, struct lapack_arguments *before)
{
    *after = *before = (struct lapack_arguments){0};
    if (!verify_lapack_kind_of(routine->family)->choose_call(routine, number, after))
        return VERIFY_NO_MORE;
    *before = *after;
    return make_arguments(routine, number, poisoned, after) &&
                   make_arguments(routine, number, poisoned, before)
               ? VERIFY_MADE
               : VERIFY_NO_MEMORY;
}

/* The unit of errors: eps * order. */
static double unit_of(const struct lapack_routine *routine, const struct lapack_arguments *before)
{
    return dense_ulp(routine->type) * (double)(before->m > before->n ? before->m : before->n);
}

/* The memory of the scratch matrices; NULL: out of memory. */
static struct number *make_scratch(const struct lapack_arguments *before,
                                   struct number *scratch[VERIFY_SCRATCH])
{
    const int64_t most = lapack_arguments_columns(before), square = most * most;
    scratch[0] = calloc((size_t)(VERIFY_SCRATCH * square), sizeof *scratch[0]);
    for (int i = 1; i < VERIFY_SCRATCH && scratch[0]; i++)
        scratch[i] = scratch[0] + i * square;
    return scratch[0];
}

double verify_lapack_ratio(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before)
{
    struct number *scratch[VERIFY_SCRATCH], *const memory = make_scratch(before, scratch);
    double error = INFINITY;
    if (memory && after->info == 0)
        error = verify_lapack_kind_of(routine->family)->error(routine, after, before, scratch) / unit_of(routine, before);
    free(memory);
    return isnan(error) ? (double)INFINITY : error;
}

/* The values, in memory to be freed, and their number. */
static double *make_values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before, int64_t *count)
{
    const struct verify_lapack_kind *const kind = verify_lapack_kind_of(routine->family);
    double *const values = calloc(2 * (size_t)lapack_arguments_columns(before), sizeof *values);
    *count = kind->values && values ? kind->values(routine, after, values) : 0;
    return values;
}

static void print_values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                         const struct lapack_arguments *before)
{
    int64_t count;
    double *const values = make_values(routine, after, before, &count);
    printf("values %lld %lld", (long long)after->info, (long long)count);
    for (int64_t i = 0; i < count; i++)
        printf(" %.17g", values[i]);
    putchar('\n');
    free(values);
}

/* Checks one routine under the shim. False: out of memory. */
static bool check_routine(const struct lapack_routine *routine, host_function *ours)
{
    struct lapack_arguments after, before;
    enum verify_made made;
    bool kept = true;
    double worst = 0;
    int calls = 0;
    while ((made = verify_lapack_make(routine, calls, true, &after, &before)) == VERIFY_MADE) {
        struct verify_parts parts = {0};
        lapack_call(ours, routine, &after);
        print_values(routine, &after, &before);
        worst = fmax(worst, verify_lapack_ratio(routine, &after, &before));
        verify_lapack_kind_of(routine->family)->results(routine, &after, &parts);
        kept = kept && verify_arrays_kept(routine, &after, &before, &parts);
        lapack_arguments_free(&after);
        lapack_arguments_free(&before);
        calls++;
    }
    lapack_arguments_free(&after);
    lapack_arguments_free(&before);
    if (made == VERIFY_NO_MORE)
        printf("done %s %d %.17g %d\n", routine->name, calls, worst, kept);
    fflush(stdout);
    return made == VERIFY_NO_MORE;
}

int verify_lapack_calls(const char *list)
{
    struct host_library host;
    bool good = lapack_call_host(&host);
    for (int i = 0; good && i < lapack_routine_count(); i++) {
        const struct lapack_routine *const routine = lapack_routine_row(i);
        host_function *const ours = lapack_call_in_shim(routine);
        if (!lapack_routine_is_listed(i, list))
            continue;
        if (!ours || !lapack_call_in_host(routine, &host)) {
            fprintf(stderr, "mublas verify: %s: %s has no such routine\n", routine->name,
                    ours ? host.path : "the shim");
            continue;
        }
        printf("begin %s\n", routine->name);
        good = check_routine(routine, ours);
    }
    return !good;
}

/* The largest distance of the values in `text`, over `unit`. */
static double farthest(int64_t info, int64_t count, const double *values, double unit, char *text)
{
    double worst = 0;
    if (strtoll(text, &text, 10) != info || strtoll(text, &text, 10) != count || (count > 0 && !(unit > 0)))
        return INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double apart = fabs(strtod(text, &text) - values[i]) / unit;
        worst = isnan(apart) ? (double)INFINITY : fmax(worst, apart);
    }
    return worst;
}

/* The distance of the host's results from the values of `text`. */
static double distance(const struct lapack_routine *routine, const struct lapack_arguments *hosts,
                       const struct lapack_arguments *before, char *text)
{
    const struct verify_lapack_kind *const kind = verify_lapack_kind_of(routine->family);
    struct number *scratch[VERIFY_SCRATCH], *const memory = make_scratch(before, scratch);
    int64_t count;
    double *const values = make_values(routine, hosts, before, &count);
    const double norm = memory && kind->norm ? kind->norm(routine, before, scratch[0]) : 0;
    const double worst = memory && values
                             ? farthest(hosts->info, count, values, norm * unit_of(routine, before), text)
                             : (double)INFINITY;
    free(memory);
    free(values);
    return worst;
}

/* Makes the same call on the host. Returns the distance of its values from those of `text`. */
static double difference(const struct lapack_routine *routine, int number, const struct host_library *host,
                         char *text)
{
    host_function *const function = lapack_call_in_host(routine, host);
    struct lapack_arguments hosts, before;
    double worst = INFINITY;
    if (verify_lapack_make(routine, number, false, &hosts, &before) == VERIFY_MADE && function) {
        lapack_call(function, routine, &hosts);
        worst = distance(routine, &hosts, &before, text);
    }
    lapack_arguments_free(&hosts);
    lapack_arguments_free(&before);
    return worst;
}

void verify_lapack_read(FILE *answers, const struct host_library *host, struct verify_outcome *outcomes)
{
    char *line = NULL, name[16];
    size_t bytes = 0;
    int routine = -1, number = 0, kept;
    double worst = 0;
    while (getline(&line, &bytes, answers) > 0) {
        struct verify_outcome outcome = {.begun = true};
        if (sscanf(line, "begin %15s", name) == 1) {
            routine = lapack_routine_named(name, strlen(name));
            number = 0, worst = 0;
        } else if (routine >= 0 && strncmp(line, "values ", 7) == 0) {
            worst = fmax(worst, difference(lapack_routine_row(routine), number++, host, line + 7));
            continue;
        } else if (sscanf(line, "done %15s %d %lf %d", name, &outcome.calls, &outcome.ratio, &kept) == 4) {
            outcome.ratio = fmax(outcome.ratio, worst);
            outcome.kept = kept;
        }
        if (routine >= 0)
            outcomes[routine] = outcome;
    }
    free(line);
}
