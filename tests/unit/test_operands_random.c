/* Random calls on random memory between random host writes, each compared with
 * what host memory holds, to the byte. On one device, or each on any of DEVICES. Arguments: seed, steps. */
#include "mirror/tracking/write_tracker.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <sys/mman.h>

#ifndef DEVICES
#define DEVICES 1
#define TEST test_operands_random
#endif

enum kind { PLAIN, LARGE, SHARED, MALLOCED, KINDS };

/* Memory that matrices lie in, and what it must hold. */
struct arena {
    enum kind kind;
    unsigned char *memory, *shadow;
    size_t bytes;
    bool pieced; /* replaced in parts, which mremap then refuses to move as one */
};

enum { ARENAS = 6 };

/* Under sanitizers a step's comparisons of 20 MB take their time, by ThreadSanitizer a third of a second. */
#ifdef __SANITIZE_THREAD__
enum { DEFAULT_STEPS = 12 };
#elif defined __SANITIZE_ADDRESS__
enum { DEFAULT_STEPS = 160 };
#else
enum { DEFAULT_STEPS = 300 };
#endif

static struct arena arenas[ARENAS];
static struct operand left[ARENAS]; /* the last result that was left on a device as a route's, in each arena */
static struct place {
    struct device *device;
    struct lane *lane;
    struct mirror_table *table;
} places[DEVICES];
static uint64_t state;

static size_t arena_bytes(enum kind kind)
{
    return kind == LARGE ? (size_t)17 << 20 : (size_t)(96 + below(&state, 400)) << page_shift();
}

static unsigned char *map(size_t bytes, int sharing)
{
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void arena_fill(struct arena *arena)
{
    for (size_t i = 0; i < arena->bytes; i += 8) {
        uint64_t value = next_random(&state);
        memcpy(arena->memory + i, &value, 8);
    }
    memcpy(arena->shadow, arena->memory, arena->bytes);
}

static void arena_create(struct arena *arena, enum kind kind)
{
    arena->kind = kind;
    arena->bytes = arena_bytes(kind);
    arena->pieced = false;
    arena->memory = kind == MALLOCED ? malloc(arena->bytes)
                                     : map(arena->bytes, kind == SHARED ? MAP_SHARED : MAP_PRIVATE);
    arena->shadow = malloc(arena->bytes);
    arena_fill(arena);
}

static void arena_destroy(struct arena *arena)
{
    if (arena->kind == MALLOCED)
        free(arena->memory);
    else
        munmap(arena->memory, arena->bytes);
    free(arena->shadow);
}

static bool arenas_are_right(void)
{
    for (int i = 0; i < ARENAS; i++)
        if (memcmp(arenas[i].memory, arenas[i].shadow, arenas[i].bytes) != 0)
            return false;
    return true;
}

/* read(2) of a few bytes to anywhere. */
static void read_into(struct arena *arena)
{
    unsigned char bytes[64];
    int ends[2];
    size_t at = below(&state, arena->bytes - sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)next_random(&state);
    if (pipe(ends) != 0 || write(ends[1], bytes, sizeof bytes) != sizeof bytes ||
        read(ends[0], arena->memory + at, sizeof bytes) != sizeof bytes)
        abort();
    memcpy(arena->shadow + at, bytes, sizeof bytes);
    close(ends[0]);
    close(ends[1]);
}

static void write_into(struct arena *arena)
{
    size_t at = below(&state, arena->bytes), count = 1 + below(&state, below(&state, 8) ? 3 : 40000);
    for (size_t i = at; i < at + count && i < arena->bytes; i++)
        arena->memory[i] = arena->shadow[i] = (unsigned char)next_random(&state);
}

static void discard(struct arena *arena)
{
    size_t pages = arena->bytes >> page_shift(), first = below(&state, pages), count = 1 + below(&state, 8);
    if (first + count > pages)
        count = pages - first;
    madvise(arena->memory + (first << page_shift()), count << page_shift(), MADV_DONTNEED);
    memset(arena->shadow + (first << page_shift()), 0, count << page_shift());
}

/* New memory at the old address, of all or of a part. */
static void remap(struct arena *arena)
{
    size_t pages = arena->bytes >> page_shift(), first = below(&state, 2) ? 0 : below(&state, pages);
    size_t count = below(&state, 2) ? pages - first : 1 + below(&state, pages - first);
    unsigned char *begin = arena->memory + (first << page_shift());
    munmap(begin, count << page_shift());
    if (mmap(begin, count << page_shift(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) != begin)
        abort();
    memset(arena->shadow + (first << page_shift()), 0, count << page_shift());
    arena->pieced = count < pages;
}

static void resize(struct arena *arena)
{
    size_t bytes = (size_t)(96 + below(&state, 400)) << page_shift();
    size_t kept = bytes < arena->bytes ? bytes : arena->bytes;
    if (arena->kind == MALLOCED)
        arena->memory = realloc(arena->memory, bytes);
    else
        arena->memory = mremap(arena->memory, arena->bytes, bytes, MREMAP_MAYMOVE);
    if (!arena->memory || arena->memory == MAP_FAILED)
        abort();
    arena->shadow = realloc(arena->shadow, bytes);
    if (bytes > kept) {
        memset(arena->memory + kept, 7, bytes - kept);
        memset(arena->shadow + kept, 7, bytes - kept);
    }
    arena->bytes = bytes;
}

static void disturb(struct arena *arena)
{
    size_t choice = below(&state, 40);
    if (choice < 22)
        write_into(arena);
    else if (choice < 28)
        read_into(arena);
    else if (arena->kind == MALLOCED && choice < 34)
        resize(arena);
    else if (arena->kind != PLAIN && arena->kind != LARGE)
        return;
    else if (choice < 33)
        discard(arena);
    else if (choice < 36)
        remap(arena);
    else if (choice == 36 && arena->kind == PLAIN && !arena->pieced)
        resize(arena);
    else if (choice == 37 && arena->kind == PLAIN) {
        arena_destroy(arena);
        arena_create(arena, PLAIN);
    }
}

/* A matrix that fits; large arenas get ones that make them worth pinning. */
static struct operand choose(const struct arena *arena, enum operand_access access)
{
    size_t words = arena->bytes / 8;
    int64_t ld = 1 + (int64_t)below(&state, arena->kind == LARGE ? 1450 : 120);
    if (arena->kind == LARGE && below(&state, 2))
        ld = 1450;
    int64_t rows = below(&state, 3) ? ld : 1 + (int64_t)below(&state, (size_t)ld);
    size_t start = arena->kind == LARGE ? below(&state, 3000) : below(&state, words / 2);
    int64_t most = (int64_t)((words - start) / (size_t)ld);
    enum blas_part part = (enum blas_part)below(&state, 3);
    int64_t columns = part == PART_FULL && arena->kind != LARGE ? 1 + (int64_t)below(&state, (size_t)most)
                                                                : most;
    if (part != PART_FULL)
        columns = rows = rows < columns ? rows : columns;
    return operand_of(arena->memory + 8 * start +
                          (access == OPERAND_READ ? 0 : 8 * below(&state, 2) * (start > 0)),
                      rows, columns - (columns > 1 && part == PART_FULL), ld, part, access);
}

/* The matrix left in the arena, the rest of it from an element of its diagonal on, or the full block below or
 * above that: false if there is none. */
static bool choose_left(const struct arena *arena, struct operand *operand)
{
    *operand = left[arena - arenas];
    const struct byte_range hull = operand_memory_hull(operand);
    if (!operand->matrix.pointer || hull.begin < (uintptr_t)arena->memory ||
        hull.end > (uintptr_t)arena->memory + arena->bytes)
        return false;
    struct blas_matrix *const matrix = &operand->matrix;
    const int64_t least = matrix->rows < matrix->columns ? matrix->rows : matrix->columns;
    const int64_t first = below(&state, 2) ? (int64_t)below(&state, (size_t)least) : 0;
    const enum blas_part part = matrix->part;
    if (first > 0 && part != PART_FULL && below(&state, 2)) {
        matrix->pointer = (char *)matrix->pointer + 8 * (part == PART_LOWER ? first : first * matrix->ld);
        matrix->rows = part == PART_LOWER ? matrix->rows - first : first;
        matrix->columns = part == PART_LOWER ? first : matrix->columns - first;
        matrix->part = PART_FULL;
        return true;
    }
    matrix->pointer = (char *)matrix->pointer + 8 * first * (matrix->ld + 1);
    matrix->rows -= first;
    matrix->columns -= first;
    return true;
}

static bool disjoint(const struct operand *one, const struct operand *other)
{
    struct byte_range a = operand_memory_hull(one), b = operand_memory_hull(other);
    return a.end <= b.begin || b.end <= a.begin;
}

/* False when something is wrong. */
static bool random_call(bool faults)
{
    struct operand operands[3];
    int count = 1 + (int)below(&state, 3), output = below(&state, 2) ? (int)below(&state, 3) : -1;
    struct arena *target = NULL;
    for (int i = 0; i < count; i++) {
        struct arena *arena = &arenas[below(&state, ARENAS)];
        enum operand_access access = i == output ? 1 + (enum operand_access)below(&state, 2) : OPERAND_READ;
        if (access != OPERAND_READ || below(&state, 2) || !choose_left(arena, &operands[i]))
            operands[i] = choose(arena, access);
        struct byte_range hull = operand_memory_hull(&operands[i]);
        if (hull.end > (uintptr_t)arena->memory + arena->bytes)
            return true;
        if (i == output)
            target = arena;
    }
    for (int i = 0; i < count; i++)
        if (target && i != output && !disjoint(&operands[i], &operands[output]))
            return true;
    char script[64] = "";
    if (faults && below(&state, 4) == 0) {
        static const char *const calls[] = {
            "cuMemCreate",          "cuMemMap",           "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize",
            "cuMemHostRegister_v2", "cuMemcpy2DAsync_v2", "cuMemAddressReserve"};
        snprintf(script, sizeof script, "%s:%zu:%d", calls[below(&state, 7)], 1 + below(&state, 3),
                 below(&state, 2) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_SUPPORTED);
    }
    const struct place *const place = &places[below(&state, DEVICES)];
    struct device_scope scope;
    if (device_enter(place->device, &scope) != STATUS_OK)
        return false;
    set_faults(script);
    const bool is_left = count == 1 && operands[0].access == OPERAND_OVERWRITE && below(&state, 4);
    struct call_result result = run_held(place->table, place->lane, operands, count, &state,
                                         target ? target->shadow - target->memory : 0,
                                         is_left ? HOLD_RESULT : HOLD_PROVEN);
    set_faults("");
    device_leave(place->device, &scope);
    if (is_left && result.held == STATUS_OK && result.written == STATUS_OK) {
        left[target - arenas] = operands[0];
        left[target - arenas].access = OPERAND_READ;
    }
    if (result.held == STATUS_UNSUPPORTED && is_left)
        return true;
    if (result.held != STATUS_OK)
        return *script || result.held == STATUS_OUT_OF_MEMORY;
    if (result.written != STATUS_OK && target)
        memcpy(target->shadow, target->memory, target->bytes); /* lost: anything goes, but coherently */
    return result.equal && (result.written == STATUS_OK || *script);
}

static bool run(size_t steps, bool faults)
{
    for (size_t step = 0; step < steps; step++) {
        for (size_t i = below(&state, 4); i > 0; i--)
            disturb(&arenas[below(&state, ARENAS)]);
        bool good = random_call(faults);
        if (!good || !arenas_are_right()) {
            printf("# step %zu: %s\n", step, good ? "host memory is wrong" : "the device's copy is wrong");
            return false;
        }
    }
    return true;
}

static void find_places(void)
{
    struct device_scope scope;
    places[0].lane = emulated_lane();
    places[0].device = emulated_device;
    for (int i = 1; i < DEVICES; i++) {
        struct place *const place = &places[i];
        if (device_wake_at(i, &place->device) != STATUS_OK || device_enter(place->device, &scope) != STATUS_OK)
            tap_skip_all("there are not enough devices");
        if (lane_acquire(place->device, &place->lane) != STATUS_OK || lane_reserve_staging(place->lane) != STATUS_OK)
            abort();
        device_leave(place->device, &scope);
    }
}

static void create_tables(size_t budget, size_t pin_budget, bool tracking)
{
    mirror_table_create(places[0].device, budget, pin_budget, tracking, &places[0].table);
    for (int i = 1; i < DEVICES; i++)
        mirror_table_create_beside(places[0].table, places[i].device, budget, &places[i].table);
}

static void destroy_tables(void)
{
    for (int i = 0; i < DEVICES; i++) {
        struct device_scope scope;
        printf("# %s\n", mirror_table_description(places[i].table));
        if (device_enter(places[i].device, &scope) != STATUS_OK)
            abort();
        mirror_table_destroy(places[i].table);
        device_leave(places[i].device, &scope);
    }
}

static bool devices_are_there(void)
{
    for (int i = 0; i < DEVICES; i++)
        if (!device_is_usable(places[i].device))
            return false;
    return true;
}

UNIT_TEST(TEST)
{
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 20240229;
    size_t steps = count > 2 ? strtoull(arguments[2], NULL, 10) : DEFAULT_STEPS;
    static const enum kind kinds[ARENAS] = {PLAIN, PLAIN, PLAIN, MALLOCED, SHARED, LARGE};
    if (DEVICES > 1) {
        setenv("EMULATED_DEVICES", "3", 1);
        setenv("EMULATED_DEVICE_MEMORY", "8G,2G,1G", 1);
        setenv("EMULATED_PEER", "0", 1);
        setenv("MUBLAS_DEVICE", "all", 1);
    }
    printf("# seed %llu, %zu steps, %d devices\n", (unsigned long long)seed, steps, DEVICES);
    state = seed * 2 + 1;
    find_places();
    for (int i = 0; i < ARENAS; i++)
        arena_create(&arenas[i], kinds[i]);
    create_tables((size_t)1 << 30, (size_t)1 << 30, true);
    tap_ok(run(steps, false), "calls between host writes see what the host has");
    tap_ok(run(steps, true) && devices_are_there(), "also where driver calls fail");
    destroy_tables();
    create_tables((size_t)6 << 20, 0, true);
    tap_ok(run(steps, false), "also in too little device memory");
    destroy_tables();
    create_tables((size_t)1 << 30, (size_t)1 << 30, false);
    tap_ok(run(steps / 4, false), "also without tracking");
    destroy_tables();
    tap_ok(devices_are_there(), "the devices were there all along");
    return tap_done();
}
