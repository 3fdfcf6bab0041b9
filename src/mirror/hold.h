/* hold.h - the state of one held call: private to the files behind operands.h, with operands that are
 * copied for one call, and the accounts of residency.
 *
 * Stateless operands are copied for one call and forgotten. They lie in memory that cannot be mirrored:
 * files, shared memory, stacks, hugetlb pages, memory that the program pinned, any whose writes cannot be
 * tracked. The copy lives in lane scratch, packed: device_ld is the row count rounded up to 16 bytes.
 * Exactly the elements of the matrix's part are read and written in host memory. Inside device_enter, as
 * all transfers.
 *
 * An operand counts as resident from its first upload until it is evicted, its memory changes, or it is
 * found mostly rewritten by the host, or lesser writes have used up what it was worth. That is for the
 * policy alone: whether a page may be used is for its valid bit to say. residency.c has the door to the
 * accounts (ledger/account.h), and of operands.h operands_residency, operands_are_resident, operands_credit
 * and operands_earn; all take the table's lock. */
#ifndef MUBLAS_HOLD_H
#define MUBLAS_HOLD_H

#include "gpu/lane.h"
#include "mirror/mirror_table.h"
#include "mirror/operand.h"
#include "mirror/operands.h"
#include "mirror/tracking/mirror_pages.h"

/* Scratch that stateless_hold will take for this operand, a multiple of 256;
 * 0 for an empty matrix. Sum it over the operands for lane_reserve_scratch. */
size_t stateless_scratch_bytes(const struct operand *operand);

/* Deal scratch, set device_address and device_ld, and upload the part (unless the
 * access is OPERAND_OVERWRITE). All of the host's elements have been read on
 * return; the copies are queued on the lane's stream. Bytes outside the operand's part are undefined on the
 * device. Adds the bytes moved to count->bytes_up. */
enum status stateless_hold(struct lane *lane, struct operand *operand, struct transfer_count *count);

/* After lane_synchronise succeeded: write the part's elements back to the host,
 * complete on return. A failed copy is repeated once from device memory;
 * STATUS_RESULT_LOST when that fails too and elements that the call also read were
 * overwritten, else the error itself: the host can compute the call. Adds to count->bytes_down. */
enum status stateless_write_back(struct lane *lane, const struct operand *operand,
                                 struct transfer_count *count);

/* After the operand's upload of `uploaded_bytes`; is_result: before a route leaves it there. */
void residency_settle(struct mirror_table *table, struct mirror_copy *copy, struct page_range hull,
                      bool was_resident, uint64_t uploaded_bytes, const struct operand *operand, bool is_result);

/* A resident output's result came home by staging, these bytes of it, where it was counted on to come by
 * DMA. */
void residency_note_staged_result(struct mirror_table *table, struct mirror_copy *copy,
                                  struct page_range hull, uint64_t bytes);

struct held_operand {
    struct operand operand;
    struct byte_range hull;
    bool empty;
    bool stateless;
    struct mirror *mirror;   /* NULL when empty or stateless */
    struct mirror_copy *copy; /* of the mirror, on the hold's device */
    struct page_range pages; /* of the hull, in the mirror */
    bool was_resident;
    bool hot; /* read without a scan: all of it counts as written */
    bool shares; /* read and valid, beside others' calls that read it: nothing of it is sent */
    bool passes, is_open; /* a result: hot_ranges_pass */
    bool was_written; /* it would have shared, but the host had written it: it shares no more */
    size_t uploaded_pages;
    uint64_t *before; /* of an output: the pages' valid bits before the call; bit 0 is pages.begin */
    bool was_complete;                /* of an output: all of it was valid, */
    struct completeness known_before; /* ... and this was known of it */
};

struct operands_hold {
    struct mirror_table *table;
    struct lane *lane;
    bool own_lane;
    struct patience *patience;
    int count, mirror_count;
    struct held_operand operands[OPERANDS_MAX];
    struct mirror *mirrors[OPERANDS_MAX]; /* each once, by address */
    struct claim claims[OPERANDS_MAX];    /* of each mirror, what the call works on */
    struct claim whole;                   /* of one that is to go, while no other is claimed */
    struct transfer_count transfers;
    enum hold_way way;
    bool unproven;  /* held so, and not proven yet; the claims are all shared */
    bool validated; /* pages have become valid, and nobody looked yet who else has pinned them */
    bool scanned;   /* pages have been, and so protected */
    bool sends;     /* uploads may be queued, and pages valid that have not arrived */
    bool complete;  /* the call ended well: what was uploaded has arrived */
};

/* hold.c: find the mirrors and claim what the call works on, arm them where need be and scan; operands in
 * memory that cannot be mirrored become stateless. STATUS_BUSY: patience came to an end. */
enum status hold_lock(struct operands_hold *hold);
void hold_unlock(struct operands_hold *hold);

/* hold_scan.c: what the call works on in a mirror: pages or blocks that its operands span, those far apart
 * each for itself. All of it is shared, or that of the operands that share. */
struct claim hold_claim_of(const struct operands_hold *hold, struct mirror *mirror, bool shared);

/* Does what the operands span in their mirror, pages or blocks, overlap? */
bool hold_overlap(const struct held_operand *one, const struct held_operand *other);

/* Scan what the call's operands span in the mirror with that number. A hot operand needs no proof: its bytes
 * are read from the host, whatever lies there now. */
enum status hold_scan(struct operands_hold *hold, int number);

/* Scan a range that the call works on, widened as its claim is. */
enum status hold_scan_range(struct operands_hold *hold, struct mirror *mirror, struct byte_range range);

/* Scan what hold_lock left unproven. STATUS_NOT_TRACKABLE: start again. */
enum status hold_prove(struct operands_hold *hold);

/* Before the first upload after that. False: others share the pages; start again. */
bool hold_stop_sharing(struct operands_hold *hold);

/* hold_upload.c: device memory for all of them, evicting others if need be. */
enum status hold_commit(struct operands_hold *hold, size_t extra_scratch);

/* Queue what is not valid of a read operand; is all of it known to be valid? */
enum status hold_upload(struct operands_hold *hold, struct held_operand *held);
bool hold_is_complete(const struct held_operand *held);

/* Do its pages say so, where nothing is known of the operand as such? Also before the call claims them. */
bool hold_is_valid(const struct held_operand *held);

/* hold_write_back.c: before launch, after it. */
enum status hold_mark_output(struct held_operand *held);
enum status hold_write_back(struct operands_hold *hold, struct held_operand *held);

/* A workspace that a factorisation fills anew for each panel gains nothing by being followed: protecting it
 * costs the program a fault for every page it writes, and every processor an interrupt at each scan. After
 * some uses in a row that found most of an operand written it is hot for a while: not scanned, not
 * protected, taken as written. */

/* Is the operand that spans these pages to be uploaded without a scan? */
bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages);

/* An operand that is only read has been used; its pages were mostly written, or not. */
void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written);

/* The same of a result that its call does not read: has it come home some times in a row, with no use of it
 * by a call in between? Then it passes by, and what the device has of it is not kept. *is_open: so it was the
 * last time, too, and nothing has protected its pages since but a scan of what lies around. */
bool hot_ranges_pass(struct mirror_copy *copy, struct page_range pages, bool *is_open);
void hot_ranges_note_result(struct mirror_copy *copy, struct page_range pages);
/* A call has read it, and writes it. */
void hot_ranges_note_update(struct mirror_copy *copy, struct page_range pages);

#endif
