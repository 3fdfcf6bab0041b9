#include "command/routine_call.h"
#include "common/whole_number.h"
#include "host/symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 28 }; /* the words of the longest call, with the lengths of its strings */

static const struct lapack_routine routines[] = {
#define ROUTE(name, family, type, order, words, ...) \
    {#name, LAPACK_##family, TYPE_##type, order, words, {__VA_ARGS__}},
#include "host/lapack.def"
#undef ROUTE
};

/* The arguments in order, as routines.def has them for all types. */
static const char *const signatures[LAPACK_FAMILY_COUNT] = {
#define LAPACK_FAMILY(NAME, real, complex, KIND, operations, signature) [LAPACK_##NAME] = signature,
#include "common/routines.def"
};

static const struct argument {
    const char *name;
    size_t offset;
    bool is_pointer; /* the member holds the address to pass */
} known[] = {
#define VALUE(name) {#name, offsetof(struct lapack_arguments, name), false}
#define ARRAY(name) {#name, offsetof(struct lapack_arguments, name), true}
#define OTHER(name, member, is_pointer) {#name, offsetof(struct lapack_arguments, member), is_pointer}
    VALUE(jobz), VALUE(range), VALUE(uplo), VALUE(itype), VALUE(n), VALUE(lda), VALUE(ldb), VALUE(ldz),
    VALUE(il), VALUE(iu), VALUE(m), VALUE(lwork), VALUE(lrwork), VALUE(liwork), VALUE(info), VALUE(vl),
    VALUE(vu), VALUE(abstol), ARRAY(a), ARRAY(b), ARRAY(z), ARRAY(w), ARRAY(work), ARRAY(rwork),
    ARRAY(iwork), ARRAY(ifail), ARRAY(isuppz), ARRAY(ipiv), ARRAY(e), ARRAY(tau), VALUE(diag),
    VALUE(side), VALUE(trans), VALUE(nrhs), VALUE(k), VALUE(jobvl), OTHER(s, w, true), OTHER(d, w, true),
    OTHER(u, z, true), OTHER(vt, b, true), OTHER(c, b, true), OTHER(vr, z, true), OTHER(left, b, true),
    OTHER(wi, e, true), OTHER(ldu, ldz, false), OTHER(ldvt, ldb, false), OTHER(ldc, ldb, false),
    OTHER(ldvr, ldz, false), OTHER(ldleft, ldb, false), OTHER(jobu, jobz, false),
    OTHER(jobvt, jobz, false), OTHER(jobvr, jobz, false), OTHER(compz, jobz, false), OTHER(rcond, vl, false),
    OTHER(rank, il, false), OTHER(vect, jobz, false), OTHER(tauq, tau, true), OTHER(taup, z, true),
    OTHER(balanc, side, false), OTHER(sense, trans, false), OTHER(ilo, il, false), OTHER(ihi, iu, false),
    ARRAY(scale), OTHER(abnrm, vl, false), OTHER(rconde, ifail, true), OTHER(rcondv, isuppz, true),
    OTHER(realiwork, iwork, true),
#undef VALUE
#undef ARRAY
#undef OTHER
};

int lapack_routine_count(void)
{
    return (int)(sizeof routines / sizeof *routines);
}

const struct lapack_routine *lapack_routine_row(int routine)
{
    return &routines[routine];
}

int lapack_routine_named(const char *name, size_t length)
{
    for (int i = 0; i < lapack_routine_count(); i++)
        if (strlen(routines[i].name) == length && strncmp(routines[i].name, name, length) == 0)
            return i;
    return -1;
}

bool lapack_routine_is_listed(int routine, const char *list)
{
    for (size_t length; list && *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (lapack_routine_named(list, length) == routine)
            return true;
    }
    return !list;
}

bool lapack_call_is_known(enum lapack_family family)
{
    return signatures[family];
}

/* The next word of a signature without its mark, or NULL. */
static const char *next_word(const char *words, size_t *length)
{
    words += strspn(words, " *!");
    *length = strcspn(words, " *!");
    return *length ? words : NULL;
}

bool lapack_call_has(enum lapack_family family, const char *argument)
{
    size_t length;
    const char *word = signatures[family];
    while (word && (word = next_word(word, &length)) != NULL) {
        if (strlen(argument) == length && strncmp(word, argument, length) == 0)
            return true;
        word += length;
    }
    return false;
}

static enum integer_width width = WIDTH_32;

bool lapack_call_host(struct host_library *host)
{
    static const char sentinel[] = "dsyevr_";
    const bool found =
        host_search_program(sentinel, host) ||
        (dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL) && host_search_program(sentinel, host)) ||
        host_search(sentinel, host);
    if (found)
        width = width_of_lapack(host_library_function(host, sentinel));
    return found;
}

size_t lapack_integer_bytes(void)
{
    return width == WIDTH_64 ? sizeof(int64_t) : sizeof(int32_t);
}

int64_t lapack_integer_get(const void *integers, int64_t index)
{
    return width == WIDTH_64 ? ((const int64_t *)integers)[index] : ((const int32_t *)integers)[index];
}

void lapack_integer_put(void *integers, int64_t index, int64_t value)
{
    if (width == WIDTH_64)
        ((int64_t *)integers)[index] = value;
    else
        ((int32_t *)integers)[index] = (int32_t)value;
}

static const char *symbol_of(const struct lapack_routine *routine, char symbol[16])
{
    snprintf(symbol, 16, "%s_", routine->name);
    return symbol;
}

/* Programs that link LAPACK get the shim's routine; dlsym without a version does not find it. */
host_function *lapack_call_in_shim(const struct lapack_routine *routine)
{
    char symbol[16];
    if (!dlsym(RTLD_DEFAULT, HOST_LIBRARY_MARKER))
        return NULL;
    return (host_function *)dlvsym(RTLD_DEFAULT, symbol_of(routine, symbol), "MUBLAS_BY_REFERENCE");
}

host_function *lapack_call_in_host(const struct lapack_routine *routine, const struct host_library *host)
{
    char symbol[16];
    return host_library_function(host, symbol_of(routine, symbol));
}

int64_t lapack_arguments_columns(const struct lapack_arguments *arguments)
{
    return larger(larger(arguments->m, arguments->n), larger(arguments->k, arguments->nrhs));
}

bool lapack_arguments_make(struct lapack_arguments *arguments, enum blas_type type)
{
    enum { ROOM = 64, TINY = 1024 }; /* elements a column, and some for tiny orders */
    const size_t columns = (size_t)lapack_arguments_columns(arguments), element = blas_element_bytes(type);
    const size_t most = 8 * columns * columns + ROOM * columns + TINY;
    arguments->lwork = arguments->lrwork = arguments->liwork = (int64_t)most;
    arguments->a = calloc((size_t)arguments->lda * columns, element);
    arguments->b = calloc((size_t)arguments->ldb * columns, element);
    arguments->z = calloc((size_t)arguments->ldz * columns, element);
    arguments->w = calloc(columns, LAPACK_ELEMENT_MOST);
    arguments->e = calloc(columns, LAPACK_ELEMENT_MOST);
    arguments->tau = calloc(columns, LAPACK_ELEMENT_MOST);
    arguments->ipiv = calloc(columns, LAPACK_ELEMENT_MOST);
    arguments->scale = calloc(columns, LAPACK_ELEMENT_MOST);
    arguments->work = malloc(most * element);
    arguments->rwork = malloc(most * sizeof(double));
    arguments->iwork = malloc(most * sizeof(int64_t));
    arguments->ifail = malloc(columns * sizeof(int64_t));
    arguments->isuppz = malloc(2 * columns * sizeof(int64_t));
    return arguments->a && arguments->b && arguments->z && arguments->w && arguments->e && arguments->tau &&
           arguments->ipiv && arguments->scale && arguments->work && arguments->rwork && arguments->iwork && arguments->ifail &&
           arguments->isuppz;
}

void lapack_arguments_free(struct lapack_arguments *arguments)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].is_pointer) {
            void **const array = (void **)((char *)arguments + known[i].offset);
            free(*array);
            *array = NULL;
        }
}

static void *address_of(struct lapack_arguments *arguments, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, word, length) == 0) {
            void *const at = (char *)arguments + known[i].offset;
            return known[i].is_pointer ? *(void **)at : at;
        }
    return NULL;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* True when the other kind of types, real or complex, alone has the argument. */
static bool is_others(bool is_real, const char *word, size_t length)
{
    return is_real ? is_word(word, length, "rwork") || is_word(word, length, "lrwork")
                   : is_word(word, length, "wi") || is_word(word, length, "realiwork");
}

/* Moves the triangle of `matrix` to `packed`, or back. */
static void move_packed(const struct lapack_arguments *arguments, size_t element, char *matrix, int64_t ld,
                        char *packed, bool back)
{
    for (int64_t j = 0; j < arguments->n; j++) {
        const int64_t first = arguments->uplo == 'L' ? j : 0, end = arguments->uplo == 'L' ? arguments->n : j + 1;
        const size_t bytes = (size_t)(end - first) * element;
        char *const column = matrix + (size_t)(first + j * ld) * element;
        memcpy(back ? column : packed, back ? packed : column, bytes);
        packed += bytes;
    }
}

/* Memory for a triangle that the routine has in packed storage, and callers as that of a square: an array without a
 * leading dimension. */
static char *pack(const struct lapack_routine *routine, const struct lapack_arguments *arguments, const char *array,
                  const char *ld_name, void *matrix, int64_t ld)
{
    const size_t n = (size_t)arguments->n, element = blas_element_bytes(routine->type);
    char *packed = NULL;
    if (lapack_call_has(routine->family, array) && !lapack_call_has(routine->family, ld_name))
        packed = malloc(n * (n + 1) / 2 * element + 1);
    if (packed)
        move_packed(arguments, element, matrix, ld, packed, false);
    return packed;
}

/* The lengths of strings, all 1, follow the arguments; more than a routine has do no harm. */
static void call_as_it_is(host_function *function, const struct lapack_routine *routine,
                 struct lapack_arguments *arguments)
{
    typedef void any_routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                             void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                             void *, void *, void *, void *, void *, void *, void *, void *);
    const bool is_real = blas_scalar_parts(routine->type) == 1;
    void *words[WORDS];
    int count = 0;
    size_t length;
    for (const char *word = signatures[routine->family]; (word = next_word(word, &length)) != NULL;
         word += length)
        if (!is_others(is_real, word, length))
            words[count++] = address_of(arguments, word, length);
    while (count < WORDS)
        words[count++] = (void *)(uintptr_t)1;
    void **const w = words;
    ((any_routine *)function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                              w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23],
                              w[24], w[25], w[26], w[27]);
}

void lapack_call(host_function *function, const struct lapack_routine *routine, struct lapack_arguments *arguments)
{
    const size_t element = blas_element_bytes(routine->type);
    struct lapack_arguments packed = *arguments;
    char *const a = pack(routine, arguments, "a", "lda", arguments->a, arguments->lda);
    char *const b = pack(routine, arguments, "b", "ldb", arguments->b, arguments->ldb);
    packed.a = a ? a : packed.a;
    packed.b = b ? b : packed.b;
    call_as_it_is(function, routine, &packed);
    if (a)
        move_packed(arguments, element, arguments->a, arguments->lda, a, true);
    if (b)
        move_packed(arguments, element, arguments->b, arguments->ldb, b, true);
    packed.a = arguments->a;
    packed.b = arguments->b;
    *arguments = packed;
    free(a);
    free(b);
}
