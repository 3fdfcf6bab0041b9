#include "mirror/pinning/pin_steps.h"

#include "common/log.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/pinning/cuda_users.h"

#include <errno.h>
#include <sys/mman.h>

/* Of those that have copies: is it so of any? */
static bool any_device(const struct mirror_resources *resources, bool (*is_so)(const struct device *device))
{
    for (int i = 0; i < resources->places; i++) {
        const struct device *device = atomic_load(&resources->shares[i].device);
        if (device && is_so(device))
            return true;
    }
    return false;
}

void pins_undo(struct mirror *mirror, int which)
{
    struct mirror_resources *resources = mirror->resources;
    struct mirror_pin *pin = &mirror->pins[which];
    pthread_mutex_lock(&resources->pinning);
    if (any_device(resources, device_is_usable) && driver()->unpin((void *)pin->begin) == CUDA_SUCCESS)
        resources->counted_pins -= pin->counted;
    pthread_mutex_unlock(&resources->pinning);
    atomic_fetch_sub(&resources->pinned_bytes, pin_bytes(pin));
    pthread_mutex_lock(&mirror->notes);
    *pin = mirror->pins[--mirror->pin_count];
    pthread_mutex_unlock(&mirror->notes);
}

void pins_release(struct mirror *mirror)
{
    while (mirror->pin_count > 0)
        pins_undo(mirror, mirror->pin_count - 1);
    atomic_store(&mirror->pinned_end, 0);
}

/* Some drivers' pins show in VmPin, others' do not: what shows must not be taken for a stranger's. */
static CUresult pin_counted(struct mirror *mirror, struct mirror_pin *pin)
{
    struct mirror_resources *resources = mirror->resources;
    pthread_mutex_lock(&resources->pinning);
    uint64_t before = process_pins_bytes(&resources->process_pins);
    CUresult result = driver()->pin((void *)pin->begin, pin_bytes(pin), CU_MEMHOSTREGISTER_PORTABLE);
    if (result == CUDA_SUCCESS) {
        uint64_t after = process_pins_bytes(&resources->process_pins);
        pin->counted = after > before ? after - before : 0;
        /* Huge pages count whole; anything beyond is somebody else's. */
        size_t most = block_ceiling(pin->end) - block_floor(pin->begin);
        if (pin->counted > most)
            pin->counted = most;
        resources->counted_pins += pin->counted;
    }
    pthread_mutex_unlock(&resources->pinning);
    return result;
}

static CUresult add_pin(struct mirror *mirror, struct mirror_pin pin)
{
    CUresult result = pin_counted(mirror, &pin);
    if (!pin.small) {
        atomic_store(&mirror->staged_bytes, 0);
        atomic_store(&mirror->direct_bytes, 0);
    }
    pthread_mutex_lock(&mirror->notes);
    mirror->pins_refused = result == CUDA_SUCCESS ? 0 : mirror->pins_refused + 1;
    if (result == CUDA_SUCCESS)
        mirror->pins[mirror->pin_count++] = pin;
    pthread_mutex_unlock(&mirror->notes);
    if (result != CUDA_SUCCESS) {
        log_message(LOG_INFO, "pinning %zu MiB at %#zx failed (CUDA error %d)", pin_bytes(&pin) >> 20,
                    (size_t)pin.begin, (int)result);
        return result;
    }
    atomic_fetch_add(&mirror->resources->pinned_bytes, pin_bytes(&pin));
    if (!pin.small) {
        atomic_store(&mirror->pinned_begin, pin.begin);
        atomic_store(&mirror->pinned_end, pin.end);
    }
    log_message(LOG_INFO, "pinned %zu KiB at %#zx", pin_bytes(&pin) >> 10, (size_t)pin.begin);
    return CUDA_SUCCESS;
}

/* Not possible while protected or pinned. */
static void gather_into_huge_pages(struct mirror *mirror, struct byte_range blocks)
{
    int saved_errno = errno;
    madvise((void *)blocks.begin, blocks.end - blocks.begin,
            ADVICE_COLLAPSE); /* refused: small pages serve as well */
    page_bits_clear(mirror->split, mirror_block(mirror, blocks.begin), mirror_block(mirror, blocks.end));
    errno = saved_errno;
}

/* Pinning writes to every page, which would split protected huge pages: out of protection first. The order is
 * the safe one: pin, register, protect, all invalid. */
enum status pins_make(struct mirror *mirror, struct claim *claim, struct mirror_pin pin,
                      struct byte_range gathered)
{
    struct page_range pages = mirror_page_range(mirror, pin.begin, pin.end);
    claim->pinned_anew = true;
    mirror_invalidate(mirror, pages.begin, pages.end);
    registration_pause(mirror, pin.begin, pin.end);
    if (gathered.begin < gathered.end)
        gather_into_huge_pages(mirror, gathered);
    CUresult result = add_pin(mirror, pin);
    if (result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) {
        atomic_store(&mirror->foreign_pins, true);
        return STATUS_NOT_TRACKABLE;
    }
    enum status status = registration_add(mirror, pin.begin, pin.end);
    /* From now on it can be told what happened to a page since it was pinned. */
    if (status == STATUS_OK)
        status = mirror_scan(mirror, claim, (struct byte_range){pin.begin, pin.end});
    page_bits_clear(mirror->suspect, pages.begin, pages.end);
    return status;
}

bool pins_program_uses_cuda(const struct mirror *mirror)
{
    return any_device(mirror->resources, device_is_shared) || cuda_users_present();
}

bool pins_must_go(struct mirror *mirror)
{
    return pins_program_uses_cuda(mirror) && pins_count(mirror) > 0;
}

void pins_note_foreign(struct mirror *mirror, size_t begin, size_t end)
{
    if (!pins_program_uses_cuda(mirror) || pins_count(mirror) > 0) /* pins of ours go before the next call */
        return;
    /* A pin that is not inside one page holds the first byte of a page, or the last of all. */
    const char *host = (const char *)mirror->begin;
    bool found = begin < end && device_has_pinned(host + (end << page_shift()) - 1);
    for (size_t page = begin; page < end && !found; page++)
        found = device_has_pinned(host + (page << page_shift()));
    if (found)
        atomic_store(&mirror->foreign_pins, true);
}

void pins_give_up(struct mirror *mirror)
{
    log_message(LOG_INFO, "the program uses CUDA itself: its memory is not pinned any more");
    mirror_invalidate(mirror, 0, mirror_pages(mirror));
    pins_release(mirror);
    pthread_mutex_lock(&mirror->notes);
    mirror->pin_forbidden = true;
    pthread_mutex_unlock(&mirror->notes);
}
