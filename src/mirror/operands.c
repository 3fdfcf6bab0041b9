#include "mirror/operands.h"

#include "common/clock.h"
#include "mirror/hold.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

static struct operands_hold *hold_create(struct mirror_table *table, const struct operand *operands,
                                         int count)
{
    struct operands_hold *hold = calloc(1, sizeof *hold);
    if (!hold)
        return NULL;
    hold->table = table;
    hold->count = count;
    for (int i = 0; i < count; i++) {
        struct held_operand *held = &hold->operands[i];
        held->operand = operands[i];
        held->hull = operand_memory_hull(&operands[i]);
        held->empty = operand_memory_is_empty(&operands[i]);
        held->stateless =
            !held->empty && (!mirror_table_tracks(table) || operand_is_misaligned(&operands[i]));
        held->was_resident = operands_are_resident(table, &operands[i]);
    }
    return hold;
}

static void hold_destroy(struct operands_hold *hold)
{
    for (int i = 0; i < hold->count; i++)
        free(hold->operands[i].before);
    free(hold);
}

static bool was_pinned_anew(const struct operands_hold *hold, const struct mirror *mirror)
{
    bool pinned_anew = false;
    for (int i = 0; i < hold->mirror_count; i++)
        pinned_anew = pinned_anew || (hold->mirrors[i] == mirror && hold->claims[i].pinned_anew);
    return pinned_anew;
}

static void settle(struct operands_hold *hold, struct held_operand *held)
{
    const uint64_t touched = operand_memory_page_bytes(&held->operand);
    const bool pinned_anew = held->was_resident && was_pinned_anew(hold, held->mirror);
    const uint64_t uploaded = pinned_anew ? 0 : (uint64_t)held->uploaded_pages << page_shift();
    if (held->operand.access == OPERAND_READ && !pinned_anew)
        hot_ranges_note(held->copy, held->pages, 2 * uploaded > touched);
    else if (held->operand.access == OPERAND_UPDATE)
        hot_ranges_note_update(held->copy, held->pages);
    if (held->hot)
        return; /* it is not resident */
    residency_settle(hold->table, held->copy, held->pages, held->was_resident, uploaded, &held->operand,
                     hold->way == HOLD_RESULT);
}

static enum status provide(struct operands_hold *hold, struct held_operand *held)
{
    struct operand *operand = &held->operand;
    enum status status = STATUS_OK;
    operand->device_address = 0;
    operand->device_ld = operand->matrix.ld;
    if (held->stateless)
        return stateless_hold(hold->lane, operand, &hold->transfers);
    if (!held->mirror)
        return STATUS_OK;
    operand->device_address = device_range_address(&held->copy->memory, held->hull.begin);
    if (held->hot)
        mirror_take_as_written(held->mirror, held->pages);
    /* Changes found by now by others who share the operand are the proof's business: nothing may be sent
     * under those others. */
    if (operand->access != OPERAND_OVERWRITE && !hold->unproven && !held->shares)
        status = hold_upload(hold, held);
    if (held->shares && !hold_is_complete(held))
        completeness_note_valid(held->copy, operand);
    if (status == STATUS_OK)
        settle(hold, held);
    return status;
}

/* Pages are marked valid as their copies are queued: take that back. */
static void distrust(struct operands_hold *hold)
{
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        if (held->mirror && !held->shares)
            mirror_invalidate_copy(held->copy, held->pages.begin, held->pages.end);
    }
}

/* A call on memory that the program has made unreadable, or with a result made unwritable, is the host's. */
static bool may_touch(const struct operands_hold *hold)
{
    bool allowed = true;
    for (int i = 0; i < hold->count && allowed; i++)
        allowed = protection_allows(&hold->operands[i].operand);
    return allowed;
}

static enum status fill_hold(struct operands_hold *hold, size_t extra_scratch)
{
    if (!hold->unproven && !may_touch(hold)) /* else beside the kernel */
        return STATUS_INACCESSIBLE;
    const struct held_operand *const first = &hold->operands[0];
    if ((hold->way >= HOLD_MIRRORED && !first->mirror) ||
        (hold->way == HOLD_CLEAN && !hold_is_complete(first)))
        return STATUS_UNSUPPORTED;
    const enum phase before = phase_enter(PHASE_MEMORY);
    enum status status = hold_commit(hold, extra_scratch);
    phase_enter(PHASE_UPLOAD);
    hold->sends = status == STATUS_OK;
    for (int i = 0; i < hold->count && status == STATUS_OK; i++)
        status = provide(hold, &hold->operands[i]);
    /* After all uploads: an output may share pages with an operand that is read. */
    for (int i = 0; i < hold->count && status == STATUS_OK; i++)
        if (hold->operands[i].mirror && hold->operands[i].operand.access != OPERAND_READ)
            status = hold_mark_output(&hold->operands[i]);
    phase_enter(before);
    return status;
}

static bool are_shared(const struct operands_hold *hold)
{
    return hold->mirror_count > 0 && hold->claims[0].shared == CLAIM_ALL_SHARED;
}

static void give_lane(struct operands_hold *hold)
{
    if (hold->own_lane && hold->lane)
        lane_release(hold->lane);
    hold->lane = NULL;
}

/* Queued work must not outlive the claims, and the pages that it was to bring are not proven. A hold that
 * shares pages has sent nothing, nor has one that found no lane or no memory. */
static void abandon(struct operands_hold *hold)
{
    if (hold->lane)
        lane_synchronise(hold->lane, "giving up a call");
    if (hold->sends && !are_shared(hold))
        distrust(hold);
    hold_unlock(hold);
    give_lane(hold);
}

/* A lane is taken when there is work for it: who waits for pages keeps none from others. */
static enum status take_lane(struct operands_hold *hold, struct lane *lane)
{
    hold->lane = lane;
    hold->own_lane = !lane;
    return lane ? STATUS_OK : lane_acquire_within(hold->table->share->device, hold->patience, &hold->lane);
}

static enum status begin(struct operands_hold *hold, struct lane *lane, size_t extra_scratch)
{
    enum status status = hold_lock(hold);
    if (status != STATUS_OK)
        return status;
    status = take_lane(hold, lane);
    if (status == STATUS_OK)
        status = fill_hold(hold, extra_scratch);
    if (status != STATUS_OK)
        abandon(hold);
    return status;
}

enum status operands_take_hold(struct mirror_table *table, struct lane *lane, struct patience *patience,
                               struct operand *operands, int count, size_t extra_scratch, enum hold_way way,
                               struct operands_hold **result)
{
    mirror_table_note_revoked(table);
    mirror_table_watch(table, false);
    struct operands_hold *hold = hold_create(table, operands, count);
    if (!hold)
        return STATUS_OUT_OF_MEMORY;
    hold->patience = patience;
    hold->way = way;
    enum status status = begin(hold, lane, extra_scratch);
    if (status != STATUS_OK) {
        hold_destroy(hold);
        return status;
    }
    for (int i = 0; i < count; i++) {
        operands[i].device_address = hold->operands[i].operand.device_address;
        operands[i].device_ld = hold->operands[i].operand.device_ld;
    }
    *result = hold;
    return STATUS_OK;
}

struct lane *operands_lane(const struct operands_hold *hold)
{
    return hold->lane;
}

/* A program that writes to a matrix before each of some calls will do so before the next: after so
 * many kernels in a row that ran in vain so many holds look first. */
enum { FAILED_PROOFS_MOST = 3, SCANS_AHEAD = 16 };

static void note_proof(struct operands_hold *hold, bool changed)
{
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror *mirror = hold->mirrors[i];
        pthread_mutex_lock(&mirror->notes);
        mirror->failed_proofs = changed ? mirror->failed_proofs + 1 : 0;
        if (mirror->failed_proofs >= FAILED_PROOFS_MOST)
            mirror->scans_ahead = SCANS_AHEAD;
        pthread_mutex_unlock(&mirror->notes);
    }
}

/* Beside the kernel where that is possible. This call's own pages were read just now. */
static void look_for_pins(struct operands_hold *hold)
{
    if (hold->validated)
        mirror_table_watch_pins(hold->table);
    hold->validated = false;
}

static uint64_t touched_bytes(const struct operands_hold *hold)
{
    uint64_t bytes = 0;
    for (int i = 0; i < hold->count; i++)
        bytes += operand_memory_page_bytes(&hold->operands[i].operand);
    return bytes;
}

/* Uploads again the pages that the host wrote. */
static enum status renew(struct operands_hold *hold, bool *changed)
{
    enum status status = STATUS_OK;
    const enum phase before = phase_enter(PHASE_UPLOAD);
    for (int i = 0; i < hold->count && status == STATUS_OK; i++) {
        struct held_operand *held = &hold->operands[i];
        if (hold_is_complete(held))
            continue;
        if (!*changed && !hold_stop_sharing(hold))
            status = STATUS_NOT_TRACKABLE;
        *changed = true;
        if (status == STATUS_OK)
            status = hold_upload(hold, held);
        if (status == STATUS_OK)
            settle(hold, held);
    }
    phase_enter(before);
    return status;
}

/* All is staged where nothing is pinned, and no byte of the program's is written before the copy has come. */
static bool comes_staged(const struct held_operand *held)
{
    return operand_memory_bytes(&held->operand) <= STAGING_PIECE_BYTES &&
           (held->stateless || pins_count(held->mirror) == 0);
}

bool operands_come_at_once(const struct operands_hold *hold)
{
    int results = 0;
    bool staged = driver_is_provided() && !hold->unproven;
    for (int i = 0; i < hold->count && staged; i++) {
        const struct held_operand *const held = &hold->operands[i];
        if (held->operand.access == OPERAND_READ || held->empty)
            continue;
        staged = comes_staged(held);
        results++;
    }
    return staged && results == 1;
}

enum status operands_prove(struct operands_hold *hold, bool *changed)
{
    *changed = false;
    if (mirror_table_tracks(hold->table))
        mirror_table_sweep_some(hold->table, touched_bytes(hold));
    if (!hold->unproven) {
        if (!operands_come_at_once(hold)) /* else behind the result, for its pages and these */
            look_for_pins(hold);
        return STATUS_OK;
    }
    enum status status = hold_prove(hold);
    if (status == STATUS_OK && !may_touch(hold))
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK)
        status = renew(hold, changed);
    note_proof(hold, *changed);
    look_for_pins(hold);
    return status;
}

static bool is_updated(const struct held_operand *held)
{
    return held->operand.access == OPERAND_UPDATE && !held->empty;
}

static int count_updated(const struct operands_hold *hold)
{
    int count = 0;
    for (int i = 0; i < hold->count; i++)
        count += is_updated(&hold->operands[i]);
    return count;
}

/* The host would need these as they were, to compute the call anew. Beside the kernel. */
static void keep_originals(struct operands_hold *hold, bool is_alone)
{
    for (int i = 0; i < hold->count; i++)
        if (is_updated(&hold->operands[i]))
            originals_note(hold->lane, &hold->operands[i].operand.matrix,
                           hold->operands[i].operand.element_bytes, is_alone);
    originals_begin(hold->lane);
    originals_await(hold->lane);
}

static enum status write_back_all(struct operands_hold *hold)
{
    bool updated = false; /* an operand that the call also read has its new value already */
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        enum status status = STATUS_OK;
        if (held->operand.access == OPERAND_READ || held->empty)
            continue;
        if (held->stateless)
            status = stateless_write_back(hold->lane, &held->operand, &hold->transfers);
        else
            status = hold_write_back(hold, held);
        if (status != STATUS_OK)
            return updated ? STATUS_RESULT_LOST : status;
        updated = updated || held->operand.access == OPERAND_UPDATE;
    }
    return STATUS_OK;
}

enum status operands_write_back(struct operands_hold *hold)
{
    if (hold->unproven)
        return STATUS_NOT_TRACKABLE; /* nothing may leave before operands_prove */
    const int updated = count_updated(hold); /* none: a route may have others' originals in the lane */
    if (updated > 0)
        keep_originals(hold, updated == 1);
    enum status status = write_back_all(hold);
    if (status == STATUS_RESULT_LOST && updated > 0 && originals_restore(hold->lane))
        status = STATUS_DEVICE_ERROR;
    if (updated > 0)
        originals_forget(hold->lane);
    if (status != STATUS_OK)
        return status;
    look_for_pins(hold);
    hold->complete = true;
    return STATUS_OK;
}

/* Nobody has looked who else may write to them. */
static void forget_hot(struct operands_hold *hold)
{
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *const held = &hold->operands[i];
        if (held->hot && !held->shares)
            mirror_invalidate_copy(held->copy, held->pages.begin, held->pages.end);
    }
}

void operands_release(struct operands_hold *hold, struct transfer_count *count)
{
    if (hold->complete) {
        forget_hot(hold);
        hold_unlock(hold);
        give_lane(hold);
    } else {
        abandon(hold);
    }
    if (count)
        *count = hold->transfers;
    hold_destroy(hold);
}
