#include "mirror/gathering.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/pins.h"

/* 0.3 s per GiB, which some of this process's own gathering soon outweighs. */
enum { GUESSED_NANOSECONDS_PER_KIB = 300, GUESS_WEIGHS_BYTES = 64 << 20 };

bool gathering_pays(const struct gathering_cost *cost, double waited_us, uint64_t bytes)
{
    const double known_bytes = (double)atomic_load(&cost->bytes) + GUESS_WEIGHS_BYTES;
    const double known_us = (double)atomic_load(&cost->nanoseconds) / 1e3 +
                            GUESS_WEIGHS_BYTES / 1024 * (GUESSED_NANOSECONDS_PER_KIB / 1e3);
    return waited_us >= (double)bytes * known_us / known_bytes;
}

void gathering_learn(struct gathering_cost *cost, uint64_t bytes, uint64_t nanoseconds)
{
    atomic_fetch_add(&cost->bytes, bytes);
    atomic_fetch_add(&cost->nanoseconds, nanoseconds);
}

static size_t overlap_bytes(const struct mirror_pin *pin, struct byte_range range)
{
    const uintptr_t begin = range.begin > pin->begin ? range.begin : pin->begin;
    const uintptr_t end = range.end < pin->end ? range.end : pin->end;
    return begin < end ? end - begin : 0;
}

void gathering_note_wait(struct mirror *mirror, struct byte_range scanned, double us)
{
    for (int i = 0; i < mirror->pin_count && settings()->huge_pages && us > 0; i++) {
        struct mirror_pin *pin = &mirror->pins[i];
        const size_t bytes = overlap_bytes(pin, scanned);
        if (bytes == 0 || pin->stays_small)
            continue;
        const double share_us = us * (double)bytes / (double)(scanned.end - scanned.begin);
        pin->waited_us += share_us;
        pin->waited_bytes += ((double)bytes - pin->waited_bytes) * share_us / pin->waited_us;
        if (gathering_pays(&mirror->resources->gathering, pin->waited_us, (uint64_t)pin->waited_bytes))
            mirror->gathering_due = pin->gathering_due = true;
    }
}

static bool is_huge(const struct mirror *mirror, struct byte_range blocks)
{
    return write_tracker_huge_bytes(mirror->resources->tracker, blocks.begin, blocks.end) >
           (blocks.end - blocks.begin) / 4 * 3;
}

/* Not for a panel of the matrix that took so long to scan. */
static bool is_due(const struct mirror_pin *pin, struct byte_range hull)
{
    return pin->gathering_due && 2 * (double)overlap_bytes(pin, hull) >= pin->waited_bytes;
}

bool gathering_is_due(const struct mirror *mirror, const struct operand *operand)
{
    bool due = false;
    for (int i = 0; i < mirror->pin_count && mirror->gathering_due && !due; i++)
        due = is_due(&mirror->pins[i], footprint_hull(operand));
    return due;
}

/* Of the pin the whole blocks that the operand touches. */
static enum status gather(struct mirror *mirror, int which, struct byte_range hull)
{
    struct mirror_pin *pin = &mirror->pins[which];
    const uint64_t bytes = overlap_bytes(pin, hull);
    const struct byte_range blocks = {block_ceiling(hull.begin > pin->begin ? hull.begin : pin->begin),
                                      block_floor(hull.end < pin->end ? hull.end : pin->end)};
    const double waited_us = pin->waited_us;
    pin->waited_us = pin->waited_bytes = 0;
    pin->gathering_due = false;
    pin->stays_small = blocks.begin >= blocks.end;
    /* Where scans are slow for another reason there is nothing to be had. */
    if (pin->stays_small || is_huge(mirror, blocks))
        return STATUS_OK;
    const uint64_t started = clock_nanoseconds();
    enum status status = pins_gather(mirror, which, blocks);
    const uint64_t took = clock_nanoseconds() - started;
    gathering_learn(&mirror->resources->gathering, bytes, took);
    const bool gathered = is_huge(mirror, blocks);
    for (int i = 0; i < mirror->pin_count && !gathered; i++)
        mirror->pins[i].stays_small = mirror->pins[i].stays_small || overlap_bytes(&mirror->pins[i], blocks) > 0;
    log_message(LOG_INFO, "gathering %zu MiB at %#zx into huge pages %s in %.0f ms; scans had cost %.0f ms",
                (size_t)(blocks.end - blocks.begin) >> 20, (size_t)blocks.begin,
                gathered ? "and pinning took" : "failed", (double)took / 1e6, waited_us / 1e3);
    return status;
}

enum status gathering_consider(struct mirror *mirror, const struct operand *operand)
{
    const struct byte_range hull = footprint_hull(operand);
    bool due = false;
    enum status status = STATUS_OK;
    if (!mirror->gathering_due)
        return STATUS_OK;
    for (int i = mirror->pin_count; i-- > 0 && status == STATUS_OK;)
        if (is_due(&mirror->pins[i], hull))
            status = gather(mirror, i, hull);
    for (int i = 0; i < mirror->pin_count; i++)
        due = due || mirror->pins[i].gathering_due;
    mirror->gathering_due = due;
    return status;
}
