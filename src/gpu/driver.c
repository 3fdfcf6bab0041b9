#include "gpu/driver.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "common/threads/once.h"
#include "gpu/exit_gate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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

static void open_library(void)
{
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
#define DRIVER_FUNCTION(member, symbol, parameters) \
    complete = complete && look_up(library, #symbol, &table.member);
#define OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters) \
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
