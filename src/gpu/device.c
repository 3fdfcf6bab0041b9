#include "gpu/device.h"
#include "common/log.h"
#include "gpu/driver.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_WITHOUT_ASKING = 48 << 10 };

/* The fatbin made from kernels/, or a line of text where the build had no nvcc (common/embedded.S). */
extern const char mublas_kernels_image[] __attribute__((visibility("hidden")));

static const char *const names[KERNEL_COUNT] = {
#define KERNEL(name, arguments) #name,
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#undef KERNEL
};

const char *kernel_name(enum kernel kernel)
{
    return names[kernel];
}

bool kernel_set_is_built(void)
{
    static const char placeholder[] = "mublas:";
    return memcmp(mublas_kernels_image, placeholder, sizeof placeholder - 1) != 0;
}

CUresult kernel_set_load(struct kernel_set *set)
{
    memset(set->entries, 0, sizeof set->entries);
    pthread_mutex_init(&set->lock, NULL);
    for (int i = 0; i < KERNEL_COUNT; i++)
        set->entries[i].shared_bytes = SHARED_WITHOUT_ASKING;
    CUdevice device;
    CUresult result = driver()->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&set->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                            device);
    if (result == CUDA_SUCCESS)
        result = driver()->module_load(&set->module, mublas_kernels_image);
    return result;
}

/* The allowed size only grows: another thread may be about to launch with more. */
static CUresult allow_shared(struct kernel_entry *entry, size_t bytes)
{
    if (bytes <= entry->shared_bytes)
        return CUDA_SUCCESS;
    CUresult result = driver()->function_set_attribute(
        entry->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (result == CUDA_SUCCESS)
        entry->shared_bytes = bytes;
    return result;
}

static CUresult allow_large_clusters(struct kernel_entry *entry)
{
    CUresult result = CUDA_SUCCESS;
    if (!entry->has_large_clusters)
        result = driver()->function_set_attribute(
            entry->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    entry->has_large_clusters = result == CUDA_SUCCESS;
    return result;
}

static CUresult find_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                              bool has_large_clusters, CUfunction *function)
{
    struct kernel_entry *entry = &set->entries[kernel];
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&set->lock);
    if (!entry->function)
        result = driver()->module_function(&entry->function, set->module, names[kernel]);
    if (result == CUDA_SUCCESS)
        result = allow_shared(entry, shared_bytes);
    if (result == CUDA_SUCCESS && has_large_clusters)
        result = allow_large_clusters(entry);
    *function = entry->function;
    pthread_mutex_unlock(&set->lock);
    return result;
}

CUresult kernel_set_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                             CUfunction *function)
{
    return find_function(set, kernel, shared_bytes, false, function);
}

CUresult kernel_set_cluster_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                                     CUfunction *function)
{
    return find_function(set, kernel, shared_bytes, true, function);
}

/* The number of ranks that get device `ordinal`, where ranks are dealt round robin. */
static int ranks_on(int ordinal, int ranks, int devices)
{
    return ranks > ordinal ? (ranks - ordinal - 1) / devices + 1 : 1;
}

static void take_listed(struct device_choice *choice, const struct device_list *setting)
{
    for (int i = 0; i < setting->count; i++) {
        if (setting->ordinals[i] < choice->devices)
            choice->ordinals[choice->count++] = setting->ordinals[i];
        else if (choice->missing < 0)
            choice->missing = setting->ordinals[i];
    }
    if (choice->count > 0)
        return;
    choice->ordinals[choice->count++] = setting->ordinals[0];
    choice->missing = -1;
}

/* `count` of them, from that of the rank on. */
static void take_round_robin(struct device_choice *choice, int rank, int count)
{
    choice->count = count < DEVICES_MAX ? count : DEVICES_MAX;
    for (int i = 0; i < choice->count; i++)
        choice->ordinals[i] = (rank + i) % choice->devices;
}

/* If somebody has dealt these fairly: each rank uses `used` of `devices`. */
static int fair_sharers(int ranks, int used, int devices)
{
    const int sharers = (int)(((int64_t)ranks * used + devices - 1) / devices);
    return sharers > 1 ? sharers : 1;
}

static int sharers_of(const struct device_choice *choice, const struct device_list *setting,
                      const struct local_rank *rank, int bound_of)
{
    if (rank->rank < 0 || rank->ranks <= 0)
        return 1;
    if (bound_of > 0 && choice->devices == 1)
        return fair_sharers(rank->ranks, 1, bound_of);
    if (setting->count > 0)
        return fair_sharers(rank->ranks, choice->count, choice->devices);
    return setting->all && choice->count == choice->devices
               ? rank->ranks
               : ranks_on(choice->ordinal, rank->ranks, choice->devices);
}

static void explain_setting(struct device_choice *choice, const struct device_list *setting)
{
    const size_t room = sizeof choice->reason;
    if (setting->all) {
        snprintf(choice->reason, room, "MUBLAS_DEVICE=all, %d visible", choice->devices);
        return;
    }
    size_t at = (size_t)snprintf(choice->reason, room, "MUBLAS_DEVICE=");
    for (int i = 0; i < setting->count; i++)
        at += (size_t)snprintf(choice->reason + at, room - at, "%s%d", i > 0 ? "," : "", setting->ordinals[i]);
}

static void explain_auto(struct device_choice *choice, const struct local_rank *rank)
{
    const size_t room = sizeof choice->reason;
    if (rank->rank < 0)
        snprintf(choice->reason, room, "default, the first of %d visible", choice->devices);
    else if (rank->ranks > 0)
        snprintf(choice->reason, room, "%s=%d, %d visible, shared by %d of %d ranks", rank->variable, rank->rank,
                 choice->devices, choice->sharers, rank->ranks);
    else
        snprintf(choice->reason, room, "%s=%d, %d visible", rank->variable, rank->rank, choice->devices);
}

struct device_choice device_choice_make(const struct device_list *setting, const struct local_rank *rank,
                                        int devices, int bound_of)
{
    struct device_choice choice = {.devices = devices, .missing = -1};
    if (setting->count > 0)
        take_listed(&choice, setting);
    else
        take_round_robin(&choice, rank->rank >= 0 ? rank->rank : 0, setting->all ? devices : 1);
    choice.ordinal = choice.ordinals[0];
    choice.sharers = sharers_of(&choice, setting, rank, bound_of);
    if (setting->count > 0 || setting->all)
        explain_setting(&choice, setting);
    else
        explain_auto(&choice, rank);
    return choice;
}

void device_choice_add_candidates(struct device_choice *choice, const struct device_list *setting,
                                  bool is_launched)
{
    if (is_launched || setting->all || setting->count > 0 || choice->devices == 1)
        return;
    take_round_robin(choice, 0, choice->devices);
    choice->has_candidates = true;
}

const char *device_choice_reason(const struct device_choice *choice, int place)
{
    return choice->has_candidates && place > 0 ? "default, as calls gain by it" : choice->reason;
}

size_t device_choice_share(const struct device_choice *choice, unsigned percent, size_t available_bytes,
                           size_t total_bytes)
{
    size_t share = total_bytes / (size_t)choice->sharers;
    return (share < available_bytes ? share : available_bytes) / 100 * percent;
}

void device_disable(struct device *device, const char *reason)
{
    if (!atomic_exchange(&device->usable, false))
        return;
    log_message(LOG_WARNING, "device %d is left alone from now on: %s", device->properties.ordinal, reason);
    driver_leave();
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

enum status device_launch(struct device *device, CUstream stream, enum kernel kernel, unsigned blocks,
                          unsigned threads, size_t shared_bytes, void *arguments)
{
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(device), kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, threads, 1, 1, (unsigned)shared_bytes,
                                         stream, parameters, NULL);
    return device_check(device, result, kernel_name(kernel));
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

/* A lost device tells so at every call. */
static bool is_well(const struct device *device, CUstream stream)
{
    if (!device_is_usable(device))
        return false;
    const CUresult result = driver()->stream_query(stream);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
}

enum status device_peer_check(struct device *device, CUstream stream, struct device *other, CUresult result,
                              const char *what)
{
    if (driver_status(result) != STATUS_DEVICE_LOST || !is_well(device, stream))
        return device_check(device, result, what);
    return device_check(other, result, what);
}

enum status device_peer_copy(struct device *from, CUdeviceptr source, struct device *to,
                             CUdeviceptr destination, size_t bytes, CUstream stream)
{
    return device_peer_check(
        from, stream, to,
        driver()->copy_peer_async(destination, to->context, source, from->context, bytes, stream),
        "copying to another device");
}
