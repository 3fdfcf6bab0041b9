#include "mirror/transfer/shared_transfer.h"

#include "common/job_helpers.h"
#include "mirror/costs.h"
#include "mirror/transfer/piece_queue.h"
#include "mirror/transfer/pieces.h"
#include "mirror/transfer/staging_slots.h"

#include <limits.h>

/* What the calling thread packs before it looks at the copies again. */
enum { SLICE_BYTES = 128 << 10 };

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "running a kernel or copying its result to the host";

/* Transfers in pieces, numbered through. */
struct shared {
    struct lane *lane;
    struct transfer *transfers;
    unsigned count, ends[TRANSFER_TOGETHER_MOST]; /* one more than the last piece of each */
    struct piece_queue queue;
    unsigned first_slot;
    unsigned queued; /* copies */
    unsigned past; /* up: uses of slots, what lay in each at first included; down: copies that have landed */
};

/* A step of one direction. */
typedef enum status shared_step(struct shared *shared);

static const struct transfer *piece_of(const struct shared *shared, unsigned index, struct piece *piece)
{
    unsigned i = 0;
    while (index >= shared->ends[i])
        i++;
    *piece = piece_at(&shared->transfers[i], STAGING_SLOT_BYTES, index - (i > 0 ? shared->ends[i - 1] : 0));
    return &shared->transfers[i];
}

static unsigned slot_of(const struct shared *shared, unsigned index)
{
    return (shared->first_slot + index) % LANE_SLOTS;
}

static void pack_or_unpack(const struct transfer *transfer, const struct piece *piece, unsigned char *packed,
                           bool up)
{
    if (up)
        piece_pack(packed, transfer, piece);
    else
        piece_unpack_unseen(transfer, piece, packed);
}

static void help(struct shared *shared, bool up)
{
    unsigned index;
    while (piece_queue_await(&shared->queue, &index)) {
        struct piece piece;
        const struct transfer *transfer = piece_of(shared, index, &piece);
        pack_or_unpack(transfer, &piece, staging_slot_address(shared->lane, slot_of(shared, index)), up);
        piece_queue_finish(&shared->queue, index);
    }
}

static void help_up(void *shared, unsigned unused)
{
    (void)unused;
    help(shared, true);
}

static void help_down(void *shared, unsigned unused)
{
    (void)unused;
    help(shared, false);
}

/* By the calling thread, with an eye on the copies. */
static enum status do_piece(struct shared *shared, unsigned index, bool up, shared_step *serve)
{
    struct piece piece, slice = {0};
    enum status status = STATUS_OK;
    const struct transfer *transfer = piece_of(shared, index, &piece);
    unsigned char *packed = staging_slot_address(shared->lane, slot_of(shared, index));
    while (status == STATUS_OK && piece_next_slice(&piece, SLICE_BYTES, &slice)) {
        pack_or_unpack(transfer, &slice, packed + piece_slice_offset(&piece, &slice), up);
        status = serve(shared);
    }
    piece_queue_finish(&shared->queue, index);
    return status;
}

static void allow_past(struct shared *shared)
{
    piece_queue_allow(&shared->queue,
                      shared->past < shared->queue.pieces ? shared->past : shared->queue.pieces);
}

/* Queue what is packed, and free slots that are still wanted. */
static enum status serve_upload(struct shared *shared)
{
    struct lane *lane = shared->lane;
    enum status status = STATUS_OK;
    bool is_free = true;
    while (status == STATUS_OK && shared->queued < shared->queue.pieces &&
           piece_queue_is_finished(&shared->queue, shared->queued)) {
        struct piece piece;
        const unsigned slot = slot_of(shared, shared->queued);
        status =
            piece_send(piece_of(shared, shared->queued, &piece), &piece, staging_slot_address(lane, slot));
        if (status == STATUS_OK)
            status = staging_slot_use(lane, slot, uploading);
        shared->queued++;
    }
    while (status == STATUS_OK && is_free && shared->past < shared->queue.pieces &&
           shared->past < shared->queued + LANE_SLOTS) {
        status = staging_slot_is_free(lane, slot_of(shared, shared->past), false, &is_free, uploading);
        shared->past += status == STATUS_OK && is_free;
    }
    allow_past(shared);
    return status;
}

/* There is nothing to pack now. The link has enough to do, or nobody has the next piece: a slot is waited
 * for. */
static enum status wait_upload(struct shared *shared)
{
    const unsigned taken = atomic_load(&shared->queue.taken),
                   on_link = shared->queued + LANE_SLOTS - shared->past;
    bool is_free = false;
    if (shared->past >= shared->queue.pieces || (taken > shared->queued && on_link <= LANE_SLOTS / 2)) {
        piece_queue_await_finish(&shared->queue, shared->queued);
        return STATUS_OK;
    }
    enum status status =
        staging_slot_is_free(shared->lane, slot_of(shared, shared->past), true, &is_free, uploading);
    shared->past += is_free;
    allow_past(shared);
    return status;
}

static enum status upload_all(struct shared *shared)
{
    unsigned index;
    enum status status = staging_slots_settle(shared->lane, uploading);
    if (status == STATUS_OK)
        status = staging_slots_begin(shared->lane, &shared->first_slot, uploading);
    while (status == STATUS_OK) {
        status = serve_upload(shared);
        if (status != STATUS_OK || shared->queued == shared->queue.pieces)
            break;
        status = piece_queue_take(&shared->queue, &index) ? do_piece(shared, index, true, serve_upload)
                                                          : wait_upload(shared);
    }
    return status;
}

/* Queue copies into slots that are empty, and have unpacked what has landed. */
static enum status serve_download(struct shared *shared)
{
    struct lane *lane = shared->lane;
    enum status status = STATUS_OK;
    bool landed = true;
    while (status == STATUS_OK && shared->queued < shared->queue.pieces &&
           (shared->queued < LANE_SLOTS ||
            piece_queue_is_finished(&shared->queue, shared->queued - LANE_SLOTS))) {
        struct piece piece;
        const unsigned slot = slot_of(shared, shared->queued);
        status =
            piece_fetch(piece_of(shared, shared->queued, &piece), &piece, staging_slot_address(lane, slot));
        if (status == STATUS_OK)
            status = staging_slot_use(lane, slot, downloading);
        shared->queued++;
    }
    while (status == STATUS_OK && landed && shared->past < shared->queued) {
        status = staging_slot_is_free(lane, slot_of(shared, shared->past), false, &landed, downloading);
        shared->past += status == STATUS_OK && landed;
    }
    allow_past(shared);
    return status;
}

/* There is nothing to unpack now: wait for the next copy, or if all have landed for a slot or the end. */
static enum status wait_download(struct shared *shared)
{
    bool landed = false;
    if (shared->past == shared->queued) {
        unsigned index = shared->queued > LANE_SLOTS ? shared->queued - LANE_SLOTS : 0;
        while (shared->queued == shared->queue.pieces && index < shared->queued - 1 &&
               piece_queue_is_finished(&shared->queue, index))
            index++;
        piece_queue_await_finish(&shared->queue, index);
        return STATUS_OK;
    }
    enum status status =
        staging_slot_is_free(shared->lane, slot_of(shared, shared->past), true, &landed, downloading);
    shared->past += landed;
    allow_past(shared);
    return status;
}

static enum status download_all(struct shared *shared)
{
    unsigned index;
    enum status status = staging_slots_settle(shared->lane, downloading);
    if (status == STATUS_OK && staging_slots_are_in_use(shared->lane))
        status = lane_synchronise(shared->lane, downloading);
    if (status == STATUS_OK) {
        shared->lane->staging_state = (struct staging_state){0};
        status = staging_slots_begin(shared->lane, &shared->first_slot, downloading);
    }
    while (status == STATUS_OK && atomic_load(&shared->queue.finished) < shared->queue.pieces) {
        status = serve_download(shared);
        if (status == STATUS_OK)
            status = piece_queue_take(&shared->queue, &index) ? do_piece(shared, index, false, serve_download)
                                                              : wait_download(shared);
    }
    return status;
}

static void note_touched(const struct shared *shared)
{
    const unsigned taken = atomic_load(&shared->queue.taken);
    for (unsigned i = 0; i < shared->count && taken > (i > 0 ? shared->ends[i - 1] : 0); i++)
        if (shared->transfers[i].touched)
            *shared->transfers[i].touched = true;
}

/* False: too many. */
static bool number_pieces(struct shared *shared)
{
    size_t pieces = 0;
    for (unsigned i = 0; i < shared->count; i++) {
        transfer_join_rows(&shared->transfers[i]);
        pieces += pieces_count(&shared->transfers[i], STAGING_SLOT_BYTES);
        if (pieces > INT_MAX)
            return false;
        shared->ends[i] = (unsigned)pieces;
    }
    shared->queue.pieces = (unsigned)pieces;
    return true;
}

static bool run(struct shared *shared, int helpers, job_helpers_work *help_it, shared_step *all,
                enum status *status)
{
    if (shared->count > TRANSFER_TOGETHER_MOST || !number_pieces(shared) ||
        !job_helpers_begin(help_it, shared, (unsigned)helpers, helpers))
        return false;
    *status = all(shared);
    piece_queue_close(&shared->queue);
    job_helpers_end();
    return true;
}

int shared_transfer_helpers(const struct transfer *transfers, unsigned count)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += transfers[i].width * transfers[i].height;
    if (bytes < SHARED_TRANSFER_BYTES_MIN)
        return 0;
    const int wanted = job_helpers_wanted();
    return bytes / STAGING_SLOT_BYTES - 1 < (size_t)wanted ? (int)(bytes / STAGING_SLOT_BYTES - 1) : wanted;
}

bool shared_transfer_upload(struct transfer *transfers, unsigned count, int helpers, enum status *status)
{
    struct shared shared = {.lane = transfers->lane, .transfers = transfers, .count = count};
    if (!run(&shared, helpers, help_up, upload_all, status))
        return false;
    if (*status == STATUS_OK)
        staging_slots_end(shared.lane, slot_of(&shared, shared.queue.pieces));
    else
        shared.lane->staging_state.doubtful = true;
    return true;
}

bool shared_transfer_download(struct transfer *transfers, unsigned count, int helpers, enum status *status)
{
    struct shared shared = {.lane = transfers->lane, .transfers = transfers, .count = count};
    if (!run(&shared, helpers, help_down, download_all, status))
        return false;
    note_touched(&shared);
    /* The last piece has landed, so everything queued before it is done. */
    shared.lane->staging_state = (struct staging_state){.doubtful = *status != STATUS_OK};
    return true;
}
