#include "mirror/transfer/transfer.h"
#include "common/own_thread.h"

enum { HALF_BYTES = LANE_STAGING_BYTES / 2, HALF_SLOTS = LANE_SLOTS / 2 };

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "running a kernel or copying its result to the host";

enum status staging_slots_settle(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    if (!state->doubtful)
        return STATUS_OK;
    enum status status = lane_synchronise(lane, what);
    if (status == STATUS_OK)
        *state = (struct staging_state){0};
    return status;
}

bool staging_slots_are_in_use(const struct lane *lane)
{
    const struct staging_state *state = &lane->staging_state;
    return state->used > 0 || state->pending[0] || state->pending[1] || state->slots != 0;
}

/* Behind what lies in the half in use; the other half is the next. */
static enum status leave_half(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = device_check(
        lane->device, driver()->event_record(lane->staging_free[state->half], lane->stream), what);
    if (status != STATUS_OK)
        return status;
    state->pending[state->half] = true;
    state->half ^= 1;
    state->used = 0;
    return STATUS_OK;
}

/* For one event: *is_set becomes false once it is done. */
static enum status try_event(struct lane *lane, CUevent event, bool wait, bool *is_set, const char *what)
{
    const CUresult result = wait ? driver()->event_synchronise(event) : driver()->event_query(event);
    if (result == CUDA_ERROR_NOT_READY)
        return STATUS_OK;
    *is_set = result != CUDA_SUCCESS;
    return device_check(lane->device, result, what);
}

static enum status free_half(struct lane *lane, unsigned half, bool wait, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    return state->pending[half] ? try_event(lane, lane->staging_free[half], wait, &state->pending[half], what)
                                : STATUS_OK;
}

static enum status free_slot(struct lane *lane, unsigned slot, bool wait, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    const uint32_t bit = UINT32_C(1) << slot;
    bool is_set = (state->slots & bit) != 0;
    if (!is_set)
        return STATUS_OK;
    enum status status = try_event(lane, lane->slot_free[slot], wait, &is_set, what);
    if (!is_set)
        state->slots &= ~bit;
    return status;
}

/* Before its first byte is filled. */
static enum status free_half_and_slots(struct lane *lane, unsigned half)
{
    enum status status = free_half(lane, half, true, uploading);
    for (unsigned i = 0; i < HALF_SLOTS && lane->staging_state.slots != 0 && status == STATUS_OK; i++)
        status = free_slot(lane, half * HALF_SLOTS + i, true, uploading);
    return status;
}

/* Staging for a short upload of `bytes`: further on in the half in use, or the other half. */
static enum status staging_slots_take_bytes(struct lane *lane, size_t bytes, unsigned char **address)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging(lane);
    if (status == STATUS_OK && state->used + bytes > HALF_BYTES)
        status = leave_half(lane, uploading);
    if (status == STATUS_OK && state->used == 0)
        status = free_half_and_slots(lane, state->half);
    if (status != STATUS_OK)
        return status;
    *address = lane->staging + (size_t)state->half * HALF_BYTES + state->used;
    state->used += device_aligned(bytes);
    return STATUS_OK;
}

enum status staging_slots_begin(struct lane *lane, unsigned *first, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging_slots(lane);
    if (status == STATUS_OK && state->used > 0) {
        status = leave_half(lane, what);
        state->next_slot = state->half * HALF_SLOTS;
    }
    *first = state->next_slot;
    return status;
}

/* Short copies go on in the half whose slots become free first. */
void staging_slots_end(struct lane *lane, unsigned next)
{
    struct staging_state *state = &lane->staging_state;
    const unsigned last = (next + LANE_SLOTS - 1) % LANE_SLOTS;
    state->next_slot = next;
    state->half = last / HALF_SLOTS ^ 1;
}

unsigned char *staging_slot_address(const struct lane *lane, unsigned slot)
{
    return lane->staging + (size_t)slot * STAGING_SLOT_BYTES;
}

enum status staging_slot_use(struct lane *lane, unsigned slot, const char *what)
{
    enum status status =
        device_check(lane->device, driver()->event_record(lane->slot_free[slot], lane->stream), what);
    if (status == STATUS_OK)
        lane->staging_state.slots |= UINT32_C(1) << slot;
    return status;
}

enum status staging_slot_is_free(struct lane *lane, unsigned slot, bool wait, bool *is_free, const char *what)
{
    const struct staging_state *state = &lane->staging_state;
    enum status status = free_half(lane, slot / HALF_SLOTS, wait, what);
    if (status == STATUS_OK)
        status = free_slot(lane, slot, wait, what);
    *is_free = !state->pending[slot / HALF_SLOTS] && !(state->slots & UINT32_C(1) << slot);
    return status;
}

enum status transfer_upload_alone(struct transfer *transfer)
{
    struct lane *lane = transfer->lane;
    transfer_join_rows(transfer);
    enum status status = staging_slots_settle(lane, uploading);
    struct piece piece = {0};
    while (status == STATUS_OK && piece_next(transfer, &piece)) {
        unsigned char *slot;
        status = staging_slots_take_bytes(lane, piece.width * piece.rows, &slot);
        if (status == STATUS_OK) {
            piece_pack(slot, transfer, &piece);
            status = piece_send(transfer, &piece, slot);
        }
        if (status != STATUS_OK)
            lane->staging_state.doubtful = true;
    }
    return status;
}

static void deliver(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed)
{
    const enum phase before = phase_enter(PHASE_RESULT); /* the wait may have been for the call */
    if (transfer->touched)
        *transfer->touched = true;
    piece_unpack(transfer, piece, packed);
    phase_enter(before);
}

static enum status download_one(const struct transfer *transfer, const struct piece *piece)
{
    unsigned char *slot;
    enum status status = staging_slots_take_bytes(transfer->lane, piece->width * piece->rows, &slot);
    if (status == STATUS_OK)
        status = piece_fetch(transfer, piece, slot);
    if (status == STATUS_OK)
        status = lane_synchronise(transfer->lane, downloading);
    if (status == STATUS_OK)
        deliver(transfer, piece, slot);
    return status;
}

static unsigned char *half_of(const struct lane *lane, unsigned half)
{
    return lane->staging + (size_t)half * HALF_BYTES;
}

static enum status fetch_half(const struct transfer *transfer, const struct piece *piece, unsigned half)
{
    struct lane *lane = transfer->lane;
    enum status status = piece_fetch(transfer, piece, half_of(lane, half));
    if (status == STATUS_OK)
        status = device_check(lane->device, driver()->event_record(lane->staging_free[half], lane->stream),
                              downloading);
    return status;
}

static enum status deliver_half(const struct transfer *transfer, const struct piece *piece, unsigned half)
{
    struct lane *lane = transfer->lane;
    enum status status = device_check(lane->device, driver()->event_synchronise(lane->staging_free[half]),
                                      downloading);
    if (status == STATUS_OK)
        deliver(transfer, piece, half_of(lane, half));
    return status;
}

/* Two pieces on their way at any time, one in each half. piece[0] is the first, piece[1] the second. */
static enum status download_many(const struct transfer *transfer, struct piece piece[2])
{
    enum status status = lane_reserve_staging(transfer->lane);
    if (status != STATUS_OK)
        return status;
    if (staging_slots_are_in_use(transfer->lane)) /* uploads may still lie in the halves */
        status = lane_synchronise(transfer->lane, downloading);
    if (status == STATUS_OK)
        status = fetch_half(transfer, &piece[0], 0);
    unsigned half = 0;
    for (bool more = true; status == STATUS_OK && more; half ^= 1) {
        status = fetch_half(transfer, &piece[half ^ 1], half ^ 1);
        if (status == STATUS_OK)
            status = deliver_half(transfer, &piece[half], half);
        piece[half] = piece[half ^ 1];
        more = piece_next(transfer, &piece[half]);
    }
    return status == STATUS_OK ? deliver_half(transfer, &piece[half], half) : status;
}

enum status transfer_download_alone(struct transfer *transfer)
{
    struct lane *lane = transfer->lane;
    transfer_join_rows(transfer);
    enum status status = staging_slots_settle(lane, downloading);
    struct piece piece[2] = {{0}};
    if (status != STATUS_OK || !piece_next(transfer, &piece[0]))
        return status;
    piece[1] = piece[0];
    status =
        piece_next(transfer, &piece[1]) ? download_many(transfer, piece) : download_one(transfer, &piece[0]);
    /* The last piece has landed, so everything queued before it is done. */
    lane->staging_state = (struct staging_state){.doubtful = status != STATUS_OK};
    return status;
}

/* Before a byte is moved: what the calling thread alone may touch has to be done there. */
bool transfers_are_reachable(const struct transfer *transfers, unsigned count, bool up)
{
    bool good = true;
    for (unsigned i = 0; i < count && good && own_thread_is_this(); i++) {
        const struct piece all = {.rows = transfers[i].height, .width = transfers[i].width};
        good = piece_is_reachable(&transfers[i], &all, up);
    }
    return good;
}

static enum status move_all(struct transfer *transfers, unsigned count, bool up)
{
    enum status status = STATUS_OK;
    if (direct_run(transfers, count, up, &status))
        return status;
    if (!transfers_are_reachable(transfers, count, up))
        return STATUS_INACCESSIBLE;
    const int helpers = shared_transfer_helpers(transfers, count);
    if (helpers > 0 && shared_transfer_run(transfers, count, helpers, up, &status))
        return status;
    status = STATUS_OK;
    for (unsigned i = 0; i < count && status == STATUS_OK; i++)
        status = up ? transfer_upload_alone(&transfers[i]) : transfer_download_alone(&transfers[i]);
    return status;
}

enum status transfer_upload_all(struct transfer *transfers, unsigned count)
{
    return move_all(transfers, count, true);
}

enum status transfer_download_all(struct transfer *transfers, unsigned count)
{
    return move_all(transfers, count, false);
}

enum status transfer_upload(struct transfer *transfer)
{
    return move_all(transfer, 1, true);
}

enum status transfer_download(struct transfer *transfer)
{
    return move_all(transfer, 1, false);
}

void transfer_join_rows(struct transfer *transfer)
{
    if (transfer->height > 1 && !transfer->clip && transfer->host_pitch == (ptrdiff_t)transfer->width &&
        transfer->device_pitch == transfer->width) {
        transfer->width *= transfer->height;
        transfer->height = 1;
    }
}
