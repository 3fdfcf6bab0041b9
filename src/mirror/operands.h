/* operands.h - make the matrix operands of one call valid on the device, and
 * bring its results back. The door of the mirror layer: callers see device
 * addresses and never whether an operand is mirrored or copied statelessly.
 *
 * A mirror is used only for pages proven clean since upload (invariant 4); the operands' pages are claimed
 * from operands_take_hold to operands_release (invariant 8, claims.h);
 * no output byte reaches user memory before operands_write_back, which runs
 * after the kernel finished without error (invariant 3). */
#ifndef MUBLAS_OPERANDS_H
#define MUBLAS_OPERANDS_H

#include "common/clock.h"
#include "gpu/lane.h"
#include "mirror/operand.h"

#include <stdint.h>

/* State of a call's operands that the policy needs to know before it decides.
 * Depends on call history and operands' bytes only, never on pages (invariant 7). */
struct residency {
    bool busy;             /* an operand's mirror is being made for longer than the call can wait */
    bool trackable;        /* every operand lies in memory that can be mirrored */
    bool resident;         /* every operand was uploaded before and not dropped since */
    uint64_t bytes;        /* bytes of the parts that the call touches, all operands */
    uint64_t missing_bytes; /* of those, bytes of operands that are not resident */
    uint64_t pinned_bytes; /* of these, bytes in memory that was pinned for an upload before */
    double credit_us;      /* account: microseconds that residency would have saved so far */
    unsigned setbacks;     /* how often its price must be doubled, for what was lost: ledger/account.h */
    bool rewritten;        /* the program rewrites what is missing between its uses, as far as is known */
    bool renewed;          /* of a route: it has rewritten most of the matrix since the last call */
    bool recurs;           /* residency pays each time that the program rewrites what is missing, of a route any, */
    double usual_us;       /* ... and saves so much from one rewriting to the next; of what is missing the least */
    bool is_result;        /* of a route: what may stay is what it writes over the matrix */
    uint64_t kept_bytes;   /* of a resident output, which stay resident only if the device writes them */
    double worth_us;       /* what that residency was bought for, and has earned since */
};

struct mirror_table;

/* The table of mirrors of the first device in use; `budget_bytes` of device memory at most,
 * `pin_budget_bytes` of host memory pinned at most. Works statelessly where no
 * write tracker can be had (tracking false, or the self-test failed). Others of device_chosen(device) may
 * follow. */
enum status mirror_table_create(struct device *device, size_t budget_bytes, size_t pin_budget_bytes,
                                bool tracking, struct mirror_table **table);

/* Another device's table of the same mirrors: all that follows holds for the copies on the table's device,
 * which calls of the same table use. The tracker, and the pages that calls claim, are the same for all. */
enum status mirror_table_create_beside(const struct mirror_table *first, struct device *device,
                                       size_t budget_bytes, struct mirror_table **table);

/* Nobody uses it or its device any more; mirrors go with the last table. Inside device_enter. */
void mirror_table_destroy(struct mirror_table *table);

/* From now on the mirrors may fill this percentage of the device memory that is free beside
 * them, or of this process's share of the device (device_memory.c). Inside device_enter. */
void mirror_table_follow(struct mirror_table *table, unsigned percent);

/* To be asked once per call: what the host alone uses is looked at here for changes since the last
 * call, and those that the call will write are expected to change. */
struct residency operands_residency(struct mirror_table *table, const struct operand *operands, int count,
                                    struct patience *patience);

/* The same of a route's matrix, as one that is read; is_result: the route writes it, and may leave that there. */
struct residency operands_residency_of_route(struct mirror_table *table, const struct operand *operand,
                                             bool is_result, struct patience *patience);

/* Counts an operand of so many bytes that is not on the device, after a look at its account for changes (NULL: it
 * has none); `losses` are those of its kind. For operands_residency, and for who keeps accounts without a
 * device. The caller locks. */
struct account;
struct kind_losses;
void residency_add_missing(struct residency *residency, const struct operand *operand, uint64_t bytes,
                           struct account *account, const struct kind_losses *losses);

/* Add to the account of the operands' ranges: a host-run call that residency
 * would have made `saved_us` faster. */
void operands_credit(struct mirror_table *table, const struct operand *operands, int count, double saved_us);

/* A call ran on the device and so was faster than on the host by `saved_us` (slower: less
 * than 0): what the residency of its operands is worth, shared among them. Below 0, when
 * uploading what the host keeps writing costs more than it brings, residency is given up. */
void operands_earn(struct mirror_table *table, const struct operand *operands, int count, double saved_us);

/* A route has written the operand: what the program finds there now is not its own writing. */
void operands_note_result(struct mirror_table *table, const struct operand *operand);

/* Does the operand count as resident? Nobody looks for changes since. Takes the table's lock. */
bool operands_are_resident(struct mirror_table *table, const struct operand *operand);

/* Claim the operands' pages, find out what the host wrote, queue the uploads on the lane's stream, set
 * device_address and device_ld, and mark output pages not valid. `lane`: NULL, and one is taken once the
 * pages are there to work on: operands_lane, until operands_release. scratch for stateless operands comes
 * from the lane; the lane's scratch must be unused (vectors are dealt afterwards with operands_take_hold's
 * reservation: `extra_scratch` bytes are reserved on top for the caller). Waits for others as long as
 * `patience` lasts (NULL: for ever), which lives as long as the hold; STATUS_BUSY after that. On failure
 * nothing is held. STATUS_OUT_OF_MEMORY is a normal answer, STATUS_INACCESSIBLE that of mapping.h. */
enum hold_way {
    HOLD_PROVEN,
    /* The host's writes since the last call are not looked for yet, if every operand is only read and was
     * wholly valid after that call: the caller may launch into scratch memory at once, so that the look runs
     * beside the kernel. Calls on the same pages may do so at once. */
    HOLD_UNPROVEN,
    /* One operand, if it can have a mirror: STATUS_UNSUPPORTED where it would be copied statelessly, which
     * who has device memory of its own for it does better. */
    HOLD_MIRRORED,
    /* The same of one that is read, if all of it is valid: nothing is uploaded, and no account changes.
     * STATUS_UNSUPPORTED: it is not. */
    HOLD_CLEAN,
    /* As HOLD_MIRRORED, of one that is overwritten, and comes home through its mirror only to be left
     * there: residency is not charged with the way home. operands_write_back's STATUS_RESULT_LOST then
     * says that host memory was written in part, whether or not it is lost with that. */
    HOLD_RESULT
};
struct operands_hold; /* opaque */
enum status operands_take_hold(struct mirror_table *table, struct lane *lane, struct patience *patience,
                               struct operand *operands, int count, size_t extra_scratch, enum hold_way way,
                               struct operands_hold **hold);
struct lane *operands_lane(const struct operands_hold *hold);

/* Holds that this thread makes from now on, until it says false, are one call's: on several devices, of parts
 * of one matrix that may meet inside a page. None is in another's way, but where one has to drop a mirror:
 * that waits as for others' calls, so such holds need patience that ends. */
void operands_hold_together(bool together);

/* Must follow a hold by HOLD_UNPROVEN, after the launch and before anything reaches user memory. *changed:
 * the host had written; the operands have been queued for upload again, and what was launched before must
 * be launched again. STATUS_INACCESSIBLE: release, and the call is the host's. Any other failure: release
 * and hold by HOLD_PROVEN instead. After any other hold there is nothing to prove. Either way, beside the
 * kernel, mirrors of memory that the program gave back are dropped. */
enum status operands_prove(struct operands_hold *hold, bool *changed);

/* Do its results, one at most, come home in one staged copy from a device of another process's? A failure
 * before stays in such a device's stream, so that the wait for the copy is the call's own. To be asked after
 * operands_prove. */
bool operands_come_at_once(const struct operands_hold *hold);

/* After lane_synchronise succeeded, or if they come at once; for every call, also one whose operands are only
 * read, since this is what proves that the uploads have arrived: copy every
 * output's elements (the rectangle or triangle, nothing else) to host memory, and
 * make pages valid again where that is proven. Retries once from device memory;
 * STATUS_RESULT_LOST when an output that was also read could not be completed. */
enum status operands_write_back(struct operands_hold *hold);

/* Unlock; after a failure too. Nothing that the call uploaded or computed stays valid if write_back did not
 * succeed. */
void operands_release(struct operands_hold *hold, struct transfer_count *count);

/* False for operands that the mirrors' device memory cannot hold at once, whatever is evicted. */
bool operands_fit(const struct mirror_table *table, const struct operand *operands, int count);

/* Bytes of device memory that the mirrors may fill at present. */
size_t operands_budget(const struct mirror_table *table);

/* Plain device memory out of the mirrors' budget: at most `most` bytes, at least `least`; *bytes says how
 * many. Mirrors that nobody uses go for a quarter of `most`, not for more. Inside device_enter, as is
 * operands_return. STATUS_OUT_OF_MEMORY is a normal answer. */
enum status operands_borrow(struct mirror_table *table, size_t least, size_t most, CUdeviceptr *address,
                            size_t *bytes);
void operands_return(struct mirror_table *table, CUdeviceptr address, size_t bytes);

/* The same of `bytes`, or more that operands_keep has left. Kept memory goes back when memory is short,
 * before any mirror. If ranks divide the device and their share has no room, the bytes come out of what none
 * of them uses now, and are not kept. */
enum status operands_borrow_kept(struct mirror_table *table, size_t bytes, CUdeviceptr *address, size_t *got);
void operands_keep(struct mirror_table *table, CUdeviceptr address, size_t bytes);

/* May matrices stay on the device, as far as is known by now? */
enum mirror_tracking { MIRROR_TRACKS, MIRROR_TRACKS_NOTHING, MIRROR_BLIND };
enum mirror_tracking mirror_table_tracking(const struct mirror_table *table);

/* Give back kept memory, or that of the mirror that was used least recently and is not in use now. False:
 * there is none. Inside device_enter. */
bool operands_evict(struct mirror_table *table);

/* Has the program pinned all of them itself, and is nothing of them mirrored? Then they may go by DMA, both
 * ways; not where no memory may be pinned. Inside device_enter. */
bool operands_are_pinned_by_program(struct mirror_table *table, const struct operand *operands, int count);

/* Pin whole pages of mublas' own, which nobody else frees, for copies by DMA; and give them back. Bytes that
 * the kernel then counts as pinned are not taken for a stranger's. Inside device_enter. */
struct own_pin {
    void *begin;
    size_t bytes;
    uint64_t counted;
};
enum status operands_pin_own(struct mirror_table *table, int file, void *begin, size_t bytes, struct own_pin *pin);
void operands_unpin_own(struct mirror_table *table, const struct own_pin *pin);

/* One line of state for `mublas info` and the report. */
const char *mirror_table_description(const struct mirror_table *table);

#endif
