#include "mirror/pinning/gathering.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/pinning/pin_steps.h"

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

/* Of the pin the whole blocks that the operand touches. */
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
    /* Where scans are slow for another reason there is nothing to be had. */
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
