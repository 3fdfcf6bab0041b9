/* Device memory that goes from one client to the next. */
#include "service/server/server.h"

#include <stdlib.h>

struct block {
    struct block *next;
    CUdeviceptr address;
    size_t bytes;
    bool is_used;
    CUevent leave; /* work that still uses it, or NULL */
};

static struct block *blocks;
static size_t resting_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sizes that come again: small ones by powers of two, large ones by 2 MiB. */
static size_t rounded(size_t bytes)
{
    enum { SMALL = 1 << 20, LEAST = 512, GRANULE = 2 << 20 };
    size_t size = LEAST;
    if (bytes > SMALL)
        return (bytes + GRANULE - 1) / GRANULE * GRANULE;
    while (size < bytes)
        size *= 2;
    return size;
}

static bool is_at_rest(struct block *block)
{
    if (block->is_used)
        return false;
    if (block->leave && driver()->event_query(block->leave) == CUDA_SUCCESS) {
        driver()->event_destroy(block->leave);
        block->leave = NULL;
    }
    return !block->leave;
}

/* The smallest one that is large enough, and not wasted. */
static struct block *find(size_t bytes)
{
    struct block *best = NULL;
    for (struct block *block = blocks; block; block = block->next)
        if (block->bytes >= bytes && block->bytes <= bytes + bytes / 4 &&
            (!best || block->bytes < best->bytes) && is_at_rest(block))
            best = block;
    return best;
}

/* Gives back what rests, where the device has no memory left. This waits for all. */
static void free_resting(void)
{
    for (struct block **link = &blocks; *link;) {
        struct block *const block = *link;
        if (!is_at_rest(block)) {
            link = &block->next;
            continue;
        }
        driver()->memory_free(block->address);
        resting_bytes -= block->bytes;
        *link = block->next;
        free(block);
    }
}

static CUresult make(size_t bytes, struct block **result)
{
    struct block *const block = calloc(1, sizeof *block);
    if (!block)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult outcome = driver()->memory_allocate(&block->address, bytes);
    if (outcome == CUDA_ERROR_OUT_OF_MEMORY && resting_bytes > 0) {
        free_resting();
        outcome = driver()->memory_allocate(&block->address, bytes);
    }
    if (outcome != CUDA_SUCCESS) {
        free(block);
        return outcome;
    }
    block->bytes = bytes;
    block->next = blocks;
    blocks = block;
    *result = block;
    return CUDA_SUCCESS;
}

static CUresult take(size_t bytes, CUdeviceptr *address, size_t *block_bytes)
{
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    struct block *block = find(bytes);
    if (block)
        resting_bytes -= block->bytes;
    else
        result = make(bytes, &block);
    if (result == CUDA_SUCCESS) {
        block->is_used = true;
        *address = block->address;
        *block_bytes = block->bytes;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult pool_take(struct session *session, size_t bytes, CUdeviceptr *address, size_t *block_bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t whole = rounded(bytes);
    if (session && whole > session_allowance(session))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = take(whole, address, block_bytes);
    while (result == CUDA_ERROR_OUT_OF_MEMORY && session && sessions_revoke(session, whole))
        result = take(whole, address, block_bytes);
    return result;
}

void pool_give(CUdeviceptr address, CUevent leave)
{
    pthread_mutex_lock(&lock);
    for (struct block *block = blocks; block; block = block->next)
        if (block->address == address && block->is_used) {
            block->is_used = false;
            block->leave = leave;
            resting_bytes += block->bytes;
            leave = NULL;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (leave)
        driver()->event_destroy(leave);
}

bool pool_shrink(void)
{
    pthread_mutex_lock(&lock);
    const size_t before = resting_bytes;
    free_resting();
    const bool is_less = resting_bytes < before;
    pthread_mutex_unlock(&lock);
    return is_less;
}

CUresult pool_info(size_t *free_bytes, size_t *total_bytes)
{
    const CUresult result = driver()->memory_info(free_bytes, total_bytes);
    pthread_mutex_lock(&lock);
    if (result == CUDA_SUCCESS)
        *free_bytes += resting_bytes;
    pthread_mutex_unlock(&lock);
    return result;
}
