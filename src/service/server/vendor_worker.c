/* cuBLAS and cuSOLVER for clients. Calls of cuBLAS are queued by the session's thread; cuSOLVER's may wait for the
 * device, so each of its handles has a worker of its own. */
#include "service/server/session.h"

#include "common/blas_call.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_BUFFER_MOST = 1 << 30, STATUS_OF_NO_HANDLE = 1 };

typedef int word_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                            uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                            uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                            uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static const struct function {
    const char *kinds;
    size_t offset;
} functions[] = {
#define VENDOR_FUNCTION(number, symbol, place, kinds, parameters, count, words) \
    [number] = {kinds, offsetof(struct solver_library, place)},
#include "service/vendor_calls.inc"
#undef VENDOR_FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Host memory of a worker's jobs. The library may write there as long as their work is queued. */
struct host_buffer {
    struct host_buffer *next; /* smaller ones */
    size_t bytes;
    _Alignas(64) unsigned char memory[];
};

/* A job of a worker: one at a time. */
struct vendor_worker {
    pthread_t thread;
    struct session *session;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_job, ends;
    struct service_vendor job;
    struct service_vendor_answer answer;
    uintptr_t words[SERVICE_WORDS_MOST]; /* as the library takes them */
    unsigned slot;
    struct host_buffer *host_buffers;
};

/* Handles that no client has any more: to make one takes the device a tenth of a second. */
enum { SPARE_MOST = 64 };
static struct spare {
    void *handles[SPARE_MOST];
    int count;
} spare_solvers, spare_blas, spare_params;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static void *take_spare(struct spare *spare)
{
    pthread_mutex_lock(&spare_lock);
    void *const handle = spare->count > 0 ? spare->handles[--spare->count] : NULL;
    pthread_mutex_unlock(&spare_lock);
    return handle;
}

static bool keep_spare(struct spare *spare, void *handle)
{
    pthread_mutex_lock(&spare_lock);
    const bool is_kept = spare->count < SPARE_MOST;
    if (is_kept)
        spare->handles[spare->count++] = handle;
    pthread_mutex_unlock(&spare_lock);
    return is_kept;
}

void vendor_spares_make(const struct solver_library *library, int count)
{
    for (int i = 0; i < count; i++) {
        cusolverDnHandle_t solver;
        cublasHandle_t blas;
        cusolverDnParams_t params;
        if (library->create(&solver) != 0 || !keep_spare(&spare_solvers, solver) ||
            library->blas_create(&blas) != 0 || !keep_spare(&spare_blas, blas) ||
            library->create_params(&params) != 0 || !keep_spare(&spare_params, params))
            return;
    }
}

static word_function *address_of(const struct solver_library *library, uint32_t number)
{
    word_function *address;
    memcpy(&address, (const char *)library + functions[number].offset, sizeof address);
    return address;
}

static void *handle_of(const struct session *session, char kind, uint64_t number)
{
    if (number < 1 || number > SERVICE_HANDLES)
        return NULL;
    switch (kind) {
    case 'h': return session->solvers[number - 1].handle;
    case 'b': return session->blas[number - 1].handle;
    default: return session->params[number - 1];
    }
}

/* Larger ones at least twice as large as the last. */
static void *host_buffer(struct vendor_worker *worker, size_t bytes)
{
    struct host_buffer *const last = worker->host_buffers;
    if (bytes > HOST_BUFFER_MOST)
        return NULL;
    if (last && bytes <= last->bytes)
        return last->memory;
    const size_t size = last && bytes < 2 * last->bytes ? 2 * last->bytes : bytes;
    struct host_buffer *const buffer = aligned_alloc(64, (sizeof *buffer + size + 63) / 64 * 64);
    if (!buffer)
        return NULL;
    buffer->next = last;
    buffer->bytes = size;
    worker->host_buffers = buffer;
    return buffer->memory;
}

/* The words as the library takes them. False: a handle is not there, or there is no memory. */
static bool make_words(struct session *session, struct vendor_worker *worker, struct service_vendor *call,
                       struct service_vendor_answer *answer, uintptr_t words[SERVICE_WORDS_MOST])
{
    const char *const kinds = functions[call->function].kinds;
    int results = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        words[i] = call->words[i];
        switch (kinds[i]) {
        case 'h': case 'b': case 'p':
            words[i] = (uintptr_t)handle_of(session, kinds[i], call->words[i]);
            if (!words[i])
                return false;
            break;
        case 's': {
            CUstream stream;
            if (!session_stream(session, call->words[i], &stream))
                return false;
            words[i] = (uintptr_t)stream;
            break;
        }
        case '4': case '8': case '6':
            if (call->words[i] >= SERVICE_SCALARS_MOST)
                return false;
            words[i] = (uintptr_t)call->scalars[call->words[i]];
            break;
        case 'w':
            if (call->words[i + 1] && !worker)
                return false;
            words[i] = call->words[i + 1] ? (uintptr_t)host_buffer(worker, call->words[i + 1]) : 0;
            if (call->words[i + 1] && !words[i])
                return false;
            break;
        case 'i': case 'z':
            words[i] = (uintptr_t)&answer->results[results++];
            break;
        default: break;
        }
    }
    return true;
}

static int call_library(const struct session *session, uint32_t number, const uintptr_t w[SERVICE_WORDS_MOST])
{
    word_function *const function = address_of(session->library, number);
    if (!function)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14],
                    w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23], w[24], w[25], w[26], w[27]);
}

/* The next may come as soon as the client has the answer. */
static void do_job(struct vendor_worker *worker)
{
    const unsigned slot = worker->slot;
    worker->answer.status = call_library(worker->session, worker->job.function, worker->words);
    const struct service_vendor_answer answer = worker->answer;
    pthread_mutex_lock(&worker->lock);
    worker->has_job = false;
    pthread_mutex_unlock(&worker->lock);
    session_answer(worker->session, slot, CUDA_SUCCESS, &answer, sizeof answer);
}

static void *worker_main(void *argument)
{
    struct vendor_worker *const worker = argument;
    struct device_scope scope;
    const bool is_inside = device_enter(worker->session->device, &scope) == STATUS_OK;
    pthread_mutex_lock(&worker->lock);
    while (is_inside) {
        while (!worker->has_job && !worker->ends)
            pthread_cond_wait(&worker->changed, &worker->lock);
        if (!worker->has_job)
            break;
        pthread_mutex_unlock(&worker->lock);
        do_job(worker);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    if (is_inside)
        device_leave(worker->session->device, &scope);
    return NULL;
}

static struct vendor_worker *worker_create(struct session *session)
{
    struct vendor_worker *const worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->session = session;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    if (own_thread_start(&worker->thread, OWN_THREAD_STACK_BYTES, worker_main, worker))
        return worker;
    free(worker);
    return NULL;
}

/* Its memory stays the session's until the streams are idle. */
static void worker_end(struct vendor_worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ends = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    struct host_buffer **end = &worker->session->host_buffers;
    while (*end)
        end = &(*end)->next;
    *end = worker->host_buffers;
    free(worker);
}

static bool is_busy(struct vendor_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    const bool is_busy = worker->has_job;
    pthread_mutex_unlock(&worker->lock);
    return is_busy;
}

/* A client uses a handle by one thread at a time: it has the answer before it asks again. Only the session's thread
 * gives jobs, so a worker that is idle stays so. */
static CUresult give_job(struct session *session, struct vendor_worker *worker, const struct service_vendor *call)
{
    if (is_busy(worker))
        return CUDA_ERROR_NOT_READY;
    worker->job = *call;
    memset(&worker->answer, 0, sizeof worker->answer);
    memset(worker->words, 0, sizeof worker->words);
    if (!make_words(session, worker, &worker->job, &worker->answer, worker->words))
        return CUDA_ERROR_INVALID_VALUE;
    worker->slot = session->slot;
    session->slot = 0; /* the worker answers */
    pthread_mutex_lock(&worker->lock);
    worker->has_job = true;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    return CUDA_SUCCESS;
}

static int create_solver(struct session *session, uint64_t *number)
{
    int status = 0;
    for (uint32_t i = 0; i < SERVICE_HANDLES; i++) {
        if (session->solvers[i].handle)
            continue;
        cusolverDnHandle_t handle = take_spare(&spare_solvers);
        if (!handle)
            status = session->library->create(&handle);
        session->solvers[i] = (struct session_solver){.handle = status == 0 ? handle : NULL};
        if (status == 0 && !(session->solvers[i].worker = worker_create(session))) {
            session->solvers[i].handle = NULL;
            keep_spare(&spare_solvers, handle);
            status = CUSOLVER_STATUS_ALLOC_FAILED;
        }
        *number = i + 1;
        return status;
    }
    return CUSOLVER_STATUS_ALLOC_FAILED;
}

static int create_blas(struct session *session, uint64_t *number)
{
    int status = 0;
    for (uint32_t i = 0; i < SERVICE_HANDLES; i++) {
        if (session->blas[i].handle)
            continue;
        cublasHandle_t handle = take_spare(&spare_blas);
        if (!handle)
            status = session->library->blas_create(&handle);
        session->blas[i] = (struct session_blas){.handle = status == 0 ? handle : NULL};
        *number = i + 1;
        return status;
    }
    return CUBLAS_STATUS_ALLOC_FAILED;
}

static int create_params(struct session *session, uint64_t *number)
{
    int status = 0;
    for (uint32_t i = 0; i < SERVICE_HANDLES; i++) {
        if (session->params[i])
            continue;
        cusolverDnParams_t params = take_spare(&spare_params);
        if (!params)
            status = session->library->create_params(&params);
        session->params[i] = status == 0 ? params : NULL;
        *number = i + 1;
        return status;
    }
    return CUSOLVER_STATUS_ALLOC_FAILED;
}

/* Without its worker. */
static void give_solver(struct session *session, struct session_solver *solver)
{
    if (!keep_spare(&spare_solvers, solver->handle))
        session->library->destroy(solver->handle);
    *solver = (struct session_solver){.handle = NULL};
}

static void give_blas(struct session *session, struct session_blas *blas)
{
    if (!keep_spare(&spare_blas, blas->handle))
        session->library->blas_destroy(blas->handle);
    *blas = (struct session_blas){.handle = NULL};
}

static void give_params(struct session *session, cusolverDnParams_t *params)
{
    if (!keep_spare(&spare_params, *params))
        session->library->destroy_params(*params);
    *params = NULL;
}

/* Handles come from those that are left, and go back there. False: the call is another one. */
static bool run_here(struct session *session, struct service_vendor *call, struct service_vendor_answer *answer)
{
    const size_t offset = functions[call->function].offset;
    const uint64_t number = call->words[0] - 1;
    switch (functions[call->function].kinds[0]) {
    case 'H': answer->status = create_solver(session, &answer->results[0]); return true;
    case 'B': answer->status = create_blas(session, &answer->results[0]); return true;
    case 'P': answer->status = create_params(session, &answer->results[0]); return true;
    default: break;
    }
    if (!strchr("hbp", functions[call->function].kinds[0]))
        return false;
    if (!handle_of(session, functions[call->function].kinds[0], call->words[0])) {
        answer->status = STATUS_OF_NO_HANDLE;
        return true;
    }
    if (offset == offsetof(struct solver_library, destroy)) {
        worker_end(session->solvers[number].worker);
        give_solver(session, &session->solvers[number]);
    } else if (offset == offsetof(struct solver_library, blas_destroy)) {
        give_blas(session, &session->blas[number]);
    } else if (offset == offsetof(struct solver_library, destroy_params)) {
        give_params(session, &session->params[number]);
    } else {
        return false;
    }
    return true;
}

/* What is taken away from under a call, no client takes. */
static bool is_early(const struct session *session, const struct service_vendor *call)
{
    const size_t offset = functions[call->function].offset;
    if (offset == offsetof(struct solver_library, destroy))
        return handle_of(session, 'h', call->words[0]) && is_busy(session->solvers[call->words[0] - 1].worker);
    if (offset != offsetof(struct solver_library, destroy_params))
        return false;
    for (int i = 0; i < SERVICE_HANDLES; i++)
        if (session->solvers[i].handle && is_busy(session->solvers[i].worker))
            return true;
    return false;
}

static bool sets_or_tells(uint32_t function)
{
    static const size_t offsets[] = {
        offsetof(struct solver_library, set_stream), offsetof(struct solver_library, set_deterministic_mode),
        offsetof(struct solver_library, get_deterministic_mode), offsetof(struct solver_library, blas_set_stream),
        offsetof(struct solver_library, blas_set_pointer_mode), offsetof(struct solver_library, blas_set_atomics_mode),
        offsetof(struct solver_library, blas_set_math_mode)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (functions[function].offset == offsets[i])
            return true;
    return false;
}

/* A handle works in a stream of its session's, and takes scalars from the host. */
static bool is_in_stream(struct session *session, const struct service_vendor *call, uint32_t set_to)
{
    CUstream stream;
    if (functions[call->function].offset == offsetof(struct solver_library, blas_set_pointer_mode))
        return call->words[1] == CUBLAS_POINTER_MODE_HOST;
    return sets_or_tells(call->function) || session_stream(session, set_to, &stream);
}

/* Its stream is whose error a failure is. */
static CUresult run_blas(struct session *session, struct service_vendor *call, struct service_vendor_answer *answer)
{
    struct session_blas *const blas = &session->blas[call->words[0] - 1];
    uintptr_t words[SERVICE_WORDS_MOST] = {0};
    if (!is_in_stream(session, call, blas->stream) || !make_words(session, NULL, call, answer, words))
        return CUDA_ERROR_INVALID_VALUE;
    answer->status = call_library(session, call->function, words);
    if (functions[call->function].kinds[1] == 's')
        blas->stream = (uint32_t)call->words[1];
    session->named_stream = blas->stream;
    return answer->status == 0 ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/* It may wait for the device: its worker does, and answers. */
static CUresult run_solver(struct session *session, struct service_vendor *call)
{
    struct session_solver *const solver = &session->solvers[call->words[0] - 1];
    if (session->slot == 0 || !is_in_stream(session, call, solver->stream))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = give_job(session, solver->worker, call);
    if (result == CUDA_SUCCESS && functions[call->function].kinds[1] == 's')
        solver->stream = (uint32_t)call->words[1];
    return result;
}

CUresult session_run_vendor(struct session *session, const void *payload, size_t bytes, void *back)
{
    struct service_vendor call = *(const struct service_vendor *)payload;
    struct service_vendor_answer *const answer = back;
    uintptr_t words[SERVICE_WORDS_MOST] = {0};
    (void)bytes;
    if (!session->library || call.function >= FUNCTIONS ||
        call.count != strlen(functions[call.function].kinds) || is_early(session, &call))
        return CUDA_ERROR_INVALID_VALUE;
    if (run_here(session, &call, answer))
        return CUDA_SUCCESS;
    switch (functions[call.function].kinds[0]) {
    case 'b': return run_blas(session, &call, answer);
    case 'h': return run_solver(session, &call);
    default: break;
    }
    if (!make_words(session, NULL, &call, answer, words))
        return CUDA_ERROR_INVALID_VALUE;
    answer->status = call_library(session, call.function, words);
    return CUDA_SUCCESS;
}

CUresult session_open_library(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_library *const call = payload;
    struct service_library_answer *const answer = back;
    (void)bytes;
    if (call->tries_eigensolvers)
        return session->library && solver_library_try_eigensolvers(session->library) == STATUS_OK
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_NOT_SUPPORTED;
    if (!call->is_solver)
        return cublas_library_open(device_place(session->device)) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    if (solver_library_open(session->device, &session->library) != STATUS_OK)
        return CUDA_ERROR_NOT_FOUND;
    answer->version = session->library->version_number;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        answer->has[i / 64] |= (uint64_t)(address_of(session->library, i) != NULL) << i % 64;
    return CUDA_SUCCESS;
}

static bool owns_matrix(const struct session *session, const struct blas_matrix *matrix, enum blas_type type)
{
    if (matrix->rows == 0 || matrix->columns == 0)
        return true;
    if (matrix->rows < 0 || matrix->columns < 0 || matrix->ld < matrix->rows ||
        (uintptr_t)matrix->pointer % blas_element_bytes(type) != 0)
        return false;
    const unsigned __int128 elements =
        (unsigned __int128)(matrix->columns - 1) * (uint64_t)matrix->ld + (uint64_t)matrix->rows;
    return session_owns(session, (uintptr_t)matrix->pointer, elements * blas_element_bytes(type));
}

/* The sizes that count are the call's: operands' own are made of them. */
static bool owns_operands(const struct session *session, struct blas_call *call)
{
    call->a.rows = call->b.rows = call->c.rows = 0;
    call_set_shapes(call);
    return owns_matrix(session, &call->a, call->type) && owns_matrix(session, &call->b, call->type) &&
           owns_matrix(session, &call->c, call->type);
}

static bool is_sound(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM && call->family < FAMILY_COUNT && call->type <= TYPE_Z &&
           blas_family_has_type(call->family, call->type) && call->uplo <= UPLO_UPPER &&
           call->trans <= TRANS_CONJUGATE && call->trans_b <= TRANS_CONJUGATE && call->diag <= DIAG_UNIT &&
           call->side <= SIDE_RIGHT && call->m >= 0 && call->n >= 0 && call->k >= 0;
}

/* As the client's level3_queue, which has checked the call; again, on a copy. */
CUresult session_run_level3(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_level3 *const message = payload;
    struct blas_call call = message->call;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, message->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!is_sound(&call) || !owns_operands(session, &call))
        return CUDA_ERROR_INVALID_VALUE;
    if (!level3_supported(session->device, &call)) /* a client would have asked for the library before */
        return CUDA_ERROR_NOT_SUPPORTED;
    switch (level3_queue(session->device, stream, &call)) {
    case STATUS_OK: return CUDA_SUCCESS;
    case STATUS_OUT_OF_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case STATUS_DEVICE_LOST: return CUDA_ERROR_LAUNCH_FAILED;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

void session_vendor_end(struct session *session)
{
    for (int i = 0; i < SERVICE_HANDLES; i++) {
        worker_end(session->solvers[i].worker);
        session->solvers[i].worker = NULL;
    }
}

void session_vendor_give(struct session *session)
{
    for (int i = 0; i < SERVICE_HANDLES; i++) {
        if (session->solvers[i].handle)
            give_solver(session, &session->solvers[i]);
        if (session->blas[i].handle)
            give_blas(session, &session->blas[i]);
        if (session->params[i])
            give_params(session, &session->params[i]);
    }
    for (struct host_buffer *buffer = session->host_buffers, *next; buffer; buffer = next) {
        next = buffer->next;
        free(buffer);
    }
}
