#include "mirror/hold.h"

#include "common/clock.h"
#include "mirror/gathering.h"

/* Pages between two operands that are looked at along with them: what another request costs. */
enum { SCAN_US_NOTED = 20, GAP_MOST = 1 << 20 };

/* Ranges of one mirror, ascending and apart. */
struct scan_ranges {
    struct byte_range ranges[OPERANDS_MAX];
    int count;
};

static bool are_near(struct byte_range one, struct byte_range other)
{
    return one.begin <= other.end + GAP_MOST && other.begin <= one.end + GAP_MOST;
}

/* Whatever it comes near to becomes a part of it. */
static void add_range(struct scan_ranges *all, struct byte_range range)
{
    for (int i = all->count; i-- > 0;) {
        const struct byte_range other = all->ranges[i];
        if (!are_near(range, other))
            continue;
        range.begin = other.begin < range.begin ? other.begin : range.begin;
        range.end = other.end > range.end ? other.end : range.end;
        all->ranges[i] = all->ranges[--all->count];
    }
    int at = all->count;
    for (; at > 0 && all->ranges[at - 1].begin > range.begin; at--)
        all->ranges[at] = all->ranges[at - 1];
    all->ranges[at] = range;
    all->count++;
}

/* What is only written and in no pin is staged, and its pages are looked at after that: write_back.c. */
static bool may_wait(const struct held_operand *held)
{
    return held->operand.access == OPERAND_OVERWRITE && held->mirror->pin_count == 0;
}

/* Two matrices of one mapping may lie gigabytes apart: what lies between is none of the call's business. */
static struct scan_ranges ranges_of(const struct operands_hold *hold, const struct mirror *mirror)
{
    struct scan_ranges all = {.count = 0};
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror && !held->hot && !may_wait(held))
            add_range(&all, held->hull);
    }
    return all;
}

/* Clocks are dear in some virtual machines: only pins keep an account of scans. */
static uint64_t begin_wait(const struct mirror *mirror)
{
    return mirror->pin_count > 0 ? clock_nanoseconds() : 0;
}

static double waited_us(uint64_t began)
{
    return began ? (double)(clock_nanoseconds() - began) / 1e3 : 0;
}

enum status hold_scan(struct operands_hold *hold, struct mirror *mirror)
{
    const struct scan_ranges all = ranges_of(hold, mirror);
    enum status status = STATUS_OK;
    for (int i = 0; i < all.count && status == STATUS_OK; i++) {
        const uint64_t began = begin_wait(mirror);
        status = mirror_scan(mirror, all.ranges[i].begin, all.ranges[i].end);
        gathering_note_wait(mirror, all.ranges[i], waited_us(began));
    }
    return status;
}

/* Where the kernel is done the scan was the longer one; by how much is not known: half of it is a fair guess. */
static enum status scan_beside(const struct lane *lane, struct mirror *mirror, struct byte_range range)
{
    const uint64_t began = begin_wait(mirror);
    enum status status = mirror_scan(mirror, range.begin, range.end);
    const double us = waited_us(began);
    if (us > SCAN_US_NOTED && lane_is_idle(lane))
        gathering_note_wait(mirror, range, us / 2);
    return status;
}

static enum status prove(const struct operands_hold *hold, struct mirror *mirror)
{
    const struct scan_ranges all = ranges_of(hold, mirror);
    enum status status = STATUS_OK;
    for (int i = 0; i < all.count && status == STATUS_OK; i++)
        status = scan_beside(hold->lane, mirror, all.ranges[i]);
    return status;
}

/* The kernel may be reading the mirrors: whatever is found, their memory stays. After a
 * failed scan, which may have taken marks, nothing in the mirror is trusted. */
enum status hold_prove(struct operands_hold *hold)
{
    enum status status = STATUS_OK;
    hold->unproven = false;
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror *mirror = hold->mirrors[i];
        if (prove(hold, mirror) == STATUS_OK)
            continue;
        mirror_invalidate(mirror, 0, mirror_pages(mirror));
        if (mirror->suspect)
            page_bits_set(mirror->suspect, 0, mirror_pages(mirror));
        status = STATUS_NOT_TRACKABLE;
    }
    return status;
}
