#include "mirror/pins.h"

#include "common/log.h"
#include "mirror/mapping.h"

#include <stdlib.h>

static bool fits_budget(const struct mirror *mirror)
{
    const struct mirror_resources *resources = mirror->resources;
    size_t bytes = mirror->end - mirror->begin;
    size_t pinned = atomic_load(&resources->pinned_bytes) - (mirror->pinned ? bytes : 0);
    return bytes <= resources->pin_budget_bytes && pinned <= resources->pin_budget_bytes - bytes;
}

bool pins_would_pay(const struct mirror *mirror, size_t hull_bytes, struct page_range hull)
{
    size_t bytes = mirror->end - mirror->begin;
    if (mirror->pin_refused || bytes < PIN_BYTES_MIN || hull_bytes < bytes / 2 || !fits_budget(mirror))
        return false;
    if (!mirror->armed)
        return true;
    if (!mirror->pinned)
        return mirror->staged_bytes >= bytes;
    return mirror->staged_bytes > 2 * (uint64_t)bytes &&
           page_bits_count(mirror->suspect, hull.begin, hull.end) > (hull.end - hull.begin) / 2;
}

static enum status refuse(struct mirror *mirror, CUresult result)
{
    log_message(LOG_INFO, "pinning %zu MiB at %#zx failed (CUDA error %d)", (mirror->end - mirror->begin) >> 20,
                (size_t)mirror->begin, (int)result);
    mirror->pin_refused = true;
    mirror->foreign_pins = result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    return mirror->foreign_pins ? STATUS_NOT_TRACKABLE : STATUS_OK;
}

/* Some drivers' pins show in VmPin, others' do not: what shows must not be taken for a stranger's. */
static CUresult pin_counted(struct mirror *mirror, size_t bytes)
{
    struct mirror_resources *resources = mirror->resources;
    pthread_mutex_lock(&resources->pinning);
    uint64_t before = mapping_pinned_bytes();
    CUresult result = driver()->pin((void *)mirror->begin, bytes, CU_MEMHOSTREGISTER_PORTABLE);
    if (result == CUDA_SUCCESS) {
        uint64_t after = mapping_pinned_bytes();
        mirror->counted_pin = after > before ? after - before : 0;
        if (mirror->counted_pin > bytes)
            mirror->counted_pin = bytes;
        resources->counted_pins += mirror->counted_pin;
    }
    pthread_mutex_unlock(&resources->pinning);
    return result;
}

enum status pins_pin(struct mirror *mirror)
{
    size_t bytes = mirror->end - mirror->begin;
    mirror->staged_bytes = 0;
    mirror->suspect = page_bits_create(mirror_pages(mirror));
    if (!mirror->suspect || mapping_program_uses_cuda()) {
        mirror->pin_refused = true;
        free(mirror->suspect);
        mirror->suspect = NULL;
        return STATUS_OK;
    }
    CUresult result = pin_counted(mirror, bytes);
    if (result != CUDA_SUCCESS) {
        free(mirror->suspect);
        mirror->suspect = NULL;
        return refuse(mirror, result);
    }
    atomic_fetch_add(&mirror->resources->pinned_bytes, bytes);
    mirror->pinned = true;
    log_message(LOG_INFO, "pinned %zu MiB at %#zx", bytes >> 20, (size_t)mirror->begin);
    return STATUS_OK;
}

void pins_unpin(struct mirror *mirror)
{
    struct mirror_resources *resources = mirror->resources;
    if (!mirror->pinned)
        return;
    pthread_mutex_lock(&resources->pinning);
    if (device_is_usable(resources->device) && driver()->unpin((void *)mirror->begin) == CUDA_SUCCESS)
        resources->counted_pins -= mirror->counted_pin;
    pthread_mutex_unlock(&resources->pinning);
    atomic_fetch_sub(&resources->pinned_bytes, mirror->end - mirror->begin);
    mirror->pinned = false;
    free(mirror->suspect);
    mirror->suspect = NULL;
}
