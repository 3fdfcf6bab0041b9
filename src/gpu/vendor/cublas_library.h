/* cublas_library.h - cuBLAS, opened at run time, and its level 3 routines.
 *
 * The binary interface restated (cuBLAS documentation, v2 API; the same in 11 to 13). Integers
 * are 32 bits wide. Scalars are passed by host address; those of herk, and her2k's beta, are real. */
#ifndef MUBLAS_CUBLAS_LIBRARY_H
#define MUBLAS_CUBLAS_LIBRARY_H

#include "common/blas_call.h"
#include "gpu/driver.h"
#include "gpu/vendor/vendor_library.h"

#include <stdbool.h>

typedef struct cublasContext *cublasHandle_t;
enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_EXECUTION_FAILED = 13 };
enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };

typedef int cublas_gemm(cublasHandle_t, int transa, int transb, int m, int n, int k, const void *alpha,
                        const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
/* symm, hemm */
typedef int cublas_symm(cublasHandle_t, int side, int uplo, int m, int n, const void *alpha, const void *a,
                        int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
/* syrk, herk */
typedef int cublas_syrk(cublasHandle_t, int uplo, int trans, int n, int k, const void *alpha, const void *a,
                        int lda, const void *beta, void *c, int ldc);
/* syr2k, her2k */
typedef int cublas_syr2k(cublasHandle_t, int uplo, int trans, int n, int k, const void *alpha, const void *a,
                         int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
/* c, which may be b, becomes the product. */
typedef int cublas_trmm(cublasHandle_t, int side, int uplo, int trans, int diag, int m, int n,
                        const void *alpha, const void *a, int lda, const void *b, int ldb, void *c, int ldc);
typedef int cublas_trsm(cublasHandle_t, int side, int uplo, int trans, int diag, int m, int n,
                        const void *alpha, const void *a, int lda, void *b, int ldb);

/* The file that cublas_library_open will try first, as dlopen takes it; NULL: there is none, and level 3
 * stays on the host, which is logged. Once, later calls give the same answer. Opens nothing
 * (vendor_library.h): for before a device is awake. Thread-safe, and so are those below. */
const char *cublas_library_find(void);

/* Open cuBLAS and make a handle, in the context of the device at `place` (device.h); once for each, later calls
 * give the same answer. False where that cannot be: logged. */
bool cublas_library_open(int place);

/* True once cublas_library_open has an answer. */
bool cublas_library_was_opened(void);

/* True once it is known, by either of them, that there is none to be had. */
bool cublas_library_is_missing(void);

/* What follows is for after cublas_library_open said true of that place.
 * A routine of level 3 as the type above of its family; NULL for other families and types. */
typedef vendor_function cublas_function;
cublas_function *cublas_library_routine(enum blas_family family, enum blas_type type);

/* One handle serves all streams of a device (it costs memory and a tenth of a second): the caller's alone
 * from acquire, which sets its stream and gives cuBLAS's status, to release. */
int cublas_library_acquire(int place, CUstream stream, cublasHandle_t *handle);
void cublas_library_release(int place);

#endif
