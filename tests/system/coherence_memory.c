#include "coherence_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 };

const char *const arena_kind_names[ARENA_KIND_COUNT] = {
    "heap", "small heap", "4 KiB pages", "huge pages", "static", "stack", "private file", "shared",
};

double element_get(const char *buffer, bool single, size_t index)
{
    return single ? (double)((const float *)buffer)[index] : ((const double *)buffer)[index];
}

void element_set(char *buffer, bool single, size_t index, double value)
{
    if (single)
        ((float *)buffer)[index] = (float)value;
    else
        ((double *)buffer)[index] = value;
}

static void *map(size_t bytes, int flags, int descriptor)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    must(memory != MAP_FAILED, "mmap");
    return memory;
}

int memory_file(size_t bytes)
{
    int descriptor = memfd_create("coherence", MFD_CLOEXEC);
    must(descriptor >= 0 && ftruncate(descriptor, (off_t)bytes) == 0, "memfd_create");
    return descriptor;
}

static char *map_huge(size_t bytes)
{
    char *memory = map(bytes + HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memory += -(uintptr_t)memory % HUGE_PAGE;
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static void arena_map(struct arena *arena, char *place)
{
    size_t bytes = arena->size * arena_element_bytes(arena);
    int descriptor;
    switch (arena->kind) {
    case ARENA_HEAP:
    case ARENA_SMALL_HEAP:
        arena->memory = calloc(1, bytes);
        must(arena->memory, "calloc");
        break;
    case ARENA_PAGES:
        arena->memory = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        madvise(arena->memory, bytes, MADV_NOHUGEPAGE);
        break;
    case ARENA_HUGE:
        arena->memory = map_huge(bytes);
        break;
    case ARENA_FILE:
    case ARENA_SHARED:
        descriptor = memory_file(bytes);
        arena->memory = map(bytes, arena->kind == ARENA_FILE ? MAP_PRIVATE : MAP_SHARED, descriptor);
        if (arena->kind == ARENA_SHARED)
            arena->alias = map(bytes, MAP_SHARED, descriptor);
        close(descriptor);
        break;
    default:
        arena->memory = place;
    }
}

void arena_create(struct arena *arena, enum arena_kind kind, bool single, size_t size, char *place)
{
    *arena = (struct arena){.kind = kind, .single = single, .size = size, .capacity = 2 * size};
    arena_map(arena, place);
    arena->shadow = map(arena->capacity * sizeof(double), MAP_PRIVATE | MAP_ANONYMOUS, -1);
    arena->absolute = map(arena->capacity * sizeof(double), MAP_PRIVATE | MAP_ANONYMOUS, -1);
    arena->stamps = map(arena->capacity * sizeof(uint32_t), MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memcpy(arena->shadow, arena->memory, size * arena_element_bytes(arena));
}

struct window arena_window(struct arena *arena)
{
    return (struct window){arena, 0, arena->size, 1, arena->size};
}

int64_t window_difference(const struct window *window)
{
    const struct arena *arena = window->arena;
    size_t bytes = arena_element_bytes(arena);
    for (size_t j = 0; j < window->columns; j++) {
        size_t first = window->first + j * window->ld;
        const char *memory = arena->memory + first * bytes, *shadow = arena->shadow + first * bytes;
        if (memcmp(memory, shadow, window->rows * bytes) == 0)
            continue;
        for (size_t i = 0; i < window->rows; i++)
            if (memcmp(memory + i * bytes, shadow + i * bytes, bytes) != 0)
                return (int64_t)(first + i);
    }
    return -1;
}
