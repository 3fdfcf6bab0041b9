#include "mirror/pins.h"

#include "common/loaded_segment.h"
#include "common/log.h"
#include "mirror/cuda_users.h"
#include "mirror/kernel_interface.h"
#include "mirror/result_ranges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t pin_bytes(const struct mirror_pin *pin)
{
    return pin->end - pin->begin;
}

static void unpin(struct mirror *mirror, int which)
{
    struct mirror_resources *resources = mirror->resources;
    struct mirror_pin *pin = &mirror->pins[which];
    pthread_mutex_lock(&resources->pinning);
    if (device_is_usable(resources->device) && driver()->unpin((void *)pin->begin) == CUDA_SUCCESS)
        resources->counted_pins -= pin->counted;
    pthread_mutex_unlock(&resources->pinning);
    atomic_fetch_sub(&resources->pinned_bytes, pin_bytes(pin));
    *pin = mirror->pins[--mirror->pin_count];
}

void pins_release(struct mirror *mirror)
{
    while (mirror->pin_count > 0)
        unpin(mirror, mirror->pin_count - 1);
    atomic_store(&mirror->pinned_end, 0);
    free(mirror->suspect);
    mirror->suspect = NULL;
}

/* Some drivers' pins show in VmPin, others' do not: what shows must not be taken for a stranger's. */
static CUresult pin_counted(struct mirror *mirror, struct mirror_pin *pin)
{
    struct mirror_resources *resources = mirror->resources;
    pthread_mutex_lock(&resources->pinning);
    uint64_t before = pin_gauge_bytes(&resources->gauge);
    CUresult result = driver()->pin((void *)pin->begin, pin_bytes(pin), CU_MEMHOSTREGISTER_PORTABLE);
    if (result == CUDA_SUCCESS) {
        uint64_t after = pin_gauge_bytes(&resources->gauge);
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
    if (!pin.small)
        mirror->staged_bytes = mirror->direct_bytes = 0;
    if (result != CUDA_SUCCESS) {
        log_message(LOG_INFO, "pinning %zu MiB at %#zx failed (CUDA error %d)", pin_bytes(&pin) >> 20,
                    (size_t)pin.begin, (int)result);
        mirror->pins_refused++;
        return result;
    }
    mirror->pins_refused = 0;
    atomic_fetch_add(&mirror->resources->pinned_bytes, pin_bytes(&pin));
    mirror->pins[mirror->pin_count++] = pin;
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
    madvise((void *)blocks.begin, blocks.end - blocks.begin, ADVICE_COLLAPSE); /* refused: small pages serve as well */
    page_bits_clear(mirror->split, mirror_block(mirror, blocks.begin), mirror_block(mirror, blocks.end));
    errno = saved_errno;
}

/* Pin what is registered and perhaps protected. Pinning writes to every page, which
 * would split protected huge pages: out of protection first. The order is the
 * safe one: pin, register, protect, all invalid. */
static enum status pin_anew(struct mirror *mirror, struct mirror_pin pin, struct byte_range gathered)
{
    struct page_range pages = mirror_page_range(mirror, pin.begin, pin.end);
    mirror->pinned_anew = true;
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
        status = mirror_scan(mirror, pin.begin, pin.end);
    page_bits_clear(mirror->suspect, pages.begin, pages.end);
    return status;
}

/* Each costs an upload of what was to be pinned: the kernel's limit may be reached now and not later. */
enum { REFUSALS_MOST = 3 };

/* A pin that has moved its bytes so often has paid for another. */
enum { PIN_EARNED = 8 };

static bool would_pay(const struct mirror *mirror, const struct operand *operand, struct byte_range hull)
{
    struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    size_t bytes = hull.end - hull.begin, count = pages.end - pages.begin;
    if (footprint_bytes(operand) < bytes / 3)
        return false; /* a few rows of a large matrix */
    const bool goes_up = operand->access != OPERAND_OVERWRITE &&
                         page_bits_count(mirror->valid, pages.begin, pages.end) < count / 2;
    const bool moves = goes_up || operand->access != OPERAND_READ;
    const size_t pinned = pins_pages(mirror, pages);
    if (pinned <= count / 2)
        return goes_up || mirror->staged_bytes >= bytes;
    if (count - pinned > count / 8 && mirror->staged_bytes > bytes / 2)
        return true; /* a matrix that has grown */
    if (count > pinned && operand->access != OPERAND_READ && result_ranges_due(mirror, pages))
        return true; /* however little: what sticks out comes home in pieces, each time */
    /* Of a triangle only as many pages are written as it has. */
    return page_bits_count(mirror->suspect, pages.begin, pages.end) > footprint_bytes(operand) >> (page_shift() + 1) &&
           (mirror->staged_bytes > 2 * (uint64_t)bytes ||
            (operand->access != OPERAND_READ && mirror->staged_bytes > bytes / 4) ||
            (moves && mirror->direct_bytes > PIN_EARNED * (uint64_t)bytes));
}

static void replace(struct mirror *mirror, int which, struct mirror_pin *by)
{
    const struct mirror_pin *pin = &mirror->pins[which];
    by->waited_us += pin->waited_us;
    by->waited_bytes = fmax(by->waited_bytes, pin->waited_bytes);
    by->stays_small = by->stays_small || (pin->stays_small && !pin->small);
    unpin(mirror, which);
}

/* Which of the mirror's pins go for another one. */
struct replaced_pins {
    bool which[MIRROR_PINS_MAX];
    int count;
    size_t bytes;
};

/* Pins inside the wanted range go, and small ones; others that stick out stay, and it shrinks. */
static struct replaced_pins find_overlaps(const struct mirror *mirror, struct mirror_pin *wanted, bool again)
{
    struct replaced_pins replaced = {{false}, 0, 0};
    for (int i = mirror->pin_count; i-- > 0;) {
        const struct mirror_pin *pin = &mirror->pins[i];
        if (pin->begin >= wanted->end || pin->end <= wanted->begin)
            continue;
        if (again || pin->small || (pin->begin >= wanted->begin && pin->end <= wanted->end)) {
            replaced.which[i] = true;
            replaced.count++;
            replaced.bytes += pin_bytes(pin);
        } else if (pin->begin < wanted->begin) {
            wanted->begin = pin->end < wanted->end ? pin->end : wanted->end;
        } else {
            wanted->end = pin->begin;
        }
    }
    return replaced;
}

static bool fits_budget(const struct mirror *mirror, const struct mirror_pin *wanted,
                        const struct replaced_pins *replaced)
{
    const struct mirror_resources *resources = mirror->resources;
    const size_t all = atomic_load(&resources->pinned_bytes), budget = resources->pin_budget_bytes;
    const size_t others = all - (replaced->bytes < all ? replaced->bytes : all);
    return mirror->pin_count - replaced->count < MIRROR_PINS_MAX && others <= budget &&
           pin_bytes(wanted) <= budget - others;
}

/* A program that goes on to other results has no use for the pins of the old ones: the first goes as well.
 * -1: there is room. */
static int add_oldest_small(const struct mirror *mirror, struct replaced_pins *replaced)
{
    int small = 0, first = -1;
    for (int i = mirror->pin_count; i-- > 0;)
        if (mirror->pins[i].small && !replaced->which[i]) {
            small++;
            first = i;
        }
    if (small < MIRROR_SMALL_PINS_MAX)
        return -1;
    replaced->count++;
    replaced->bytes += pin_bytes(&mirror->pins[first]);
    return first;
}

/* False, and all stay: it is nothing, or does not fit. */
static bool make_way(struct mirror *mirror, struct mirror_pin *wanted, bool again)
{
    struct replaced_pins replaced = find_overlaps(mirror, wanted, again);
    const int oldest = wanted->small ? add_oldest_small(mirror, &replaced) : -1;
    if (wanted->begin >= wanted->end || !fits_budget(mirror, wanted, &replaced))
        return false;
    for (int i = mirror->pin_count; i-- > 0;)
        if (replaced.which[i])
            replace(mirror, i, wanted);
        else if (i == oldest)
            unpin(mirror, i);
    return true;
}

static bool may_pin(struct mirror *mirror)
{
    if (!mirror->suspect)
        mirror->suspect = page_bits_create(mirror_pages(mirror));
    if (!mirror->suspect || pins_program_uses_cuda(mirror))
        mirror->pin_forbidden = true;
    return !mirror->pin_forbidden;
}

/* Widened by the small pins that it meets. False: it meets a large one, or would be one. */
static bool join_small(const struct mirror *mirror, struct mirror_pin *wanted)
{
    for (int i = 0; i < mirror->pin_count; i++) {
        const struct mirror_pin *pin = &mirror->pins[i];
        if (pin->begin >= wanted->end || pin->end <= wanted->begin)
            continue;
        wanted->begin = pin->begin < wanted->begin ? pin->begin : wanted->begin;
        wanted->end = pin->end > wanted->end ? pin->end : wanted->end;
        if (!pin->small)
            return false;
    }
    return pin_bytes(wanted) <= PIN_BYTES_MIN;
}

/* The driver refuses the program's own copies, should it come to use CUDA later, from and to memory of which a
 * part is pinned. So nothing of some size that comes and goes may share a page with the result: what
 * malloc has mapped for it, or the program has laid on pages itself, begins at the beginning of one. */
enum { HEADER_BYTES_MOST = 64 };

static bool stands_alone(struct byte_range hull)
{
    struct loaded_segment of_variables;
    return hull.begin - page_floor(hull.begin) <= HEADER_BYTES_MOST ||
           loaded_segment_find(hull.begin, &of_variables);
}

static enum status consider_result(struct mirror *mirror, const struct operand *operand, struct byte_range hull)
{
    const struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    struct mirror_pin wanted = {
        .begin = page_floor(hull.begin), .end = page_ceiling(hull.end), .stays_small = true, .small = true};
    if (operand->access == OPERAND_READ || !result_ranges_due(mirror, pages))
        return STATUS_OK;
    result_ranges_pinned(mirror, pages); /* even if it may not be: that is not to be asked at each call */
    if (!stands_alone(hull) || !may_pin(mirror) || !join_small(mirror, &wanted))
        return STATUS_OK;
    return make_way(mirror, &wanted, true) ? pin_anew(mirror, wanted, (struct byte_range){0, 0}) : STATUS_OK;
}

enum status pins_consider(struct mirror *mirror, const struct operand *operand)
{
    struct byte_range hull = footprint_hull(operand);
    if (mirror->pin_forbidden || mirror->pins_refused >= REFUSALS_MOST)
        return STATUS_OK;
    if (hull.end - hull.begin < PIN_BYTES_MIN)
        return consider_result(mirror, operand, hull);
    if (hull.end - hull.begin > mirror->resources->pin_budget_bytes || !would_pay(mirror, operand, hull) ||
        !may_pin(mirror))
        return STATUS_OK;
    struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    struct mirror_pin wanted = {.begin = page_floor(hull.begin), .end = page_ceiling(hull.end)};
    const bool again = pins_pages(mirror, pages) > (pages.end - pages.begin) / 2;
    if (result_ranges_due(mirror, pages))
        result_ranges_pinned(mirror, pages); /* even if it may not be */
    return make_way(mirror, &wanted, again) ? pin_anew(mirror, wanted, (struct byte_range){0, 0}) : STATUS_OK;
}

enum status pins_gather(struct mirror *mirror, int which, struct byte_range gathered)
{
    const struct mirror_pin pin = {.begin = mirror->pins[which].begin, .end = mirror->pins[which].end};
    unpin(mirror, which);
    return pin_anew(mirror, pin, gathered);
}

bool pins_program_uses_cuda(const struct mirror *mirror)
{
    return device_is_shared(mirror->resources->device) || cuda_users_present();
}

bool pins_must_go(const struct mirror *mirror)
{
    return mirror->pin_count > 0 && pins_program_uses_cuda(mirror);
}

void pins_note_foreign(struct mirror *mirror, size_t begin, size_t end)
{
    const struct device *device = mirror->resources->device;
    if (mirror->pin_count > 0 || !pins_program_uses_cuda(mirror)) /* pins of ours go before the next call */
        return;
    /* A pin that is not inside one page holds the first byte of a page, or the last of all. */
    const char *host = (const char *)mirror->begin;
    bool found = begin < end && device_has_pinned(device, host + (end << page_shift()) - 1);
    for (size_t page = begin; page < end && !found; page++)
        found = device_has_pinned(device, host + (page << page_shift()));
    if (found)
        atomic_store(&mirror->foreign_pins, true);
}

void pins_give_up(struct mirror *mirror)
{
    log_message(LOG_INFO, "the program uses CUDA itself: its memory is not pinned any more");
    mirror_invalidate(mirror, 0, mirror_pages(mirror));
    pins_release(mirror);
    mirror->pin_forbidden = true;
}
