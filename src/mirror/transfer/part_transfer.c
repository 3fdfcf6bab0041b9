#include "mirror/transfer/part_transfer.h"
#include "mirror/transfer/staging.h"
#include "mirror/transfer/triangle_cover.h"

struct direct {
    struct lane *lane;
    const struct blas_matrix *matrix;
    CUdeviceptr device;
    size_t ld_bytes, device_ld_bytes;
    bool up;
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
    direct->status = direct->up ? staging_upload_direct(direct->lane, device, device_pitch, host, strip->pitch,
                                                        strip->width, strip->height)
                                : staging_download_direct(direct->lane, host, strip->pitch, device,
                                                          device_pitch, strip->width, strip->height);
    return direct->status != STATUS_OK;
}

static enum status move_directly(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                                 int64_t device_ld, size_t element_bytes, bool up)
{
    struct direct direct = {.lane = lane, .matrix = matrix, .device = device, .up = up, .status = STATUS_OK,
                            .ld_bytes = (size_t)matrix->ld * element_bytes,
                            .device_ld_bytes = (size_t)device_ld * element_bytes};
    triangle_cover(matrix, element_bytes, move_strip, &direct);
    return direct.status;
}

enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned)
{
    return is_pinned ? move_directly(lane, matrix, destination, destination_ld, element_bytes, true)
                     : staging_upload_part(lane, destination, destination_ld, matrix, element_bytes);
}

enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched)
{
    if (!is_pinned)
        return staging_download_part(lane, matrix, source, source_ld, element_bytes, touched);
    if (touched)
        *touched = true;
    const enum status status = move_directly(lane, matrix, source, source_ld, element_bytes, false);
    return status == STATUS_OK ? lane_synchronise(lane, "copying a result to the host") : status;
}
