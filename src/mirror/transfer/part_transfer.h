/* part_transfer.h - a matrix, or a triangle of one, up and home: by DMA where the program has pinned it
 * (operands_are_pinned_by_program), else by staging. Only elements of the part are read or written.
 * Once the driver has refused such a copy, as of memory pinned in several pieces, all goes by staging. */
#ifndef MUBLAS_PART_TRANSFER_H
#define MUBLAS_PART_TRANSFER_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* As staging_upload_part. Pinned memory is read until the stream has been waited for. */
enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned);

/* As staging_download_part: all of it is home on return. Not STATUS_OK: pinned memory may be written to until
 * the stream has been waited for. */
enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched);

#endif
