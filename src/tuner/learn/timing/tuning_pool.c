#include "tuner/learn/timing/tuning_pool.h"

static size_t bytes_of(const struct blas_call *call, int64_t elements)
{
    return device_aligned((size_t)elements * blas_element_bytes(call->type));
}

size_t tuning_pool_matrix_bytes(const struct blas_call *call)
{
    return bytes_of(call, call->a.ld * call->a.columns);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static void fill_staging(struct lane *lane)
{
    uint32_t *words = (uint32_t *)(void *)lane->staging;
    uint64_t state = 20260101;
    for (size_t i = 0; i < LANE_STAGING_BYTES / sizeof *words; i++) {
        const uint32_t random = next_random(&state);
        words[i] = (random & 0x80000000u) | 0x3e800000u | (random & 0x00ffffffu);
    }
}

enum status tuning_pool_fill(const struct tuning_pool *pool, CUdeviceptr address, size_t bytes)
{
    enum status status = STATUS_OK;
    for (size_t done = 0; done < bytes && status == STATUS_OK; done += LANE_STAGING_BYTES) {
        const size_t part = bytes - done < LANE_STAGING_BYTES ? bytes - done : LANE_STAGING_BYTES;
        status = device_check(pool->lane->device,
                              driver()->copy_to_device_async(address + done, pool->lane->staging, part,
                                                             pool->lane->stream),
                              "filling operands");
    }
    return status;
}

enum status tuning_pool_open(struct tuning_pool *pool, struct lane *lane, size_t matrix_bytes,
                             size_t vector_bytes)
{
    *pool = (struct tuning_pool){.lane = lane, .matrix_bytes = matrix_bytes, .vector_bytes = vector_bytes};
    void *results = NULL;
    enum status status = lane_reserve_staging(lane);
    if (status != STATUS_OK)
        return status;
    fill_staging(lane);
    status = device_check(lane->device,
                          driver()->pinned_allocate(&results, LANE_STAGING_BYTES, CU_MEMHOSTALLOC_PORTABLE),
                          "allocating pinned memory for results");
    pool->results = results;
    if (status == STATUS_OK)
        status = device_allocate(lane->device, matrix_bytes, &pool->matrices);
    if (status == STATUS_OK)
        status = device_allocate(lane->device, vector_bytes, &pool->vectors);
    if (status == STATUS_OK)
        status = tuning_pool_fill(pool, pool->matrices, matrix_bytes);
    if (status == STATUS_OK)
        status = tuning_pool_fill(pool, pool->vectors, vector_bytes);
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "filling operands");
    if (status != STATUS_OK)
        tuning_pool_close(pool);
    return status;
}

void tuning_pool_close(struct tuning_pool *pool)
{
    device_free(pool->lane->device, pool->matrices);
    device_free(pool->lane->device, pool->vectors);
    if (pool->results && device_is_usable(pool->lane->device))
        driver()->pinned_free(pool->results);
    pool->results = NULL;
    pool->matrices = pool->vectors = 0;
}

static CUdeviceptr deal(CUdeviceptr base, size_t total, size_t *next, size_t bytes)
{
    if (*next + bytes > total)
        *next = 0;
    const CUdeviceptr address = base + *next;
    *next += bytes;
    return address;
}

struct blas_call tuning_pool_deal(struct tuning_pool *pool, const struct blas_call *wanted)
{
    struct blas_call call = *wanted;
    const size_t x_bytes = bytes_of(wanted, wanted->x.length), y_bytes = bytes_of(wanted, wanted->y.length);
    const CUdeviceptr matrix = deal(pool->matrices, pool->matrix_bytes, &pool->next_matrix,
                                    tuning_pool_matrix_bytes(wanted));
    /* x from the front half, y from the back: what is written never becomes an operand. */
    const size_t half = pool->vector_bytes / 2 / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
    const size_t most = x_bytes > y_bytes ? x_bytes : y_bytes;
    const CUdeviceptr vector = deal(pool->vectors, half, &pool->next_vector, most);
    call.a.pointer = device_pointer(matrix);
    call.x.pointer = device_pointer(vector);
    call.y.pointer = device_pointer(vector + half);
    return call;
}
