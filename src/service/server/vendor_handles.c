/* Handles of NVIDIA's libraries that go from one session to the next. */
#include "service/server/session.h"

enum { SPARE_MOST = 64 };

static struct {
    void *handles[SPARE_MOST];
    int count;
} spares[VENDOR_KINDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_spare(enum vendor_kind kind)
{
    pthread_mutex_lock(&lock);
    void *const handle = spares[kind].count > 0 ? spares[kind].handles[--spares[kind].count] : NULL;
    pthread_mutex_unlock(&lock);
    return handle;
}

static bool keep_spare(enum vendor_kind kind, void *handle)
{
    pthread_mutex_lock(&lock);
    const bool is_kept = spares[kind].count < SPARE_MOST;
    if (is_kept)
        spares[kind].handles[spares[kind].count++] = handle;
    pthread_mutex_unlock(&lock);
    return is_kept;
}

static int make(const struct solver_library *library, enum vendor_kind kind, void **handle)
{
    union {
        cusolverDnHandle_t solver;
        cublasHandle_t blas;
        cusolverDnParams_t params;
        void *any;
    } made = {.any = NULL};
    const int status = kind == VENDOR_SOLVER ? library->create(&made.solver)
                       : kind == VENDOR_BLAS ? library->blas_create(&made.blas)
                                             : library->create_params(&made.params);
    *handle = status == 0 ? made.any : NULL;
    return status;
}

static void destroy(const struct solver_library *library, enum vendor_kind kind, void *handle)
{
    if (kind == VENDOR_SOLVER)
        library->destroy(handle);
    else if (kind == VENDOR_BLAS)
        library->blas_destroy(handle);
    else
        library->destroy_params(handle);
}

/* A handle of cuBLAS takes 0.2 ms and 64 MiB, so none is made beforehand. */
void vendor_spares_make(const struct solver_library *library, int count)
{
    static const enum vendor_kind kinds[] = {VENDOR_SOLVER, VENDOR_PARAMS};
    void *handle;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (make(library, kinds[k], &handle) != 0 || !keep_spare(kinds[k], handle))
                return;
}

int vendor_handle_take(struct session *session, enum vendor_kind kind, uint64_t *number)
{
    for (uint32_t i = 0; i < SERVICE_HANDLES; i++) {
        struct session_handle *const place = &session->handles[kind][i];
        if (place->handle)
            continue;
        void *handle = take_spare(kind);
        const int status = handle ? 0 : make(session->library, kind, &handle);
        *place = (struct session_handle){.handle = handle};
        *number = i + 1;
        return status;
    }
    return kind == VENDOR_BLAS ? (int)CUBLAS_STATUS_ALLOC_FAILED : (int)CUSOLVER_STATUS_ALLOC_FAILED;
}

void vendor_handle_give(struct session *session, enum vendor_kind kind, uint64_t number)
{
    struct session_handle *const place = &session->handles[kind][number - 1];
    if (!keep_spare(kind, place->handle))
        destroy(session->library, kind, place->handle);
    *place = (struct session_handle){.handle = NULL};
}
