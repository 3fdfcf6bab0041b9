#include "lapack/device_matrix.h"
#include "lapack/route.h"
#include "lapack/several/shared_cholesky.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

int64_t block_ld(const struct block_columns *blocks, int block)
{
    const int64_t rows = blocks->uplo == UPLO_LOWER ? block_length(blocks, block)
                                                    : block_order(blocks, block);
    return (rows + 15) / 16 * 16;
}

size_t block_bytes(const struct block_columns *blocks, int block)
{
    const int64_t columns = blocks->uplo == UPLO_LOWER ? block_order(blocks, block)
                                                       : block_length(blocks, block);
    return (size_t)block_ld(blocks, block) * (size_t)columns * blas_element_bytes(blocks->type);
}

size_t block_place(const struct block_columns *blocks, int block, int64_t distance)
{
    const size_t step = blocks->uplo == UPLO_LOWER ? 1 : (size_t)block_ld(blocks, block);
    return (size_t)distance * step * blas_element_bytes(blocks->type);
}

static void *element_of(const struct block_columns *blocks, const struct blas_matrix *a, int64_t row,
                        int64_t column)
{
    return (char *)a->pointer +
           ((size_t)column * (size_t)a->ld + (size_t)row) * blas_element_bytes(blocks->type);
}

struct blas_matrix block_square(const struct block_columns *blocks, int block, const struct blas_matrix *a)
{
    const int64_t begin = block_begin(blocks, block), order = block_order(blocks, block);
    return (struct blas_matrix){.pointer = element_of(blocks, a, begin, begin), .rows = order,
                                .columns = order, .ld = a->ld,
                                .part = blocks->uplo == UPLO_LOWER ? PART_LOWER : PART_UPPER};
}

struct blas_matrix block_rest(const struct block_columns *blocks, int block, const struct blas_matrix *a)
{
    const bool lower = blocks->uplo == UPLO_LOWER;
    const int64_t begin = block_begin(blocks, block), order = block_order(blocks, block),
                  rest = blocks->n - begin - order;
    if (rest == 0)
        return (struct blas_matrix){.rows = 0};
    return (struct blas_matrix){.pointer = element_of(blocks, a, lower ? begin + order : begin,
                                                      lower ? begin : begin + order),
                                .rows = lower ? rest : order, .columns = lower ? order : rest, .ld = a->ld,
                                .part = PART_FULL};
}

enum { PINNED_BYTES_LEAST = 256 << 10 }; /* from there on DMA is worth a look */

/* For each block: of its square, and of its rest. */
enum { MODULI_BYTES = PART_BLOCKS_MOST * sizeof(uint32_t), INFO_BYTES = 256 };

static size_t moduli_bytes(const struct cholesky_part *part)
{
    return (size_t)part->blocks->count * 2 * MODULI_BYTES;
}

static CUdeviceptr moduli_at(const struct cholesky_part *part, int block, bool is_rest)
{
    return part->moduli + (CUdeviceptr)(2 * block + is_rest) * MODULI_BYTES;
}

static enum status check_result(const struct cholesky_part *part, CUresult result)
{
    return device_check(part->on->device, result, "preparing a shared factorisation");
}

static enum status create_events(struct cholesky_part *part)
{
    CUevent *const events[] = {&part->sent[0], &part->sent[1], &part->used[0], &part->used[1], &part->solved};
    enum status status = check_result(part, driver()->stream_create(&part->copies, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 5 && status == STATUS_OK; i++)
        status = check_result(part, driver()->event_create(events[i], CU_EVENT_DISABLE_TIMING));
    if (status == STATUS_OK)
        status = check_result(part, driver()->event_create(&part->factored,
                                                           CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
    return status;
}

static void destroy_events(struct cholesky_part *part)
{
    const CUevent events[] = {part->sent[0], part->sent[1], part->used[0],
                              part->used[1], part->solved,  part->factored};
    for (int i = 0; i < 6; i++)
        if (events[i] && device_is_usable(part->on->device))
            driver()->event_destroy(events[i]);
    if (part->copies && device_is_usable(part->on->device))
        driver()->stream_destroy(part->copies);
}

/* The first block is the largest. */
static enum status ask_for_workspace(struct cholesky_part *part)
{
    const struct block_columns *const blocks = part->blocks;
    const struct solver_handle *const handle = &part->lane->handle;
    const int type = solver_data_type(blocks->type);
    const int fill = blocks->uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER;
    size_t device_bytes = SIZE_MAX, host_bytes = SIZE_MAX;
    const int result =
        handle->library->potrf_buffer(handle->solver, handle->params, fill, block_order(blocks, 0), type,
                                      NULL, block_ld(blocks, 0), type, &device_bytes, &host_bytes);
    if (result != CUSOLVER_STATUS_SUCCESS || device_bytes > SIZE_MAX / 2 || host_bytes > SIZE_MAX / 2)
        return STATUS_UNSUPPORTED;
    part->workspace_bytes = device_bytes;
    part->host_workspace_bytes = host_bytes;
    return route_lane_reserve_host(part->lane, host_bytes) ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* The blocks, panels, INFO, moduli, workspace, in this order. */
static enum status take_memory(struct cholesky_part *part)
{
    const size_t blocks_bytes = part->blocks->bytes[part->number];
    size_t end = blocks_bytes, panels[PANELS];
    part->panel_bytes = block_bytes(part->blocks, 0);
    for (int i = 0; i < PANELS; i++)
        panels[i] = workspace_take(&end, part->panel_bytes);
    const size_t info = workspace_take(&end, INFO_BYTES), moduli = workspace_take(&end, moduli_bytes(part)),
                 workspace = workspace_take(&end, part->workspace_bytes);
    CUdeviceptr memory;
    const enum status status = operands_borrow_kept(part->on->mirrors, end, &memory, &part->memory_bytes);
    if (status != STATUS_OK)
        return status;
    part->memory = memory;
    for (int i = 0; i < PANELS; i++)
        part->panels[i] = memory + panels[i];
    part->info = memory + info;
    part->moduli = memory + moduli;
    part->workspace = memory + workspace;
    return STATUS_OK;
}

enum status cholesky_part_begin(struct cholesky_part *part, struct patience *patience)
{
    enum status status = route_lane_acquire(part->on->device, part->on->library, patience, &part->lane);
    if (status != STATUS_OK) {
        part->lane = NULL;
        return status;
    }
    part->info_home = part->lane->watch.number;
    status = create_events(part);
    if (status == STATUS_OK)
        status = ask_for_workspace(part);
    return status == STATUS_OK ? take_memory(part) : status;
}

/* Something queued may still use the memory of a broken lane; freeing waits for that. */
static void give_memory(struct cholesky_part *part)
{
    if (!part->memory)
        return;
    if (part->lane->lane->broken)
        operands_return(part->on->mirrors, part->memory, part->memory_bytes);
    else
        operands_keep(part->on->mirrors, part->memory, part->memory_bytes);
}

void cholesky_part_end(struct cholesky_part *part)
{
    if (!part->lane)
        return;
    destroy_events(part);
    give_memory(part);
    route_lane_release(part->lane);
    part->lane = NULL;
}

/* A Hermitian matrix's diagonal has imaginary parts that count as zero. */
enum status cholesky_part_clear_diagonal(const struct cholesky_part *part, int block)
{
    const struct block_columns *const blocks = part->blocks;
    const size_t element = blas_element_bytes(blocks->type);
    if (blas_scalar_parts(blocks->type) == 1)
        return STATUS_OK;
    return check_result(part, driver()->words_set_2d_async(cholesky_part_block(part, block) + element / 2,
                                                           ((size_t)block_ld(blocks, block) + 1) * element, 0,
                                                           element / 2 / sizeof(uint32_t),
                                                           (size_t)block_order(blocks, block),
                                                           part->lane->lane->stream));
}

/* The square, or what is beside it. */
static struct blas_matrix piece_of(const struct cholesky_part *part, int block, bool is_rest,
                                   CUdeviceptr *address)
{
    *address = cholesky_part_block(part, block) +
               (is_rest ? block_place(part->blocks, block, block_order(part->blocks, block)) : 0);
    return is_rest ? block_rest(part->blocks, block, part->a) : block_square(part->blocks, block, part->a);
}

static enum status send_piece(struct cholesky_part *part, int block, bool is_rest, unsigned *numbers)
{
    const struct block_columns *const blocks = part->blocks;
    CUdeviceptr address;
    const struct blas_matrix piece = piece_of(part, block, is_rest, &address);
    *numbers = 0;
    if (piece.rows == 0)
        return STATUS_OK;
    enum status status = part_upload(part->lane->lane, address, block_ld(blocks, block), &piece,
                                     blas_element_bytes(blocks->type), part->is_pinned);
    part->moved.bytes_up += blas_part_bytes(&piece, blocks->type);
    if (status == STATUS_OK && !is_rest)
        status = cholesky_part_clear_diagonal(part, block);
    const struct device_part there = {address, block_ld(blocks, block), piece.rows, piece.columns,
                                      piece.part};
    return status == STATUS_OK
               ? matrix_part_queue_largest(part->on->device, part->lane->lane->stream, &there, blocks->type,
                                           moduli_at(part, block, is_rest), numbers)
               : status;
}

static bool are_finite(const struct cholesky_part *part, const uint32_t *moduli,
                       unsigned counts[BLOCKS_MOST][2])
{
    uint32_t largest = 0;
    for (int i = 0; i < 2 * part->blocks->count; i++)
        for (unsigned j = 0; j < counts[i / 2][i % 2]; j++) {
            const uint32_t modulus = moduli[(size_t)i * PART_BLOCKS_MOST + j];
            largest = modulus > largest ? modulus : largest;
        }
    return route_values_largest_is_finite(largest, part->blocks->type);
}

static enum status look_at_moduli(struct cholesky_part *part, unsigned counts[BLOCKS_MOST][2])
{
    const size_t bytes = moduli_bytes(part);
    uint32_t *const moduli = malloc(bytes);
    enum status status = moduli ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = check_result(part, driver()->copy_to_host_async(moduli, part->moduli, bytes,
                                                                 part->lane->lane->stream));
    const enum status waited = route_lane_wait(part->lane, "sending blocks of a factorisation");
    if (status == STATUS_OK)
        status = waited;
    if (status == STATUS_OK && !are_finite(part, moduli, counts))
        status = STATUS_VALUES;
    free(moduli);
    return status;
}

enum status cholesky_part_clear_panel(const struct cholesky_part *part, int place, size_t bytes)
{
    return check_result(part, driver()->memory_set_async(part->panels[place], 0, bytes,
                                                         part->lane->lane->stream));
}

static bool is_pinned_by_program(const struct cholesky_part *part)
{
    const struct operand operand = {.matrix = *part->a, .access = OPERAND_UPDATE,
                                    .element_bytes = blas_element_bytes(part->blocks->type)};
    return blas_part_bytes(part->a, part->blocks->type) >= PINNED_BYTES_LEAST &&
           operands_are_pinned_by_program(part->on->mirrors, &operand, 1);
}

static enum status clear_panels(const struct cholesky_part *part)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < PANELS && status == STATUS_OK; i++)
        status = cholesky_part_clear_panel(part, i, part->panel_bytes);
    return status;
}

enum status cholesky_part_send(struct cholesky_part *part)
{
    unsigned counts[BLOCKS_MOST][2] = {{0}};
    enum status status = clear_panels(part);
    part->is_pinned = is_pinned_by_program(part);
    for (int i = 0; i < 2 * part->blocks->count && status == STATUS_OK; i++)
        if (cholesky_part_has(part, i / 2))
            status = send_piece(part, i / 2, i % 2, &counts[i / 2][i % 2]);
    const enum status looked = look_at_moduli(part, counts); /* also a wait */
    return status == STATUS_OK ? looked : status;
}

enum status cholesky_part_wait(struct cholesky_part *part)
{
    const enum status status = route_lane_wait(part->lane, "running a shared factorisation");
    return status == STATUS_OK ? device_check(part->on->device, driver()->stream_synchronise(part->copies),
                                              "sending panels to other devices")
                               : status;
}

static enum status bring_piece(struct cholesky_part *part, int block, bool is_rest)
{
    CUdeviceptr address;
    const struct blas_matrix piece = piece_of(part, block, is_rest, &address);
    enum status status = STATUS_OK;
    if (piece.rows == 0)
        return STATUS_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        status = part_download(part->lane->lane, &piece, address, block_ld(part->blocks, block),
                               blas_element_bytes(part->blocks->type), part->is_pinned && attempt == 0,
                               &part->is_touched);
        if (status == STATUS_OK) {
            part->moved.bytes_down += blas_part_bytes(&piece, part->blocks->type);
            return STATUS_OK;
        }
    }
    return status;
}

enum status cholesky_part_bring_home(struct cholesky_part *part)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 * part->blocks->count && status == STATUS_OK; i++)
        if (cholesky_part_has(part, i / 2))
            status = bring_piece(part, i / 2, i % 2);
    return status;
}
