#include "gpu/device_state.h"

#include "common/log.h"
#include "gpu/exit_gate.h"

#include <stdio.h>

void device_disable(struct device *device, const char *reason)
{
    if (atomic_exchange(&device->usable, false))
        log_message(LOG_WARNING, "device %d is left alone from now on: %s", device->properties.ordinal, reason);
}

void device_close(struct device *device)
{
    if (atomic_exchange(&device->usable, false))
        driver()->primary_release(device->handle);
}

bool device_is_usable(const struct device *device)
{
    return atomic_load(&device->usable);
}

const struct device_properties *device_properties(const struct device *device)
{
    return &device->properties;
}

const struct device_choice *device_chosen(const struct device *device)
{
    return device->choice;
}

int device_place(const struct device *device)
{
    return device->place;
}

bool device_is_shared(const struct device *device)
{
    return atomic_load(&device->is_shared);
}

bool device_has_pinned(const void *memory)
{
    unsigned type = 0;
    int which = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *value = &type;
    /* The form for several says no in 0.15 us, that for one in a microsecond, as an error. */
    return driver()->pointer_attributes(1, &which, &value, (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

enum status device_check(struct device *device, CUresult result, const char *what)
{
    enum status status = driver_status(result);
    char reason[192];
    if (status == STATUS_OK)
        return STATUS_OK;
    if (!device_is_usable(device))
        return STATUS_DEVICE_LOST; /* said already, once */
    if (status != STATUS_DEVICE_LOST)
        return driver_check(result, what);
    snprintf(reason, sizeof reason, "%s failed: %s (%d)", what, driver_error_name(result), result);
    device_disable(device, reason);
    return status;
}

static enum status push_context(struct device *device)
{
    unsigned long long id = 0;
    CUcontext ignored;
    if (!device_is_usable(device))
        return STATUS_DEVICE_LOST;
    /* cudaDeviceReset destroys the primary context and may build a new one at the same address. */
    CUresult result = driver()->context_push(device->context);
    if (result == CUDA_ERROR_DEINITIALIZED)
        return STATUS_NO_DEVICE; /* the process ends */
    if (result != CUDA_SUCCESS) {
        device_disable(device, "the program destroyed its context");
        return STATUS_DEVICE_LOST;
    }
    if (driver()->context_id(device->context, &id) == CUDA_SUCCESS && id == device->context_id)
        return STATUS_OK;
    driver()->context_pop(&ignored);
    device_disable(device, "the program reset its context");
    return STATUS_DEVICE_LOST;
}

static void note_sharing(struct device *device)
{
    if (!device->is_programs && !atomic_exchange(&device->is_shared, true))
        log_message(LOG_INFO, "the program uses CUDA itself");
}

/* How deep this thread is inside: then a context that is current is ours, not the program's. */
static __thread int entered __attribute__((tls_model("initial-exec")));

enum status device_enter(struct device *device, struct device_scope *scope)
{
    if (!exit_gate_enter())
        return STATUS_NO_DEVICE;
    scope->before = NULL;
    if (driver()->context_current(&scope->before) == CUDA_SUCCESS && scope->before && entered == 0)
        note_sharing(device);
    enum status status = push_context(device);
    if (status != STATUS_OK) {
        exit_gate_leave();
        return status;
    }
    entered++;
    scope->capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver()->capture_mode(&scope->capture_mode);
    return STATUS_OK;
}

void device_leave(struct device *device, struct device_scope *scope)
{
    CUcontext ignored, now;
    (void)device;
    entered--;
    driver()->capture_mode(&scope->capture_mode);
    driver()->context_pop(&ignored);
    /* cuBLAS, too, may have left a context: it would be taken for the program's. */
    if (driver()->context_current(&now) == CUDA_SUCCESS && now != scope->before)
        driver()->context_set_current(scope->before);
    exit_gate_leave();
}

struct kernel_set *device_kernels(struct device *device)
{
    return &device->kernels;
}

enum status device_allocate(struct device *device, size_t bytes, CUdeviceptr *address)
{
    return device_check(device, driver()->memory_allocate(address, bytes), "allocating device memory");
}

void device_free(struct device *device, CUdeviceptr address)
{
    if (address && device_is_usable(device))
        driver()->memory_free(address);
}
