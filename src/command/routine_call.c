#include "command/routine_call.h"
#include "common/call_work.h"
#include "host/symbols.h"
#include "tuner/online/timed_class.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

double random_part(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void random_flags(struct blas_call *call, uint64_t *seed)
{
    const int class = timed_class_of(call);
    const enum blas_family family = call->family;
    flag_set_apply(class, (int)(random_part(seed) * flag_sets_of(class)), call);
    call->family = family; /* HEMM is a set of SYMM's class */
}

/* Routines are numbered in the order of families, then of types. */
static void find_routine(int routine, enum blas_family *family, enum blas_type *type)
{
    int number = 0;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int t = TYPE_S; t <= TYPE_Z; t++)
            if (blas_family_has_type((enum blas_family)f, (enum blas_type)t) && number++ == routine) {
                *family = (enum blas_family)f;
                *type = (enum blas_type)t;
                return;
            }
    *family = FAMILY_COUNT;
    *type = TYPE_COUNT;
}

enum blas_family routine_family(int routine)
{
    enum blas_family family;
    enum blas_type type;
    find_routine(routine, &family, &type);
    return family;
}

enum blas_type routine_type(int routine)
{
    enum blas_family family;
    enum blas_type type;
    find_routine(routine, &family, &type);
    return type;
}

const char *routine_name(int routine, char name[ROUTINE_NAME])
{
    snprintf(name, ROUTINE_NAME, "%c%s", "sdcz"[routine_type(routine)],
             blas_families[routine_family(routine)].name);
    return name;
}

int routine_of(enum blas_family family, enum blas_type type)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_family(routine) == family && routine_type(routine) == type)
            return routine;
    return -1;
}

/* Rank-k updates have the transposition or, Hermitian, the conjugate one. */
static bool next_trans(const struct blas_call *call, enum blas_trans *trans)
{
    const bool adjoint = call->family == FAMILY_HERK || call->family == FAMILY_HER2K;
    const bool update = adjoint || call->family == FAMILY_SYRK || call->family == FAMILY_SYR2K;
    const enum blas_trans last =
        adjoint || (blas_is_complex(call->type) && !update) ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    *trans = *trans == last ? TRANS_NONE : adjoint ? TRANS_CONJUGATE : (enum blas_trans)(*trans + 1);
    return *trans != TRANS_NONE;
}

bool routine_next_flags(struct blas_call *call)
{
    const unsigned flags = blas_families[call->family].flags;
    if ((flags & FLAG_DIAG) && (call->diag = !call->diag) != DIAG_NON_UNIT)
        return true;
    if ((flags & FLAG_TRANS_B) && next_trans(call, &call->trans_b))
        return true;
    if ((flags & FLAG_TRANS) && next_trans(call, &call->trans))
        return true;
    if ((flags & FLAG_UPLO) && (call->uplo = !call->uplo) != UPLO_LOWER)
        return true;
    return (flags & FLAG_SIDE) && (call->side = !call->side) != SIDE_LEFT;
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

static const char *routine_symbol(int routine, char symbol[ROUTINE_NAME + 1])
{
    char name[ROUTINE_NAME];
    snprintf(symbol, ROUTINE_NAME + 1, "%s_", routine_name(routine, name));
    return symbol;
}

/* The shim's names come first in a process that preloads it; this command has none itself. */
host_function *routine_in_shim(int routine)
{
    char symbol[ROUTINE_NAME + 1];
    if (!dlsym(RTLD_DEFAULT, HOST_LIBRARY_MARKER))
        return NULL;
    return (host_function *)dlsym(RTLD_DEFAULT, routine_symbol(routine, symbol));
}

host_function *routine_in_host(int routine, const struct host_library *host)
{
    char symbol[ROUTINE_NAME + 1];
    return host_library_function(host, routine_symbol(routine, symbol));
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

static const char *letter_of(enum blas_trans trans)
{
    return trans == TRANS_NONE ? "N" : trans == TRANS_TRANSPOSE ? "T" : "C";
}

static void call_level2(host_function *function, const struct blas_call *call)
{
    const int64_t m = call->m, n = call->n, lda = call->a.ld;
    const int64_t incx = call->x.increment, incy = call->y.increment;
    const char *uplo = call->uplo == UPLO_LOWER ? "L" : "U", *diag = call->diag == DIAG_UNIT ? "U" : "N";
    const char *trans = letter_of(call->trans);
    void *a = call->a.pointer, *x = call->x.pointer, *y = call->y.pointer;
    switch (call->family) {
    case FAMILY_AXPY:
        ((axpy_function *)function)(&n, &call->alpha, x, &incx, y, &incy);
        break;
    case FAMILY_GEMV:
        ((gemv_function *)function)(trans, &m, &n, &call->alpha, a, &lda, x, &incx, &call->beta, y, &incy, 1);
        break;
    case FAMILY_TRMV:
        ((trmv_function *)function)(uplo, trans, diag, &n, a, &lda, x, &incx, 1, 1, 1);
        break;
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        ((symv_function *)function)(uplo, &n, &call->alpha, a, &lda, x, &incx, &call->beta, y, &incy, 1);
        break;
    case FAMILY_GEMM:
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
    case FAMILY_COUNT: break; /* of level 3 */
    }
}

void routine_call(host_function *function, const struct blas_call *call)
{
    if (call->family < FAMILY_GEMM)
        call_level2(function, call);
    else
        level3_call(function, call);
}
