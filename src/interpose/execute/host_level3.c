#include "interpose/execute/host_level3.h"
#include "host/host_blas.h"

#include <stddef.h>
#include <stdint.h>

/* By Fortran conventions everything goes by address. An integer of 64 bits stands for one of 32,
 * too: the lower half comes first on every machine that mublas runs on. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers of two widths share an address");

struct arguments {
    char side, uplo, trans, trans_b, diag;
    int64_t m, n, k, lda, ldb, ldc;
};

typedef void gemm_function(const char *, const char *, const int64_t *, const int64_t *, const int64_t *,
                           const void *, const void *, const int64_t *, const void *, const int64_t *,
                           const void *, void *, const int64_t *, size_t, size_t);
/* syr2k and her2k, too: their two flags and two sizes stand where these have theirs. */
typedef void symm_function(const char *, const char *, const int64_t *, const int64_t *, const void *,
                           const void *, const int64_t *, const void *, const int64_t *, const void *, void *,
                           const int64_t *, size_t, size_t);
typedef void syrk_function(const char *, const char *, const int64_t *, const int64_t *, const void *,
                           const void *, const int64_t *, const void *, void *, const int64_t *, size_t,
                           size_t);
typedef void trmm_function(const char *, const char *, const char *, const char *, const int64_t *,
                           const int64_t *, const void *, const void *, const int64_t *, void *,
                           const int64_t *, size_t, size_t, size_t, size_t);

/* The plain names, in the order of the families and types. */
#define EVERY(name) {SYMBOL_s##name##_, SYMBOL_d##name##_, SYMBOL_c##name##_, SYMBOL_z##name##_}
#define COMPLEX(name) {SYMBOL_COUNT, SYMBOL_COUNT, SYMBOL_c##name##_, SYMBOL_z##name##_}
static const uint16_t symbols[FAMILY_COUNT - FAMILY_GEMM][4] = {
#define FAMILY(...)
#define LEVEL3_FAMILY(NAME, name, types, ...) types(name),
#include "common/families.def"
};

/* The Fortran interface that libraries have beside a C one, with integers of the same width. */
static enum interface fortran_interface(enum interface interface)
{
    switch (interface) {
    case INTERFACE_cblas_NAME: return INTERFACE_NAME_;
    case INTERFACE_cblas_NAME64_:
    case INTERFACE_cblas_NAME_64: return INTERFACE_NAME_64_;
    case INTERFACE_scipy_cblas_NAME: return INTERFACE_scipy_NAME_;
    case INTERFACE_scipy_cblas_NAME64_: return INTERFACE_scipy_NAME_64_;
    default: return interface;
    }
}

static char trans_letter(enum blas_trans trans)
{
    return trans == TRANS_NONE ? 'N' : trans == TRANS_TRANSPOSE ? 'T' : 'C';
}

static struct arguments arguments_of(const struct blas_call *call)
{
    return (struct arguments){
        .side = call->side == SIDE_LEFT ? 'L' : 'R', .uplo = call->uplo == UPLO_LOWER ? 'L' : 'U',
        .trans = trans_letter(call->trans), .trans_b = trans_letter(call->trans_b),
        .diag = call->diag == DIAG_UNIT ? 'U' : 'N', .m = call->m, .n = call->n, .k = call->k,
        .lda = call->a.ld, .ldb = call->b.ld, .ldc = call->c.ld,
    };
}

static void run(host_function *function, const struct blas_call *call)
{
    const struct arguments of = arguments_of(call);
    const void *a = call->a.pointer, *b = call->b.pointer, *alpha = &call->alpha, *beta = &call->beta;
    void *c = call->c.pointer;
    switch (call->family) {
    case FAMILY_GEMM:
        ((gemm_function *)function)(&of.trans, &of.trans_b, &of.m, &of.n, &of.k, alpha, a, &of.lda, b,
                                    &of.ldb, beta, c, &of.ldc, 1, 1);
        break;
    case FAMILY_SYMM:
    case FAMILY_HEMM:
        ((symm_function *)function)(&of.side, &of.uplo, &of.m, &of.n, alpha, a, &of.lda, b, &of.ldb, beta, c,
                                    &of.ldc, 1, 1);
        break;
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
        ((symm_function *)function)(&of.uplo, &of.trans, &of.n, &of.k, alpha, a, &of.lda, b, &of.ldb, beta, c,
                                    &of.ldc, 1, 1);
        break;
    case FAMILY_SYRK:
    case FAMILY_HERK:
        ((syrk_function *)function)(&of.uplo, &of.trans, &of.n, &of.k, alpha, a, &of.lda, beta, c, &of.ldc, 1,
                                    1);
        break;
    default:
        ((trmm_function *)function)(&of.side, &of.uplo, &of.trans, &of.diag, &of.m, &of.n, alpha, a, &of.lda,
                                    c, &of.ldc, 1, 1, 1, 1);
    }
}

bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call)
{
    if (call->family < FAMILY_GEMM || call->family >= FAMILY_COUNT || call->type > TYPE_Z)
        return false;
    const unsigned plain = symbols[call->family - FAMILY_GEMM][call->type];
    if (plain == SYMBOL_COUNT)
        return false;
    /* symbols.def has a routine's symbols one after the other, in the order of the interfaces. */
    const enum interface interface = fortran_interface(symbol_interface(symbol));
    run(host_blas_function((enum symbol)(plain + interface - INTERFACE_NAME_), caller), call);
    return true;
}
