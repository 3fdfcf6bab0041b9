/* staging.h - transfers between program memory and the device: through a lane's pinned staging, and
 * directly if the program's memory is pinned or the device uses the host's page tables (direct.c).
 *
 * The direct forms queue and return; the staged forms may wait inside. A staged upload has read all of
 * `source` when it returns; a staged download has written all of `destination` when it returns, and writes
 * exactly the given elements and no byte between them.
 *
 * Write-back must touch exactly the elements a routine writes (another thread may own the rest), by 2-D
 * copies: triangle_cover gives them as few strips. A triangle of order n is a band next to the diagonal,
 * which with a pitch of (ld + 1) elements is one strip, and a rectangle per block of columns; strips may
 * overlap (equal bytes).
 *
 * part_upload and part_download choose the way: by DMA if the program has pinned the matrix
 * (operands_are_pinned_by_program), else by staging. Once the driver has refused such a copy, as of memory
 * pinned in several pieces, all goes by staging. */
#ifndef MUBLAS_STAGING_H
#define MUBLAS_STAGING_H

#include "common/blas_call.h"
#include "gpu/lane.h"

#include <stdbool.h>

/* One staged copy. A download of at most this many bytes reaches host memory whole or,
 * on failure, not at all. */
enum { STAGING_PIECE_BYTES = 2 << 20 };

/* `height` rows of `width` bytes, `pitch` bytes apart (a plain range: height 1). */
struct strip {
    size_t offset; /* bytes from a base address that host and device share */
    size_t width, height, pitch;
};

enum status staging_upload(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                           const void *source, size_t source_pitch, size_t width, size_t height);
enum status staging_download(struct lane *lane, void *destination, size_t destination_pitch,
                             CUdeviceptr source, size_t source_pitch, size_t width, size_t height);

/* The elements of matrix->part only (a triangle part must be square): of host memory nothing else is
 * read or written, since it may be unreadable; on the device an upload leaves the rest of the
 * matrix's rows undefined. *touched (may be NULL) becomes true once host memory has been written. */
enum status staging_upload_part(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                                const struct blas_matrix *matrix, size_t element_bytes);
enum status staging_download_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                                  int64_t source_ld, size_t element_bytes, bool *touched);

/* A device that another process has may go away in the middle of a result's way home, and an operand that was
 * also read would be lost. Such results are fetched to private memory first, all of a call's before the first
 * byte of the program's is written: staging_download_part of the same matrix then takes it from there, as
 * often as it is asked, until they are forgotten. `is_alone`: the call has no other, so nothing is done for
 * one that comes whole or not at all. Nothing is done for a device of this process's own, or if there is no
 * room. */
enum status results_fetch(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_alone);
void results_forget(struct lane *lane);

/* The same rectangles by DMA from or to pinned program memory. Rows are queued one by one if a pitch is
 * larger than this, and some of them may be when one is refused. */
enum { STAGING_PITCH_MOST = 0x7fffffff }; /* of a 2-D copy, CU_DEVICE_ATTRIBUTE_MAX_PITCH */
enum status staging_upload_direct(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                                  const void *source, size_t source_pitch, size_t width, size_t height);
enum status staging_download_direct(struct lane *lane, void *destination, size_t destination_pitch,
                                    CUdeviceptr source, size_t source_pitch, size_t width, size_t height);

/* A BLAS vector to or from contiguous device memory (increment 1, first element
 * first). Only its elements are read or written. */
enum status staging_upload_vector(struct lane *lane, CUdeviceptr destination,
                                  const struct blas_vector *vector, size_t element_bytes);
enum status staging_download_vector(struct lane *lane, const struct blas_vector *vector, CUdeviceptr source,
                                    size_t element_bytes);

/* The same without a transfer: elements to and from `packed`, the first one first. */
void staging_pack_vector(void *packed, const struct blas_vector *vector, size_t element_bytes);
void staging_unpack_vector(const struct blas_vector *vector, const void *packed, size_t element_bytes);

typedef int strip_visitor(void *context, const struct strip *strip);

/* Call `visit` for strips that together cover exactly the elements of
 * matrix->part; offsets count from element (0, 0). Stops at the first nonzero
 * answer and returns it; else 0. */
int triangle_cover(const struct blas_matrix *matrix, size_t element_bytes, strip_visitor *visit,
                   void *context);

/* As staging_upload_part. Pinned memory is read until the stream has been waited for. */
enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned);

/* As staging_download_part: all of it is home on return. Not STATUS_OK: pinned memory may be written to until
 * the stream has been waited for. */
enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched);

#endif
