#include "common/interruption.h"
#include "common/log.h"
#include "common/settings.h"
#include "common/text.h"
#include "gpu/device.h"
#include "gpu/device_sharing.h"
#include "gpu/driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COMPUTE_MODE_DEFAULT = 0 };

/* The driver is open. Makes no context. */
static enum candidate_refusal device_candidate_look(CUdevice device)
{
    int mode = COMPUTE_MODE_DEFAULT, active = 0;
    unsigned flags;
    if (driver()->device_attribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device) == CUDA_SUCCESS &&
        mode != COMPUTE_MODE_DEFAULT)
        return CANDIDATE_EXCLUSIVE;
    if (driver()->primary_state(device, &flags, &active) == CUDA_SUCCESS && active)
        return CANDIDATE_OF_PROGRAM;
    return CANDIDATE_FREE;
}

/* In its context. */
static enum candidate_refusal device_candidate_look_inside(void)
{
    size_t free_bytes, total_bytes;
    if (driver()->memory_info(&free_bytes, &total_bytes) != CUDA_SUCCESS)
        return CANDIDATE_OCCUPIED;
    return free_bytes / CANDIDATE_FREE_PERCENT < total_bytes / 100 ? CANDIDATE_OCCUPIED : CANDIDATE_FREE;
}

/* "its memory is in use"; static storage. */
static const char *device_candidate_reason(enum candidate_refusal refusal)
{
    switch (refusal) {
    case CANDIDATE_EXCLUSIVE: return "its compute mode keeps it for others";
    case CANDIDATE_OF_PROGRAM: return "the program uses it itself";
    case CANDIDATE_OCCUPIED: return "its memory is in use by others";
    case CANDIDATE_FREE: break;
    }
    return "it is free";
}

/* Which devices, and which of them are there. */
static struct device devices[DEVICES_MAX];

/* Guarded by the lock of each. */
static struct waking {
    pthread_mutex_t lock;
    bool is_done;
    enum status status;
} wakings[DEVICES_MAX] = {[0 ... DEVICES_MAX - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static struct device_choice the_choice;
static enum status choice_status;
static struct once choose_once = ONCE_INIT;
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
    properties->has_clusters = attribute(handle, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
    properties->uses_host_page_tables =
        attribute(handle, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES) != 0;
    properties->has_mps = attribute(handle, CU_DEVICE_ATTRIBUTE_MPS_ENABLED) != 0;
}

/* The devices that there are, at least 1. */
static enum status count_devices(int *count)
{
    enum status status = driver_open();
    if (status != STATUS_OK)
        return status;
    CUresult result = exit_gate_is_closed() ? CUDA_ERROR_DEINITIALIZED : driver()->init(0);
    *count = 0;
    if (result == CUDA_ERROR_NO_DEVICE ||
        (result == CUDA_SUCCESS && (driver()->device_count(count), *count == 0))) {
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

static int only_ordinal = -1;

void device_choose_alone(int ordinal)
{
    only_ordinal = ordinal;
}

enum status device_choose(struct device_choice *choice)
{
    int count;
    enum status status = count_devices(&count);
    if (status != STATUS_OK)
        return status;
    if (only_ordinal >= 0) {
        const struct device_choice dealt =
            device_choice_make(&(struct device_list){.count = 0}, local_rank(), count, device_sharing_bound_of());
        *choice = (struct device_choice){.ordinal = only_ordinal, .count = 1, .ordinals = {only_ordinal},
                                         .devices = count, .missing = -1, .sharers = dealt.sharers,
                                         .reason = "the service has one"};
        return STATUS_OK;
    }
    *choice = device_choice_make(&settings()->device, local_rank(), count, device_sharing_bound_of());
    if (settings()->offload == OFFLOAD_AUTO)
        device_choice_add_candidates(choice, &settings()->device,
                                     local_rank()->rank >= 0 || world_rank().rank >= 0);
    return STATUS_OK;
}

static enum status open_device(int ordinal, int count, CUdevice *handle)
{
    if (ordinal < count)
        return driver_check(driver()->device_get(handle, ordinal), "opening the device");
    fault = "MUBLAS_DEVICE names a device that is not there";
    log_message(LOG_ERROR, "MUBLAS_DEVICE=%d: there %s only %d device%s; staying on the host", ordinal,
                count == 1 ? "is" : "are", count, plural((unsigned)count));
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

const char *device_candidate_fault(int ordinal)
{
    CUdevice handle;
    if (driver()->device_get(&handle, ordinal) != CUDA_SUCCESS)
        return "it does not answer";
    const enum candidate_refusal refusal = device_candidate_look(handle);
    return refusal == CANDIDATE_FREE ? NULL : device_candidate_reason(refusal);
}

static enum status load_kernels(struct device *device)
{
    CUresult result = kernel_set_load(&device->kernels);
    if (result != CUDA_SUCCESS && !kernel_set_is_built()) {
        fault = "this mublas was built without nvcc and has no kernels";
        log_message(LOG_WARNING,
                    "this mublas was built without nvcc and has no kernels; staying on the host");
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
    status = driver_check(driver()->context_id(device->context, &device->context_id),
                          "identifying the context");
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

static void choose_devices(void)
{
    choice_status = device_choose(&the_choice);
    if (choice_status == STATUS_OK && the_choice.missing >= 0)
        log_message(LOG_ERROR, "%s: there is no device %d; it is left out", the_choice.reason,
                    the_choice.missing);
}

static bool is_candidate(int place)
{
    return place > 0 && the_choice.has_candidates;
}

static enum status refuse(struct device *device, enum candidate_refusal refusal)
{
    atomic_store(&device->refusal, refusal);
    log_message(LOG_INFO, "device %d is left alone: %s", device->properties.ordinal,
                device_candidate_reason(refusal));
    return refusal == CANDIDATE_OCCUPIED ? STATUS_BUSY : STATUS_UNSUPPORTED;
}

/* The device is awake; it is given back where others use it. */
static enum status keep_if_free(struct device *device)
{
    struct device_scope scope;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    const enum candidate_refusal refusal = device_candidate_look_inside();
    device_leave(device, &scope);
    if (refusal == CANDIDATE_FREE)
        return STATUS_OK;
    if (!exit_gate_is_closed())
        device_close(device);
    return refuse(device, refusal);
}

static enum status open_candidate(struct device *device)
{
    const enum candidate_refusal refusal = device_candidate_look(device->handle);
    if (refusal != CANDIDATE_FREE)
        return refuse(device, refusal);
    const enum status status = open_context(device);
    return status == STATUS_OK ? keep_if_free(device) : status;
}

enum status device_start_driver(void)
{
    once_run(&choose_once, choose_devices);
    return choice_status;
}

static enum status wake(struct device *device, int place)
{
    if (device_start_driver() != STATUS_OK)
        return choice_status;
    if (place >= the_choice.count)
        return STATUS_NO_DEVICE;
    const int ordinal = the_choice.ordinals[place];
    enum status status = open_device(ordinal, the_choice.devices, &device->handle);
    if (status != STATUS_OK)
        return status;
    device->place = place;
    device->choice = &the_choice;
    read_properties(device->handle, ordinal, &device->properties);
    exit_gate_install();
    atomic_store(&device->usable, true);
    status = is_candidate(place) ? open_candidate(device) : open_context(device);
    atomic_store(&device->usable, status == STATUS_OK);
    if (status == STATUS_OK)
        log_message(LOG_INFO, "device %d is awake: %s (%s)", ordinal, device->properties.name,
                    device_choice_reason(&the_choice, place));
    return status;
}

enum status device_wake_at(int place, struct device **device)
{
    struct waking *const waking = &wakings[place];
    pthread_mutex_lock(&waking->lock);
    if (!waking->is_done)
        waking->status = wake(&devices[place], place);
    waking->is_done = true;
    const enum status status = waking->status;
    pthread_mutex_unlock(&waking->lock);
    if (status == STATUS_OK && !device_is_usable(&devices[place]))
        return STATUS_DEVICE_LOST;
    *device = &devices[place];
    return status;
}

const char *device_refusal_at(int place)
{
    const enum candidate_refusal refusal = atomic_load(&devices[place].refusal);
    return refusal == CANDIDATE_FREE ? NULL : device_candidate_reason(refusal);
}

enum status device_wake(struct device **device)
{
    return device_wake_at(0, device);
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
    device->place = -1;
    device->is_programs = true;
    atomic_store(&device->usable, true);
    *result = device;
    return CUDA_SUCCESS;
}

const char *device_fault(void)
{
    return driver_fault() ? driver_fault() : fault;
}
