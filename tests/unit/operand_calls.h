/* operand_calls.h - calls through the door of the mirror layer, checked to the byte.
 *
 * A call here is: hold, compare what the device has with host memory, write new
 * bytes to the outputs' parts on the device, write back, release. */
#ifndef MUBLAS_TESTS_OPERAND_CALLS_H
#define MUBLAS_TESTS_OPERAND_CALLS_H

#include "emulated_lane.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/operands.h"

#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* Uploads are page-wide: they read what lies around a matrix, too, which is no error here. Weak: parts of one
 * program have it each. */
__attribute__((weak, visibility("default"))) const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
    return "interceptor_via_fun:hold_upload\n";
}
#endif

/* xorshift64* */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static inline size_t below(uint64_t *state, size_t limit)
{
    return (size_t)(next_random(state) % limit);
}

/* Device address of a host byte of the operand. */
static inline CUdeviceptr device_of(const struct operand *operand, uintptr_t host)
{
    size_t offset = host - (uintptr_t)operand->matrix.pointer;
    size_t column_bytes = (size_t)operand->matrix.ld * operand->element_bytes;
    return operand->device_address +
           offset / column_bytes * (size_t)operand->device_ld * operand->element_bytes +
           offset % column_bytes;
}

/* One column at a time: on the device columns need not adjoin where they do on the host. */
static inline bool each_column(const struct operand *operand,
                               bool (*visit)(void *, const struct operand *, struct byte_range),
                               void *context)
{
    struct operand column = *operand;
    for (int64_t j = 0; j < operand->matrix.columns; j++) {
        int64_t first = operand->matrix.part == PART_LOWER ? j : 0;
        int64_t last = operand->matrix.part == PART_UPPER ? j + 1 : operand->matrix.rows;
        uintptr_t top = (uintptr_t)operand->matrix.pointer +
                        (size_t)(j * operand->matrix.ld) * operand->element_bytes;
        struct byte_range range = {top + (size_t)first * operand->element_bytes,
                                   top + (size_t)last * operand->element_bytes};
        if (!visit(context, &column, range))
            return false;
    }
    return true;
}

static inline bool column_is_equal(void *unused, const struct operand *operand, struct byte_range range)
{
    size_t bytes = range.end - range.begin;
    unsigned char *there = malloc(bytes + 1);
    (void)unused;
    bool equal = device_peek(there, device_of(operand, range.begin), bytes) &&
                 memcmp(there, (const void *)range.begin, bytes) == 0;
    free(there);
    return equal;
}

static inline bool device_is_equal(const struct operand *operand)
{
    return each_column(operand, column_is_equal, NULL);
}

/* The place of the expected contents of host memory: address + distance. */
struct computation {
    uint64_t *random;
    ptrdiff_t to_shadow;
};

static inline bool compute_column(void *context, const struct operand *operand, struct byte_range range)
{
    struct computation *computation = context;
    size_t bytes = range.end - range.begin;
    unsigned char *result = malloc(bytes + sizeof(uint64_t));
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const uint64_t word = next_random(computation->random);
        memcpy(result + i, &word, sizeof word);
    }
    memcpy((unsigned char *)range.begin + computation->to_shadow, result, bytes);
    bool good = device_poke(device_of(operand, range.begin), result, bytes);
    free(result);
    return good;
}

static inline bool compute(const struct operand *operand, uint64_t *random, ptrdiff_t to_shadow)
{
    struct computation computation = {random, to_shadow};
    return each_column(operand, compute_column, &computation);
}

struct call_result {
    enum status held, written;
    bool equal; /* the device had what the host has */
    struct transfer_count count;
};

/* One call; outputs get new bytes, also in the shadow `to_shadow` bytes further on. */
static inline struct call_result run_held(struct mirror_table *table, struct lane *lane,
                                          struct operand *operands, int count, uint64_t *random,
                                          ptrdiff_t to_shadow, enum hold_way way)
{
    struct call_result result = {.equal = true};
    struct operands_hold *hold = NULL;
    result.held = operands_take_hold(table, lane, NULL, operands, count, 1000, way, &hold);
    if (result.held != STATUS_OK)
        return result;
    result.written = lane_synchronise(lane, "uploading");
    if (result.written != STATUS_OK) {
        operands_release(hold, &result.count);
        return result;
    }
    for (int i = 0; i < count; i++)
        if (operands[i].access != OPERAND_OVERWRITE)
            result.equal = device_is_equal(&operands[i]) && result.equal;
    for (int i = 0; i < count; i++)
        if (operands[i].access != OPERAND_READ)
            result.equal = compute(&operands[i], random, to_shadow) && result.equal;
    result.written = operands_write_back(hold);
    operands_release(hold, &result.count);
    return result;
}

static inline struct call_result run_call(struct mirror_table *table, struct lane *lane,
                                          struct operand *operands, int count, uint64_t *random,
                                          ptrdiff_t to_shadow)
{
    return run_held(table, lane, operands, count, random, to_shadow, HOLD_PROVEN);
}

static inline struct operand operand_of(void *pointer, int64_t rows, int64_t columns, int64_t ld,
                                        enum blas_part part, enum operand_access access)
{
    return (struct operand){
        .matrix = {pointer, rows, columns, ld, part}, .element_bytes = 8, .access = access};
}

#endif
