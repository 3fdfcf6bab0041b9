#include "lapack_peer.h"

#include "gpu/vendor/solver_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILL_LOWER = 0 };

/* The functions and their parameters, as cusolverDn.h has them. */
static struct {
    int (*create)(cusolverDnHandle_t *handle);
    int (*set_stream)(cusolverDnHandle_t handle, CUstream stream);
    int (*create_params)(cusolverDnParams_t *params);
    int (*sytrd_size[2])(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda, const void *d,
                         const void *e, const void *tau, int *elements);
    int (*sytrd[2])(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, void *d, void *e, void *tau,
                    void *work, int elements, int *info);
    int (*syevd_size)(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo, int64_t n,
                      int type_a, const void *a, int64_t lda, int type_w, const void *w, int compute_type,
                      size_t *device_bytes, size_t *host_bytes);
    int (*syevd)(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int uplo, int64_t n,
                 int type_a, void *a, int64_t lda, int type_w, void *w, int compute_type, void *device,
                 size_t device_bytes, void *host, size_t host_bytes, int *info);
    int (*syevdx_size)(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range, int uplo,
                       int64_t n, int type_a, const void *a, int64_t lda, void *vl, void *vu, int64_t il,
                       int64_t iu, int64_t *found, int type_w, const void *w, int compute_type,
                       size_t *device_bytes, size_t *host_bytes);
    int (*syevdx)(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int range, int uplo,
                  int64_t n, int type_a, void *a, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                  int64_t *found, int type_w, void *w, int compute_type, void *device, size_t device_bytes,
                  void *host, size_t host_bytes, int *info);
} library;

static cusolverDnHandle_t handle;
static cusolverDnParams_t params;
static void *host_workspace;
static size_t host_bytes, device_bytes;

static void *open_library(void)
{
    static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11",
                                        "/usr/local/cuda/lib64/libcusolver.so.12",
                                        "/usr/local/cuda/lib64/libcusolver.so.11"};
    const char *const given = getenv("MUBLAS_CUSOLVER");
    void *opened = given ? dlopen(given, RTLD_NOW) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !opened; i++)
        opened = dlopen(names[i], RTLD_NOW);
    return opened;
}

bool lapack_peer_open(const struct lapack_device *device)
{
    const struct {
        const char *name;
        void *member;
    } symbols[] = {{"cusolverDnCreate", &library.create},
                   {"cusolverDnSetStream", &library.set_stream},
                   {"cusolverDnCreateParams", &library.create_params},
                   {"cusolverDnDsytrd_bufferSize", &library.sytrd_size[0]},
                   {"cusolverDnDsytrd", &library.sytrd[0]},
                   {"cusolverDnZhetrd_bufferSize", &library.sytrd_size[1]},
                   {"cusolverDnZhetrd", &library.sytrd[1]},
                   {"cusolverDnXsyevd_bufferSize", &library.syevd_size},
                   {"cusolverDnXsyevd", &library.syevd},
                   {"cusolverDnXsyevdx_bufferSize", &library.syevdx_size},
                   {"cusolverDnXsyevdx", &library.syevdx}};
    void *const opened = open_library();
    for (size_t i = 0; opened && i < sizeof symbols / sizeof *symbols; i++) {
        void *const address = dlsym(opened, symbols[i].name);
        if (!address) {
            printf("# cuSOLVER has no %s\n", symbols[i].name);
            return false;
        }
        memcpy(symbols[i].member, &address, sizeof address);
    }
    if (opened && library.create(&handle) == 0 && library.set_stream(handle, device->stream) == 0 &&
        library.create_params(&params) == 0)
        return true;
    printf("# there is no cuSOLVER to compare with\n");
    return false;
}

static int type_of(const struct lapack_problem *problem)
{
    return problem->what.is_complex ? CUDA_C_64F : CUDA_R_64F;
}

static int mode_of(const struct lapack_problem *problem)
{
    return problem->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

bool lapack_peer_ask(struct lapack_problem *problem)
{
    const int type = type_of(problem);
    const int64_t n = problem->n;
    int64_t found;
    int status, elements = 0;
    size_t host_needed = 0;
    double none = 0;
    device_bytes = 0;
    if (problem->what.work == WORK_REDUCTION) {
        status = library.sytrd_size[problem->what.is_complex](
            handle, FILL_LOWER, (int)n, problem->a, (int)n, problem->w, problem->e, problem->tau, &elements);
        device_bytes = (size_t)elements * (problem->what.is_complex ? 16 : 8);
    } else if (problem->what.work == WORK_TENTH) {
        status = library.syevdx_size(handle, params, mode_of(problem), CUSOLVER_EIG_RANGE_I, FILL_LOWER, n,
                                     type, problem->a, n, &none, &none, 1, problem->vectors, &found,
                                     CUDA_R_64F, problem->w, type, &device_bytes, &host_needed);
    } else {
        status = library.syevd_size(handle, params, mode_of(problem), FILL_LOWER, n, type, problem->a, n,
                                    CUDA_R_64F, problem->w, type, &device_bytes, &host_needed);
    }
    if (host_needed > host_bytes) {
        free(host_workspace);
        host_workspace = malloc(host_needed);
        host_bytes = host_workspace ? host_needed : 0;
    }
    return status == 0 && host_needed <= host_bytes && lapack_problem_reserve(problem, device_bytes);
}

bool lapack_peer_queue(void *context)
{
    struct lapack_problem *const problem = context;
    const int type = type_of(problem);
    const int64_t n = problem->n;
    int64_t found = 0;
    double none = 0;
    int status;
    if (problem->what.work == WORK_REDUCTION)
        status = library.sytrd[problem->what.is_complex](
            handle, FILL_LOWER, (int)n, problem->a, (int)n, problem->w, problem->e, problem->tau,
            problem->workspace, (int)(device_bytes / (problem->what.is_complex ? 16 : 8)), problem->info);
    else if (problem->what.work == WORK_TENTH)
        status =
            library.syevdx(handle, params, mode_of(problem), CUSOLVER_EIG_RANGE_I, FILL_LOWER, n, type,
                           problem->a, n, &none, &none, 1, problem->vectors, &found, CUDA_R_64F, problem->w,
                           type, problem->workspace, device_bytes, host_workspace, host_bytes, problem->info);
    else
        status = library.syevd(handle, params, mode_of(problem), FILL_LOWER, n, type, problem->a, n,
                               CUDA_R_64F, problem->w, type, problem->workspace, device_bytes, host_workspace,
                               host_bytes, problem->info);
    if (status != 0)
        printf("# cuSOLVER gave %d\n", status);
    return status == 0;
}
