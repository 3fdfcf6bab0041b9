#include "interpose/execute/split_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { KEPT_BYTES_MOST = 16 << 20, ALIGNMENT = 64 };

/* Of whoever has set `kept_in_use`. A child of fork may find it set for good, and has its own then. */
static unsigned char *kept;
static size_t kept_bytes;
static atomic_bool kept_in_use;

size_t split_memory_rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static unsigned char *allocate(size_t bytes)
{
    return aligned_alloc(ALIGNMENT, split_memory_rounded(bytes + 1));
}

static void grow_kept(size_t bytes)
{
    if (kept_bytes >= bytes)
        return;
    free(kept);
    kept = allocate(bytes);
    kept_bytes = kept ? bytes : 0;
}

bool split_memory_take(struct split_memory *memory, size_t bytes)
{
    const bool may_be_kept = bytes <= KEPT_BYTES_MOST && !atomic_exchange(&kept_in_use, true);
    *memory = (struct split_memory){.is_kept = may_be_kept};
    if (memory->is_kept)
        grow_kept(bytes);
    memory->bytes = memory->is_kept ? kept : allocate(bytes);
    return memory->bytes != NULL;
}

void *split_memory_part(struct split_memory *memory, size_t bytes)
{
    void *const part = memory->bytes + memory->used;
    memory->used += split_memory_rounded(bytes);
    return part;
}

void split_memory_give_back(struct split_memory *memory)
{
    if (memory->is_kept)
        atomic_store(&kept_in_use, false);
    else
        free(memory->bytes);
    *memory = (struct split_memory){.bytes = NULL};
}
