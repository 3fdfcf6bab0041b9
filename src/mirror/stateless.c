#include "mirror/stateless.h"

#include "mirror/host_memory/operand_memory.h"
#include "mirror/transfer/staging.h"

enum { LD_ALIGNMENT = 16 };

static size_t packed_column_bytes(const struct operand *operand)
{
    const size_t bytes = (size_t)operand->matrix.rows * operand->element_bytes;
    return (bytes + LD_ALIGNMENT - 1) / LD_ALIGNMENT * LD_ALIGNMENT;
}

size_t stateless_scratch_bytes(const struct operand *operand)
{
    if (operand_memory_is_empty(operand))
        return 0;
    return device_aligned(packed_column_bytes(operand) * (size_t)operand->matrix.columns);
}

enum status stateless_hold(struct lane *lane, struct operand *operand, struct transfer_count *count)
{
    operand->device_address = 0;
    operand->device_ld = 1;
    if (operand_memory_is_empty(operand))
        return STATUS_OK;
    operand->device_address = lane_scratch(lane, stateless_scratch_bytes(operand));
    operand->device_ld = (int64_t)(packed_column_bytes(operand) / operand->element_bytes);
    if (operand->access == OPERAND_OVERWRITE)
        return STATUS_OK;
    enum status status = staging_upload_part(lane, operand->device_address, operand->device_ld,
                                             &operand->matrix, operand->element_bytes);
    if (status == STATUS_OK)
        count->bytes_up += operand_memory_bytes(operand);
    return status;
}

enum status stateless_write_back(struct lane *lane, const struct operand *operand,
                                 struct transfer_count *count)
{
    bool touched = false;
    enum status status = STATUS_OK;
    if (operand_memory_is_empty(operand) || operand->access == OPERAND_READ)
        return STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        status = staging_download_part(lane, &operand->matrix, operand->device_address, operand->device_ld,
                                       operand->element_bytes, &touched);
        if (status == STATUS_OK) {
            count->bytes_down += operand_memory_bytes(operand);
            return STATUS_OK;
        }
    }
    /* A half-written output that the call only writes can still be computed by the host. */
    return touched && operand->access == OPERAND_UPDATE ? STATUS_RESULT_LOST : status;
}
