#include "host/level3_call.h"

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

void level3_call(host_function *function, const struct blas_call *call)
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
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        ((trmm_function *)function)(&of.side, &of.uplo, &of.trans, &of.diag, &of.m, &of.n, alpha, a, &of.lda,
                                    c, &of.ldc, 1, 1, 1, 1);
        break;
    case FAMILY_AXPY:
    case FAMILY_GEMV:
    case FAMILY_SYMV:
    case FAMILY_HEMV:
    case FAMILY_TRMV:
    case FAMILY_COUNT: break; /* of other levels */
    }
}
