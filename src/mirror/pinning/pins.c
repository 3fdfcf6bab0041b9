#include "mirror/pinning/pins.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/host_memory/kernel_interface.h"

#include <errno.h>
#include <sys/mman.h>

size_t pins_pages(struct mirror *mirror, struct page_range pages)
{
    size_t count = 0;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        count += page_range_length(page_ranges_common(pin, pages));
    }
    pthread_mutex_unlock(&mirror->notes);
    return count;
}

bool pins_hold_in_one(struct mirror *mirror, size_t begin, size_t end)
{
    bool found = false;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count && !found; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        found = pin.begin <= begin && end <= pin.end;
    }
    pthread_mutex_unlock(&mirror->notes);
    return found;
}

/* The end of what is pinned or not from `begin` on, at most `end`. */
static size_t same_end(const struct mirror *mirror, size_t begin, size_t end, bool *pinned)
{
    *pinned = false;
    for (int i = 0; i < mirror->pin_count && !*pinned; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        *pinned = begin >= pin.begin && begin < pin.end;
        if (*pinned)
            end = pin.end < end ? pin.end : end;
        else if (begin < pin.begin)
            end = pin.begin < end ? pin.begin : end; /* before this pin, if in none */
    }
    return end;
}

size_t pins_run(struct mirror *mirror, size_t begin, size_t end, bool *direct)
{
    bool pinned;
    pthread_mutex_lock(&mirror->notes);
    end = same_end(mirror, begin, end, &pinned);
    pthread_mutex_unlock(&mirror->notes);
    *direct = pinned && !page_bits_test(mirror->suspect, begin);
    return (pinned ? page_bits_find(mirror->suspect, begin, end, *direct) : end) - begin;
}

/* Is it so of any device that mublas uses? */
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

static size_t overlap_bytes(const struct mirror_pin *pin, struct byte_range range)
{
    return byte_range_length(byte_ranges_common(range, (struct byte_range){pin->begin, pin->end}));
}

void gathering_note_wait(struct mirror *mirror, struct byte_range scanned, double us)
{
    if (us <= 0 || !settings()->huge_pages)
        return;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count; i++) {
        struct mirror_pin *pin = &mirror->pins[i];
        const size_t bytes = overlap_bytes(pin, scanned);
        if (bytes == 0 || pin->gathering.stays_small)
            continue;
        const double share_us = us * (double)bytes / (double)(scanned.end - scanned.begin);
        if (gathering_account_add(&pin->gathering, &mirror->resources->gathering, bytes, share_us))
            mirror->gathering_due = true;
    }
    pthread_mutex_unlock(&mirror->notes);
}

static bool is_huge(const struct mirror *mirror, struct byte_range blocks)
{
    return write_tracker_huge_bytes(mirror->resources->tracker, blocks.begin, blocks.end) >
           (blocks.end - blocks.begin) / 4 * 3;
}

/* Not for a panel of the matrix that took so long to scan. */
static bool is_due(const struct mirror_pin *pin, struct byte_range hull)
{
    return pin->gathering.is_due && 2 * (double)overlap_bytes(pin, hull) >= pin->gathering.waited_bytes;
}

bool gathering_is_due(struct mirror *mirror, const struct operand *operand)
{
    bool due = false;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count && mirror->gathering_due && !due; i++)
        due = is_due(&mirror->pins[i], operand_memory_hull(operand));
    pthread_mutex_unlock(&mirror->notes);
    return due;
}

/* The whole blocks of the pin that lie in the operand's hull. */
static struct byte_range blocks_of(const struct mirror_pin *pin, struct byte_range hull)
{
    const struct byte_range pinned = byte_ranges_common(hull, (struct byte_range){pin->begin, pin->end});
    return (struct byte_range){block_ceiling(pinned.begin), block_floor(pinned.end)};
}

static void begin_anew(struct mirror *mirror, struct mirror_pin *pin, bool stays_small)
{
    pthread_mutex_lock(&mirror->notes);
    pin->gathering = (struct gathering_account){.stays_small = stays_small};
    pthread_mutex_unlock(&mirror->notes);
}

static void note_failure(struct mirror *mirror, struct byte_range blocks)
{
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count; i++)
        if (overlap_bytes(&mirror->pins[i], blocks) > 0)
            mirror->pins[i].gathering.stays_small = true;
    pthread_mutex_unlock(&mirror->notes);
}

static enum status gather(struct mirror *mirror, struct claim *claim, int which, struct byte_range hull)
{
    struct mirror_pin *pin = &mirror->pins[which];
    const uint64_t bytes = overlap_bytes(pin, hull);
    const struct byte_range blocks = blocks_of(pin, hull);
    const double waited_us = pin->gathering.waited_us;
    begin_anew(mirror, pin, blocks.begin >= blocks.end);
    /* Gathering gains nothing if scans are slow for another reason. */
    if (pin->gathering.stays_small || is_huge(mirror, blocks))
        return STATUS_OK;
    const uint64_t started = clock_nanoseconds();
    const struct mirror_pin anew = {.begin = pin->begin, .end = pin->end};
    pins_undo(mirror, which);
    enum status status = pins_make(mirror, claim, anew, blocks);
    const uint64_t took = clock_nanoseconds() - started;
    gathering_learn(&mirror->resources->gathering, bytes, took);
    const bool gathered = is_huge(mirror, blocks);
    if (!gathered)
        note_failure(mirror, blocks);
    log_message(LOG_INFO, "gathering %zu MiB at %#zx into huge pages %s in %.0f ms; scans had cost %.0f ms",
                (size_t)(blocks.end - blocks.begin) >> 20, (size_t)blocks.begin,
                gathered ? "and pinning took" : "failed", (double)took / 1e6, waited_us / 1e3);
    return status;
}

static void note_what_is_due(struct mirror *mirror)
{
    pthread_mutex_lock(&mirror->notes);
    mirror->gathering_due = false;
    for (int i = 0; i < mirror->pin_count; i++)
        mirror->gathering_due = mirror->gathering_due || mirror->pins[i].gathering.is_due;
    pthread_mutex_unlock(&mirror->notes);
}

/* Pins that others are using, in part, wait for another call, as all do while another pins. */
enum status gathering_consider(struct mirror *mirror, struct claim *claim, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    enum status status = STATUS_OK;
    if (!gathering_is_due(mirror, operand) || pthread_mutex_trylock(&mirror->pinning) != 0)
        return STATUS_OK;
    for (int i = mirror->pin_count; i-- > 0 && status == STATUS_OK;) {
        const struct mirror_pin *pin = &mirror->pins[i];
        if (is_due(pin, hull) && claims_widen(mirror, claim, (struct byte_range){pin->begin, pin->end}))
            status = gather(mirror, claim, i, hull);
    }
    note_what_is_due(mirror);
    pthread_mutex_unlock(&mirror->pinning);
    return status;
}
