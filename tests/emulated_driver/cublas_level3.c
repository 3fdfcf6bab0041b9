/* Level 3 of the emulated cuBLAS, over the host's Fortran routines: one struct serves all. */
#include "emulated_driver/cublas.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum family { GEMM, SYMM, SYRK, SYR2K, TRMM }; /* by their parameter lists; trsm is as trmm */

struct call {
    enum family family;
    char routine[8];
    char side, uplo, trans, trans_b, diag;
    int m, n, k, lda, ldb, ldc;
    double alpha[2], beta[2]; /* the first bytes, for smaller types */
    const void *a, *b;
    void *c;
};

/* As in cuBLAS 13, whose cher2k multiplies by beta what stands for the imaginary parts. */
static void spread_imaginary_diagonal(const struct call *of)
{
    float (*c)[2] = of->c, beta;
    memcpy(&beta, of->beta, sizeof beta);
    for (int i = 0; i < of->n && beta != 0; i++) {
        const size_t at = (size_t)i * ((size_t)of->ldc + 1);
        c[at][0] += 0 * c[at][1];
    }
}

/* Spoils C by cuBLAS's name of the routine. */
static void spoil(const struct call *of)
{
    const char type = of->routine[0];
    const size_t bytes = type == 's' ? 4 : type == 'z' ? 16 : 8;
    const int rows = of->m > 0 ? of->m : of->n;
    char function[24];
    snprintf(function, sizeof function, "cublas%c%.*s_v2", type - 'a' + 'A', (int)strcspn(of->routine + 1, "_"),
             of->routine + 1);
    if (rows > 0 && of->n > 0)
        emulated_spoil(function, "C", rows,
                       (char *)of->c + ((size_t)(rows - 1) + (size_t)(of->n - 1) * (size_t)of->ldc) * bytes,
                       type == 's' || type == 'c');
}

static double operations(const struct call *of)
{
    const double n = of->n;
    switch (of->family) {
    case GEMM: return 2.0 * of->m * n * of->k;
    case SYMM: return 2.0 * of->m * n * (of->side == 'L' ? of->m : n);
    case SYRK: return n * n * of->k;
    case SYR2K: return 2 * n * n * of->k;
    default: return of->m * n * (of->side == 'L' ? of->m : n);
    }
}

static void run(void *argument)
{
    struct call *of = argument;
    if (!emulated_work(operations(of)))
        return;
    if (strcmp(of->routine, "cher2k_") == 0)
        spread_imaginary_diagonal(of);
    void *address = cublas_host_routine(of->routine);
    void (*gemm)(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                 const int *, const void *, const int *, const void *, void *, const int *, size_t, size_t);
    void (*symm)(const char *, const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, const int *, const void *, void *, const int *, size_t, size_t);
    void (*syrk)(const char *, const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, void *, const int *, size_t, size_t);
    void (*trmm)(const char *, const char *, const char *, const char *, const int *, const int *, const void *,
                 const void *, const int *, void *, const int *, size_t, size_t, size_t, size_t);
    memcpy(&gemm, &address, sizeof gemm);
    memcpy(&symm, &address, sizeof symm);
    memcpy(&syrk, &address, sizeof syrk);
    memcpy(&trmm, &address, sizeof trmm);
    switch (of->family) {
    case GEMM:
        gemm(&of->trans, &of->trans_b, &of->m, &of->n, &of->k, of->alpha, of->a, &of->lda, of->b, &of->ldb, of->beta,
             of->c, &of->ldc, 1, 1);
        break;
    case SYMM:
        symm(&of->side, &of->uplo, &of->m, &of->n, of->alpha, of->a, &of->lda, of->b, &of->ldb, of->beta, of->c,
             &of->ldc, 1, 1);
        break;
    case SYRK:
        syrk(&of->uplo, &of->trans, &of->n, &of->k, of->alpha, of->a, &of->lda, of->beta, of->c, &of->ldc, 1, 1);
        break;
    case SYR2K: /* symm's list of parameters */
        symm(&of->uplo, &of->trans, &of->n, &of->k, of->alpha, of->a, &of->lda, of->b, &of->ldb, of->beta, of->c,
             &of->ldc, 1, 1);
        break;
    case TRMM:
        trmm(&of->side, &of->uplo, &of->trans, &of->diag, &of->m, &of->n, of->alpha, of->a, &of->lda, of->c, &of->ldc,
             1, 1, 1, 1);
        break;
    }
    spoil(of);
}

/* The codes of cuBLAS's flags; 0 where a routine has none. */
struct flags {
    int side, uplo, trans, trans_b, diag;
};

static bool are_legal(const struct flags *flags)
{
    return flags->side >= 0 && flags->side <= 1 && flags->uplo >= 0 && flags->uplo <= 1 && flags->trans >= 0 &&
           flags->trans <= 2 && flags->trans_b >= 0 && flags->trans_b <= 2 && flags->diag >= 0 && flags->diag <= 1;
}

static bool covers(int leading, int rows)
{
    return leading >= (rows > 1 ? rows : 1);
}

/* Leading dimensions as the cuBLAS documentation demands them. */
static bool has_room(const struct call *of, const struct flags *flags)
{
    const int order = flags->side == 0 ? of->m : of->n;
    const bool upright = flags->trans == 0;
    switch (of->family) {
    case GEMM:
        return covers(of->lda, upright ? of->m : of->k) && covers(of->ldb, flags->trans_b == 0 ? of->k : of->n) &&
               covers(of->ldc, of->m);
    case SYMM: return covers(of->lda, order) && covers(of->ldb, of->m) && covers(of->ldc, of->m);
    case SYRK: return covers(of->lda, upright ? of->n : of->k) && covers(of->ldc, of->n);
    case SYR2K:
        return covers(of->lda, upright ? of->n : of->k) && covers(of->ldb, upright ? of->n : of->k) &&
               covers(of->ldc, of->n);
    case TRMM: return covers(of->lda, order) && covers(of->ldc, of->m);
    }
    return false;
}

/* Scalars of `alpha_bytes` and `beta_bytes`, matrices at multiples of `element`. */
static int queue(cublasHandle_t handle, struct call call, const char *routine, struct flags flags, size_t element,
                 const void *alpha, size_t alpha_bytes, const void *beta, size_t beta_bytes)
{
    if (call.m < 0 || call.n < 0 || call.k < 0 || !are_legal(&flags) || !has_room(&call, &flags) || !alpha ||
        (beta_bytes && !beta) || ((size_t)call.a | (size_t)call.b | (size_t)call.c) % element)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublas_check_scalar(routine, alpha, alpha_bytes);
    cublas_check_scalar(routine, beta, beta_bytes);
    snprintf(call.routine, sizeof call.routine, "%s_", routine);
    call.side = "LR"[flags.side], call.uplo = "LU"[flags.uplo], call.diag = "NU"[flags.diag];
    call.trans = "NTC"[flags.trans], call.trans_b = "NTC"[flags.trans_b];
    memcpy(call.alpha, alpha, alpha_bytes);
    if (beta)
        memcpy(call.beta, beta, beta_bytes);
    return cublas_enqueue(handle, run, &call, sizeof call);
}

#define GEMM_ROUTINE(Name, name, element)                                                                            \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, int, const void *, const void *, int,           \
                                 const void *, int, const void *, void *, int);                                      \
    int cublas##Name##_v2(cublasHandle_t handle, int transa, int transb, int m, int n, int k, const void *alpha,     \
                          const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc)        \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        return queue(handle,                                                                                         \
                     (struct call){.family = GEMM, .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc,       \
                                   .a = a, .b = b, .c = c},                                                          \
                     #name, (struct flags){.trans = transa, .trans_b = transb}, element, alpha, element, beta, element); \
    }
#define SYMM_ROUTINE(Name, name, element)                                                                            \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,  \
                                 int, const void *, void *, int);                                                    \
    int cublas##Name##_v2(cublasHandle_t handle, int side, int uplo, int m, int n, const void *alpha, const void *a, \
                          int lda, const void *b, int ldb, const void *beta, void *c, int ldc)                       \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        return queue(handle,                                                                                         \
                     (struct call){.family = SYMM, .m = m, .n = n, .lda = lda, .ldb = ldb, .ldc = ldc, .a = a,       \
                                   .b = b, .c = c},                                                                  \
                     #name, (struct flags){.side = side, .uplo = uplo}, element, alpha, element, beta, element);     \
    }
#define SYRK_ROUTINE(Name, name, element, scalar)                                                                    \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,  \
                                 void *, int);                                                                       \
    int cublas##Name##_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const void *alpha,               \
                          const void *a, int lda, const void *beta, void *c, int ldc)                                \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        return queue(handle, (struct call){.family = SYRK, .n = n, .k = k, .lda = lda, .ldc = ldc, .a = a, .c = c},  \
                     #name, (struct flags){.uplo = uplo, .trans = trans}, element, alpha, scalar, beta, scalar);     \
    }
#define SYR2K_ROUTINE(Name, name, element, beta_bytes)                                                               \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,  \
                                 int, const void *, void *, int);                                                    \
    int cublas##Name##_v2(cublasHandle_t handle, int uplo, int trans, int n, int k, const void *alpha,               \
                          const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc)        \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        return queue(handle,                                                                                         \
                     (struct call){.family = SYR2K, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc, .a = a,      \
                                   .b = b, .c = c},                                                                  \
                     #name, (struct flags){.uplo = uplo, .trans = trans}, element, alpha, element, beta, beta_bytes); \
    }

/* Ours is in place: what cuBLAS would copy from b to another c is not emulated. */
#define TRMM_ROUTINE(Name, name, element)                                                                            \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, int, int, const void *, const void *, int,      \
                                 const void *, int, void *, int);                                                    \
    int cublas##Name##_v2(cublasHandle_t handle, int side, int uplo, int trans, int diag, int m, int n,              \
                          const void *alpha, const void *a, int lda, const void *b, int ldb, void *c, int ldc)       \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        if (b != c || ldb != ldc)                                                                                    \
            return CUBLAS_STATUS_NOT_SUPPORTED;                                                                      \
        return queue(handle, (struct call){.family = TRMM, .m = m, .n = n, .lda = lda, .ldc = ldc, .a = a, .c = c},  \
                     #name, (struct flags){side, uplo, trans, 0, diag}, element, alpha, element, NULL, 0);           \
    }
#define TRSM_ROUTINE(Name, name, element)                                                                            \
    EXPORT int cublas##Name##_v2(cublasHandle_t, int, int, int, int, int, int, const void *, const void *, int,      \
                                 void *, int);                                                                       \
    int cublas##Name##_v2(cublasHandle_t handle, int side, int uplo, int trans, int diag, int m, int n,              \
                          const void *alpha, const void *a, int lda, void *b, int ldb)                               \
    {                                                                                                                \
        ENTER(handle);                                                                                               \
        return queue(handle, (struct call){.family = TRMM, .m = m, .n = n, .lda = lda, .ldc = ldb, .a = a, .c = b},  \
                     #name, (struct flags){side, uplo, trans, 0, diag}, element, alpha, element, NULL, 0);           \
    }

#define ROUTINES(LETTER, letter, element)                       \
    GEMM_ROUTINE(LETTER##gemm, letter##gemm, element)           \
    SYMM_ROUTINE(LETTER##symm, letter##symm, element)           \
    SYRK_ROUTINE(LETTER##syrk, letter##syrk, element, element)  \
    SYR2K_ROUTINE(LETTER##syr2k, letter##syr2k, element, element) \
    TRMM_ROUTINE(LETTER##trmm, letter##trmm, element)           \
    TRSM_ROUTINE(LETTER##trsm, letter##trsm, element)
#define HERMITIAN_ROUTINES(LETTER, letter, element)                 \
    SYMM_ROUTINE(LETTER##hemm, letter##hemm, element)               \
    SYRK_ROUTINE(LETTER##herk, letter##herk, element, element / 2)  \
    SYR2K_ROUTINE(LETTER##her2k, letter##her2k, element, element / 2)

ROUTINES(S, s, 4)
ROUTINES(D, d, 8)
ROUTINES(C, c, 8)
ROUTINES(Z, z, 16)
HERMITIAN_ROUTINES(C, c, 8)
HERMITIAN_ROUTINES(Z, z, 16)
