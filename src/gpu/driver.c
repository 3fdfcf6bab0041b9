#include "gpu/driver.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "common/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All handlers together wait no longer than this at exit: a thread may have left a call by a jump. */
static const uint64_t PATIENCE_NANOSECONDS = UINT64_C(5000000000);

static atomic_int inside;
static atomic_bool closed;
static _Atomic uint64_t deadline; /* of the first that waits; 0: nobody yet */
static _Atomic uint64_t expected; /* when the last of those inside that take long will be done */
static _Atomic pid_t process;
static atomic_uint left; /* how often someone has left */
static __thread int inside_here __attribute__((tls_model("initial-exec")));
static __thread bool is_part __attribute__((tls_model("initial-exec"))); /* of a call that is inside */

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

void exit_gate_expect(double seconds)
{
    const uint64_t end = clock_nanoseconds() + (uint64_t)(seconds * 1e9);
    uint64_t known = atomic_load(&expected);
    while (known < end && !atomic_compare_exchange_weak(&expected, &known, end))
        continue;
}

/* A thread that ends the process in a handler, amid a call of its own, does not go on with that, and what it
 * holds others may wait for in vain: then long calls get no longer than all. */
static uint64_t end_of_patience(void)
{
    return inside_here > 0 ? deadline : later(deadline, expected);
}

/* For others than this thread. A fork child, whose parent's threads are not here, would wait in vain. */
void exit_gate_close(void)
{
    const int saved_errno = errno;
    uint64_t none = 0;
    atomic_store(&closed, true);
    atomic_compare_exchange_strong(&deadline, &none, clock_nanoseconds() + PATIENCE_NANOSECONDS);
    while (atomic_load(&inside) > inside_here && getpid() == process &&
           clock_nanoseconds() < end_of_patience())
        pause_a_step();
    errno = saved_errno;
}

void exit_gate_install(void)
{
    process = getpid();
    atexit(exit_gate_close);
}

/* CUDA's libraries register handlers wherever a routine of theirs first needs something. Threads amid
 * their calls crash once these have run. The destructors of a thread's own variables run before all handlers
 * where it ends the process. The main thread's run at no other time: pthread_exit leaves them out. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void close_at_end(void *unused)
{
    (void)unused;
    exit_gate_close();
}

static void watch_main(void)
{
    static __thread bool is_known __attribute__((tls_model("initial-exec")));
    if (!is_known && __cxa_thread_atexit_impl && gettid() == getpid())
        __cxa_thread_atexit_impl(close_at_end, NULL, &__dso_handle);
    is_known = true;
}

/* For other threads that end the process: ours are among the last to be registered. Libraries are set up by
 * early calls, most of them. Not in a fork child, which would take the process for its own. */
static void stay_ahead(void)
{
    enum { EARLY = 1024 };
    const unsigned count = atomic_fetch_add(&left, 1) + 1;
    if ((count <= EARLY || (count & (count - 1)) == 0) && !atomic_load(&closed) && getpid() == process)
        exit_gate_install();
}

/* A handler may come at any point: it must not take this thread for another. */
bool exit_gate_enter(void)
{
    watch_main();
    inside_here++;
    atomic_fetch_add(&inside, 1); /* before the look, so that exit_gate_close sees one or we do */
    if (!atomic_load(&closed) || is_part)
        return true;
    exit_gate_leave();
    return false;
}

void exit_gate_be_part(void)
{
    is_part = true;
}

bool exit_gate_enter_with_parts(void)
{
    is_part = exit_gate_enter();
    return is_part;
}

void exit_gate_leave_with_parts(void)
{
    is_part = false;
    exit_gate_leave();
}

bool exit_gate_is_closed(void)
{
    return atomic_load(&closed);
}

void exit_gate_leave(void)
{
    if (inside_here == 0)
        return; /* by what was taken for a jump */
    atomic_fetch_sub(&inside, 1);
    inside_here--;
    stay_ahead();
}

void exit_gate_leave_by_jump(void)
{
    const int deep = inside_here;
    inside_here = 0;
    is_part = false;
    atomic_fetch_sub(&inside, deep);
}

static struct driver table;
static enum status open_status = STATUS_NO_DEVICE;
static struct once open_once = ONCE_INIT;
static char fault[256];

static bool look_up(void *library, const char *symbol, void *member)
{
    void *address = loader_symbol(library, symbol);
    if (!address) {
        snprintf(fault, sizeof fault, "the CUDA driver lacks %s", symbol);
        log_message(LOG_WARNING, "CUDA driver: %s is missing; staying on the host", symbol);
    }
    memcpy(member, &address, sizeof address);
    return address != NULL;
}

static void find_optional(void *library, const char *symbol, void *member)
{
    void *address = loader_symbol(library, symbol);
    memcpy(member, &address, sizeof address);
}

const char *driver_file(void)
{
    const char *chosen = settings()->cuda_driver;
    return *chosen ? chosen : "libcuda.so.1";
}

static void note_missing(const char *error)
{
    snprintf(fault, sizeof fault, "no CUDA driver (%s)", error ? error : driver_file());
}

bool driver_is_there(void)
{
    const char *error;
    const bool found = loader_finds(driver_file(), &error);
    if (!found)
        note_missing(error);
    return found;
}

static const struct driver_provider *provider;
static struct once provide_once = ONCE_INIT;
static atomic_bool is_provided;

void driver_offer(const struct driver_provider *offered)
{
    provider = offered;
}

bool driver_provider_looks(void)
{
    return provider && provider->looks();
}

bool driver_is_provided(void)
{
    return atomic_load_explicit(&is_provided, memory_order_acquire);
}

bool driver_has_revoked(void)
{
    return driver_is_provided() && provider->has_revoked();
}

void driver_note_revoked(void)
{
    provider->notes_revoked();
}

void driver_leave(void)
{
    if (driver_is_provided())
        provider->leaves();
}

CUresult driver_pin_file(int file, void *memory, size_t bytes)
{
    return driver_is_provided() ? provider->pins_file(file, memory, bytes)
                                : table.pin(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE);
}

static void provide(void)
{
    atomic_store(&is_provided, provider && provider->opens(&table));
}

bool driver_provide(void)
{
    once_run(&provide_once, provide);
    return driver_is_provided();
}

static void open_library(void)
{
    if (driver_provide()) {
        exit_gate_install();
        open_status = STATUS_OK;
        return;
    }
    const char *chosen = settings()->cuda_driver;
    const char *error;
    void *library = loader_open_or_why(driver_file(), RTLD_NOW | RTLD_LOCAL, &error);
    if (!library) {
        note_missing(error);
        if (*chosen)
            log_message(LOG_ERROR, "MUBLAS_CUDA_DRIVER: cannot open '%s': %s", chosen, error);
        else
            log_message(LOG_INFO, "no CUDA driver here (%s); staying on the host", error);
        return;
    }
    exit_gate_install(); /* before what it has registered */
    bool complete = true;
#define DRIVER_FUNCTION(member, symbol, parameters, way) \
    complete = complete && look_up(library, #symbol, &table.member);
#define OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters, way) \
    find_optional(library, #symbol, &table.member);
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    if (complete)
        open_status = STATUS_OK;
}

enum status driver_open(void)
{
    once_run(&open_once, open_library);
    return open_status;
}

const char *driver_fault(void)
{
    return *fault ? fault : NULL;
}

const struct driver *driver(void)
{
    return &table;
}

/* After these the context, or the driver, cannot be used again. */
static bool is_fatal(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result < CUDA_ERROR_LAUNCH_FAILED;
    }
}

enum status driver_status(CUresult result)
{
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return STATUS_OUT_OF_MEMORY;
    return is_fatal(result) ? STATUS_DEVICE_LOST : STATUS_DEVICE_ERROR;
}

const char *driver_error_name(CUresult result)
{
    const char *name = NULL;
    if (table.error_name(result, &name) != CUDA_SUCCESS || !name)
        name = "unknown CUDA error";
    return name;
}

enum status driver_check(CUresult result, const char *what)
{
    enum status status = driver_status(result);
    if (status == STATUS_OUT_OF_MEMORY)
        log_message(LOG_INFO, "%s: out of device memory", what);
    else if (status != STATUS_OK)
        log_message(LOG_WARNING, "%s failed: %s (%d)", what, driver_error_name(result), result);
    return status;
}
