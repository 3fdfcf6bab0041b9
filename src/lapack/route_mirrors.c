/* What routes take from the mirrors of BLAS calls, and leave in them. */
#include "lapack/matrix_part.h"
#include "lapack/route_engine.h"

struct operand route_operand_of(const struct blas_matrix *matrix, enum blas_type type)
{
    return (struct operand){.matrix = *matrix, .element_bytes = blas_element_bytes(type),
                            .access = OPERAND_READ, .alignment = sizeof(uint32_t),
                            .kind = (unsigned)FAMILY_TRSM * TYPE_COUNT + (unsigned)type};
}

/* From the hold to its release, which may come once the stream has been waited for. */
static enum status copy_held(struct route_run *run, struct operands_hold *hold,
                             const struct device_part *from, CUdeviceptr to, int64_t to_ld)
{
    enum status status = matrix_part_copy(run->lane->lane->device, run->lane->lane->stream, from, to, to_ld,
                                          run->route->type);
    if (status == STATUS_OK)
        status = route_lane_wait(run->lane, "copying a matrix on the device");
    return status == STATUS_OK ? operands_write_back(hold) : status;
}

enum status route_take_from_mirror(struct route_run *run, const struct route_operand *operand)
{
    struct route *const route = run->route;
    struct operand held = route_operand_of(&operand->up, route->type);
    struct operands_hold *hold;
    struct transfer_count count = {0};
    enum status status = STATUS_UNSUPPORTED;
    if (operand->is_kept && route->keeps)
        status = operands_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0, HOLD_MIRRORED,
                               &hold);
    else if (operands_are_resident(run->mirrors, &held))
        status = operands_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0, HOLD_CLEAN, &hold);
    if (status != STATUS_OK)
        return status;
    const struct device_part from = {held.device_address, held.device_ld, operand->up.rows,
                                     operand->up.columns, operand->up.part};
    status = copy_held(run, hold, &from, route_first_address(route, operand), operand->ld);
    operands_release(hold, &count);
    route->moved.bytes_up += count.bytes_up;
    return status;
}

enum status route_leave_in_mirror(struct route_run *run, const struct route_operand *operand,
                                  CUdeviceptr address, bool *touched)
{
    struct operand held = route_operand_of(&operand->home, run->route->type);
    struct operands_hold *hold;
    const struct device_part from = {address, operand->ld, operand->home.rows, operand->home.columns,
                                     operand->home.part};
    /* The mirror of a triangle lacks pages that the triangle has a part of, one or more a column: sending
     * these takes longer than sending the whole triangle (doc/lapack.md). */
    if (operand->home.part != PART_FULL || !operands_are_resident(run->mirrors, &held))
        return STATUS_UNSUPPORTED;
    held.access = OPERAND_OVERWRITE;
    enum status status = operands_hold(run->mirrors, run->lane->lane, run->patience, &held, 1, 0, HOLD_RESULT,
                                       &hold);
    if (status != STATUS_OK)
        return status;
    status = copy_held(run, hold, &from, held.device_address, held.device_ld);
    *touched = *touched || status == STATUS_OK || status == STATUS_RESULT_LOST;
    operands_release(hold, NULL);
    return status;
}
