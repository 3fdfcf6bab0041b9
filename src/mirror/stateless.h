/* stateless.h - operands that are copied for one call and forgotten.
 *
 * For memory that cannot be mirrored: files, shared memory, stacks, hugetlb pages, memory that the program
 * pinned, any where writes cannot be tracked. The copy lives in lane scratch, packed: device_ld is the row
 * count rounded up to 16 bytes. Of host memory exactly the elements of the matrix's part are read and
 * written. Inside device_enter, as all transfers. */
#ifndef MUBLAS_STATELESS_H
#define MUBLAS_STATELESS_H

#include "gpu/lane.h"
#include "mirror/operand.h"

/* Scratch that stateless_hold will take for this operand, a multiple of 256;
 * 0 for an empty matrix. Sum it over the operands for lane_reserve_scratch. */
size_t stateless_scratch_bytes(const struct operand *operand);

/* Deal scratch, set device_address and device_ld, and upload the part (unless the
 * access is OPERAND_OVERWRITE). All of the host's elements have been read on
 * return; the copies are queued on the lane's stream. What is not part of the
 * operand is undefined on the device. Adds the bytes moved to count->bytes_up. */
enum status stateless_hold(struct lane *lane, struct operand *operand, struct transfer_count *count);

/* After lane_synchronise succeeded: write the part's elements back to the host,
 * complete on return. A failed copy is repeated once from device memory;
 * STATUS_RESULT_LOST when that fails too and elements that the call also read were
 * overwritten, else the error itself: the host can compute the call. Adds to count->bytes_down. */
enum status stateless_write_back(struct lane *lane, const struct operand *operand,
                                 struct transfer_count *count);

#endif
