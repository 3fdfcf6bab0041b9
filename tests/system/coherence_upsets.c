#define _GNU_SOURCE
#include "coherence_device.h"
#include "coherence_memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PAGE = 4096 };

enum { LATEST = 6 };
static unsigned long counts[DISTURBANCE_COUNT];
static _Thread_local enum disturbance latest[LATEST];
static _Thread_local unsigned latest_count;

static const char *const names[DISTURBANCE_COUNT] = {
    "stores",
    "single bytes",
    "a matrix rewritten before each of some calls",
    "read(2)",
    "process_vm_writev",
    "/proc/self/mem",
    "direct reads from a disk",
    "stores through a second mapping",
    "the program's copies from the device",
    "the same into memory it has pinned",
    "free and allocate",
    "realloc",
    "malloc_trim",
    "MADV_DONTNEED",
    "MADV_FREE",
    "unmap and map",
    "a file mapped over",
    "mremap to another size",
    "mappings swapped",
    "moves refused",
    "mprotect",
    "mlock",
    "other advice",
    "MADV_POPULATE_WRITE",
    "MADV_COLLAPSE",
    "fork",
    "children that live on",
    "faults of the device",
};

void disturbance_count(enum disturbance what)
{
    __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
    latest[latest_count++ % LATEST] = what;
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

static void trim_heap(void)
{
    malloc_trim(0);
    disturbance_count(TRIMMED);
}

struct pages {
    size_t first, length;
};

static struct pages some_pages(const struct arena *arena, struct random *random)
{
    size_t pages = arena_bytes(arena) / PAGE, length = random_magnitude(random, pages);
    return (struct pages){random_below(random, pages - length + 1), length};
}

static void drop_pages(struct arena *arena, struct pages pages)
{
    char *place = arena->memory + pages.first * PAGE;
    if (madvise(place, pages.length * PAGE, MADV_DONTNEED) != 0) { /* locked */
        munlock(place, pages.length * PAGE);
        must(madvise(place, pages.length * PAGE, MADV_DONTNEED) == 0, "MADV_DONTNEED");
    }
    memset(arena->shadow + pages.first * PAGE, 0, pages.length * PAGE);
    disturbance_count(DROPPED);
}

/* Such pages' contents are unknown until they are written; where some are a file's, or locked, the call fails
 * when it has freed others. */
static void free_lazily(struct arena *arena, struct pages pages, struct random *random)
{
    size_t bytes = arena_element_bytes(arena);
    if (madvise(arena->memory + pages.first * PAGE, pages.length * PAGE, MADV_FREE) == 0)
        disturbance_count(FREED_LAZILY);
    window_fill(&(struct window){arena, pages.first * PAGE / bytes, pages.length * PAGE / bytes, 1, 0},
                random);
}

/* Read-only and back: splits mappings, leaves the contents. */
static void protect(struct arena *arena, struct pages pages)
{
    char *place = arena->memory + pages.first * PAGE;
    must(mprotect(place, pages.length * PAGE, PROT_READ) == 0, "mprotect");
    must(mprotect(place, pages.length * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
    disturbance_count(PROTECTED);
}

static void lock_pages(struct arena *arena, struct pages pages, struct random *random)
{
    char *place = arena->memory + pages.first * PAGE;
    if (mlock(place, pages.length * PAGE) == 0)
        disturbance_count(LOCKED);
    if (random_chance(random, 80))
        munlock(place, pages.length * PAGE);
}

/* Advice that leaves the contents: it splits mappings, moves pages away or brings them in. */
static void advise(struct arena *arena, struct pages pages, struct random *random)
{
    static const int advice[] = {MADV_DONTFORK, MADV_DOFORK,  MADV_HUGEPAGE,  MADV_NOHUGEPAGE,
                                 MADV_COLD,     MADV_PAGEOUT, MADV_MERGEABLE, MADV_UNMERGEABLE,
                                 MADV_RANDOM,   MADV_NORMAL,  MADV_DONTDUMP,  MADV_DODUMP};
    size_t which = random_below(random, sizeof advice / sizeof *advice);
    if (madvise(arena->memory + pages.first * PAGE, pages.length * PAGE, advice[which]) == 0)
        disturbance_count(ADVISED);
}

static void populate(struct arena *arena, struct pages pages)
{
    if (madvise(arena->memory + pages.first * PAGE, pages.length * PAGE, MADV_POPULATE_WRITE) == 0)
        disturbance_count(POPULATED);
}

static void collapse(struct arena *arena)
{
    madvise(arena->memory, arena_bytes(arena), MADV_COLLAPSE);
    disturbance_count(COLLAPSED);
}

/* A child that writes its copy and goes; the parent's pages are copied on write afterwards. */
static void fork_once(struct arena *arena)
{
    int state;
    bool all_there = arena->kind == ARENA_STATIC || arena->kind == ARENA_STACK; /* no advice against forks */
    pid_t child = fork();
    if (child == 0) {
        if (all_there)
            memset(arena->memory, 0x5a, arena_bytes(arena) / 2);
        _exit(0);
    }
    must(child > 0 && waitpid(child, &state, 0) == child, "fork");
    disturbance_count(FORKED);
}

/* The child of child_keep: until its end of the pipe closes. */
static struct {
    pid_t process;
    int pipe;
} kept;

/* A child that lives on beside the parent's next calls and has the memory as it was. */
static void child_keep(const struct arena *arena)
{
    int ends[2];
    char byte;
    if (kept.process)
        return;
    must(pipe(ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        while (read(ends[0], &byte, 1) > 0) {
        }
        _exit(memcmp(arena->memory, arena->shadow, arena_bytes(arena)) != 0);
    }
    must(child > 0, "fork");
    close(ends[0]);
    kept.process = child;
    kept.pipe = ends[1];
    disturbance_count(CHILD_KEPT);
}

bool child_was_disturbed(void)
{
    int state;
    if (!kept.process)
        return false;
    close(kept.pipe);
    must(waitpid(kept.process, &state, 0) == kept.process, "waitpid");
    kept.process = 0;
    if (state == 0)
        return false;
    printf("# a child's memory was not as it had been (state %#x)\n", state);
    return true;
}

static void upset_pages(struct arena *arena, struct arena *other, struct random *random)
{
    struct pages pages = some_pages(arena, random);
    switch (random_below(random, 12)) {
    case 0:
    case 1: drop_pages(arena, pages); break;
    case 2: free_lazily(arena, pages, random); break;
    case 3: protect(arena, pages); break;
    case 4: collapse(arena); break;
    case 5: lock_pages(arena, pages, random); break;
    case 6: advise(arena, pages, random); break;
    case 7: populate(arena, pages); break;
    case 8:
    case 9:
        if (random_chance(random, 50))
            pages = (struct pages){0, arena_bytes(arena) / PAGE};
        arena_remap(arena, pages.first, pages.length, random);
        break;
    case 10: arena_resize_mapping(arena, random); break;
    default:
        if (other)
            arena_swap(arena, other, random);
    }
}

static void upset_heap(struct arena *arena, struct random *random)
{
    size_t choice = random_below(random, 100);
    if (choice < 45)
        reallocate(arena);
    else if (choice < 90)
        resize(arena, random);
    else
        trim_heap();
}

void arena_upset(struct arena *arena, struct arena *other, struct random *random)
{
    device_unpin(arena);
    if (other)
        device_unpin(other);
    if (arena->kind == ARENA_HEAP || arena->kind == ARENA_SMALL_HEAP)
        upset_heap(arena, random);
    else if (arena->kind == ARENA_PAGES || arena->kind == ARENA_HUGE)
        upset_pages(arena, other, random);
    else if (random_chance(random, 20))
        fork_once(arena);
    else if (arena->kind == ARENA_STATIC && !arena->in_threads && random_chance(random, 20))
        child_keep(arena);
}

void disturbances_print_latest(void)
{
    printf("#   before that, the latest first:");
    for (unsigned i = 1; i <= LATEST && i <= latest_count; i++)
        printf(" %s%s", names[latest[(latest_count - i) % LATEST]], i < LATEST ? ";" : "");
    printf("\n");
}

void disturbances_print(void)
{
    for (int i = 0; i < DISTURBANCE_COUNT; i++)
        printf("# %s: %lu\n", names[i], counts[i]);
}
