#include "common/clock.h"
#include "mirror/hold.h"
#include "mirror/ledger/account.h"
#include "mirror/pinning/pins.h"

/* Ranges of one mirror, ascending and apart, and which of them are shared. */
struct scan_ranges {
    struct byte_range ranges[OPERANDS_MAX];
    bool shared[OPERANDS_MAX];
    int count;
};

static bool are_near(struct byte_range one, struct byte_range other)
{
    return one.begin <= other.end + SCAN_GAP_BYTES_MOST && other.begin <= one.end + SCAN_GAP_BYTES_MOST;
}

static void put_range(struct scan_ranges *all, int at, struct byte_range range, bool shared)
{
    all->ranges[at] = range;
    all->shared[at] = shared;
}

/* Whatever it comes near to becomes a part of it; of the other kind, what it overlaps. */
static void add_range(struct scan_ranges *all, struct byte_range range, bool shared)
{
    for (int i = all->count; i-- > 0;) {
        const struct byte_range other = all->ranges[i];
        if (shared == all->shared[i] ? !are_near(range, other) : !byte_ranges_overlap(range, other))
            continue;
        range.begin = other.begin < range.begin ? other.begin : range.begin;
        range.end = other.end > range.end ? other.end : range.end;
        shared = shared && all->shared[i];
        all->count--;
        put_range(all, i, all->ranges[all->count], all->shared[all->count]);
    }
    int at = all->count;
    for (; at > 0 && all->ranges[at - 1].begin > range.begin; at--)
        put_range(all, at, all->ranges[at - 1], all->shared[at - 1]);
    put_range(all, at, range, shared);
    all->count++;
}

/* An output that is only written is staged if its mirror has no pins; its pages are looked at after that:
 * hold_write_back.c. */
static bool may_wait(const struct held_operand *held)
{
    return held->operand.access == OPERAND_OVERWRITE && pins_count(held->mirror) == 0;
}

/* The bounds that a scan of a claimed range may be widened to: whether blocks are of small pages may have
 * been found out since, or changed. */
static struct byte_range scan_bounds(struct mirror *mirror, const struct claim *claim,
                                     struct byte_range range)
{
    int i = 0;
    while (i < claim->count - 1 && !byte_range_covers(claim->ranges[i], range))
        i++;
    return byte_ranges_common(mirror_scan_bounds(mirror, range), claim->ranges[i]);
}

/* Two matrices of one mapping may lie gigabytes apart: what lies between is none of the call's business. */
static struct scan_ranges ranges_of(const struct operands_hold *hold, int number)
{
    struct mirror *mirror = hold->mirrors[number];
    struct scan_ranges all = {.count = 0};
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror && !held->hot && !may_wait(held))
            add_range(&all, scan_bounds(mirror, &hold->claims[number], held->hull), held->shares);
    }
    return all;
}

static __thread char this_call __attribute__((tls_model("initial-exec")));
static __thread bool is_together __attribute__((tls_model("initial-exec")));

void operands_hold_together(bool together)
{
    is_together = together;
}

struct claim hold_claim_of(const struct operands_hold *hold, struct mirror *mirror, bool shared)
{
    struct scan_ranges all = {.count = 0};
    for (int i = 0; i < hold->count; i++)
        if (hold->operands[i].mirror == mirror)
            add_range(&all, mirror_scan_bounds(mirror, hold->operands[i].hull), hold->operands[i].shares);
    struct claim claim = {.count = all.count, .shared = shared ? CLAIM_ALL_SHARED : 0,
                          .place = hold->table->place, .call = is_together ? &this_call : NULL};
    for (int i = 0; i < all.count; i++) {
        claim.ranges[i] = all.ranges[i];
        claim.shared |= (unsigned)all.shared[i] << i;
    }
    return claim;
}

bool hold_overlap(const struct held_operand *one, const struct held_operand *other)
{
    return one->mirror == other->mirror && byte_ranges_overlap(mirror_scan_bounds(one->mirror, one->hull),
                                                               mirror_scan_bounds(other->mirror, other->hull));
}

static struct claim *claim_in(struct operands_hold *hold, const struct mirror *mirror)
{
    int number = 0;
    while (hold->mirrors[number] != mirror)
        number++;
    return &hold->claims[number];
}

enum status hold_scan_range(struct operands_hold *hold, struct mirror *mirror, struct byte_range range)
{
    struct claim *claim = claim_in(hold, mirror);
    return mirror_scan(mirror, claim, scan_bounds(mirror, claim, range));
}

/* Clocks are dear in some virtual machines: only pins keep an account of scans. */
static uint64_t begin_wait(const struct mirror *mirror)
{
    return pins_count(mirror) > 0 ? clock_nanoseconds() : 0;
}

static double waited_us(uint64_t began)
{
    return began ? (double)(clock_nanoseconds() - began) / 1e3 : 0;
}

enum status hold_scan(struct operands_hold *hold, int number)
{
    struct mirror *mirror = hold->mirrors[number];
    const struct scan_ranges all = ranges_of(hold, number);
    enum status status = STATUS_OK;
    for (int i = 0; i < all.count && status == STATUS_OK; i++) {
        const struct byte_range range = all.ranges[i];
        const uint64_t began = begin_wait(mirror);
        status = mirror_scan(mirror, &hold->claims[number], range);
        hold->scanned = true;
        gathering_note_wait(mirror, range, waited_us(began));
    }
    return status;
}

/* The scan was the longer one if the kernel is done; by how much is not known: half of it is a fair
 * guess. */
static enum status scan_beside(struct operands_hold *hold, int number, struct byte_range range)
{
    struct mirror *mirror = hold->mirrors[number];
    const uint64_t began = begin_wait(mirror);
    enum status status = mirror_scan(mirror, &hold->claims[number], range);
    const double us = waited_us(began);
    if (us > SCAN_NOISE_US && lane_is_idle(hold->lane))
        gathering_note_wait(mirror, range, us / 2);
    return status;
}

static enum status prove(struct operands_hold *hold, int number)
{
    const struct scan_ranges all = ranges_of(hold, number);
    enum status status = STATUS_OK;
    for (int i = 0; i < all.count && status == STATUS_OK; i++)
        status = scan_beside(hold, number, all.ranges[i]);
    return status;
}

/* The kernel may be reading the mirrors: whatever is found, their memory stays. */
enum status hold_prove(struct operands_hold *hold)
{
    enum status status = STATUS_OK;
    hold->unproven = false;
    for (int i = 0; i < hold->mirror_count; i++)
        if (prove(hold, i) != STATUS_OK)
            status = STATUS_NOT_TRACKABLE;
    for (int i = 0; i < hold->mirror_count; i++)
        claims_await_scans(hold->mirrors[i], &hold->claims[i]);
    return status;
}

bool hold_stop_sharing(struct operands_hold *hold)
{
    bool alone = true;
    for (int i = 0; i < hold->mirror_count && alone; i++)
        alone = claims_stop_sharing(hold->mirrors[i], &hold->claims[i]);
    return alone;
}

enum {
    HOT_STREAK = 3,       /* uses in a row that make a range hot */
    HOT_USES = 64,    /* before it is looked at again */
    HOT_BYTES_MOST = 8 << 20, /* more is worth a scan every time, and may be worth a pin (pins.h) */
};

/* Neighbours may share the page between them. */
static bool meet(struct page_range one, struct page_range other)
{
    const struct page_range common = page_ranges_common(one, other);
    return common.end > common.begin + 1 || page_range_covers(one, other) || page_range_covers(other, one);
}

/* The entry of this kind that these pages meet; NULL: none. */
static struct hot_range *find_hot(struct mirror_copy *copy, struct page_range pages, bool is_result)
{
    for (int i = 0; i < MIRROR_HOT_MAX; i++) {
        struct hot_range *const range = &copy->hot[i];
        if (range->is_result == is_result && range->streak > 0 && meet(range->pages, pages))
            return range;
    }
    return NULL;
}

/* A factorisation's panels pass by; its workspace stays. */
static struct hot_range *place_of_new(struct mirror_copy *copy)
{
    struct hot_range *least = &copy->hot[copy->next_hot++ % MIRROR_HOT_MAX];
    for (int i = 0; i < MIRROR_HOT_MAX; i++)
        if (copy->hot[i].streak < least->streak)
            least = &copy->hot[i];
    return least;
}

/* All of the pages must be hot: a matrix is not rewritten because a panel in it is. */
static bool is_hot(const struct hot_range *range, struct page_range pages)
{
    return range && range->streak >= HOT_STREAK && page_range_covers(range->pages, pages);
}

bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const bool holds = is_hot(find_hot(copy, pages, false), pages);
    pthread_mutex_unlock(&copy->mirror->notes);
    return holds;
}

bool hot_ranges_pass(struct mirror_copy *copy, struct page_range pages, bool *is_open)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct hot_range *const range = find_hot(copy, pages, true);
    const bool passes = is_hot(range, pages);
    *is_open = passes && range->uses_left < HOT_USES;
    pthread_mutex_unlock(&copy->mirror->notes);
    return passes;
}

static void count_rewrite(struct mirror_copy *copy, struct page_range pages, bool is_result)
{
    struct hot_range *range = find_hot(copy, pages, is_result);
    if (!range)
        range = place_of_new(copy);
    if (!page_range_covers(range->pages, pages) || range->is_result != is_result)
        *range = (struct hot_range){.is_result = is_result};
    range->pages = pages;
    if (range->streak < HOT_STREAK) {
        range->uses_left = HOT_USES;
        range->streak++;
    } else if (--range->uses_left == 0) {
        /* Two more scans: to the first, what was unprotected counts as written. */
        range->streak = HOT_STREAK - 2;
    }
}

static void forget(struct mirror_copy *copy, struct page_range pages, bool is_result)
{
    struct hot_range *const range = find_hot(copy, pages, is_result);
    if (range)
        *range = (struct hot_range){0};
}

static bool may_be_hot(struct page_range pages)
{
    return (pages.end - pages.begin) << page_shift() <= HOT_BYTES_MOST;
}

void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written)
{
    pthread_mutex_lock(&copy->mirror->notes);
    forget(copy, pages, true);
    if (mostly_written && may_be_hot(pages))
        count_rewrite(copy, pages, false);
    else
        forget(copy, pages, false);
    pthread_mutex_unlock(&copy->mirror->notes);
}

void hot_ranges_note_result(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    if (may_be_hot(pages))
        count_rewrite(copy, pages, true);
    pthread_mutex_unlock(&copy->mirror->notes);
}

void hot_ranges_note_update(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    forget(copy, pages, true);
    pthread_mutex_unlock(&copy->mirror->notes);
}
