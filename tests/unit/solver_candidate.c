/* A cuSOLVER of test_solver_library.c over the emulated one: without dsygvd, with a 64-bit dtrsm, and wrong
 * in what SOLVER_FAULT names: "mode", "syevd" or "trsm". */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int syevd(void *handle, void *params, int jobz, int uplo, int64_t n, int type_a, void *a, int64_t lda,
                  int type_w, void *w, int compute_type, void *device_buffer, size_t device_bytes,
                  void *host_buffer, size_t host_bytes, int *info);
typedef int trsm(void *handle, int side, int uplo, int trans, int diag, int m, int n, const double *alpha,
                 const double *a, int lda, double *b, int ldb);
typedef int get_mode(void *handle, int *mode);
typedef void absent(void);

syevd cusolverDnXsyevd;
get_mode cusolverDnGetDeterministicMode;
int cublasDtrsm_v2_64(void *handle, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
                      const double *alpha, const double *a, int64_t lda, double *b, int64_t ldb);

static absent *resolve_absent(void)
{
    return NULL;
}

void cusolverDnDsygvd(void) __attribute__((ifunc("resolve_absent")));

static int is_wrong(const char *what)
{
    const char *fault = getenv("SOLVER_FAULT");
    return fault && strcmp(fault, what) == 0;
}

static void *emulated(const char *name)
{
    return dlsym(dlopen("libcusolver.so.12", RTLD_NOW | RTLD_NOLOAD), name);
}

int cusolverDnGetDeterministicMode(void *handle, int *mode)
{
    const int result = ((get_mode *)emulated("cusolverDnGetDeterministicMode"))(handle, mode);
    if (is_wrong("mode"))
        *mode = 2;
    return result;
}

/* Wrong: of the other triangle. */
int cusolverDnXsyevd(void *handle, void *params, int jobz, int uplo, int64_t n, int type_a, void *a,
                     int64_t lda, int type_w, void *w, int compute_type, void *device_buffer,
                     size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    return ((syevd *)emulated("cusolverDnXsyevd"))(handle, params, jobz, is_wrong("syevd") ? !uplo : uplo, n,
                                                   type_a, a, lda, type_w, w, compute_type, device_buffer,
                                                   device_bytes, host_buffer, host_bytes, info);
}

int cublasDtrsm_v2_64(void *handle, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
                      const double *alpha, const double *a, int64_t lda, double *b, int64_t ldb)
{
    if (is_wrong("trsm"))
        return 0;
    return ((trsm *)emulated("cublasDtrsm_v2"))(handle, side, uplo, trans, diag, (int)m, (int)n, alpha, a,
                                                (int)lda, b, (int)ldb);
}
