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

static int memory_file(size_t bytes)
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

static void store(struct arena *arena, char *memory, size_t index, size_t length, struct random *random)
{
    for (size_t i = index; i < index + length; i++) {
        element_set(arena->shadow, arena->single, i, random_value(random));
        element_set(memory, arena->single, i, element_get(arena->shadow, arena->single, i));
    }
}

void window_fill(const struct window *window, struct random *random)
{
    for (size_t j = 0; j < window->columns; j++)
        store(window->arena, window->arena->memory, window->first + j * window->ld, window->rows, random);
}

/* A byte well inside the mantissa: the value changes enough to be noticed and stays of its size. */
static void store_byte(struct arena *arena, size_t index, struct random *random)
{
    size_t byte = index * arena_element_bytes(arena) + (arena->single ? 1 : 5);
    arena->shadow[byte] = (char)random_bits(random);
    *(volatile char *)(arena->memory + byte) = arena->shadow[byte];
    disturbance_count(STORE_BYTE);
}

/* The kernel writes the program's memory: read(2) from a file. */
static void read_into(struct arena *arena, size_t index, size_t length, struct random *random)
{
    size_t bytes = arena_element_bytes(arena);
    int descriptor = memory_file(length * bytes);
    for (size_t i = index; i < index + length; i++)
        element_set(arena->shadow, arena->single, i, random_value(random));
    must(write(descriptor, arena->shadow + index * bytes, length * bytes) == (ssize_t)(length * bytes), "write");
    must(pread(descriptor, arena->memory + index * bytes, length * bytes, 0) == (ssize_t)(length * bytes), "pread");
    close(descriptor);
    disturbance_count(KERNEL_READ);
}

void window_disturb(const struct window *window, struct random *random)
{
    struct arena *arena = window->arena;
    if (window->rows == 0)
        return;
    size_t length = random_magnitude(random, window->rows), row = random_below(random, window->rows - length + 1);
    size_t index = window->first + random_below(random, window->columns) * window->ld + row;
    unsigned choice = (unsigned)random_below(random, 100);
    if (choice < 25) {
        store_byte(arena, index, random);
    } else if (choice < 50) {
        read_into(arena, index, length, random);
    } else if (arena->alias) {
        store(arena, arena->alias, index, length, random);
        disturbance_count(ALIAS_STORES);
    } else {
        store(arena, arena->memory, index, length, random);
        disturbance_count(STORES);
    }
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
