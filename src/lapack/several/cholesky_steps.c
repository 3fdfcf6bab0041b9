#include "common/log.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/several/shared_cholesky.h"

static const union blas_scalar minus_one[TYPE_COUNT] __attribute__((aligned(16))) = {
    [TYPE_S] = {.s = -1}, [TYPE_D] = {.d = -1}, [TYPE_C] = {.c = {-1, 0}}, [TYPE_Z] = {.z = {-1, 0}}};

struct steps {
    struct cholesky_part *parts;
    int count;
    const struct block_columns *blocks;
};

static struct cholesky_part *owner_of(const struct steps *steps, int block)
{
    return &steps->parts[steps->blocks->owner[block]];
}

static CUstream stream_of(const struct cholesky_part *part)
{
    return part->lane->lane->stream;
}

static enum status check_result(const struct cholesky_part *part, CUresult result)
{
    return device_check(part->on->device, result, "ordering the steps of a shared factorisation");
}

/* An event of another device, by one of the part's streams. */
static enum status wait_for(const struct cholesky_part *part, CUstream stream,
                            const struct cholesky_part *other, CUevent event)
{
    return device_peer_check(part->on->device, stream, other->on->device,
                             driver()->stream_wait_event(stream, event, 0), "waiting for another device");
}

static bool is_lower(const struct steps *steps)
{
    return steps->blocks->uplo == UPLO_LOWER;
}

/* The block's square. */
static enum status factor_square(const struct steps *steps, struct cholesky_part *part, int block)
{
    const struct block_columns *const blocks = steps->blocks;
    const struct solver_handle *const handle = &part->lane->handle;
    const int type = solver_data_type(blocks->type);
    enum status status = cholesky_part_clear_diagonal(part, block);
    if (status != STATUS_OK)
        return status;
    const int result = handle->library->potrf(
        handle->solver, handle->params, is_lower(steps) ? DEVICE_LOWER : DEVICE_UPPER,
        block_order(blocks, block), type, device_pointer(cholesky_part_block(part, block)),
        block_ld(blocks, block), type, device_pointer(part->workspace), part->workspace_bytes,
        part->lane->host_workspace, part->host_workspace_bytes, device_pointer(part->info));
    status = solver_status(handle->library, result, "cuSOLVER's potrf");
    return status == STATUS_OK ? cholesky_part_clear_diagonal(part, block) : status;
}

/* INFO comes home before the rest is solved, so that the wait for it is short. */
static enum status send_info(struct cholesky_part *part)
{
    enum status status = check_result(part, driver()->copy_to_host_async(part->info_home, part->info,
                                                                         sizeof(int), stream_of(part)));
    return status == STATUS_OK ? check_result(part, driver()->event_record(part->factored, stream_of(part)))
                               : status;
}

static enum status solve_rest(const struct steps *steps, struct cholesky_part *part, int block)
{
    const struct block_columns *const blocks = steps->blocks;
    const struct solver_handle *const handle = &part->lane->handle;
    const int64_t order = block_order(blocks, block), rest = block_length(blocks, block) - order,
                  ld = block_ld(blocks, block);
    const CUdeviceptr square = cholesky_part_block(part, block),
                      beside = square + block_place(blocks, block, order);
    const bool lower = is_lower(steps);
    if (rest == 0)
        return STATUS_OK;
    const int result =
        solver_trsm(handle, blocks->type, lower ? DEVICE_RIGHT : DEVICE_LEFT,
                    lower ? DEVICE_LOWER : DEVICE_UPPER, DEVICE_CONJUGATE_TRANS, DEVICE_NON_UNIT,
                    lower ? rest : order, lower ? order : rest, &device_one[blocks->type],
                    device_pointer(square), ld, device_pointer(beside), ld);
    return solver_blas_status(handle->library, result, "cuBLAS's trsm");
}

static enum status factor(const struct steps *steps, int block)
{
    struct cholesky_part *const part = owner_of(steps, block);
    struct device_scope scope;
    enum status status = device_enter(part->on->device, &scope);
    if (status != STATUS_OK)
        return status;
    status = factor_square(steps, part, block);
    if (status == STATUS_OK)
        status = send_info(part);
    if (status == STATUS_OK)
        status = solve_rest(steps, part, block);
    if (status == STATUS_OK)
        status = check_result(part, driver()->event_record(part->solved, stream_of(part)));
    device_leave(part->on->device, &scope);
    return status;
}

/* To each other device that has blocks behind it, once what it had in that place is used. */
static bool needs(const struct steps *steps, int device, int block)
{
    for (int next = block + 1; next < steps->blocks->count; next++)
        if (steps->blocks->owner[next] == device)
            return steps->blocks->owner[block] != device;
    return false;
}

static enum status send_to(const struct steps *steps, const struct cholesky_part *from, int block,
                           const struct cholesky_part *to)
{
    const int place = block % PANELS;
    enum status status = STATUS_OK;
    if (to->is_used[place])
        status = wait_for(from, from->copies, to, to->used[place]);
    return status == STATUS_OK
               ? device_peer_copy(from->on->device, cholesky_part_block(from, block), to->on->device,
                                  to->panels[place], block_bytes(steps->blocks, block), from->copies)
               : status;
}

static enum status send(const struct steps *steps, int block)
{
    struct cholesky_part *const from = owner_of(steps, block);
    struct device_scope scope;
    enum status status = device_enter(from->on->device, &scope);
    if (status != STATUS_OK)
        return status;
    status = check_result(from, driver()->stream_wait_event(from->copies, from->solved, 0));
    for (int i = 0; i < steps->count && status == STATUS_OK; i++)
        if (needs(steps, i, block))
            status = send_to(steps, from, block, &steps->parts[i]);
    if (status == STATUS_OK)
        status = check_result(from, driver()->event_record(from->sent[block % PANELS], from->copies));
    device_leave(from->on->device, &scope);
    return status;
}

/* Takes the panel's product off one block, whose device is entered. */
static enum status multiply(const struct steps *steps, struct cholesky_part *part, int block, int panel)
{
    const struct block_columns *const blocks = steps->blocks;
    const struct solver_handle *const handle = &part->lane->handle;
    const enum blas_type type = blocks->type;
    const CUdeviceptr whole = cholesky_part_has(part, panel) ? cholesky_part_block(part, panel)
                                                             : part->panels[panel % PANELS];
    const int64_t row = block_begin(blocks, block) - block_begin(blocks, panel);
    void *const from = device_pointer(whole + block_place(blocks, panel, row));
    void *const to = device_pointer(cholesky_part_block(part, block));
    const int64_t ld = block_ld(blocks, panel), order = block_order(blocks, block),
                  length = block_length(blocks, block), depth = block_order(blocks, panel);
    const int result =
        is_lower(steps)
            ? solver_gemm(handle, type, DEVICE_NO_TRANS, DEVICE_CONJUGATE_TRANS, length, order, depth,
                          &minus_one[type], from, ld, from, ld, &device_one[type], to,
                          block_ld(blocks, block))
            : solver_gemm(handle, type, DEVICE_CONJUGATE_TRANS, DEVICE_NO_TRANS, order, length, depth,
                          &minus_one[type], from, ld, from, ld, &device_one[type], to,
                          block_ld(blocks, block));
    return solver_blas_status(handle->library, result, "cuBLAS's gemm");
}

/* The panel has come. */
static enum status receive(const struct steps *steps, const struct cholesky_part *part, int panel)
{
    const struct cholesky_part *const from = owner_of(steps, panel);
    return from == part ? STATUS_OK : wait_for(part, stream_of(part), from, from->sent[panel % PANELS]);
}

/* Its place is for the panel after the next. */
static enum status give_panel_up(const struct steps *steps, struct cholesky_part *part, int panel)
{
    const int place = panel % PANELS;
    enum status status = STATUS_OK;
    if (!cholesky_part_has(part, panel))
        status = cholesky_part_clear_panel(part, place, block_bytes(steps->blocks, panel));
    if (status == STATUS_OK)
        status = check_result(part, driver()->event_record(part->used[place], stream_of(part)));
    part->is_used[place] = true;
    return status;
}

/* Updates the part's blocks from `first` on, before `end`. */
static enum status update(const struct steps *steps, struct cholesky_part *part, int first, int end,
                          int panel)
{
    struct device_scope scope;
    enum status status = device_enter(part->on->device, &scope);
    if (status != STATUS_OK)
        return status;
    status = receive(steps, part, panel);
    for (int block = first; block < end && status == STATUS_OK; block++)
        if (cholesky_part_has(part, block))
            status = multiply(steps, part, block, panel);
    if (status == STATUS_OK && end == steps->blocks->count)
        status = give_panel_up(steps, part, panel);
    device_leave(part->on->device, &scope);
    return status;
}

static enum status update_rest(const struct steps *steps, int panel)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < steps->count && status == STATUS_OK; i++)
        status = update(steps, &steps->parts[i], panel + 2, steps->blocks->count, panel);
    return status;
}

/* While the others' products run. */
static enum status look_at_info(const struct steps *steps, int block)
{
    struct cholesky_part *const part = owner_of(steps, block);
    struct device_scope scope;
    enum status status = device_enter(part->on->device, &scope);
    if (status != STATUS_OK)
        return status;
    status = check_result(part, driver()->event_synchronise(part->factored));
    device_leave(part->on->device, &scope);
    progress_tell();
    return status == STATUS_OK && *part->info_home != 0 ? STATUS_UNSUCCESSFUL : status;
}

static enum status advance(const struct steps *steps, int panel)
{
    const int next = panel + 1;
    enum status status = STATUS_OK;
    if (next < steps->blocks->count) {
        status = update(steps, owner_of(steps, next), next, next + 1, panel);
        if (status == STATUS_OK)
            status = factor(steps, next);
        if (status == STATUS_OK)
            status = send(steps, next);
    }
    if (status == STATUS_OK)
        status = update_rest(steps, panel);
    return status == STATUS_OK && next < steps->blocks->count ? look_at_info(steps, next) : status;
}

enum status cholesky_steps_run(struct cholesky_part *parts, int count)
{
    const struct steps steps = {parts, count, parts[0].blocks};
    enum status status = factor(&steps, 0);
    if (status == STATUS_OK)
        status = send(&steps, 0);
    if (status == STATUS_OK)
        status = look_at_info(&steps, 0);
    for (int panel = 0; panel < steps.blocks->count && status == STATUS_OK; panel++)
        status = advance(&steps, panel);
    return status;
}
