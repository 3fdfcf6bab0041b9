#include "tests/system/factorisation_data.h"
#include "tests/system/random.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENT_MOST = 16, INFO_UNSET = -77, NOT_REFERENCED = 777 };

/* Arguments by letters: those of flags and sizes in small letters and capitals as they are; A, a: a matrix
 * and its leading dimension; P: pivots; t: TAU; W, w: workspace and its length; I: INFO. */
struct row {
    const char *name, *arguments;
    const char *before; /* makes its A */
    const char
        *shapes; /* of A: d: definite; f: any, t: triangular; then forms of it: T tall, S square, W wide */
    const char *trans_real, *trans_complex;
    const char *flaws; /* after none */
};
static const struct row rows[] = {
    {"potrf", "UnAaI", NULL, "dS", "N", "N", "-in"},
    {"potrs", "UnkAaBbI", "potrf", "dS", "N", "N", "-nz"},
    {"posv", "UnkAaBbI", NULL, "dS", "N", "N", "-in"},
    {"potri", "UnAaI", "potrf", "dS", "N", "N", "-nz"},
    {"getrf", "mnAaPI", NULL, "fTSW", "N", "N", "-ns"},
    {"getrs", "TnkAaPBbI", "getrf", "fS", "NTC", "NTC", "-nz"},
    {"gesv", "nkAaPBbI", NULL, "fS", "N", "N", "-ns"},
    {"getri", "nAaPWwI", "getrf", "fS", "N", "N", "-nz"},
    {"geqrf", "mnAatWwI", NULL, "fTSW", "N", "N", "-n"},
    {"orgqr", "mnkAatWwI", "geqrf", "fTS", "N", "N", "-n"},
    {"ormqr", "STmnkAatBbWwI", "geqrf", "fTSW", "NT", "NC", "-n"},
    {"gels", "TmnkAaBbWwI", NULL, "fTS", "N", "N", "-ns"},
    {"trtri", "UDnAaI", NULL, "tS", "N", "N", "-nz"},
};

static const struct row *row_of(const char *name)
{
    size_t i = 0;
    while (strcmp(rows[i].name, name) != 0)
        i++;
    return &rows[i];
}

static bool takes(const struct row *row, char letter)
{
    return strchr(row->arguments, letter);
}

lapack_routine *host_routine(char type, const char *name)
{
    char symbol[16];
    lapack_routine *routine;
    void *const library = dlopen("liblapack.so.3", RTLD_NOW);
    snprintf(symbol, sizeof symbol, "%c%s_", type, name);
    void *const address = library ? dlsym(library, symbol) : NULL;
    if (!address) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&routine, &address, sizeof routine);
    return routine;
}

/* A letter by the lowest digit of what is left of a number; the first one where there is no choice. */
static char choose(const char *letters, bool there, int *rest)
{
    const int choices = there ? (int)strlen(letters) : 1, digit = *rest % choices;
    *rest /= choices;
    return letters[digit];
}

static int smaller(int one, int other)
{
    return one < other ? one : other;
}

bool variant_next(struct variant *variant)
{
    const struct row *const row = row_of(variant->routine);
    int rest = variant->number++;
    variant->is_tight = variant->number % 2;
    variant->uplo = choose("UL", takes(row, 'U'), &rest);
    variant->side = choose("LR", takes(row, 'S'), &rest);
    variant->diag = choose("NU", takes(row, 'D'), &rest);
    variant->trans = choose(is_complex(variant->type) ? row->trans_complex : row->trans_real, true, &rest);
    const char form = choose(row->shapes + 1, true, &rest);
    const char few = choose("fm", takes(row, 'k'), &rest);
    variant->m = variant->order + (form == 'T' ? 17 : 0);
    variant->n = variant->order + (form == 'W' ? 9 : 0);
    variant->k = few == 'f' ? 1 : 7;
    variant->flaw = choose(row->flaws, true, &rest);
    if (variant->diag == 'U')
        variant->flaw = '-'; /* there all flaws are on the diagonal */
    if (takes(row, 't'))
        variant->k = smaller(variant->m, variant->n) - (few == 'f' ? 3 : 0);
    return rest == 0;
}

void variant_text(const struct variant *variant, char *text, size_t room)
{
    snprintf(text, room, "%c%s uplo %c side %c trans %c diag %c, %d x %d, %d%s%s", variant->type,
             variant->routine, variant->uplo, variant->side, variant->trans, variant->diag, variant->m,
             variant->n, variant->k, variant->is_tight ? ", least workspace" : "",
             variant->flaw == '-' ? "" : ", for the host");
}

static int columns_of(const struct variant *variant)
{
    return strcmp(variant->routine, "ormqr") == 0 ? variant->k : variant->n;
}

static int rows_of(const struct variant *variant)
{
    return variant->side == 'R' ? variant->n : variant->m;
}

static int columns_of_b(const struct variant *variant)
{
    return strcmp(variant->routine, "ormqr") == 0 ? variant->n : variant->k;
}

/* A NaN that no computation makes. */
static const void *canary_of(char type)
{
    static const uint32_t single = 0x7fc0dead;
    static const uint64_t wide = 0x7ff8dead0000beef;
    return is_single(type) ? (const void *)&single : (const void *)&wide;
}

static void set_canary(char type, double *memory, int64_t index)
{
    for (int part = 0; part <= is_complex(type); part++)
        memcpy((char *)memory + ((size_t)index << is_complex(type) | (size_t)part) * part_bytes(type),
               canary_of(type), part_bytes(type));
}

static void set(char type, double *memory, int64_t index, double real, double imaginary)
{
    set_part(type, memory, index, 0, real);
    if (is_complex(type))
        set_part(type, memory, index, 1, imaginary);
}

/* The diagonal's imaginary part counts as zero in a definite matrix. */
static void set_element(struct operands *of, char kind, int row, int column, struct random *random)
{
    const struct variant *const variant = &of->variant;
    const char type = variant->type;
    const int64_t index = row + (int64_t)column * of->lda;
    const double real = random_value(random), imaginary = random_value(random);
    const bool is_other = variant->uplo == 'U' ? row > column : row < column;
    if (row >= rows_of(variant) || (is_other && kind != 'f'))
        set_canary(type, of->a, index);
    else if (row == column && kind == 'd')
        set(type, of->a, index, 4.0 * variant->n, imaginary);
    else if (row == column && kind == 't')
        set(type, of->a, index, variant->diag == 'U' ? NOT_REFERENCED : 2, 0);
    else
        set(type, of->a, index, kind == 't' ? real / variant->n : real,
            kind == 't' ? imaginary / variant->n : imaginary);
}

/* In the middle, where everybody looks. */
static void spoil(struct operands *of, char flaw)
{
    const struct variant *const variant = &of->variant;
    const int middle = smaller(rows_of(variant), columns_of(variant)) / 2;
    const int64_t diagonal = middle + (int64_t)middle * of->lda;
    if (flaw == 'i')
        set(variant->type, of->a, diagonal, -1, 0);
    if (flaw == 'n')
        set(variant->type, of->a, diagonal, NAN, 0);
    if (flaw == 'z')
        set(variant->type, of->a, diagonal, 0, 0);
    for (int row = 0; flaw == 's' && row < rows_of(variant); row++)
        set(variant->type, of->a, row + (int64_t)middle * of->lda, 0, 0);
}

static void *take(int64_t elements)
{
    void *const memory = calloc((size_t)elements, ELEMENT_MOST);
    if (!memory)
        exit(1);
    return memory;
}

static int least_workspace(const struct variant *variant)
{
    const int least = smaller(variant->m, variant->n);
    if (strcmp(variant->routine, "gels") == 0)
        return least + (least > variant->k ? least : variant->k);
    return strcmp(variant->routine, "ormqr") == 0 && variant->side == 'R' ? variant->m : variant->n;
}

/* The same with another routine's name, on A alone. */
static void run_before(struct operands *operands, const char *name)
{
    const struct variant own = operands->variant;
    const int lwork = operands->lwork;
    operands->variant.routine = name;
    operands->variant.m = rows_of(&own);
    operands->variant.n = own.side == 'R' || strcmp(name, "geqrf") == 0 ? own.k : own.n;
    operands->lwork = 100 * (own.m + own.n);
    operands_run(operands, host_routine(own.type, name));
    operands->variant = own;
    operands->lwork = lwork;
    operands->info = INFO_UNSET;
}

struct operands operands_make(const struct variant *variant, uint64_t seed)
{
    const struct row *const row = row_of(variant->routine);
    struct random random = {seed};
    struct operands made = {.variant = *variant, .info = INFO_UNSET};
    made.lda = rows_of(variant) + 3;
    made.ldb = variant->m + 2;
    made.lwork = variant->is_tight ? least_workspace(variant) : 100 * (variant->m + variant->n);
    made.a = take((int64_t)made.lda * columns_of(variant));
    made.b = take((int64_t)made.ldb * columns_of_b(variant));
    made.tau = take(variant->m + variant->n);
    made.work = take(100 * (variant->m + variant->n));
    made.pivots = take(variant->m + variant->n);
    for (int column = 0; column < columns_of(variant); column++)
        for (int i = 0; i < made.lda; i++)
            set_element(&made, row->shapes[0], i, column, &random);
    for (int64_t i = 0; i < (int64_t)made.ldb * columns_of_b(variant); i++)
        if (i % made.ldb < variant->m)
            set(variant->type, made.b, i, random_value(&random), random_value(&random));
        else
            set_canary(variant->type, made.b, i);
    if (row->before)
        run_before(&made, row->before);
    spoil(&made, variant->flaw);
    return made;
}

static void *copy_of(const void *memory, int64_t elements)
{
    return memcpy(take(elements), memory, (size_t)elements * ELEMENT_MOST);
}

struct operands operands_copy(const struct operands *operands)
{
    const struct variant *const variant = &operands->variant;
    struct operands copy = *operands;
    copy.a = copy_of(operands->a, (int64_t)operands->lda * columns_of(variant));
    copy.b = copy_of(operands->b, (int64_t)operands->ldb * columns_of_b(variant));
    copy.tau = copy_of(operands->tau, variant->m + variant->n);
    copy.work = copy_of(operands->work, 100 * (variant->m + variant->n));
    copy.pivots = copy_of(operands->pivots, variant->m + variant->n);
    return copy;
}

void operands_free(struct operands *operands)
{
    void *const memory[] = {operands->a, operands->b, operands->tau, operands->work, operands->pivots};
    for (int i = 0; i < 5; i++)
        free(memory[i]);
}

static void *argument(struct operands *of, char letter)
{
    struct variant *const variant = &of->variant;
    void *const by_letter[128] = {['U'] = &variant->uplo, ['S'] = &variant->side, ['T'] = &variant->trans,
                                  ['D'] = &variant->diag, ['m'] = &variant->m,    ['n'] = &variant->n,
                                  ['k'] = &variant->k,    ['A'] = of->a,          ['a'] = &of->lda,
                                  ['B'] = of->b,          ['b'] = &of->ldb,       ['P'] = of->pivots,
                                  ['t'] = of->tau,        ['W'] = of->work,       ['w'] = &of->lwork,
                                  ['I'] = &of->info};
    return by_letter[(unsigned char)letter];
}

void operands_run(struct operands *operands, lapack_routine *routine)
{
    void *a[13] = {NULL};
    const char *const letters = row_of(operands->variant.routine)->arguments;
    for (size_t i = 0; i < strlen(letters); i++)
        a[i] = argument(operands, letters[i]);
    /* Lengths stand behind the last argument: as many words as fill the call. */
    for (size_t i = strlen(letters); i < 13; i++)
        a[i] = (void *)(uintptr_t)1;
    routine(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], 1, 1, 1);
}

/* By parts of elements: a canary must be untouched, others near. */
static bool are_alike(char type, const double *initial, const double *host, const double *shim,
                      int64_t elements)
{
    const int64_t parts = elements << is_complex(type);
    const size_t bytes = part_bytes(type);
    const char real = is_single(type) ? 's' : 'd';
    long double largest = 0, worst = 0;
    for (int64_t i = 0; i < parts; i++) {
        const long double value = creall(get(real, host, i)),
                          difference = fabsl(value - creall(get(real, shim, i)));
        largest = isfinite(value) ? fmaxl(largest, fabsl(value)) : largest;
        if (memcmp((const char *)host + (size_t)i * bytes, (const char *)shim + (size_t)i * bytes, bytes) ==
            0)
            continue;
        if (memcmp((const char *)initial + (size_t)i * bytes, canary_of(type), bytes) == 0)
            return false;
        if (isnan(value) && isnan(creall(get(real, shim, i))))
            continue;
        if (isnan(difference))
            return false;
        worst = fmaxl(worst, difference);
    }
    return worst <= largest * (is_single(type) ? 5e-3L : 1e-11L);
}

/* What the host answers a query: what WORK(1) must be. */
static bool is_workspace_told(const struct operands *shim)
{
    struct operands query = operands_copy(shim);
    const struct variant *const variant = &shim->variant;
    const char *name = variant->routine;
    char complex_name[8];
    if (is_complex(variant->type) && strncmp(name, "or", 2) == 0) {
        snprintf(complex_name, sizeof complex_name, "un%s", name + 2);
        name = complex_name;
    }
    query.lwork = -1;
    operands_run(&query, host_routine(variant->type, name));
    const bool good = memcmp(query.work, shim->work, element_bytes(variant->type)) == 0;
    operands_free(&query);
    return good;
}

const char *operands_difference(const struct operands *initial, const struct operands *host,
                                const struct operands *shim)
{
    const struct variant *const variant = &initial->variant;
    const char type = variant->type;
    if (host->info != shim->info)
        return "INFO differs";
    if (!are_alike(type, initial->a, host->a, shim->a, (int64_t)initial->lda * columns_of(variant)))
        return "A differs";
    if (!are_alike(type, initial->b, host->b, shim->b, (int64_t)initial->ldb * columns_of_b(variant)))
        return "B differs";
    if (!are_alike(type, initial->tau, host->tau, shim->tau, variant->m + variant->n))
        return "TAU differs";
    if (memcmp(host->pivots, shim->pivots, (size_t)(variant->m + variant->n) * sizeof(int)) != 0)
        return "IPIV differs";
    if (variant->flaw == '-' && takes(row_of(variant->routine), 'w') && !is_workspace_told(shim))
        return "WORK(1) differs";
    return NULL;
}
