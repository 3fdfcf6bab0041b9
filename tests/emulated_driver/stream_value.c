/* Words that a stream writes into host memory. A thread that waits for such a word asks the driver nothing,
 * so the device goes on by itself here: another runs what is queued before. */
#include "emulated_driver/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct value {
    _Atomic uint32_t *word;
    uint32_t value;
};

/* Streams that have such a word to write. */
struct wanted {
    struct wanted *next;
    CUstream stream;
};
static struct wanted *all_wanted;
static pthread_mutex_t wanted_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted_came = PTHREAD_COND_INITIALIZER;
static bool is_started;

static CUresult run_value(void *payload)
{
    const struct value *value = payload;
    atomic_store_explicit(value->word, value->value, memory_order_release);
    return CUDA_SUCCESS;
}

/* False: a kernel goes on. */
static bool drain(const struct wanted *wanted)
{
    uint64_t appended, executed;
    CUresult result = CUDA_SUCCESS;
    call_lock();
    CUstream stream = context_is_forked() ? NULL : stream_resolve(wanted->stream, &appended, &executed);
    if (stream)
        result = stream_advance_to(stream, UINT64_MAX);
    call_end();
    return result != CUDA_ERROR_NOT_READY;
}

/* The first one, or after a while any: streams that nothing keeps in order come in none. */
static struct wanted *take(void)
{
    static uint64_t random_state;
    struct wanted **place = &all_wanted;
    uint64_t count = 0;
    if (options()->late > 0) {
        pthread_mutex_unlock(&wanted_lock);
        usleep((useconds_t)options()->late * 1000);
        pthread_mutex_lock(&wanted_lock);
        for (const struct wanted *wanted = all_wanted; wanted; wanted = wanted->next)
            count++;
        for (uint64_t skip = (random_next(&random_state) >> 32) % count; skip > 0; skip--)
            place = &(*place)->next;
    }
    struct wanted *const wanted = *place;
    *place = wanted->next;
    return wanted;
}

static void append(struct wanted *wanted)
{
    struct wanted **end = &all_wanted;
    while (*end)
        end = &(*end)->next;
    wanted->next = NULL;
    *end = wanted;
}

static void *device_main(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&wanted_lock);
        while (!all_wanted)
            pthread_cond_wait(&wanted_came, &wanted_lock);
        struct wanted *const wanted = take();
        pthread_mutex_unlock(&wanted_lock);
        if (drain(wanted)) {
            free(wanted);
            continue;
        }
        usleep(1000);
        pthread_mutex_lock(&wanted_lock);
        append(wanted);
        pthread_mutex_unlock(&wanted_lock);
    }
    return NULL;
}

static void want(CUstream stream)
{
    struct wanted *const wanted = calloc(1, sizeof *wanted);
    if (!wanted)
        emulated_abort("out of host memory");
    wanted->stream = stream;
    pthread_mutex_lock(&wanted_lock);
    append(wanted);
    if (!is_started) {
        pthread_t thread;
        sigset_t every, before;
        sigfillset(&every);
        pthread_sigmask(SIG_SETMASK, &every, &before);
        is_started = pthread_create(&thread, NULL, device_main, NULL) == 0 && pthread_detach(thread) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!is_started)
            emulated_abort("there is no thread for the device");
    }
    pthread_cond_signal(&wanted_came);
    pthread_mutex_unlock(&wanted_lock);
}

EXPORT CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
    API_BEGIN(cuStreamWriteValue32_v2);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    const void *word = (const void *)(uintptr_t)address;
    const enum host_kind kind = pinned_classify(NULL, word, sizeof value);
    if (flags != 0 || address % sizeof value != 0 || (kind != HOST_REGISTERED && kind != HOST_ALLOCATED))
        API_FAIL(misuse("a value for %p, which is no pinned word", word));
    struct operation *operation = stream_append(stream, run_value, NULL, sizeof(struct value));
    if (!operation)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    *(struct value *)operation->payload = (struct value){(_Atomic uint32_t *)(uintptr_t)address, value};
    want(stream);
    API_END;
}
