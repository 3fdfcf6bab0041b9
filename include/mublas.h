/* mublas.h - BLAS of levels 1 and 2, and eigenproblems, on matrices and vectors in GPU memory.
 *
 * For programs that keep their data on the GPU; others need nothing but libmublas_shim.so.
 * Link with -lmublas (pkg-config mublas). No CUDA header or library is needed: device
 * pointers are those of cudaMalloc, cuMemAlloc or mublas_device_allocate, streams those of
 * the CUDA runtime or driver.
 *
 * Results. Bits depend on routine, type, sizes, flags and the values of the operands only:
 * not on device, stream, alignment, launch or run. A NaN has no sign and no payload.
 *
 * Operands are stored as in Fortran: by columns, lda elements from one to the next; the
 * first element of a vector with a negative increment is its last in memory. Sizes and
 * increments are 64-bit, those of matrices below 2^31. Elements are aligned as their real parts; complex
 * ones are pairs (real, imaginary): cuComplex, float _Complex, std::complex<float> and so
 * on, passed as void as in CBLAS. x must not overlap y, nor A what is written.
 *
 * Waiting. Routines queue their work on the handle's stream and return; so operands and
 * device scalars must stay as they are until the stream has come so far. mublas_synchronise
 * waits, so does everything that waits for the stream. A device error may show only there.
 *
 * Errors. Every function gives a status; mublas_last_error tells more, and names the
 * argument that is wrong. After MUBLAS_BAD_ARGUMENT nothing has been touched.
 *
 * Threads. A handle may be used by one thread at a time; different handles at once.
 *
 * Graphs. A routine that is called while the handle's stream is being captured becomes part
 * of the graph, with workspace of its own: 1 MiB of device memory, for large matrices more, for
 * axpy none. Once the graph, its clones and its executables have been destroyed and their
 * launches have completed, a later capture with the handle gets that workspace, so that
 * captures without end need as much as the graphs that live at once, and a few more: the driver
 * tells with some delay. The handle frees all of it: destroy the handle after the last replay;
 * graphs that are not launched any more may be destroyed later. Replays may run beside other
 * calls on the handle and beside replays of other graphs. Of one graph only one replay may run
 * at a time, counting those of all its clones and executables and of graphs that have it as a
 * child (as with a single cudaGraphExec_t). One thread at a time captures into a graph, and
 * parameters of its kernel nodes must not be carried into another. */
#ifndef MUBLAS_H
#define MUBLAS_H

#include <stddef.h>
#include <stdint.h>

#define MUBLAS_VERSION_MAJOR 0
#define MUBLAS_VERSION_MINOR 2
#define MUBLAS_VERSION_PATCH 0
/* 200 for 0.2.0; what mublas_version() gives is that of the library. */
#define MUBLAS_VERSION (MUBLAS_VERSION_MAJOR * 10000 + MUBLAS_VERSION_MINOR * 100 + MUBLAS_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A stream: cudaStream_t and CUstream are pointers to this. NULL is the default stream
 * (cudaStreamLegacy); cudaStreamPerThread works too. */
struct CUstream_st;

enum mublas_status {
    MUBLAS_SUCCESS = 0,
    MUBLAS_NO_DEVICE = 1,     /* no CUDA driver, no such device, or a library built without kernels */
    MUBLAS_OUT_OF_MEMORY = 2, /* on the device or the host */
    MUBLAS_NOT_SUPPORTED = 3, /* matrices of 2^31 rows or columns and more; eigenproblems say more */
    MUBLAS_BAD_ARGUMENT = 4,
    MUBLAS_BAD_HANDLE = 5,    /* NULL, or not (any more) a handle */
    MUBLAS_DEVICE_ERROR = 6,  /* a CUDA call failed; the handle can still be used */
    MUBLAS_DEVICE_LOST = 7    /* the context is gone or unusable; the handle can only be destroyed */
};

/* The values are the letters of BLAS. */
enum mublas_uplo { MUBLAS_LOWER = 'L', MUBLAS_UPPER = 'U' };
enum mublas_diag { MUBLAS_NON_UNIT = 'N', MUBLAS_UNIT = 'U' };
/* op(A): A, its transpose, its conjugate transpose, its conjugate. For real types the
 * conjugate is A itself. */
enum mublas_trans { MUBLAS_NO_TRANS = 'N', MUBLAS_TRANS = 'T', MUBLAS_CONJ_TRANS = 'C', MUBLAS_CONJ = 'R' };

/* Where alpha and beta are: in host memory, read during the call, or in device memory,
 * read when the kernel runs. */
enum mublas_pointer_mode { MUBLAS_POINTER_HOST = 0, MUBLAS_POINTER_DEVICE = 1 };

/* Double-double: the unevaluated sum of two doubles, |low| at most half a unit in the last place of high. */
struct mublas_double_double {
    double high, low;
};

struct mublas_handle;

/* --- the library --- */

int mublas_version(void);

/* A short English phrase, never NULL. Static storage. */
const char *mublas_status_text(enum mublas_status status);

/* What went wrong in the latest function with this handle that gave an error, as one line
 * ("mublas_dgemv: lda is 3, less than m, which is 4"); "" if none did. NULL: in the latest
 * mublas_create of this thread. Valid until the next call with the handle. */
const char *mublas_last_error(const struct mublas_handle *handle);

/* --- handles --- */

/* Make a handle for the calling thread's current CUDA context or, where there is none, for the
 * primary context (the CUDA runtime's) of the device that MUBLAS_DEVICE names, otherwise
 * that of the process's local rank under an MPI launcher, otherwise device 0; the handle then holds on to that context. The first handle of a context loads
 * the kernels. Host pointer mode, default stream. On an error *handle is NULL. */
enum mublas_status mublas_create(struct mublas_handle **handle);
/* The same for the primary context of this device, whatever context is current. */
enum mublas_status mublas_create_on_device(struct mublas_handle **handle, int device);

/* Calls may be made with any context current: it is current again when they return. */

/* Free what the handle owns, once the device is done with it: calls that need workspace, all
 * but axpy, are waited for. What else was launched goes on, but not beyond the context: if the
 * handle may be the last to hold on to it, wait for the stream before (mublas_synchronise).
 * Graphs that have workspace in the handle must not run any more, but may still be there. NULL
 * is fine. Streams may be gone before. */
enum mublas_status mublas_destroy(struct mublas_handle *handle);

/* The stream of the calls that follow. Calls on different streams may run at once: each
 * stream has its own workspace. A stream may be destroyed as soon as no more calls are to be
 * made on it. */
enum mublas_status mublas_set_stream(struct mublas_handle *handle, struct CUstream_st *stream);
enum mublas_status mublas_get_stream(struct mublas_handle *handle, struct CUstream_st **stream);

enum mublas_status mublas_set_pointer_mode(struct mublas_handle *handle, enum mublas_pointer_mode mode);
enum mublas_status mublas_get_pointer_mode(struct mublas_handle *handle, enum mublas_pointer_mode *mode);

/* Wait for everything on the handle's stream. */
enum mublas_status mublas_synchronise(struct mublas_handle *handle);

/* How the latest routine that launched a kernel fills the device, in the terms of the papers:
 * parts of 1. MUBLAS_BAD_ARGUMENT before the first launch. */
struct mublas_occupancy {
    double warp;  /* active warps of a multiprocessor / as many as it can hold */
    double block; /* active blocks of a multiprocessor / as many as it can hold */
    double grid;  /* work items (a block's work) / the same rounded up to whole waves of active blocks */
    int64_t blocks;
    int threads_per_block;
    int active_blocks; /* of a multiprocessor */
};
enum mublas_status mublas_get_occupancy(struct mublas_handle *handle, struct mublas_occupancy *occupancy);

/* --- launch shapes: how the work is dealt to thread blocks ---
 *
 * They change times and never results. mublas chooses one for each call; programs that measure
 * or tune may choose themselves. A matrix-vector routine's work items are square tiles of
 * `edge` rows and columns, made of leaf tiles of 32 x 32 that teams of threads take. axpy
 * heeds the threads and blocks_per_multiprocessor alone, though the rest must be right too.
 * Which values a member may have can change with mublas' version. */
enum mublas_leaf_order { MUBLAS_ORDER_DOWN = 0, MUBLAS_ORDER_ALONG = 1 };
enum mublas_launch_variant {
    MUBLAS_LAST_ARRIVER = 0, /* the block that comes last to a segment of y adds up its partial sums */
    MUBLAS_IN_ORDER = 1,     /* symv, hemv: each block adds its own, as soon as those before it have */
    MUBLAS_BOTH_HALVES = 2,  /* symv, hemv: A is read twice, as if it were full */
    MUBLAS_STRIPS = 3        /* gemv, symv, hemv of small sizes: no tiles, a block sums `edge` elements of y alone */
};
struct mublas_launch_shape {
    int edge;         /* 64, 128 or 256; of strips 8, of gemv's also 16, 32 and, not transposed, these */
    int threads_x;    /* Tx: a multiple of 32 / the bytes of an element: those threads read 128 bytes */
    int threads_y;    /* Ty; a block has Tx * Ty threads, 8 to 512 */
    int leaf_columns; /* U: leaf tiles that a team takes in a row, 1 to edge / 32; strips have none;
                         axpy: 16 bytes that a thread has under way at once, so many times, in steps of 1, 2, 4 */
    int blocks_per_multiprocessor;    /* at most, with turns at the work items; 0: a block for each item */
    int team_groups;                  /* of 8 threads: 1, or 4 in blocks of 32 threads and more */
    enum mublas_leaf_order order;       /* M: leaf tiles go down the columns or along the rows */
    enum mublas_launch_variant variant; /* axpy and trmv have only the first */
};

/* The shape of the calls that follow; NULL, or one with edge 0: mublas chooses, as at first.
 * MUBLAS_BAD_ARGUMENT for one that no routine could have, the handle's stays. A routine that
 * cannot have the handle's shape gives MUBLAS_BAD_ARGUMENT and launches nothing. Captured
 * graphs keep the shapes that they were captured with. */
enum mublas_status mublas_set_launch_shape(struct mublas_handle *handle, const struct mublas_launch_shape *shape);
/* What was set; all 0: mublas chooses. */
enum mublas_status mublas_get_launch_shape(struct mublas_handle *handle, struct mublas_launch_shape *shape);
/* The shape of the latest routine that launched a kernel: where to start from.
 * MUBLAS_BAD_ARGUMENT before the first launch. */
enum mublas_status mublas_get_latest_shape(struct mublas_handle *handle, struct mublas_launch_shape *shape);

/* --- device memory, for programs without CUDA of their own --- */

/* Memory in the handle's context, 256-byte aligned; bytes > 0. On an error *pointer is NULL.
 * Freeing waits for the device; NULL is fine. */
enum mublas_status mublas_device_allocate(struct mublas_handle *handle, size_t bytes, void **pointer);
enum mublas_status mublas_device_free(struct mublas_handle *handle, void *pointer);

/* Copy, after the work queued on the handle's stream; done when the function returns. Not while
 * the stream is captured. */
enum mublas_status mublas_copy_to_device(struct mublas_handle *handle, void *device, const void *host, size_t bytes);
enum mublas_status mublas_copy_to_host(struct mublas_handle *handle, void *host, const void *device, size_t bytes);

/* --- routines ---
 *
 * alpha and beta: see mublas_pointer_mode. With alpha = 0 neither A nor x is read, with
 * beta = 0 y is not: NaNs there do not matter, and in host pointer mode with alpha = 0 the
 * pointers do not either. Nothing happens when m or n is 0. n, m >= 0; increments not 0;
 * lda at least the number of rows, and 1. */

/* y = alpha x + y, n elements. */
enum mublas_status mublas_saxpy(struct mublas_handle *handle, int64_t n, const float *alpha, const float *x,
                                int64_t incx, float *y, int64_t incy);
enum mublas_status mublas_daxpy(struct mublas_handle *handle, int64_t n, const double *alpha, const double *x,
                                int64_t incx, double *y, int64_t incy);
enum mublas_status mublas_caxpy(struct mublas_handle *handle, int64_t n, const void *alpha, const void *x,
                                int64_t incx, void *y, int64_t incy);
enum mublas_status mublas_zaxpy(struct mublas_handle *handle, int64_t n, const void *alpha, const void *x,
                                int64_t incx, void *y, int64_t incy);

/* y = alpha op(A) x + beta y, A of m rows and n columns. */
enum mublas_status mublas_sgemv(struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n,
                                const float *alpha, const float *a, int64_t lda, const float *x, int64_t incx,
                                const float *beta, float *y, int64_t incy);
enum mublas_status mublas_dgemv(struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n,
                                const double *alpha, const double *a, int64_t lda, const double *x, int64_t incx,
                                const double *beta, double *y, int64_t incy);
enum mublas_status mublas_cgemv(struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n,
                                const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx,
                                const void *beta, void *y, int64_t incy);
enum mublas_status mublas_zgemv(struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n,
                                const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx,
                                const void *beta, void *y, int64_t incy);

/* y = alpha A x + beta y, A symmetric of order n; only the triangle `uplo` is read. */
enum mublas_status mublas_ssymv(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, const float *alpha,
                                const float *a, int64_t lda, const float *x, int64_t incx, const float *beta,
                                float *y, int64_t incy);
enum mublas_status mublas_dsymv(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, const double *alpha,
                                const double *a, int64_t lda, const double *x, int64_t incx, const double *beta,
                                double *y, int64_t incy);
/* In double-double arithmetic, about 104 bits; elements start at multiples of 8 bytes. */
enum mublas_status mublas_wsymv(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,
                                const struct mublas_double_double *alpha, const struct mublas_double_double *a,
                                int64_t lda, const struct mublas_double_double *x, int64_t incx,
                                const struct mublas_double_double *beta, struct mublas_double_double *y,
                                int64_t incy);

/* The same, A Hermitian; the imaginary parts of its diagonal are not read. */
enum mublas_status mublas_chemv(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, const void *alpha,
                                const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                                int64_t incy);
enum mublas_status mublas_zhemv(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, const void *alpha,
                                const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                                int64_t incy);

/* x = op(A) x, A triangular of order n; only the triangle `uplo` is read, without its
 * diagonal where `diag` says that this is 1. */
enum mublas_status mublas_strmv(struct mublas_handle *handle, enum mublas_uplo uplo, enum mublas_trans trans,
                                enum mublas_diag diag, int64_t n, const float *a, int64_t lda, float *x,
                                int64_t incx);
enum mublas_status mublas_dtrmv(struct mublas_handle *handle, enum mublas_uplo uplo, enum mublas_trans trans,
                                enum mublas_diag diag, int64_t n, const double *a, int64_t lda, double *x,
                                int64_t incx);
enum mublas_status mublas_ctrmv(struct mublas_handle *handle, enum mublas_uplo uplo, enum mublas_trans trans,
                                enum mublas_diag diag, int64_t n, const void *a, int64_t lda, void *x, int64_t incx);
enum mublas_status mublas_ztrmv(struct mublas_handle *handle, enum mublas_uplo uplo, enum mublas_trans trans,
                                enum mublas_diag diag, int64_t n, const void *a, int64_t lda, void *x, int64_t incx);

/* --- eigenproblems of symmetric and Hermitian matrices ---
 *
 * LAPACK's routines on device pointers, by the kernels that LAPACK calls of programs are solved with
 * (doc/eigensolver.md), with cuBLAS for products. Meaning, shapes and storage of operands are LAPACK's where
 * nothing else is said. C and z are the Hermitian ones: chetrd, cunmtr, cheevd. d, e, w, vl and vu are real:
 * of float or double.
 *
 * All pointers but `bytes` are to device memory, info and m among them; nobody waits, and the program reads
 * info when the stream has come so far. The program owns all memory. Operands must not overlap, nor the
 * workspace any of them.
 *
 * Workspace is device memory of the program's at a multiple of 256 bytes (as cudaMalloc and
 * mublas_device_allocate give it), busy until the stream has come so far; no host memory is needed.
 * mublas_ROUTINE_workspace says how many bytes the call with these arguments needs: 0 where it has nothing
 * to do. A larger workspace will do, a smaller one gives MUBLAS_BAD_ARGUMENT. sytrd and syevd without
 * vectors take about n^2 elements, syevd with vectors 2.75 n^2 real numbers, or 3.8 n^2 where a large matrix
 * takes two stages (from n = 6144 on, the later the more vectors), heevd 5 n^2. The first such call with a
 * handle opens cuSOLVER, which waits for the device (half a second).
 *
 * Values. Any finite ones: a matrix whose largest modulus is so small or large that LAPACK's eigensolvers
 * would scale it is scaled by a power of two, and results are scaled back; so does sytrd, where LAPACK
 * rescales its vectors. The imaginary parts of a Hermitian diagonal are not read. Infinity and NaN come to
 * an end, too: info is -1, and the eigenvalues, or sytrd's d and e, are all NaN.
 *
 * info is 0; -1: see above; 1: divide and conquer did not converge, and the results are of no use. Where n
 * is 0, info and m become 0 and other pointers may be NULL.
 *
 * Errors. MUBLAS_NOT_SUPPORTED: no cuSOLVER 11 or 12 with its cuBLAS (MUBLAS_CUSOLVER names one), or a device
 * without cooperative launches (stedc, ormtr and ormbr need none) or with less shared memory than an order of 64 needs,
 * where cuSOLVER's own routines serve; orders from 2^21 on, which no device holds.
 *
 * Streams. sytrd, syevd, syevdx and gebrd launch kernels of which all blocks are on the device at once and wait
 * for each other. They begin when every multiprocessor has room: a kernel of the program's that is already
 * there and waits for one behind them waits for ever. Calls of one handle on different streams follow each
 * other; handles are for calls at once.
 *
 * Graphs. All of them may be captured once a workspace was asked for with the handle, where the driver takes
 * cooperative launches into graphs (stedc, ormtr and ormbr: anywhere). A replay uses the call's workspace, and must run
 * beside no other call of the handle for eigenproblems.
 *
 * Bits depend on the operands, on the number of multiprocessors where that changes what fits on the chip,
 * and on cuBLAS and cuSOLVER; they repeat from run to run. Sources: doc/eigensolver.md, LAPACK Users' Guide. */

/* The letters of BLAS' and LAPACK's names. */
enum mublas_type { MUBLAS_SINGLE = 'S', MUBLAS_DOUBLE = 'D', MUBLAS_COMPLEX = 'C', MUBLAS_DOUBLE_COMPLEX = 'Z' };
enum mublas_side { MUBLAS_LEFT = 'L', MUBLAS_RIGHT = 'R' };
enum mublas_vectors { MUBLAS_NO_VECTORS = 'N', MUBLAS_VECTORS = 'V' };
/* All eigenvalues w, those with vl < w <= vu, or those from number il to iu, ascending and counted from 1. */
enum mublas_range { MUBLAS_ALL = 'A', MUBLAS_INTERVAL = 'V', MUBLAS_INDICES = 'I' };
/* stedc's vectors: none, those of the tridiagonal matrix, or of the one that Z reduced to it. */
enum mublas_compz { MUBLAS_COMPZ_NONE = 'N', MUBLAS_COMPZ_TRIDIAGONAL = 'I', MUBLAS_COMPZ_ORIGINAL = 'V' };

/* The arguments are those of the routine, with a type and without what is a pointer or a bound. */
enum mublas_status mublas_sytrd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_uplo uplo, int64_t n, int64_t lda, size_t *bytes);
enum mublas_status mublas_ormtr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_side side, enum mublas_uplo uplo,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldc, size_t *bytes);
enum mublas_status mublas_stedc_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_compz compz, int64_t n, int64_t ldz, size_t *bytes);
enum mublas_status mublas_syevd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, enum mublas_uplo uplo, int64_t n,
                                          int64_t lda, size_t *bytes);
enum mublas_status mublas_syevdx_workspace(struct mublas_handle *handle, enum mublas_type type,
                                           enum mublas_vectors vectors, enum mublas_range range,
                                           enum mublas_uplo uplo, int64_t n, int64_t lda, int64_t il,
                                           int64_t iu, size_t *bytes);

/* Q' A Q = T. A: n x n, its triangle `uplo` is read, and T and the vectors of the reflectors come into it
 * as LAPACK leaves them; the other triangle stays. d: n, e: n - 1 real numbers, tau: n - 1 elements. */
enum mublas_status mublas_ssytrd(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, float *a,
                                 int64_t lda, float *d, float *e, float *tau, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_dsytrd(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, double *a,
                                 int64_t lda, double *d, double *e, double *tau, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_chetrd(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, void *a,
                                 int64_t lda, float *d, float *e, void *tau, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_zhetrd(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n, void *a,
                                 int64_t lda, double *d, double *e, void *tau, void *workspace,
                                 size_t workspace_bytes);

/* C = Q C, Q' C, C Q or C Q', with Q of sytrd in a and tau, of order m or n; C: m x n. trans:
 * MUBLAS_NO_TRANS, of real types MUBLAS_TRANS or MUBLAS_CONJ_TRANS, of complex ones MUBLAS_CONJ_TRANS. a
 * and tau are as before when it is done. */
enum mublas_status mublas_sormtr(struct mublas_handle *handle, enum mublas_side side, enum mublas_uplo uplo,
                                 enum mublas_trans trans, int64_t m, int64_t n, const float *a, int64_t lda,
                                 const float *tau, float *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_dormtr(struct mublas_handle *handle, enum mublas_side side, enum mublas_uplo uplo,
                                 enum mublas_trans trans, int64_t m, int64_t n, const double *a, int64_t lda,
                                 const double *tau, double *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_cunmtr(struct mublas_handle *handle, enum mublas_side side, enum mublas_uplo uplo,
                                 enum mublas_trans trans, int64_t m, int64_t n, const void *a, int64_t lda,
                                 const void *tau, void *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_zunmtr(struct mublas_handle *handle, enum mublas_side side, enum mublas_uplo uplo,
                                 enum mublas_trans trans, int64_t m, int64_t n, const void *a, int64_t lda,
                                 const void *tau, void *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);

/* Eigenvalues, ascending, of the real symmetric tridiagonal matrix d, e come into d, vectors into Z, n x n;
 * e stays. With MUBLAS_COMPZ_ORIGINAL Z is multiplied by them. With MUBLAS_COMPZ_NONE z may be NULL. */
enum mublas_status mublas_sstedc(struct mublas_handle *handle, enum mublas_compz compz, int64_t n, float *d,
                                 const float *e, float *z, int64_t ldz, void *workspace,
                                 size_t workspace_bytes, int *info);
enum mublas_status mublas_dstedc(struct mublas_handle *handle, enum mublas_compz compz, int64_t n, double *d,
                                 const double *e, double *z, int64_t ldz, void *workspace,
                                 size_t workspace_bytes, int *info);
enum mublas_status mublas_cstedc(struct mublas_handle *handle, enum mublas_compz compz, int64_t n, float *d,
                                 const float *e, void *z, int64_t ldz, void *workspace,
                                 size_t workspace_bytes, int *info);
enum mublas_status mublas_zstedc(struct mublas_handle *handle, enum mublas_compz compz, int64_t n, double *d,
                                 const double *e, void *z, int64_t ldz, void *workspace,
                                 size_t workspace_bytes, int *info);

/* All eigenvalues, ascending, come into w, n real numbers, and vectors into the columns of A, n x n, of
 * which the triangle `uplo` is read; without vectors that triangle is destroyed. */
enum mublas_status mublas_ssyevd(struct mublas_handle *handle, enum mublas_vectors vectors,
                                 enum mublas_uplo uplo, int64_t n, float *a, int64_t lda, float *w,
                                 void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_dsyevd(struct mublas_handle *handle, enum mublas_vectors vectors,
                                 enum mublas_uplo uplo, int64_t n, double *a, int64_t lda, double *w,
                                 void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_cheevd(struct mublas_handle *handle, enum mublas_vectors vectors,
                                 enum mublas_uplo uplo, int64_t n, void *a, int64_t lda, float *w,
                                 void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_zheevd(struct mublas_handle *handle, enum mublas_vectors vectors,
                                 enum mublas_uplo uplo, int64_t n, void *a, int64_t lda, double *w,
                                 void *workspace, size_t workspace_bytes, int *info);

/* The same of `range`: m, an int, says how many there are, and the first m elements of w and columns of A
 * have them; what stands behind them in w, n elements, and in A is of no use. MUBLAS_INDICES costs what its
 * vectors cost. MUBLAS_INTERVAL computes all and chooses; vl < vu. What another range reads of vl, vu, il
 * and iu is not looked at. */
enum mublas_status mublas_ssyevdx(struct mublas_handle *handle, enum mublas_vectors vectors,
                                  enum mublas_range range, enum mublas_uplo uplo, int64_t n, float *a,
                                  int64_t lda, float vl, float vu, int64_t il, int64_t iu, int *m, float *w,
                                  void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_dsyevdx(struct mublas_handle *handle, enum mublas_vectors vectors,
                                  enum mublas_range range, enum mublas_uplo uplo, int64_t n, double *a,
                                  int64_t lda, double vl, double vu, int64_t il, int64_t iu, int *m,
                                  double *w, void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_cheevdx(struct mublas_handle *handle, enum mublas_vectors vectors,
                                  enum mublas_range range, enum mublas_uplo uplo, int64_t n, void *a,
                                  int64_t lda, float vl, float vu, int64_t il, int64_t iu, int *m, float *w,
                                  void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_zheevdx(struct mublas_handle *handle, enum mublas_vectors vectors,
                                  enum mublas_range range, enum mublas_uplo uplo, int64_t n, void *a,
                                  int64_t lda, double vl, double vu, int64_t il, int64_t iu, int *m,
                                  double *w, void *workspace, size_t workspace_bytes, int *info);

/* Singular values, and the steps to them. Waiting, workspace, streams, graphs, values, INFO and errors as above; d
 * and e of gebrd are NaN after infinity and NaN. gebrd's workspace is somewhat more than A and 64 columns, gesdd's
 * with vectors some four times A and 64 columns, and once more a wide A. */

/* The matrix that ormbr multiplies by. */
enum mublas_vect { MUBLAS_Q = 'Q', MUBLAS_P = 'P' };

enum mublas_status mublas_gebrd_workspace(struct mublas_handle *handle, enum mublas_type type, int64_t m,
                                          int64_t n, int64_t lda, size_t *bytes);
enum mublas_status mublas_ormbr_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vect vect, enum mublas_side side,
                                          enum mublas_trans trans, int64_t m, int64_t n, int64_t k,
                                          int64_t lda, int64_t ldc, size_t *bytes);

/* Q' A P = B, upper bidiagonal where m >= n, else lower. A: m x n; B and the vectors of the reflectors come into
 * it as LAPACK leaves them. d: min(m, n), e: one less real numbers, tauq and taup: min(m, n) elements. */
enum mublas_status mublas_sgebrd(struct mublas_handle *handle, int64_t m, int64_t n, float *a, int64_t lda,
                                 float *d, float *e, float *tauq, float *taup, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_dgebrd(struct mublas_handle *handle, int64_t m, int64_t n, double *a, int64_t lda,
                                 double *d, double *e, double *tauq, double *taup, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_cgebrd(struct mublas_handle *handle, int64_t m, int64_t n, void *a, int64_t lda,
                                 float *d, float *e, void *tauq, void *taup, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_zgebrd(struct mublas_handle *handle, int64_t m, int64_t n, void *a, int64_t lda,
                                 double *d, double *e, void *tauq, void *taup, void *workspace,
                                 size_t workspace_bytes);

/* C = Q C, Q' C, C Q or C Q', or with P in the place of Q, of gebrd in a and tau (tauq for Q, taup for P), of order
 * m or n by `side`; C: m x n. k: the other size of the matrix that gebrd was given, its columns for Q and its rows
 * for P. trans as ormtr's. a and tau are as before when it is done. */
enum mublas_status mublas_sormbr(struct mublas_handle *handle, enum mublas_vect vect, enum mublas_side side,
                                 enum mublas_trans trans, int64_t m, int64_t n, int64_t k, const float *a,
                                 int64_t lda, const float *tau, float *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_dormbr(struct mublas_handle *handle, enum mublas_vect vect, enum mublas_side side,
                                 enum mublas_trans trans, int64_t m, int64_t n, int64_t k, const double *a,
                                 int64_t lda, const double *tau, double *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_cunmbr(struct mublas_handle *handle, enum mublas_vect vect, enum mublas_side side,
                                 enum mublas_trans trans, int64_t m, int64_t n, int64_t k, const void *a,
                                 int64_t lda, const void *tau, void *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);
enum mublas_status mublas_zunmbr(struct mublas_handle *handle, enum mublas_vect vect, enum mublas_side side,
                                 enum mublas_trans trans, int64_t m, int64_t n, int64_t k, const void *a,
                                 int64_t lda, const void *tau, void *c, int64_t ldc, void *workspace,
                                 size_t workspace_bytes);

/* A = U S V': A, m x n, is of no use afterwards; s: k = min(m, n) real numbers, descending. With vectors u becomes
 * m x k and v, V itself and not V', n x k; else both are ignored. Errors of values are some ulps of the largest. A
 * matrix of far more rows than columns takes less time where its R is given in its place. */
enum mublas_status mublas_gesdd_workspace(struct mublas_handle *handle, enum mublas_type type,
                                          enum mublas_vectors vectors, int64_t m, int64_t n, int64_t lda,
                                          int64_t ldu, int64_t ldv, size_t *bytes);
enum mublas_status mublas_sgesdd(struct mublas_handle *handle, enum mublas_vectors vectors, int64_t m,
                                 int64_t n, float *a, int64_t lda, float *s, float *u, int64_t ldu, float *v,
                                 int64_t ldv, void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_dgesdd(struct mublas_handle *handle, enum mublas_vectors vectors, int64_t m,
                                 int64_t n, double *a, int64_t lda, double *s, double *u, int64_t ldu, double *v,
                                 int64_t ldv, void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_cgesdd(struct mublas_handle *handle, enum mublas_vectors vectors, int64_t m,
                                 int64_t n, void *a, int64_t lda, float *s, void *u, int64_t ldu, void *v,
                                 int64_t ldv, void *workspace, size_t workspace_bytes, int *info);
enum mublas_status mublas_zgesdd(struct mublas_handle *handle, enum mublas_vectors vectors, int64_t m,
                                 int64_t n, void *a, int64_t lda, double *s, void *u, int64_t ldu, void *v,
                                 int64_t ldv, void *workspace, size_t workspace_bytes, int *info);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
