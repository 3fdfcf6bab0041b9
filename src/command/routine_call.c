#include "command/routine_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
    enum blas_family family;
    enum blas_type type;
} routines[ROUTINES] = {
    {FAMILY_AXPY, TYPE_S}, {FAMILY_AXPY, TYPE_D}, {FAMILY_AXPY, TYPE_C}, {FAMILY_AXPY, TYPE_Z},
    {FAMILY_GEMV, TYPE_S}, {FAMILY_GEMV, TYPE_D}, {FAMILY_GEMV, TYPE_C}, {FAMILY_GEMV, TYPE_Z},
    {FAMILY_SYMV, TYPE_S}, {FAMILY_SYMV, TYPE_D}, {FAMILY_HEMV, TYPE_C}, {FAMILY_HEMV, TYPE_Z},
    {FAMILY_TRMV, TYPE_S}, {FAMILY_TRMV, TYPE_D}, {FAMILY_TRMV, TYPE_C}, {FAMILY_TRMV, TYPE_Z},
    {FAMILY_SYR2K, TYPE_S}, {FAMILY_SYR2K, TYPE_D},
};

enum blas_family routine_family(int routine)
{
    return routines[routine].family;
}

enum blas_type routine_type(int routine)
{
    return routines[routine].type;
}

const char *routine_name(int routine, char name[ROUTINE_NAME])
{
    static const char *const families[FAMILY_COUNT] = {
        [FAMILY_AXPY] = "axpy", [FAMILY_GEMV] = "gemv", [FAMILY_SYMV] = "symv",
        [FAMILY_HEMV] = "hemv", [FAMILY_TRMV] = "trmv", [FAMILY_SYR2K] = "syr2k"};
    snprintf(name, ROUTINE_NAME, "%c%s", "sdcz"[routines[routine].type], families[routines[routine].family]);
    return name;
}

int routine_of(enum blas_family family, enum blas_type type)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routines[routine].family == family && routines[routine].type == type)
            return routine;
    return -1;
}

int routine_named(const char *wanted)
{
    char name[ROUTINE_NAME];
    for (int routine = 0; routine < ROUTINES; routine++)
        if (strcmp(routine_name(routine, name), wanted) == 0)
            return routine;
    return -1;
}

static bool names_routine(int routine, const char *word, size_t length)
{
    char name[ROUTINE_NAME];
    routine_name(routine, name);
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

bool routine_is_listed(int routine, const char *list)
{
    if (!list)
        return true;
    for (;;) {
        size_t length = strcspn(list, ",");
        if (names_routine(routine, list, length))
            return true;
        if (!list[length])
            return false;
        list += length + 1;
    }
}

const char *routine_list_error(const char *list, int *length)
{
    for (;;) {
        bool known = false;
        *length = (int)strcspn(list, ",");
        for (int routine = 0; routine < ROUTINES; routine++)
            known |= names_routine(routine, list, (size_t)*length);
        if (!known)
            return list;
        if (!list[*length])
            return NULL;
        list += *length + 1;
    }
}

/* The shim's names come first in a process that preloads it; this command has none itself. */
host_function *routine_in_shim(int routine)
{
    char name[ROUTINE_NAME], symbol[ROUTINE_NAME + 1];
    if (!dlsym(RTLD_DEFAULT, HOST_SEARCH_MARKER))
        return NULL;
    snprintf(symbol, sizeof symbol, "%s_", routine_name(routine, name));
    return (host_function *)dlsym(RTLD_DEFAULT, symbol);
}

/* Integers by reference: of 64 bits, of which a library of 32 bits reads the low half. */
typedef void axpy_function(const int64_t *, const void *, const void *, const int64_t *, void *,
                           const int64_t *);
typedef void gemv_function(const char *, const int64_t *, const int64_t *, const void *, const void *,
                           const int64_t *,
                           const void *, const int64_t *, const void *, void *, const int64_t *, size_t);
typedef void symv_function(const char *, const int64_t *, const void *, const void *, const int64_t *,
                           const void *,
                           const int64_t *, const void *, void *, const int64_t *, size_t);
typedef void trmv_function(const char *, const char *, const char *, const int64_t *, const void *,
                           const int64_t *,
                           void *, const int64_t *, size_t, size_t, size_t);
typedef void syr2k_function(const char *, const char *, const int64_t *, const int64_t *, const void *,
                            const void *,
                            const int64_t *, const void *, const int64_t *, const void *, void *,
                                const int64_t *, size_t, size_t);

void routine_call(host_function *function, const struct blas_call *call)
{
    const int64_t m = call->m, n = call->n, k = call->k, lda = call->a.ld, ldb = call->b.ld, ldc = call->c.ld;
    const int64_t incx = call->x.increment, incy = call->y.increment;
    const char *uplo = call->uplo == UPLO_LOWER ? "L" : "U", *diag = call->diag == DIAG_UNIT ? "U" : "N";
    const char *trans = call->trans == TRANS_NONE ? "N" : call->trans == TRANS_TRANSPOSE ? "T" : "C";
    void *a = call->a.pointer, *b = call->b.pointer, *c = call->c.pointer, *x = call->x.pointer,
        *y = call->y.pointer;
    switch (call->family) {
    case FAMILY_AXPY:
        ((axpy_function *)function)(&n, &call->alpha, x, &incx, y, &incy);
        break;
    case FAMILY_GEMV:
        ((gemv_function *)function)(trans, &m, &n, &call->alpha, a, &lda, x, &incx, &call->beta, y, &incy, 1);
        break;
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        ((symv_function *)function)(uplo, &n, &call->alpha, a, &lda, x, &incx, &call->beta, y, &incy, 1);
        break;
    case FAMILY_TRMV:
        ((trmv_function *)function)(uplo, trans, diag, &n, a, &lda, x, &incx, 1, 1, 1);
        break;
    case FAMILY_SYR2K:
        ((syr2k_function *)function)(uplo, trans, &n, &k, &call->alpha, a, &lda, b, &ldb, &call->beta, c,
                                     &ldc, 1, 1);
        break;
    default: /* not among the routines above */
        break;
    }
}
