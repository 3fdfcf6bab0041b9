#include "mirror/stateless.h"

#include "mirror/transfer/staging.h"

enum { LD_ALIGNMENT = 16, SCRATCH_ALIGNMENT = 256 };

static size_t round_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

static bool is_empty(const struct operand *operand)
{
    return operand->matrix.rows <= 0 || operand->matrix.columns <= 0;
}

static size_t packed_column_bytes(const struct operand *operand)
{
    return round_up((size_t)operand->matrix.rows * operand->element_bytes, LD_ALIGNMENT);
}

/* Bytes of the part, what a call is said to move. */
static uint64_t part_bytes(const struct operand *operand)
{
    uint64_t rows = (uint64_t)operand->matrix.rows, columns = (uint64_t)operand->matrix.columns;
    uint64_t elements = operand->matrix.part == PART_FULL ? rows * columns : columns * (columns + 1) / 2;
    return elements * operand->element_bytes;
}

size_t stateless_scratch_bytes(const struct operand *operand)
{
    if (is_empty(operand))
        return 0;
    return round_up(packed_column_bytes(operand) * (size_t)operand->matrix.columns, SCRATCH_ALIGNMENT);
}

enum status stateless_hold(struct lane *lane, struct operand *operand, struct transfer_count *count)
{
    operand->device_address = 0;
    operand->device_ld = 1;
    if (is_empty(operand))
        return STATUS_OK;
    operand->device_address = lane_scratch(lane, stateless_scratch_bytes(operand));
    operand->device_ld = (int64_t)(packed_column_bytes(operand) / operand->element_bytes);
    if (operand->access == OPERAND_OVERWRITE)
        return STATUS_OK;
    enum status status = staging_upload_part(lane, operand->device_address, operand->device_ld,
                                             &operand->matrix, operand->element_bytes);
    if (status == STATUS_OK)
        count->bytes_up += part_bytes(operand);
    return status;
}

enum status stateless_write_back(struct lane *lane, const struct operand *operand,
                                 struct transfer_count *count)
{
    bool touched = false;
    enum status status = STATUS_OK;
    if (is_empty(operand) || operand->access == OPERAND_READ)
        return STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        status = staging_download_part(lane, &operand->matrix, operand->device_address, operand->device_ld,
                                       operand->element_bytes, &touched);
        if (status == STATUS_OK) {
            count->bytes_down += part_bytes(operand);
            return STATUS_OK;
        }
    }
    /* A half-written output that the call only writes can still be computed by the host. */
    return touched && operand->access == OPERAND_UPDATE ? STATUS_RESULT_LOST : status;
}
