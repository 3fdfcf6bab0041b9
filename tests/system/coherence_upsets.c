#include "coherence_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { PAGE = 4096 };

static unsigned long counts[DISTURBANCE_COUNT];

void disturbance_count(enum disturbance what)
{
    __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
}

void must(bool good, const char *what)
{
    if (good)
        return;
    printf("Bail out! %s failed\n", what);
    exit(99);
}

/* Free, and allocate again: mostly at the same address. New memory reads as zero. */
static void reallocate(struct arena *arena)
{
    free(arena->memory);
    arena->memory = calloc(1, arena_bytes(arena));
    must(arena->memory, "calloc");
    memset(arena->shadow, 0, arena_bytes(arena));
    disturbance_count(REALLOCATED);
}

static void resize(struct arena *arena, struct random *random)
{
    size_t before = arena_bytes(arena);
    arena->size = arena->capacity / 4 + random_below(random, arena->capacity * 3 / 4);
    size_t after = arena_bytes(arena);
    arena->memory = realloc(arena->memory, after);
    must(arena->memory, "realloc");
    if (after > before) {
        memset(arena->memory + before, 0, after - before);
        memset(arena->shadow + before, 0, after - before);
    }
    disturbance_count(RESIZED);
}

static void drop_pages(struct arena *arena, struct random *random)
{
    size_t pages = arena_bytes(arena) / PAGE, length = random_magnitude(random, pages);
    size_t first = random_below(random, pages - length + 1);
    must(madvise(arena->memory + first * PAGE, length * PAGE, MADV_DONTNEED) == 0, "MADV_DONTNEED");
    memset(arena->shadow + first * PAGE, 0, length * PAGE);
    disturbance_count(DROPPED);
}

/* Unmap and map again at the same address, in part or whole. */
static void remap(struct arena *arena, struct random *random)
{
    size_t pages = arena_bytes(arena) / PAGE;
    size_t length = random_chance(random, 50) ? pages : random_magnitude(random, pages);
    size_t first = random_below(random, pages - length + 1);
    char *place = arena->memory + first * PAGE;
    bool in_one_step = random_chance(random, 50);
    if (!in_one_step)
        must(munmap(place, length * PAGE) == 0, "munmap");
    void *again = mmap(place, length * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    must(again == place, "mmap at the same address");
    if (arena->kind == ARENA_PAGES)
        madvise(place, length * PAGE, MADV_NOHUGEPAGE);
    memset(arena->shadow + first * PAGE, 0, length * PAGE);
    disturbance_count(REMAPPED);
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

/* Exchange the pages of two arenas. Where a range is of several mappings the kernel may
 * refuse, and newer ones may have moved a part of it by then. */
static void swap(struct arena *arena, struct arena *other)
{
    size_t bytes = arena_bytes(arena);
    if (bytes != arena_bytes(other))
        return;
    char *aside = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
    must(aside != MAP_FAILED, "mmap");
    if (mremap(arena->memory, bytes, bytes, flags, aside) == MAP_FAILED) {
        move_pages(aside, arena->memory, bytes);
        disturbance_count(SWAP_REFUSED);
    } else if (mremap(other->memory, bytes, bytes, flags, arena->memory) == MAP_FAILED) {
        move_pages(arena->memory, other->memory, bytes);
        move_pages(aside, arena->memory, bytes);
        disturbance_count(SWAP_REFUSED);
    } else {
        move_pages(aside, other->memory, bytes);
        char *shadow = arena->shadow;
        arena->shadow = other->shadow;
        other->shadow = shadow;
        disturbance_count(SWAPPED);
    }
    munmap(aside, bytes);
}

/* Read-only and back: splits mappings, leaves the contents. */
static void protect(struct arena *arena, struct random *random)
{
    size_t pages = arena_bytes(arena) / PAGE, length = random_magnitude(random, pages);
    char *place = arena->memory + random_below(random, pages - length + 1) * PAGE;
    must(mprotect(place, length * PAGE, PROT_READ) == 0, "mprotect");
    must(mprotect(place, length * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
    disturbance_count(PROTECTED);
}

/* A child that writes its copy and goes; the parent's pages are copied on write afterwards. */
static void fork_once(struct arena *arena)
{
    int state;
    pid_t child = fork();
    if (child == 0) {
        memset(arena->memory, 0x5a, arena_bytes(arena) / 2);
        _exit(0);
    }
    must(child > 0 && waitpid(child, &state, 0) == child, "fork");
    disturbance_count(FORKED);
}

static void upset_pages(struct arena *arena, struct arena *other, struct random *random)
{
    switch (random_below(random, arena->kind == ARENA_PAGES ? 5 : 4)) {
    case 0: drop_pages(arena, random); break;
    case 1: remap(arena, random); break;
    case 2: protect(arena, random); break;
    case 3:
        madvise(arena->memory, arena_bytes(arena), MADV_COLLAPSE);
        disturbance_count(COLLAPSED);
        break;
    default:
        if (other)
            swap(arena, other);
    }
}

void arena_upset(struct arena *arena, struct arena *other, struct random *random)
{
    if (arena->kind == ARENA_HEAP || arena->kind == ARENA_SMALL_HEAP) {
        if (random_chance(random, 50))
            reallocate(arena);
        else
            resize(arena, random);
    } else if (arena->kind == ARENA_PAGES || arena->kind == ARENA_HUGE) {
        upset_pages(arena, other, random);
    } else if (arena->kind == ARENA_STATIC && random_chance(random, 20)) {
        fork_once(arena);
    }
}

void disturbances_print(void)
{
    static const char *const names[DISTURBANCE_COUNT] = {
        "stores", "single bytes", "read(2)", "stores through a second mapping", "free and allocate", "realloc",
        "MADV_DONTNEED", "unmap and map", "mappings swapped", "swaps refused", "mprotect", "MADV_COLLAPSE", "fork",
    };
    for (int i = 0; i < DISTURBANCE_COUNT; i++)
        printf("# %s: %lu\n", names[i], counts[i]);
}
