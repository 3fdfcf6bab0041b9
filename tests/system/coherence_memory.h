/* coherence_memory.h - program memory of every kind, each with a private copy,
 * and the things that programs do to it between BLAS calls. */
#ifndef MUBLAS_TESTS_COHERENCE_MEMORY_H
#define MUBLAS_TESTS_COHERENCE_MEMORY_H

#include "random.h"

enum arena_kind {
    ARENA_HEAP,       /* malloc, large: freed, reallocated, resized */
    ARENA_SMALL_HEAP, /* malloc, small: shares its pages with other allocations */
    ARENA_PAGES,      /* anonymous mmap, 4 KiB pages; also remapped and moved */
    ARENA_HUGE,       /* anonymous mmap on huge pages */
    ARENA_STATIC,
    ARENA_STACK,
    ARENA_FILE,       /* private mapping of a file */
    ARENA_SHARED,     /* shared memory, also written through a second mapping */
    ARENA_KIND_COUNT
};

/* Elements are float (single) or double. The shadow holds, bit for bit, what the
 * program believes is in memory; the others are work space. */
struct arena {
    enum arena_kind kind;
    bool single;
    size_t size, capacity; /* elements; the size changes where memory is resized */
    char *memory, *alias;
    char *shadow, *absolute;
    uint32_t *stamps;
};

/* The elements first + i + j * ld of an arena, i < rows, j < columns: what one thread may touch. */
struct window {
    struct arena *arena;
    size_t first, rows, columns, ld;
};

extern const char *const arena_kind_names[ARENA_KIND_COUNT];

static inline size_t arena_element_bytes(const struct arena *arena)
{
    return arena->single ? sizeof(float) : sizeof(double);
}

static inline size_t arena_bytes(const struct arena *arena)
{
    return arena->size * arena_element_bytes(arena);
}

/* `place` is the memory of static and stack arenas, else NULL. Ends the program on failure. */
void arena_create(struct arena *arena, enum arena_kind kind, bool single, size_t size, char *place);
struct window arena_window(struct arena *arena);

double element_get(const char *buffer, bool single, size_t index);
void element_set(char *buffer, bool single, size_t index, double value);

/* Write values, to memory and shadow alike, by a plain store. */
void window_fill(const struct window *window, struct random *random);

/* One random write within the window: any size, by stores or by read(2). */
void window_disturb(const struct window *window, struct random *random);

/* One random change of the mapping itself, with or without a change of contents:
 * free and reallocate, resize, drop pages, swap, protect, fork. `other` is
 * another arena of the same type and kind, or NULL. */
void arena_upset(struct arena *arena, struct arena *other, struct random *random);

/* The first element of the window where memory differs from the shadow in any bit, or -1. */
int64_t window_difference(const struct window *window);

enum disturbance {
    STORES, STORE_BYTE, KERNEL_READ, ALIAS_STORES, REALLOCATED, RESIZED, DROPPED, REMAPPED, SWAPPED, SWAP_REFUSED, PROTECTED,
    COLLAPSED, FORKED, DISTURBANCE_COUNT
};
void disturbance_count(enum disturbance what);

/* Bail out when a system call that the test itself needs has failed. */
void must(bool good, const char *what);

/* How often each disturbance came, as TAP comments. */
void disturbances_print(void);

#endif
