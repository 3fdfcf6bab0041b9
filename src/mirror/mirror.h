/* mirror.h - one mirror: a host range, a copy of it on each device, and what is known of each page.
 *
 * A mirror covers whole mappings, so a page belongs to at most one, however many devices have copies: what
 * the tracker tells of the host's writes is told once, and takes the valid bits of all copies. It starts as
 * a mere record that holds accounts; mirror_arm arms it. Life, place and accounts (`references` and `dead`,
 * of a copy `used` to `accounts`) belong to the space (mirror_table.h) and its lock; what is said of pages
 * belongs to the calls that claim them (claims.h), and what is said of all to who claims the whole; `begin`
 * and `end` never change. Its locks, in the order in which they may be taken: `pinning` or a copy's
 * `committing`, which are held while the driver works, then `lock`, then `notes`, which are held for
 * moments. Inside device_enter. */
#ifndef MUBLAS_MIRROR_H
#define MUBLAS_MIRROR_H

#include "gpu/device.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/ledger/account.h"
#include "mirror/tracking/claims.h"
#include "mirror/tracking/write_tracker.h"

#include <pthread.h>
#include <stdatomic.h>

/* The mirrors' device memory (device_memory.c): how much of it they may fill, and ranges of it that shadow
 * host ranges.
 *
 * A budget is either a fixed amount, or a percentage of what is free or their own already, and of this
 * process's share of the device if ranks divide one (gpu/device.h). The amount that is free changes
 * as the program and other processes take and give: two that follow it meet at equal parts. Budgets are
 * thread-safe; functions that ask the driver are to be called inside device_enter.
 *
 * A range reserves device addresses for all of a host range, and keeps the host's offset within a block of
 * 2 MiB. Memory comes in chunks of whole blocks as it is asked for, and can move to a larger range without
 * being copied. Devices without virtual memory get one plain allocation. Ranges are used inside
 * device_enter; the owner locks. */

/* How much device memory the mirrors may fill, and have taken. */
struct budget {
    struct device *device;
    atomic_size_t bytes;     /* in force */
    atomic_size_t committed; /* taken of it */
    size_t fixed;            /* bytes, the most where percent is 0 */
    unsigned percent;        /* 0: fixed */
};

void budget_fix(struct budget *budget, struct device *device, size_t bytes);
void budget_follow(struct budget *budget, struct device *device, unsigned percent);

/* Look again at what is free. True when more is taken than may be now. */
bool budget_refresh(struct budget *budget);

/* Bytes that may be taken for a moment beside it, of what nobody uses now, where other ranks have a share of
 * the device; 0: none. */
size_t budget_spare(const struct budget *budget);

/* Take `bytes`; false, and nothing taken, when they are not there. */
bool budget_take(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* Device memory that shadows a host range. */
struct device_range {
    struct device *device;
    uintptr_t begin, end; /* host range rounded out to blocks */
    CUdeviceptr base;     /* device address of `begin`; 0: nothing reserved */
    bool plain;
    size_t committed_bytes;
    /* Per block: 0 without memory, else 1 + number of its chunk's first block. */
    uint32_t *chunk;
    CUmemGenericAllocationHandle *handles; /* of each chunk, at its first block */
};

/* Reserve addresses for the host range [begin, end). No memory yet. */
enum status device_range_create(struct device_range *range, struct device *device, uintptr_t begin,
                                uintptr_t end);

/* Give memory and addresses back. Also for a range that is all zero. */
void device_range_destroy(struct device_range *range);

static inline CUdeviceptr device_range_address(const struct device_range *range, uintptr_t host)
{
    return range->base + (host - range->begin);
}

/* Bytes that device_range_commit of [begin, end) would take. */
size_t device_range_missing(const struct device_range *range, uintptr_t begin, uintptr_t end);

/* Put memory behind the host range [begin, end). After STATUS_OUT_OF_MEMORY what
 * was got stays. New memory holds anything. */
enum status device_range_commit(struct device_range *range, uintptr_t begin, uintptr_t end);

/* Release every chunk of which `may_go` (NULL: all may) says so, being asked of the host range of each. */
typedef bool device_range_may_go(void *context, uintptr_t begin, uintptr_t end);
void device_range_release(struct device_range *range, device_range_may_go *may_go, void *context);

/* Move the chunks of `from`, contents and all, to `to`, which contains its host
 * range; `moved` is told the host range of each. A chunk that cannot move is released. */
void device_range_move(struct device_range *from, struct device_range *to,
                       void (*moved)(void *context, uintptr_t begin, uintptr_t end), void *context);

/* State that all copies on one device share. */
struct device_share {
    struct device *_Atomic device; /* NULL: mublas does not use it, or not yet */
    struct budget budget;          /* of its memory */
};

/* State that all mirrors share. */
struct mirror_resources {
    int places; /* of devices that may get copies, at least 1 */
    struct device_share shares[DEVICES_MAX]; /* by the devices' places (gpu/device.h) */
    struct write_tracker *tracker; /* NULL: everything is stateless */
    size_t pin_budget_bytes;
    atomic_size_t pinned_bytes;
    pthread_mutex_t pinning;    /* held to look at VmPin, and while it and counted_pins may disagree */
    struct process_pins process_pins; /* which tells VmPin */
    uint64_t counted_pins;      /* how much of them the kernel counts in VmPin */
    struct gathering_cost gathering;
};

/* A part that is pinned. */
struct mirror_pin {
    uintptr_t begin, end;
    uint64_t counted; /* bytes by which pinning it raised VmPin */
    bool small;       /* of a result below PIN_BYTES_MIN */
    struct gathering_account gathering;
};

enum { MIRROR_PINS_MAX = 64, MIRROR_SMALL_PINS_MAX = 8 };

/* All of it was found valid; no operand at first. */
struct complete_operand {
    struct operand operand;
    struct page_range pages; /* of its hull */
    struct page_range lost;  /* of these, hull of those that lost their valid bit since */
    unsigned long changed;   /* when: of complete_changes */
};

/* An operand of which every byte is known to be equal on some pages, whatever lies beside it there. */
struct known_part {
    struct operand operand;
    struct page_range pages; /* of its hull */
    uint64_t *bits;          /* from pages.begin; NULL: unused */
    unsigned long number;    /* of parts_noted: the newest has the largest */
};

enum { MIRROR_COMPLETE_MAX = 16, MIRROR_PARTS_MAX = 16, MIRROR_HOT_MAX = 8 };

struct hot_range {
    struct page_range pages; /* empty: unused */
    unsigned streak, uses_left;
    bool is_result; /* the device rewrites it, and not the host */
};

/* One device's copy of a mirror. */
struct mirror_copy {
    struct mirror *mirror;
    struct device_share *share;

    /* under the space's lock */
    uint64_t used;    /* of the space's counter of calls, for eviction */
    uint64_t *resident; /* a bit for each page in the hull of something uploaded and not dropped since; NULL:
                           none */
    struct page_range resident_run; /* all of it is resident: the last answer, to be quick */
    struct accounts accounts;

    /* set under the mirror's `lock`, unset by who claims the whole: */
    atomic_bool made; /* what follows is there */
    uint64_t *valid;  /* the device's copy of the page is proven equal */

    pthread_mutex_t committing; /* guards the memory behind the addresses */
    struct device_range memory;

    /* under the mirror's `notes` */
    struct complete_operand complete[MIRROR_COMPLETE_MAX]; /* mirror_pages.h */
    unsigned next_complete;
    unsigned long complete_changes;
    struct known_part parts[MIRROR_PARTS_MAX]; /* mirror_pages.h */
    unsigned long parts_noted;
    atomic_int part_count;      /* of those in use; anyone may look at this, and the next: */
    atomic_ulong parts_evicted; /* for others */
    struct hot_range hot[MIRROR_HOT_MAX]; /* mirror_pages.h */
    unsigned next_hot;
};

struct mirror {
    uintptr_t begin, end; /* host, page aligned */
    struct mirror_resources *resources;
    struct mirror_copy *copies; /* of each place, made or not */

    /* under the space's lock */
    int references;
    bool dead;        /* no longer in the table; whoever waited for a claim must look again */

    atomic_uintptr_t pinned_begin, pinned_end; /* what was pinned last; anyone may look */
    atomic_bool foreign_pins; /* the program has pinned some of it: never armed; anyone may look */
    _Atomic enum registration_state registration; /* write_tracker.h's alone */

    /* under `lock`, and claims.c's own but for the lock */
    pthread_mutex_t lock;
    pthread_cond_t claims_changed;
    struct claim *claims; /* by time of arrival */
    struct claim whole;   /* of claims_try_whole */
    int claims_awaited;   /* by so many threads */
    unsigned long scans;  /* so far */

    /* set under `lock`, unset by who claims the whole: */
    atomic_bool armed; /* registered with the tracker; bitmaps are there */
    uint64_t *suspect; /* written or not present since it was pinned, so the pin may be stale */
    uint64_t *split;   /* blocks (of 2 MiB, from block_floor(begin)) that lie on small pages */

    pthread_mutex_t pinning; /* held to change pins; they are looked at and changed under `notes` */

    /* under `notes`: what past calls tell of the next */
    pthread_mutex_t notes;
    bool pin_forbidden;
    unsigned pins_refused; /* by the driver, in a row */
    bool gathering_due; /* of some pin's pages */
    atomic_int pin_count; /* anyone may look at this */
    struct mirror_pin pins[MIRROR_PINS_MAX]; /* disjoint */
    struct staged_results results;
    unsigned failed_proofs; /* in a row that found changes */
    unsigned scans_ahead;   /* so many holds are to scan first */

    atomic_uint_least64_t staged_bytes; /* moved by staging since something was last pinned */
    atomic_uint_least64_t direct_bytes; /* by DMA from and to pins, likewise */
};

/* NULL when out of memory. One reference, unclaimed. */
struct mirror *mirror_create(struct mirror_resources *resources, uintptr_t begin, uintptr_t end);
void mirror_destroy(struct mirror *mirror);

static inline size_t mirror_page(const struct mirror *mirror, uintptr_t host)
{
    return (host - mirror->begin) >> page_shift();
}

static inline size_t mirror_block(const struct mirror *mirror, uintptr_t host)
{
    return (host - block_floor(mirror->begin)) >> BLOCK_SHIFT;
}

static inline size_t mirror_pages(const struct mirror *mirror)
{
    return mirror_page(mirror, mirror->end);
}

/* The pages that [begin, end) touches, cut to the mirror. */
static inline struct page_range mirror_page_range(const struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    struct page_range pages = {0, 0};
    begin = begin > mirror->begin ? page_floor(begin) : mirror->begin;
    end = end < mirror->end ? page_ceiling(end) : mirror->end;
    if (begin < end) {
        pages.begin = mirror_page(mirror, begin);
        pages.end = mirror_page(mirror, end);
    }
    return pages;
}

/* Register the mirror of this copy with the tracker and reserve the copy's addresses, as far as that is not
 * done. The caller claims some of it. STATUS_NOT_TRACKABLE when the memory is refused or the program has
 * pinned some of it itself; the mirror is a mere record then. */
enum status mirror_arm(struct mirror_copy *copy);

/* Forget every page, unregister, unpin, release all devices' memory: a record again. The caller claims the
 * whole. */
void mirror_empty(struct mirror *mirror);

/* The same of one device's copy, and of the mirror if no other device has memory of it. */
void mirror_empty_copy(struct mirror_copy *copy);

/* True where another device has a copy of the same mirror. */
bool mirror_has_others(const struct mirror_copy *copy);

/* tracking/mirror_pages.c: what a scan of a range is widened to: pages or, where the host may have huge
 * pages, blocks. A scan that ends inside a huge page that was written would split it. Beside small pages
 * it would protect what the call does not use, for the next write to fault on. */
struct byte_range mirror_scan_bounds(struct mirror *mirror, struct byte_range range);

/* Find out what the host wrote in a range of whole pages that the claim has; clear the valid bits, set the
 * suspect bits. STATUS_NOT_TRACKABLE: the memory is another, nothing is known any more of these pages and the
 * mirror must be emptied. */
enum status mirror_scan(struct mirror *mirror, struct claim *claim, struct byte_range range);

/* As if a scan had found that the host wrote them: not valid, and no pin of theirs trusted. */
void mirror_take_as_written(struct mirror *mirror, struct page_range pages);

/* Pages [begin, end) are not valid any more: in no copy, in this one, in any but this one. */
void mirror_invalidate(struct mirror *mirror, size_t begin, size_t end);
void mirror_invalidate_copy(struct mirror_copy *copy, size_t begin, size_t end);
void mirror_invalidate_others(struct mirror_copy *copy, size_t begin, size_t end);

/* Is what the pages hold resident? Under the space's lock. */
bool mirror_is_resident(struct mirror_copy *copy, struct page_range pages);
void mirror_note_resident(struct mirror_copy *copy, struct page_range pages);
void mirror_forget_resident(struct mirror_copy *copy, size_t begin, size_t end);

/* mirror.c: put device memory behind [begin, end) within the budget; STATUS_OUT_OF_MEMORY
 * otherwise. */
enum status mirror_commit(struct mirror_copy *copy, uintptr_t begin, uintptr_t end);

/* Bytes of device memory that this would take. */
size_t mirror_uncommitted(struct mirror_copy *copy, uintptr_t begin, uintptr_t end);

/* Release device memory that nobody claims. */
void mirror_shrink(struct mirror_copy *copy);

/* Take over what the `old` ones (ascending, inside `mirror`, a mere record) have on the device where the
 * tracker proves that it still stands; the rest is dropped. The caller claims all of them whole, by
 * claims[i]. The old ones are mere records afterwards; `mirror` is armed if anything could be taken over. */
void mirror_join(struct mirror *mirror, struct mirror *const *old, struct claim *const *claims, size_t count);

#endif
