/* solver_library.h - cuSOLVER, opened at run time, with the cuBLAS that it depends on, handles of both and
 * level 3 of that cuBLAS for LAPACK routes (solver_handle.c), and its trial (solver_trial.c).
 *
 * The two are a pair: cuBLAS' symbols are looked up through cuSOLVER's own dependencies, so its file is the
 * one that cuSOLVER itself uses (one that was loaded under that name before is it); level 3
 * (cublas_library.c) may use another. solver.def lists the functions and their parameters. */
#ifndef MUBLAS_SOLVER_LIBRARY_H
#define MUBLAS_SOLVER_LIBRARY_H

#include "common/blas_call.h"
#include "common/log.h"
#include "gpu/cooperative.h"
#include "gpu/device.h"
#include "gpu/vendor/vendor_library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9
};
enum { CUSOLVER_DETERMINISTIC_RESULTS = 1, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS = 2 };
enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
enum { CUSOLVER_EIG_RANGE_ALL = 1001, CUSOLVER_EIG_RANGE_I = 1002, CUSOLVER_EIG_RANGE_V = 1003 };
enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_C_32F = 4, CUDA_C_64F = 5 };
enum { CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_DEFAULT_MATH = 0 };

enum { SOLVER_TYPES = TYPE_Z + 1 }; /* S, D, C, Z: what the typed functions below are indexed by */

/* The functions under mublas' names: library->syevd(handle->solver, ...), library->sygvd[type](...).
 * Functions that solver.def calls OPTIONAL are NULL where the library lacks them, each by itself: a routine
 * and its _buffer, too. */
struct solver_library {
    struct device *device;
    const char *file, *blas_file; /* where the two were loaded from */
    int version_number;           /* of cuSOLVER: 12004 for 12.0.4 */
#define SOLVER_FUNCTION(member, symbol, need, parameters) int(*member) parameters;
#define SOLVER_TYPED(member, real, complex, need, parameters) int(*member[SOLVER_TYPES]) parameters;
#define SOLVER_BLAS(member, real, complex, parameters)
#include "gpu/vendor/solver.def"
#undef SOLVER_FUNCTION
#undef SOLVER_TYPED
#undef SOLVER_BLAS
    /* cuBLAS by either width of integers: routes call solver_gemm and its like instead. */
#define SOLVER_FUNCTION(member, symbol, need, parameters)
#define SOLVER_TYPED(member, real, complex, need, parameters)
#define SOLVER_BLAS(member, real, complex, parameters) int(*member[SOLVER_TYPES]) parameters;
#define INTEGER int
    struct {
#include "gpu/vendor/solver.def"
    } narrow;
#undef INTEGER
#define INTEGER int64_t
    struct {
#include "gpu/vendor/solver.def"
    } wide; /* NULL where cuBLAS is of before 12 */
#undef INTEGER
#undef SOLVER_FUNCTION
#undef SOLVER_TYPED
#undef SOLVER_BLAS
};

/* Look for a file, once, without opening it (vendor_library_find): for before a device is awake. That there
 * is none is logged. Its name as dlopen takes it, or NULL. Thread-safe, and so are those below. */
const char *solver_library_find(void);

/* Open the pair and try it, in the device's context; the first call for each device does that (seconds;
 * others wait for it), later ones give the same answer; *library is that device's own. STATUS_UNSUPPORTED:
 * there is none that can be used, which is logged with what is wrong with each; LAPACK stays on the host.
 * STATUS_DEVICE_LOST and STATUS_NO_DEVICE as device_enter has them. */
enum status solver_library_open(struct device *device, const struct solver_library **library);

/* Are cuSOLVER's own eigensolvers right, and what else iterates (geev, gesvdp, sytrd)? Each device is tried
 * by its first question, which takes 0.05 s on an H100: programs that go by mublas' eigensolver never ask.
 * STATUS_OK, or STATUS_UNSUPPORTED for good, which is logged; STATUS_OUT_OF_MEMORY and others say nothing
 * of the next question. Outside stream capture, of a library that solver_library_open has given. */
enum status solver_library_try_eigensolvers(const struct solver_library *library);

/* Load the file that find has found, for open to find it loaded (vendor_library_load). */
void solver_library_load(void);

bool solver_library_was_opened(void); /* solver_library_open has an answer */
bool solver_library_is_open(void);    /* and it was STATUS_OK */
bool solver_library_is_missing(void); /* it is known, by find or by open, that there is none to be had */

/* A cuSOLVER and a cuBLAS handle on one stream, with parameters of cuSOLVER: deterministic mode set and read
 * back, cuBLAS with scalars on the host, without atomics. Any number may exist; one is used by one thread at
 * a time. It costs memory on the device and a tenth of a second. */
struct solver_handle {
    const struct solver_library *library;
    cusolverDnHandle_t solver;
    cublasHandle_t cublas;
    cusolverDnParams_t params;
    CUstream stream;
    struct stream_watch *watch; /* of the stream, for waits between the steps of a routine, and kernels with a
                                   deadline; NULL, as a handle is made: the caller's waits have none */
};

/* Both inside device_enter. A failure is logged, leaves *handle all zero and says STATUS_OUT_OF_MEMORY,
 * STATUS_DEVICE_LOST or STATUS_DEVICE_ERROR. To destroy one that is all zero does nothing; the stream must be
 * idle. */
enum status solver_handle_create(const struct solver_library *library, CUstream stream,
                                 struct solver_handle *handle);
void solver_handle_destroy(struct solver_handle *handle);

/* The status that a result of cuSOLVER, or of cuBLAS, means. A call that is not supported gives
 * STATUS_UNSUPPORTED, and no memory STATUS_OUT_OF_MEMORY, without a word; other failures are logged with
 * `what`. */
enum status solver_status(const struct solver_library *library, int result, const char *what);
enum status solver_blas_status(const struct solver_library *library, int result, const char *what);

/* cudaDataType of S, D, C, Z, and of the real type of each. */
int solver_data_type(enum blas_type type);
int solver_real_type(enum blas_type type);

/* A pair counts only once it has shown that its results are deterministic and has computed what is known:
 * the Cholesky factor of a matrix of order 8 (2 on the diagonal, -1 beside it), and the solution of a
 * triangular system; and cuSOLVER's eigensolvers only with the same matrix' eigenvectors. A pair that was not
 * made for each other, or for the device, may answer without an error and wrongly. */
enum { SOLVER_REASON_BYTES = 448, SOLVER_FAULT_BYTES = 160 };

/* Inside device_enter, of a library whose symbols are there. False: `fault` says in a phrase what is
 * wrong. */
bool solver_trial_passes(const struct solver_library *library, char fault[SOLVER_FAULT_BYTES]);
enum status solver_trial_of_eigensolvers(const struct solver_library *library, char fault[SOLVER_FAULT_BYTES]);

/* solver_handle_create without the log: where it fails `fault` says why. */
enum status solver_handle_make(const struct solver_library *library, CUstream stream,
                               struct solver_handle *handle, char fault[SOLVER_FAULT_BYTES]);

/* Level 3 goes by the 64-bit interface where there is one, else by the other where sizes and leading
 * dimensions fit. Parameters are cuBLAS' own; operands are in device memory, scalars on the host, her2k's
 * beta a real number. her2k of the real types is syr2k. The result is cuBLAS' status (solver_blas_status):
 * CUBLAS_STATUS_NOT_SUPPORTED where a number does not fit. */
int solver_gemm(const struct solver_handle *handle, enum blas_type type, int trans_a, int trans_b, int64_t m,
                int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, const void *beta, void *c, int64_t ldc);
int solver_her2k(const struct solver_handle *handle, enum blas_type type, int uplo, int trans, int64_t n,
                 int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                 const void *beta, void *c, int64_t ldc);
/* c, which may be b, becomes the product. */
int solver_trmm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, const void *b,
                int64_t ldb, void *c, int64_t ldc);
int solver_trsm(const struct solver_handle *handle, enum blas_type type, int side, int uplo, int trans,
                int diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda, void *b,
                int64_t ldb);

#endif
