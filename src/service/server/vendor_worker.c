/* cuBLAS and cuSOLVER for clients. Calls of cuBLAS are queued by the session's thread; cuSOLVER's may wait
 * for the device, so each of its handles has a worker of its own. */
#include "service/server/session.h"

#include "common/blas_call.h"
#include "common/log.h"
#include "common/own_thread.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_BUFFER_MOST = 1 << 30, STATUS_OF_NO_HANDLE = 1 };

#define FOUR uintptr_t, uintptr_t, uintptr_t, uintptr_t
#define FOUR_OF(w, i) w[i], w[(i) + 1], w[(i) + 2], w[(i) + 3]
typedef int word_function(FOUR, FOUR, FOUR, FOUR, FOUR, FOUR, FOUR); /* SERVICE_WORDS_MOST */

static const struct function {
    const char *kinds;
    size_t offset;
} functions[] = {
#define VENDOR_FUNCTION(number, symbol, place, kinds, parameters, count, words) \
    [number] = {kinds, offsetof(struct solver_library, place)},
#include "service/vendor_calls.inc"
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
#define AT(member) offsetof(struct solver_library, member)

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

static word_function *address_of(const struct solver_library *library, uint32_t number)
{
    word_function *address;
    memcpy(&address, (const char *)library + functions[number].offset, sizeof address);
    return address;
}

static enum vendor_kind kind_of(char letter)
{
    return letter == 'h' ? VENDOR_SOLVER : letter == 'b' ? VENDOR_BLAS : VENDOR_PARAMS;
}

/* NULL: there is none. */
static struct session_handle *handle_of(struct session *session, char letter, uint64_t number)
{
    struct session_handle *const handles = session->handles[kind_of(letter)];
    const bool is_there = number >= 1 && number <= SERVICE_HANDLES && handles[number - 1].handle;
    return is_there ? &handles[number - 1] : NULL;
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
    const struct session_handle *handle;
    CUstream stream;
    int results = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        words[i] = call->words[i];
        switch (kinds[i]) {
        case 'h': case 'b': case 'p':
            if (!(handle = handle_of(session, kinds[i], call->words[i])))
                return false;
            words[i] = (uintptr_t)handle->handle;
            break;
        case 's':
            if (!session_stream(session, call->words[i], &stream))
                return false;
            words[i] = (uintptr_t)stream;
            break;
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
    return function(FOUR_OF(w, 0), FOUR_OF(w, 4), FOUR_OF(w, 8), FOUR_OF(w, 12), FOUR_OF(w, 16),
                    FOUR_OF(w, 20), FOUR_OF(w, 24));
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

/* Its memory stays the session's until the streams are idle. NULL: nothing is to be done. */
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

/* With a job that has these parameters; 0: with any. */
static bool is_busy(struct vendor_worker *worker, uint64_t params)
{
    bool has_params = params == 0;
    pthread_mutex_lock(&worker->lock);
    const char *const kinds = functions[worker->job.function].kinds;
    for (int i = 0; kinds[i]; i++)
        has_params |= kinds[i] == 'p' && worker->job.words[i] == params;
    const bool is_busy = worker->has_job && has_params;
    pthread_mutex_unlock(&worker->lock);
    return is_busy;
}

/* A client uses a handle by one thread at a time: it has the answer before it asks again. Only the session's
 * thread gives jobs, so a worker that is idle stays so. */
static CUresult give_job(struct session *session, struct vendor_worker *worker,
                         const struct service_vendor *call)
{
    if (is_busy(worker, 0))
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

/* A handle and the worker that it needs. */
static int create_solver(struct session *session, uint64_t *number)
{
    const int status = vendor_handle_take(session, VENDOR_SOLVER, number);
    if (status != 0)
        return status;
    if ((session->handles[VENDOR_SOLVER][*number - 1].worker = worker_create(session)))
        return 0;
    vendor_handle_give(session, VENDOR_SOLVER, *number);
    return CUSOLVER_STATUS_ALLOC_FAILED;
}

static bool is_to_destroy(const struct service_vendor *call)
{
    const size_t offset = functions[call->function].offset;
    return offset == AT(destroy) || offset == AT(blas_destroy) || offset == AT(destroy_params);
}

/* Handles are taken and given here. False: the call is another one. */
static bool run_here(struct session *session, struct service_vendor *call,
                     struct service_vendor_answer *answer)
{
    const char kind = functions[call->function].kinds[0];
    switch (kind) {
    case 'H': answer->status = create_solver(session, &answer->results[0]); return true;
    case 'B': answer->status = vendor_handle_take(session, VENDOR_BLAS, &answer->results[0]); return true;
    case 'P': answer->status = vendor_handle_take(session, VENDOR_PARAMS, &answer->results[0]); return true;
    default: break;
    }
    if (!strchr("hbp", kind))
        return false;
    const struct session_handle *const handle = handle_of(session, kind, call->words[0]);
    if (handle && !is_to_destroy(call))
        return false;
    answer->status = handle ? 0 : STATUS_OF_NO_HANDLE;
    if (handle)
        worker_end(handle->worker), vendor_handle_give(session, kind_of(kind), call->words[0]);
    return true;
}

/* No client takes away a thing from under a call. */
static bool is_early(struct session *session, const struct service_vendor *call)
{
    const size_t offset = functions[call->function].offset;
    const struct session_handle *const solvers = session->handles[VENDOR_SOLVER];
    if (offset == AT(destroy)) {
        const struct session_handle *const solver = handle_of(session, 'h', call->words[0]);
        return solver && is_busy(solver->worker, 0);
    }
    if (offset != AT(destroy_params))
        return false;
    for (int i = 0; i < SERVICE_HANDLES; i++)
        if (solvers[i].handle && is_busy(solvers[i].worker, call->words[0]))
            return true;
    return false;
}

static bool sets_or_tells(uint32_t function)
{
    static const size_t offsets[] = {
        AT(set_stream), AT(set_deterministic_mode), AT(get_deterministic_mode), AT(blas_set_stream),
        AT(blas_set_pointer_mode), AT(blas_set_atomics_mode), AT(blas_set_math_mode)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (functions[function].offset == offsets[i])
            return true;
    return false;
}

/* A handle works in a stream of its session's, and takes scalars from the host. */
static bool is_in_stream(struct session *session, const struct service_vendor *call, uint32_t set_to)
{
    CUstream stream;
    if (functions[call->function].offset == AT(blas_set_pointer_mode))
        return call->words[1] == CUBLAS_POINTER_MODE_HOST;
    return sets_or_tells(call->function) || session_stream(session, set_to, &stream);
}

/* Its stream is whose error a failure is. */
static CUresult run_blas(struct session *session, struct service_vendor *call,
                         struct service_vendor_answer *answer)
{
    struct session_handle *const blas = &session->handles[VENDOR_BLAS][call->words[0] - 1];
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
    struct session_handle *const solver = &session->handles[VENDOR_SOLVER][call->words[0] - 1];
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

void session_vendor_end(struct session *session)
{
    for (int i = 0; i < SERVICE_HANDLES; i++) {
        worker_end(session->handles[VENDOR_SOLVER][i].worker);
        session->handles[VENDOR_SOLVER][i].worker = NULL;
    }
}

void session_vendor_give(struct session *session)
{
    for (int kind = 0; kind < VENDOR_KINDS; kind++)
        for (uint64_t i = 0; i < SERVICE_HANDLES; i++)
            if (session->handles[kind][i].handle)
                vendor_handle_give(session, (enum vendor_kind)kind, i + 1);
    for (struct host_buffer *buffer = session->host_buffers, *next; buffer; buffer = next) {
        next = buffer->next;
        free(buffer);
    }
}
