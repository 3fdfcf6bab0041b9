#include "gpu/device.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/exit_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device {
    struct device_choice choice;
    struct device_properties properties;
    CUdevice handle;
    CUcontext context;
    unsigned long long context_id;
    struct kernel_set kernels;
    atomic_bool is_shared;
    atomic_bool usable;
    bool is_programs; /* device_of_context */
};

static struct device the_device;
static enum status wake_status;
static pthread_once_t wake_once = PTHREAD_ONCE_INIT;
static const char *fault; /* of waking: static storage */

static int attribute(CUdevice handle, int which)
{
    int value = 0;
    driver()->device_attribute(&value, which, handle);
    return value;
}

static void read_properties(CUdevice handle, int ordinal, struct device_properties *properties)
{
    memset(properties, 0, sizeof *properties);
    properties->ordinal = ordinal;
    driver()->device_name(properties->name, sizeof properties->name, handle);
    driver()->driver_version(&properties->driver_version);
    driver()->device_total_memory(&properties->memory_bytes, handle);
    properties->compute_major = attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    properties->compute_minor = attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    properties->multiprocessors = attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    properties->l2_bytes = (size_t)attribute(handle, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    properties->shared_bytes_per_block =
        (size_t)attribute(handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    properties->clock_hz = attribute(handle, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3;
    /* kHz x bits x 2 transfers per clock */
    properties->memory_bandwidth = attribute(handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3 * 2 *
                                   attribute(handle, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    properties->has_virtual_memory =
        attribute(handle, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0;
    properties->has_cooperative_launch = attribute(handle, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
}

/* The devices that there are, at least 1. */
static enum status count_devices(int *count)
{
    enum status status = driver_open();
    if (status != STATUS_OK)
        return status;
    CUresult result = exit_gate_is_closed() ? CUDA_ERROR_DEINITIALIZED : driver()->init(0);
    *count = 0;
    if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && (driver()->device_count(count), *count == 0))) {
        fault = "no CUDA device is visible";
        log_message(LOG_INFO, "no CUDA device is visible; staying on the host");
        return STATUS_NO_DEVICE;
    }
    if (result == CUDA_ERROR_DEINITIALIZED) {
        log_message(LOG_INFO, "the process ends; staying on the host");
        return STATUS_NO_DEVICE;
    }
    return driver_check(result, "initialising the CUDA driver") == STATUS_OK ? STATUS_OK : STATUS_NO_DEVICE;
}

enum status device_choose(struct device_choice *choice)
{
    int count;
    enum status status = count_devices(&count);
    if (status != STATUS_OK)
        return status;
    *choice = device_choice_make(settings()->device, local_rank(), count, device_choice_is_bound());
    return STATUS_OK;
}

static enum status open_device(int ordinal, int count, CUdevice *handle)
{
    if (ordinal < count)
        return driver_check(driver()->device_get(handle, ordinal), "opening the device");
    fault = "MUBLAS_DEVICE names a device that is not there";
    log_message(LOG_ERROR, "MUBLAS_DEVICE=%d: there are only %d devices; staying on the host", ordinal, count);
    return STATUS_NO_DEVICE;
}

enum status device_query(int ordinal, struct device_properties *properties)
{
    CUdevice handle;
    int count;
    enum status status = count_devices(&count);
    if (status == STATUS_OK)
        status = open_device(ordinal, count, &handle);
    if (status == STATUS_OK)
        read_properties(handle, ordinal, properties);
    return status;
}

static enum status load_kernels(struct device *device)
{
    CUresult result = kernel_set_load(&device->kernels);
    if (result != CUDA_SUCCESS && !kernel_set_is_built()) {
        fault = "this mublas was built without nvcc and has no kernels";
        log_message(LOG_WARNING, "this mublas was built without nvcc and has no kernels; staying on the host");
        return STATUS_NO_DEVICE;
    }
    return driver_check(result, "loading the kernels");
}

static enum status open_context(struct device *device)
{
    struct device_scope scope;
    unsigned flags;
    int active = 0;
    if (exit_gate_is_closed())
        return STATUS_NO_DEVICE;
    driver()->primary_state(device->handle, &flags, &active);
    atomic_store(&device->is_shared, active != 0);
    enum status status = driver_check(driver()->primary_retain(&device->context, device->handle),
                                      "retaining the primary context");
    if (status != STATUS_OK)
        return status;
    status = driver_check(driver()->context_id(device->context, &device->context_id), "identifying the context");
    if (status == STATUS_OK)
        status = device_enter(device, &scope);
    if (status == STATUS_OK) {
        status = load_kernels(device);
        device_leave(device, &scope);
    }
    if (status != STATUS_OK && !exit_gate_is_closed()) /* else it goes with the process, which waits */
        driver()->primary_release(device->handle);
    return status;
}

static void wake(void)
{
    struct device *device = &the_device;
    wake_status = device_choose(&device->choice);
    if (wake_status == STATUS_OK)
        wake_status = open_device(device->choice.ordinal, device->choice.devices, &device->handle);
    if (wake_status != STATUS_OK)
        return;
    read_properties(device->handle, device->choice.ordinal, &device->properties);
    exit_gate_install();
    atomic_store(&device->usable, true);
    wake_status = open_context(device);
    atomic_store(&device->usable, wake_status == STATUS_OK);
    if (wake_status == STATUS_OK)
        log_message(LOG_INFO, "device %d is awake: %s (%s)", device->choice.ordinal, device->properties.name,
                    device->choice.reason);
}

enum status device_wake(struct device **device)
{
    pthread_once(&wake_once, wake);
    if (wake_status == STATUS_OK && !device_is_usable(&the_device))
        return STATUS_DEVICE_LOST;
    *device = &the_device;
    return wake_status;
}

CUresult device_of_context(struct device **result)
{
    struct device *const device = calloc(1, sizeof *device);
    if (!device)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult outcome = driver()->context_current(&device->context);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->context_id(device->context, &device->context_id);
    if (outcome == CUDA_SUCCESS)
        outcome = driver()->context_device(&device->handle);
    if (outcome == CUDA_SUCCESS)
        outcome = kernel_set_load(&device->kernels);
    if (outcome != CUDA_SUCCESS) {
        free(device);
        return outcome;
    }
    read_properties(device->handle, device->handle, &device->properties); /* a CUdevice is its ordinal */
    device->is_programs = true;
    atomic_store(&device->usable, true);
    *result = device;
    return CUDA_SUCCESS;
}

const char *device_fault(void)
{
    return driver_fault() ? driver_fault() : fault;
}

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
    return &device->choice;
}

bool device_is_shared(const struct device *device)
{
    return atomic_load(&device->is_shared);
}

bool device_has_pinned(const struct device *device, const void *memory)
{
    unsigned type = 0;
    int which = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *value = &type;
    (void)device;
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
