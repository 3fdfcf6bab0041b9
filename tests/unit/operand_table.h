/* operand_table.h - one table of mirrors, a lane, memory of its own, and calls with one operand,
 * for tests of what moves. main sets `page` and `lane`. */
#ifndef MUBLAS_TESTS_OPERAND_TABLE_H
#define MUBLAS_TESTS_OPERAND_TABLE_H

#include "mirror/mirror_table.h"
#include "mirror/tracking/write_tracker.h"
#include "operand_calls.h"

#include <sys/mman.h>

#define MIB ((size_t)1 << 20)

static struct mirror_table *table;
static struct lane *lane;
static uint64_t state = 1;
static size_t page;

static inline void open_table(size_t budget, size_t pin_budget)
{
    mirror_table_create(emulated_device, budget, pin_budget, true, &table);
}

static inline unsigned char *map(size_t bytes)
{
    unsigned char *memory = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    memset(memory + page, 3, bytes);
    return memory + page;
}

static inline void unmap(unsigned char *memory, size_t bytes)
{
    munmap(memory - page, bytes + 2 * page);
}

/* One operand, contiguous columns of 1024 elements that fill `bytes`. */
static inline struct operand whole(void *memory, size_t bytes, enum operand_access access)
{
    return operand_of(memory, 1024, (int64_t)(bytes / 8192), 1024, PART_FULL, access);
}

/* A call with one operand that must succeed; the bytes it moved up, or -1. */
static inline long call(struct operand operand, ptrdiff_t to_shadow)
{
    struct call_result result = run_call(table, lane, &operand, 1, &state, to_shadow);
    bool good = result.held == STATUS_OK && result.written == STATUS_OK && result.equal;
    return good ? (long)result.count.bytes_up : -1;
}

static inline long call_read(void *memory, size_t bytes)
{
    return call(whole(memory, bytes, OPERAND_READ), 0);
}

static inline bool is_resident(void *memory, size_t bytes)
{
    struct operand operand = whole(memory, bytes, OPERAND_READ);
    return operands_residency(table, &operand, 1, NULL).resident;
}

__attribute__((unused)) static struct mirror *mirror_of(const void *memory)
{
    return mirror_table_find(table, (uintptr_t)memory, (uintptr_t)memory + 1);
}

/* Has all device memory come back since `before`, and every pin? */
static inline bool all_given_back(const struct emulated_census *before)
{
    const struct emulated_census after = take_census();
    return after.physical == 0 && after.mappings == 0 && after.reservations == 0 &&
           after.pinned == before->pinned;
}

#endif
