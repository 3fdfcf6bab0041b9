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
    bool in_threads;       /* other threads map and unmap memory meanwhile */
    char *pinned, *pinned_end; /* what the program itself has pinned of it; NULL: nothing */
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

static inline bool window_is_whole_arena(const struct window *window)
{
    return window->columns == 1 && window->rows == window->arena->size;
}

/* coherence_writes.c: one random write within the window: any size, by stores, by the
 * kernel on the program's behalf, or by the program's own copy from the device. */
void window_disturb(const struct window *window, struct random *random);

/* coherence_upsets.c: one random change of the mapping itself, with or without a change
 * of contents: free and reallocate, resize, drop pages, swap, protect, fork. `other` is
 * another arena of the same type and kind, or NULL. */
void arena_upset(struct arena *arena, struct arena *other, struct random *random);

/* coherence_mappings.c: pages [first, first + length) of a mapped arena exchanged for fresh
 * ones at the same address; its size changed by mremap; its pages exchanged with another's. */
void arena_remap(struct arena *arena, size_t first, size_t length, struct random *random);
void arena_resize_mapping(struct arena *arena, struct random *random);
void arena_swap(struct arena *arena, struct arena *other, struct random *random);

/* Wait for the child that has lived beside the last calls, if any; a comment and true
 * when its copy of the memory was not as it had been at the fork. */
bool child_was_disturbed(void);

/* The first element of the window where memory differs from the shadow in any bit, or -1. */
int64_t window_difference(const struct window *window);

enum disturbance {
    STORES,
    STORE_BYTE,
    REWRITTEN,
    KERNEL_READ,
    VM_WRITE,
    MEM_FILE_WRITE,
    DIRECT_READ,
    ALIAS_STORES,
    DEVICE_COPY,
    DEVICE_DMA,
    REALLOCATED,
    RESIZED,
    TRIMMED,
    DROPPED,
    FREED_LAZILY,
    REMAPPED,
    FILE_MAPPED,
    MAPPING_RESIZED,
    SWAPPED,
    SWAP_REFUSED,
    PROTECTED,
    LOCKED,
    ADVISED,
    POPULATED,
    COLLAPSED,
    FORKED,
    CHILD_KEPT,
    DEVICE_FAULT,
    DISTURBANCE_COUNT
};
void disturbance_count(enum disturbance what);

/* Bail out when a system call that the test itself needs has failed. */
void must(bool good, const char *what);

/* A file in memory, of that many bytes. */
int memory_file(size_t bytes);

/* Print what this thread did last, as a TAP comment. */
void disturbances_print_latest(void);

/* How often each disturbance came, as TAP comments. */
void disturbances_print(void);

#endif
