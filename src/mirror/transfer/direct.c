/* Copies without staging: of memory that is pinned, and of any on a device that reads and writes the host's memory by
 * the host's page tables. */
#include "gpu/device.h"
#include "mirror/transfer/transfer.h"

#include <stdatomic.h>

/* So many bytes from the beginning of a row on. */
static CUresult copy_bytes(const CUDA_MEMCPY2D *rows, size_t row, size_t bytes, CUstream stream)
{
    const size_t from = row * rows->srcPitch, to = row * rows->dstPitch;
    if (rows->srcMemoryType == CU_MEMORYTYPE_HOST)
        return driver()->copy_to_device_async(rows->dstDevice + to, (const char *)rows->srcHost + from, bytes,
                                              stream);
    return driver()->copy_to_host_async((char *)rows->dstHost + to, rows->srcDevice + from, bytes, stream);
}

static CUresult copy(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    const size_t width = rows->WidthInBytes, height = rows->Height;
    CUresult result = CUDA_SUCCESS;
    if (width == 0 || height == 0)
        return result;
    if (height == 1 || (rows->srcPitch == width && rows->dstPitch == width)) /* one range on both sides */
        return copy_bytes(rows, 0, width * height, stream);
    if (rows->srcPitch <= STAGING_PITCH_MOST && rows->dstPitch <= STAGING_PITCH_MOST)
        return driver()->copy_2d_async(rows, stream);
    for (size_t row = 0; row < height && result == CUDA_SUCCESS; row++)
        result = copy_bytes(rows, row, width, stream);
    return result;
}

enum status staging_upload_direct(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                                  const void *source, size_t source_pitch, size_t width, size_t height)
{
    const CUDA_MEMCPY2D rows = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = source, .srcPitch = source_pitch,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = destination, .dstPitch = destination_pitch,
        .WidthInBytes = width, .Height = height,
    };
    return device_check(lane->device, copy(&rows, lane->stream), "copying an operand to the device");
}

enum status staging_download_direct(struct lane *lane, void *destination, size_t destination_pitch,
                                    CUdeviceptr source, size_t source_pitch, size_t width, size_t height)
{
    const CUDA_MEMCPY2D rows = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = source, .srcPitch = source_pitch,
        .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = destination, .dstPitch = destination_pitch,
        .WidthInBytes = width, .Height = height,
    };
    return device_check(lane->device, copy(&rows, lane->stream), "copying a result to the host");
}

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

static enum status cover(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device, int64_t device_ld,
                         size_t element_bytes, bool up, bool *is_queued)
{
    struct direct direct = {.lane = lane, .matrix = matrix, .device = device, .up = up, .status = STATUS_OK,
                            .ld_bytes = (size_t)matrix->ld * element_bytes,
                            .device_ld_bytes = (size_t)device_ld * element_bytes};
    triangle_cover(matrix, element_bytes, move_strip, &direct);
    *is_queued = direct.is_queued;
    return direct.status;
}

static enum status move_pinned(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                               int64_t device_ld, size_t element_bytes, bool up, bool *is_queued)
{
    const enum status status = cover(lane, matrix, device, device_ld, element_bytes, up, is_queued);
    if (status == STATUS_DEVICE_ERROR)
        atomic_store(&is_refused, true);
    return status;
}

enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned)
{
    bool is_queued;
    if (is_pinned && !atomic_load(&is_refused)) {
        const enum status status =
            move_pinned(lane, matrix, destination, destination_ld, element_bytes, true, &is_queued);
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
        move_pinned(lane, matrix, source, source_ld, element_bytes, false, &is_queued);
    if (touched)
        *touched = *touched || is_queued;
    return status == STATUS_OK ? lane_synchronise(lane, "copying a result to the host") : status;
}

/* --- by the host's page tables --- */

static const char uploading[] = "copying an operand to the device";
static const char downloading[] = "running a kernel or copying its result to the host";

/* Narrower rows are packed: a copy engine moves each by itself. */
enum { DIRECT_ROW_BYTES_MIN = 1024 };

/* Each costs a line in the log: from then on all goes by staging. */
enum { DIRECT_REFUSALS_MOST = 3 };
static atomic_uint refusals;

/* A download of less is delivered whole or not at all. */
static bool is_worth_it(const struct transfer *transfers, unsigned count)
{
    size_t bytes = 0;
    if (count == 0 || !device_properties(transfers->lane->device)->uses_host_page_tables ||
        atomic_load(&refusals) >= DIRECT_REFUSALS_MOST)
        return false;
    for (unsigned i = 0; i < count; i++)
        bytes += transfers[i].width * transfers[i].height;
    return bytes > STAGING_PIECE_BYTES;
}

static bool have_wide_rows(const struct transfer *transfers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct transfer *const rows = &transfers[i];
        const bool is_packed = rows->host_pitch == (ptrdiff_t)rows->width && rows->device_pitch == rows->width;
        if (rows->clip || rows->host_pitch < (ptrdiff_t)rows->width ||
            (rows->width < DIRECT_ROW_BYTES_MIN && !is_packed))
            return false;
    }
    return true;
}

/* Copies of what the program has pinned leave no mark in the page tables; of what it has pinned in part the driver
 * makes none, which may not be seen before. */
static bool looks_pinned(const struct transfer *transfer)
{
    const uintptr_t first = (uintptr_t)transfer->host;
    const size_t bytes = (transfer->height - 1) * (size_t)transfer->host_pitch + transfer->width;
    return device_has_pinned((const void *)first) || device_has_pinned((const void *)(first + bytes / 2)) ||
           device_has_pinned((const void *)(first + bytes - 1));
}

/* Memory that would raise a signal on this thread costs the device its context. */
static bool may_go(const struct transfer *transfers, unsigned count, bool up)
{
    bool good = true;
    for (unsigned i = 0; i < count && good; i++) {
        const struct piece all = {.rows = transfers[i].height, .width = transfers[i].width};
        good = all.rows == 0 || all.width == 0 ||
               (!looks_pinned(&transfers[i]) && piece_is_reachable(&transfers[i], &all, up));
    }
    return good;
}

/* No byte of the program's is written before all that was queued before has come without error. */
static enum status begin(const struct transfer *transfers, unsigned count, bool up)
{
    enum status status = up ? STATUS_OK : lane_synchronise(transfers->lane, downloading);
    for (unsigned i = 0; i < count && !up && status == STATUS_OK; i++)
        if (transfers[i].touched)
            *transfers[i].touched = true;
    return status;
}

/* False: the driver has refused a copy, and staging is to do all of it. */
static bool end(struct lane *lane, bool up, enum status *status)
{
    const enum status waited = lane_synchronise(lane, up ? uploading : downloading);
    const bool is_refused_now = *status == STATUS_DEVICE_ERROR && waited == STATUS_OK;
    if (is_refused_now)
        atomic_fetch_add(&refusals, 1);
    if (*status == STATUS_OK)
        *status = waited;
    return !is_refused_now;
}

bool direct_run(const struct transfer *transfers, unsigned count, bool up, enum status *status)
{
    if (!is_worth_it(transfers, count) || !have_wide_rows(transfers, count) ||
        !may_go(transfers, count, up))
        return false;
    *status = begin(transfers, count, up);
    if (*status != STATUS_OK)
        return true;
    for (unsigned i = 0; i < count && *status == STATUS_OK; i++) {
        const struct transfer *const rows = &transfers[i];
        const size_t pitch = (size_t)rows->host_pitch;
        *status = up ? staging_upload_direct(rows->lane, rows->device, rows->device_pitch, rows->host, pitch,
                                             rows->width, rows->height)
                     : staging_download_direct(rows->lane, rows->host, pitch, rows->device,
                                               rows->device_pitch, rows->width, rows->height);
    }
    return end(transfers->lane, up, status);
}

bool direct_run_triangle(const struct blas_matrix *matrix, int64_t device_ld, size_t element_bytes,
                         const struct transfer *transfers, unsigned count, bool up, enum status *status)
{
    bool is_queued;
    if (matrix->part == PART_FULL || !is_worth_it(transfers, count) || !may_go(transfers, count, up))
        return false;
    *status = begin(transfers, count, up);
    if (*status != STATUS_OK)
        return true;
    *status = cover(transfers->lane, matrix, transfers->device, device_ld, element_bytes, up, &is_queued);
    return end(transfers->lane, up, status);
}
