#include "emulated_driver/internal.h"

#include "common/clock.h"
#include "common/program_state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function of driver.def that nobody defines breaks the link here. */
static const struct {
    const char *name;
    void (*function)(void);
} functions[CALL_COUNT] = {
#define DRIVER_FUNCTION(member, symbol, parameters, way) {#symbol, (void (*)(void))symbol},
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
#define CUBLAS_FUNCTION(symbol) {#symbol, NULL},
#include "emulated_driver/cublas.def"
#undef CUBLAS_FUNCTION
#define CUSOLVER_FUNCTION(symbol) {#symbol, NULL},
#include "emulated_driver/cusolver.def"
#undef CUSOLVER_FUNCTION
#define PROGRAM_FUNCTION(symbol) {#symbol, NULL},
#include "emulated_driver/program.def"
#undef PROGRAM_FUNCTION
    {"KERNEL", NULL},
    {"COPY_BACK", NULL},
};

enum { FAULTS_MAX = 32 };

struct fault {
    enum function_index function;
    unsigned long remaining; /* calls until it strikes; 0: it has */
    CUresult result;
    CUdevice device; /* only calls of it; -1: of any */
    bool sticky;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_inside; /* this thread has the lock, or waits for it */
static __thread uint64_t inside_since;
static atomic_uint waiting; /* for the lock */
static unsigned long counts[CALL_COUNT];
static struct fault faults[FAULTS_MAX];
static int fault_count;
static CUresult sticky_results[DEVICES_MAX + 1]; /* by device, the last: everywhere */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool forked, deinitialised;
static _Atomic int held;

static enum function_index find_function(const char *name, size_t length)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return (enum function_index)i;
    emulated_abort("there is no function '%.*s'", (int)length, name);
}

/* FUNCTION[@DEVICE]:N[:RESULT[:sticky]] up to `end`. */
static void parse_fault(const char *text, const char *end)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    char *rest;
    if (!colon || fault_count == FAULTS_MAX)
        emulated_abort("bad fault '%.*s'", (int)(end - text), text);
    struct fault *fault = &faults[fault_count++];
    const char *at = memchr(text, '@', (size_t)(colon - text));
    *fault = (struct fault){.function = find_function(text, (size_t)((at ? at : colon) - text)),
                            .result = CUDA_ERROR_UNKNOWN, .device = at ? atoi(at + 1) : -1};
    if (fault->device >= DEVICES_MAX || (at && (at[1] < '0' || at[1] > '9')))
        emulated_abort("bad fault '%.*s'", (int)(end - text), text);
    if (fault->function == CALL_KERNEL)
        fault->result = CUDA_ERROR_LAUNCH_FAILED;
    fault->remaining = strtoul(colon + 1, &rest, 10);
    if (rest < end && *rest == ':')
        fault->result = (CUresult)strtol(rest + 1, &rest, 10);
    if (rest < end && strncmp(rest, ":sticky", 7) == 0) {
        fault->sticky = true;
        rest += 7;
    }
    if (rest != end || fault->remaining == 0 || fault->result == CUDA_SUCCESS)
        emulated_abort("bad fault '%.*s'", (int)(end - text), text);
}

static void parse_faults(const char *script)
{
    fault_count = 0;
    memset(sticky_results, 0, sizeof sticky_results);
    while (script && *script) {
        const char *end = script + strcspn(script, ",");
        parse_fault(script, end);
        script = *end ? end + 1 : end;
    }
}

/* As CUDA's libraries do, registered in the middle: it comes before what their callers have registered. */
static void end_amid(void)
{
    if (held)
        emulated_abort("exit handlers run while a library is half way");
}

EXPORT void emulated_hold(const char *variable)
{
    const char *file = getenv(variable);
    char *begun;
    if (!file)
        return;
    held++;
    atexit(end_amid);
    if (asprintf(&begun, "%s.begun", file) < 0)
        emulated_abort("out of host memory");
    const int file_begun = open(begun, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write(file_begun, ".", 1) != 1)
        emulated_abort("cannot write %s", begun);
    close(file_begun);
    free(begun);
    while (access(file, F_OK) != 0)
        usleep(1000);
    held--;
}

static void in_child(void)
{
    if (held)
        emulated_abort("a fork while a library is half way");
    forked = true;
    atomic_store(&waiting, 0);
    pthread_mutex_init(&lock, NULL);
}

/* A thread that ends the process in a handler amid a call keeps the lock: others wait for it until the
 * end. */
static void deinitialise(void)
{
    const bool was_inside = is_inside;
    if (!was_inside)
        call_lock();
    deinitialised = true;
    if (!was_inside)
        call_end();
}

void call_deinitialise_at_exit(void)
{
    static bool registered;
    if (!registered && options()->deinitialise)
        registered = atexit(deinitialise) == 0;
}

static void start(void)
{
    pthread_atfork(NULL, NULL, in_child);
    parse_faults(options()->faults);
}

bool context_is_forked(void)
{
    return forked;
}

CUresult fault_sticky(CUdevice device)
{
    if (sticky_results[DEVICES_MAX] != CUDA_SUCCESS || device < 0)
        return sticky_results[DEVICES_MAX];
    return sticky_results[device];
}

CUresult call_event(enum function_index function, CUdevice device)
{
    CUresult result = CUDA_SUCCESS;
    counts[function]++;
    for (int i = 0; i < fault_count; i++) {
        struct fault *fault = &faults[i];
        if (fault->function != function || (fault->device >= 0 && fault->device != device) ||
            fault->remaining == 0 || --fault->remaining > 0)
            continue;
        result = fault->result;
        if (fault->sticky)
            sticky_results[fault->device >= 0 ? fault->device : DEVICES_MAX] = result;
    }
    return result;
}

/* A driver is not made for every arithmetic, and leaves errno and flags as they come. */
static void look_at_arithmetic(enum function_index function)
{
    struct float_state state;
    volatile double third = 3;
    volatile long double long_third = 3;
    float_state_read_control(&state);
    if (!float_state_is_default(&state))
        emulated_abort("%s in the program's arithmetic", functions[function].name);
    third = 1 / third;
    long_third = 1 / long_third;
    errno = ENOENT;
}

/* A thread's stack is no affair of a device. */
static bool is_about_stack(enum function_index function)
{
    switch (function) {
    case CALL_cuCtxPushCurrent_v2: case CALL_cuCtxPopCurrent_v2: case CALL_cuCtxGetCurrent:
    case CALL_cuCtxSetCurrent: case CALL_cuThreadExchangeStreamCaptureMode:
        return true;
    default:
        return false;
    }
}

CUresult call_begin(enum function_index function)
{
    return call_begin_on(function, is_about_stack(function) ? -1 : context_device());
}

CUresult call_begin_on(enum function_index function, CUdevice device)
{
    if (options()->arithmetic)
        look_at_arithmetic(function);
    if (user_object_destructing())
        emulated_abort("%s in the destructor of a user object", functions[function].name);
    call_lock();
    if (forked && options()->child_aborts)
        emulated_abort("%s in a forked child", functions[function].name);
    if (forked)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (deinitialised)
        return CUDA_ERROR_DEINITIALIZED;
    if (device >= DEVICES_MAX)
        device = -1;
    control_look(function);
    CUresult result = call_event(function, device);
    if (fault_sticky(device) != CUDA_SUCCESS && function != CALL_cuGetErrorName)
        return fault_sticky(device);
    return result == CUDA_SUCCESS ? capture_check(function) : result;
}

void call_lock(void)
{
    pthread_once(&once, start);
    is_inside = true;
    atomic_fetch_add_explicit(&waiting, 1, memory_order_relaxed); /* orders nothing that a sanitizer is to find */
    pthread_mutex_lock(&lock);
    atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed);
    inside_since = clock_nanoseconds();
}

static unsigned others_waiting(void)
{
    return atomic_load_explicit(&waiting, memory_order_relaxed);
}

/* Devices are busy at once: who makes long calls one after the other does not keep the others out. */
static void let_others_in(void)
{
    enum { LONG_NS = 1000000, PATIENCE_NS = 1000000 };
    const uint64_t end = clock_nanoseconds();
    const unsigned others = others_waiting();
    if (end - inside_since < LONG_NS)
        return;
    while (others > 0 && others_waiting() >= others && clock_nanoseconds() - end < PATIENCE_NS)
        sched_yield();
}

void call_end(void)
{
    pthread_mutex_unlock(&lock);
    is_inside = false;
    if (others_waiting() > 0)
        let_others_in();
}

void fault_clear_sticky(CUdevice device)
{
    sticky_results[device] = sticky_results[DEVICES_MAX] = CUDA_SUCCESS;
}

EXPORT int emulated_enter(const char *function)
{
    int result = call_begin(find_function(function, strlen(function)));
    call_end();
    return result;
}

EXPORT unsigned long emulated_call_count(const char *function)
{
    call_lock();
    unsigned long count = counts[find_function(function, strlen(function))];
    call_end();
    return count;
}

EXPORT void emulated_set_faults(const char *script)
{
    call_lock();
    parse_faults(script);
    call_end();
}

__attribute__((destructor)) static void write_counts(void)
{
    end_amid();
    if (forked || !options()->count_file)
        return;
    FILE *file = fopen(options()->count_file, "ae");
    if (!file)
        return;
    for (int i = 0; i < CALL_COUNT; i++)
        if (counts[i])
            fprintf(file, "%s %lu\n", functions[i].name, counts[i]);
    fclose(file);
}
