#include "mirror/transfer/part_transfer.h"
#include "mirror/transfer/staging.h"
#include "mirror/transfer/triangle_cover.h"

#include <stdatomic.h>

/* A driver refuses copies of what lies in several registrations, which operands_are_pinned_by_program may not
 * see. From the first one on all goes by staging. */
static atomic_bool is_refused;

struct direct {
    struct lane *lane;
    const struct blas_matrix *matrix;
    CUdeviceptr device;
    size_t ld_bytes, device_ld_bytes;
    bool up, is_queued; /* some of it, perhaps */
    enum status status;
};

/* A band along the diagonal has a pitch of some elements more than the leading dimension, on both sides. */
static int move_strip(void *context, const struct strip *strip)
{
    struct direct *const direct = context;
    const size_t column = strip->offset / direct->ld_bytes, row_bytes = strip->offset % direct->ld_bytes;
    const size_t device_pitch = strip->pitch - direct->ld_bytes + direct->device_ld_bytes;
    unsigned char *const host = (unsigned char *)direct->matrix->pointer + strip->offset;
    const CUdeviceptr device = direct->device + column * direct->device_ld_bytes + row_bytes;
    direct->status = direct->up
                         ? staging_upload_direct(direct->lane, device, device_pitch, host, strip->pitch,
                                                 strip->width, strip->height)
                         : staging_download_direct(direct->lane, host, strip->pitch, device, device_pitch,
                                                   strip->width, strip->height);
    direct->is_queued = direct->is_queued || direct->status == STATUS_OK ||
                        strip->pitch > STAGING_PITCH_MOST || device_pitch > STAGING_PITCH_MOST;
    return direct->status != STATUS_OK;
}

static enum status move_directly(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                                 int64_t device_ld, size_t element_bytes, bool up, bool *is_queued)
{
    struct direct direct = {.lane = lane, .matrix = matrix, .device = device, .up = up, .status = STATUS_OK,
                            .ld_bytes = (size_t)matrix->ld * element_bytes,
                            .device_ld_bytes = (size_t)device_ld * element_bytes};
    triangle_cover(matrix, element_bytes, move_strip, &direct);
    *is_queued = direct.is_queued;
    if (direct.status == STATUS_DEVICE_ERROR)
        atomic_store(&is_refused, true);
    return direct.status;
}

enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned)
{
    bool is_queued;
    if (is_pinned && !atomic_load(&is_refused)) {
        const enum status status =
            move_directly(lane, matrix, destination, destination_ld, element_bytes, true, &is_queued);
        if (status != STATUS_DEVICE_ERROR)
            return status;
    }
    return staging_upload_part(lane, destination, destination_ld, matrix, element_bytes);
}

enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched)
{
    bool is_queued;
    if (!is_pinned || atomic_load(&is_refused))
        return staging_download_part(lane, matrix, source, source_ld, element_bytes, touched);
    const enum status status =
        move_directly(lane, matrix, source, source_ld, element_bytes, false, &is_queued);
    if (touched)
        *touched = *touched || is_queued;
    return status == STATUS_OK ? lane_synchronise(lane, "copying a result to the host") : status;
}
