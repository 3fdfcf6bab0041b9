#include "mirror/transfer/transfer.h"

#include "common/threads/own_thread.h"
#include "mirror/transfer/pieces.h"
#include "mirror/transfer/shared_transfer.h"
#include "mirror/transfer/staging_slots.h"

enum { HALF_BYTES = LANE_STAGING_BYTES / 2 };

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "running a kernel or copying its result to the host";

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
    if (transfer->touched)
        *transfer->touched = true;
    piece_unpack(transfer, piece, packed);
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
static bool are_reachable(const struct transfer *transfers, unsigned count, bool up)
{
    bool good = true;
    for (unsigned i = 0; i < count && good; i++) {
        const struct piece all = {.rows = transfers[i].height, .width = transfers[i].width};
        good = piece_is_reachable(&transfers[i], &all, up);
    }
    return good;
}

static enum status move_all(struct transfer *transfers, unsigned count, bool up)
{
    if (own_thread_is_this() && !are_reachable(transfers, count, up))
        return STATUS_INACCESSIBLE;
    const int helpers = shared_transfer_helpers(transfers, count);
    enum status status = STATUS_OK;
    if (helpers > 0 && shared_transfer_run(transfers, count, helpers, up, &status))
        return status;
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
