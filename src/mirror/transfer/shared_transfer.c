#include "common/own_thread.h"
#include "mirror/ledger/account.h"
#include "mirror/transfer/transfer.h"

#include <limits.h>

/* The calling thread packs so many bytes before it looks at the copies again. */
enum { SLICE_BYTES = 128 << 10 };

/* Transfers in pieces, numbered through. Helpers have it in their own memory (own_thread.h). */
struct shared {
    struct lane *lane;
    struct numbered_pieces numbered;
    struct piece_queue queue;
    bool up;
    const char *what; /* for the log */
    unsigned first_slot;
    unsigned queued; /* copies */
    unsigned past; /* up: uses of slots, what lay in each at first included; down: copies that have landed */
};
_Static_assert(sizeof(struct shared) <= JOB_CONTEXT_BYTES, "too large for helpers");

bool numbered_pieces_add(struct numbered_pieces *numbered, const struct transfer *transfers, unsigned count)
{
    if (numbered->count + count > NUMBERED_TRANSFERS_MOST)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = numbered->count++;
        numbered->transfers[at] = transfers[i];
        if (!transfers[i].clip)
            continue;
        numbered->clips[at] = *transfers[i].clip;
        numbered->transfers[at].clip = &numbered->clips[at];
    }
    return true;
}

bool numbered_pieces_count(struct numbered_pieces *numbered, unsigned *pieces)
{
    size_t count = 0;
    for (unsigned i = 0; i < numbered->count; i++) {
        transfer_join_rows(&numbered->transfers[i]);
        count += pieces_count(&numbered->transfers[i], STAGING_SLOT_BYTES);
        if (count > INT_MAX)
            return false;
        numbered->ends[i] = (unsigned)count;
    }
    *pieces = (unsigned)count;
    return true;
}

struct transfer numbered_pieces_find(const struct numbered_pieces *numbered, unsigned index, struct piece *piece)
{
    unsigned i = 0;
    while (index >= numbered->ends[i])
        i++;
    struct transfer transfer = numbered->transfers[i];
    if (transfer.clip)
        transfer.clip = &numbered->clips[i];
    *piece = piece_at(&transfer, STAGING_SLOT_BYTES, index - (i > 0 ? numbered->ends[i - 1] : 0));
    return transfer;
}

static unsigned slot_of(const struct shared *shared, unsigned index)
{
    return (shared->first_slot + index) % LANE_SLOTS;
}

static void pack_or_unpack(const struct shared *shared, const struct transfer *transfer,
                           const struct piece *piece, unsigned char *packed)
{
    if (shared->up)
        piece_pack(packed, transfer, piece);
    else
        piece_unpack_unseen(transfer, piece, packed);
}

/* Until there are no more pieces, or one is for the calling thread alone. */
static void help(void *context, unsigned unused)
{
    struct shared *shared = context;
    unsigned index;
    (void)unused;
    while (piece_queue_await(&shared->queue, &index)) {
        struct piece piece;
        const struct transfer transfer = numbered_pieces_find(&shared->numbered, index, &piece);
        if (!piece_is_reachable(&transfer, &piece, shared->up)) {
            piece_queue_refuse(&shared->queue, index);
            break;
        }
        pack_or_unpack(shared, &transfer, &piece, staging_slot_address(shared->lane, slot_of(shared, index)));
        piece_queue_finish(&shared->queue, index);
    }
}

static void stop(void *context)
{
    struct shared *shared = context;
    piece_queue_close(&shared->queue);
}

/* Up, the next piece must be packed before its copy is queued; down, its slot must have been emptied. */
static bool can_queue(const struct shared *shared)
{
    const unsigned next = shared->queued;
    if (next == shared->queue.pieces)
        return false;
    return shared->up ? piece_queue_is_finished(&shared->queue, next)
                      : next < LANE_SLOTS || piece_queue_is_finished(&shared->queue, next - LANE_SLOTS);
}

static enum status queue_copy(struct shared *shared)
{
    struct piece piece;
    const struct transfer transfer = numbered_pieces_find(&shared->numbered, shared->queued, &piece);
    const unsigned slot = slot_of(shared, shared->queued++);
    unsigned char *packed = staging_slot_address(shared->lane, slot);
    enum status status =
        shared->up ? piece_send(&transfer, &piece, packed) : piece_fetch(&transfer, &piece, packed);
    return status == STATUS_OK ? staging_slot_use(shared->lane, slot, shared->what) : status;
}

/* Up, only slots that are still wanted are waited for. */
static bool has_more_to_pass(const struct shared *shared)
{
    if (!shared->up)
        return shared->past < shared->queued;
    return shared->past < shared->queue.pieces && shared->past < shared->queued + LANE_SLOTS;
}

static enum status pass(struct shared *shared, bool wait, bool *passed)
{
    enum status status =
        staging_slot_is_free(shared->lane, slot_of(shared, shared->past), wait, passed, shared->what);
    shared->past += status == STATUS_OK && *passed;
    return status;
}

static void allow_past(struct shared *shared)
{
    piece_queue_allow(&shared->queue,
                      shared->past < shared->queue.pieces ? shared->past : shared->queue.pieces);
}

/* Queue the copies that can be, and have packed into slots that are free, or unpacked what has landed. */
static enum status serve(struct shared *shared)
{
    enum status status = STATUS_OK;
    bool passed = true;
    while (status == STATUS_OK && can_queue(shared))
        status = queue_copy(shared);
    while (status == STATUS_OK && passed && has_more_to_pass(shared))
        status = pass(shared, false, &passed);
    allow_past(shared);
    return status;
}

/* The calling thread does the piece, with an eye on the copies. */
static enum status do_piece(struct shared *shared, unsigned index)
{
    struct piece piece, slice = {0};
    enum status status = STATUS_OK;
    const struct transfer transfer = numbered_pieces_find(&shared->numbered, index, &piece);
    unsigned char *packed = staging_slot_address(shared->lane, slot_of(shared, index));
    while (status == STATUS_OK && piece_next_slice(&piece, SLICE_BYTES, &slice)) {
        pack_or_unpack(shared, &transfer, &slice, packed + piece_slice_offset(&piece, &slice));
        status = serve(shared);
    }
    piece_queue_finish(&shared->queue, index);
    return status;
}

/* Is the end of a piece that others have to be waited for, and which? Up: the link has enough to do, or all
 * slots are given away. Down: all copies that were queued have landed. */
static bool awaits_piece(const struct shared *shared, unsigned *index)
{
    const struct piece_queue *queue = &shared->queue;
    const unsigned queued = shared->queued, on_link = queued + LANE_SLOTS - shared->past;
    *index = queued;
    if (shared->up)
        return shared->past >= queue->pieces ||
               (atomic_load(&queue->taken) > queued && on_link <= LANE_SLOTS / 2);
    if (shared->past < queued)
        return false;
    *index = queued > LANE_SLOTS ? queued - LANE_SLOTS : 0;
    while (queued == queue->pieces && *index < queued - 1 && piece_queue_is_finished(queue, *index))
        ++*index;
    return true;
}

/* There is nothing to pack or unpack now. */
static enum status wait(struct shared *shared)
{
    unsigned index;
    bool passed;
    if (awaits_piece(shared, &index)) {
        piece_queue_await_finish(&shared->queue, index);
        return STATUS_OK;
    }
    enum status status = pass(shared, true, &passed);
    allow_past(shared);
    return status;
}

static enum status begin(struct shared *shared)
{
    struct lane *lane = shared->lane;
    enum status status = staging_slots_settle(lane, shared->what);
    if (status == STATUS_OK && !shared->up) {
        if (staging_slots_are_in_use(lane))
            status = lane_synchronise(lane, shared->what);
        if (status == STATUS_OK)
            lane->staging_state = (struct staging_state){0};
    }
    return status == STATUS_OK ? staging_slots_begin(lane, &shared->first_slot, shared->what) : status;
}

static bool is_done(const struct shared *shared)
{
    return (shared->up ? shared->queued : atomic_load(&shared->queue.finished)) == shared->queue.pieces;
}

static enum status move_all(struct shared *shared)
{
    unsigned index;
    enum status status = begin(shared);
    while (status == STATUS_OK) {
        status = serve(shared);
        if (status != STATUS_OK || is_done(shared))
            break;
        status = piece_queue_take_refused(&shared->queue, &index) || piece_queue_take(&shared->queue, &index)
                     ? do_piece(shared, index)
                     : wait(shared);
    }
    return status;
}

static void note_touched(const struct shared *shared)
{
    const unsigned taken = atomic_load(&shared->queue.taken);
    const struct numbered_pieces *const numbered = &shared->numbered;
    for (unsigned i = 0; i < numbered->count && taken > (i > 0 ? numbered->ends[i - 1] : 0); i++)
        if (numbered->transfers[i].touched)
            *numbered->transfers[i].touched = true;
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

/* Down, the last piece has landed, so everything queued before it is done. */
static void leave_staging(struct shared *shared, bool good)
{
    struct staging_state *state = &shared->lane->staging_state;
    if (!shared->up)
        *state = (struct staging_state){.doubtful = !good};
    else if (good)
        staging_slots_end(shared->lane, slot_of(shared, shared->queue.pieces));
    else
        state->doubtful = true;
}

bool shared_transfer_run(const struct transfer *transfers, unsigned count, int helpers, bool up,
                         enum status *status)
{
    struct shared shared = {
        .lane = transfers->lane, .up = up,
        .what = up ? "copying an operand to the device"
                   : "running a kernel or copying its result to the host"};
    const struct job job = {.work = help, .may = job_helpers_touch_nothing /* by the piece */, .stop = stop,
                            .context = &shared, .context_bytes = sizeof shared, .parts = (unsigned)helpers};
    if (!numbered_pieces_add(&shared.numbered, transfers, count) ||
        !numbered_pieces_count(&shared.numbered, &shared.queue.pieces))
        return false;
    struct job_crew *const crew = job_helpers_begin(&job, helpers);
    if (!crew)
        return false;
    struct shared *const kept = job_helpers_context(crew);
    *status = move_all(kept);
    piece_queue_close(&kept->queue);
    job_helpers_end(crew, &shared);
    if (!up)
        note_touched(&shared);
    leave_staging(&shared, *status == STATUS_OK);
    return true;
}
