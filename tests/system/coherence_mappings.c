#define _GNU_SOURCE
#include "coherence_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static int flags_of_moves(const struct arena *arena)
{
    /* No hole may be left in which another thread's memory could be mapped. */
    return MREMAP_MAYMOVE | MREMAP_FIXED | (arena->in_threads ? MREMAP_DONTUNMAP : 0);
}

/* Fresh pages from a private file: memory that cannot be followed, in the middle of what can. */
static void *map_file(const struct arena *arena, char *place, size_t bytes)
{
    int descriptor = memory_file(arena->capacity * arena_element_bytes(arena)); /* the mapping may grow */
    void *again = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, descriptor, 0);
    close(descriptor);
    disturbance_count(FILE_MAPPED);
    return again;
}

void arena_remap(struct arena *arena, size_t first, size_t length, struct random *random)
{
    char *place = arena->memory + first * PAGE;
    size_t bytes = length * PAGE;
    void *again;
    if (!arena->in_threads && random_chance(random, 50))
        must(munmap(place, bytes) == 0, "munmap");
    if (random_chance(random, 15)) {
        again = map_file(arena, place, bytes);
    } else {
        again = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        disturbance_count(REMAPPED);
    }
    must(again == place, "mmap at the same address");
    if (arena->kind == ARENA_PAGES)
        madvise(place, bytes, MADV_NOHUGEPAGE);
    memset(arena->shadow + first * PAGE, 0, bytes);
}

/* In place, or to another address; the kernel refuses where it is of several mappings. */
void arena_resize_mapping(struct arena *arena, struct random *random)
{
    size_t before = arena_bytes(arena) / PAGE * PAGE, element = arena_element_bytes(arena);
    size_t most = arena->capacity * element / PAGE;
    size_t after = (most / 4 + random_below(random, most * 3 / 4 + 1)) * PAGE;
    char *memory = mremap(arena->memory, before, after, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) {
        disturbance_count(SWAP_REFUSED);
        return;
    }
    arena->memory = memory;
    arena->size = after / element;
    if (after > before)
        memset(arena->shadow + before, 0, after - before);
    disturbance_count(MAPPING_RESIZED);
}

static bool is_mapped(char *page)
{
    unsigned char resident;
    return mincore(page, PAGE, &resident) == 0;
}

/* Move what is missing at `to` from there: a page at a time no kernel refuses. */
static void move_pages(char *from, char *to, size_t bytes)
{
    for (size_t offset = 0; offset < bytes; offset += PAGE)
        if (!is_mapped(to + offset))
            must(mremap(from + offset, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + offset) == to + offset,
                 "mremap of a page");
}

static void note_swapped(struct arena *arena, struct arena *other)
{
    char *shadow = arena->shadow;
    arena->shadow = other->shadow;
    other->shadow = shadow;
    disturbance_count(SWAPPED);
}

/* Between threads: what was moved stays mapped, empty. */
static bool swap_in_threads(struct arena *arena, struct arena *other, char *aside)
{
    size_t bytes = arena_bytes(arena);
    int flags = flags_of_moves(arena);
    if (mremap(arena->memory, bytes, bytes, flags, aside) == MAP_FAILED)
        return false;
    bool good = mremap(other->memory, bytes, bytes, flags, arena->memory) != MAP_FAILED;
    char *place = good ? other->memory : arena->memory;
    must(mremap(aside, bytes, bytes, flags, place) == place, "mremap back");
    return good;
}

/* A move of several mappings may have gone half way when it is refused. */
static void refill(struct arena *arena, struct random *random)
{
    struct window window = arena_window(arena);
    window_fill(&window, random);
}

/* The kernel may refuse a range of several mappings, and newer ones may have moved a part of it by then. */
static bool swap_alone(struct arena *arena, struct arena *other, char *aside)
{
    size_t bytes = arena_bytes(arena);
    int flags = flags_of_moves(arena);
    if (mremap(arena->memory, bytes, bytes, flags, aside) == MAP_FAILED) {
        move_pages(aside, arena->memory, bytes);
        return false;
    }
    if (mremap(other->memory, bytes, bytes, flags, arena->memory) == MAP_FAILED) {
        move_pages(arena->memory, other->memory, bytes);
        move_pages(aside, arena->memory, bytes);
        return false;
    }
    move_pages(aside, other->memory, bytes);
    return true;
}

void arena_swap(struct arena *arena, struct arena *other, struct random *random)
{
    size_t bytes = arena_bytes(arena);
    if (bytes != arena_bytes(other))
        return;
    char *aside = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(aside != MAP_FAILED, "mmap");
    if (arena->in_threads ? swap_in_threads(arena, other, aside) : swap_alone(arena, other, aside)) {
        note_swapped(arena, other);
    } else {
        disturbance_count(SWAP_REFUSED);
        if (arena->in_threads) {
            refill(arena, random);
            refill(other, random);
        }
    }
    munmap(aside, bytes);
}
