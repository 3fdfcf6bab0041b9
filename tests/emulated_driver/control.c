/* A test's orders and questions to another process's device, through a file that both map (emulated.h). */
#include "emulated_driver/internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct emulated_control *control;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_control(void)
{
    const char *const name = getenv("EMULATED_CONTROL");
    const int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (!name)
        return;
    void *const memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        emulated_abort("EMULATED_CONTROL='%s' cannot be mapped", name);
    close(file);
    control = memory;
}

/* A service makes these again and again while it waits for clients. */
static bool is_idle_call(enum function_index function)
{
    switch (function) {
    case CALL_cuCtxPushCurrent_v2: case CALL_cuCtxPopCurrent_v2: case CALL_cuCtxGetCurrent: case CALL_cuCtxSetCurrent:
    case CALL_cuCtxGetId: case CALL_cuThreadExchangeStreamCaptureMode: case CALL_cuStreamQuery: case CALL_cuEventQuery:
        return true;
    default:
        return false;
    }
}

static void take_longer(enum function_index function)
{
    if (function == CALL_cuLaunchCooperativeKernel)
        atomic_fetch_add(&control->cooperative, 1);
    if (atomic_load(&control->delay) > 0 && !is_idle_call(function))
        usleep((useconds_t)atomic_load(&control->delay));
}

static void count(void)
{
    atomic_fetch_add(&control->calls, 1);
    if (atomic_load(&control->remaining) > 0 && atomic_fetch_sub(&control->remaining, 1) == 1)
        kill(control->process ? control->process : getpid(), control->signal);
}

void control_look_at_copy_home(void)
{
    pthread_once(&once, open_control);
    if (control && atomic_load(&control->counts_copies_home))
        count();
}

void control_look(enum function_index function)
{
    pthread_once(&once, open_control);
    if (!control)
        return;
    take_longer(function);
    if (atomic_exchange(&control->census_is_wanted, 0)) {
        census_take(&control->census);
        atomic_store(&control->census_is_taken, 1);
    }
    if (!is_idle_call(function) && !atomic_load(&control->counts_copies_home))
        count();
}
