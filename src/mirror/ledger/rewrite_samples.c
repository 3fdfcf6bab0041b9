#include "mirror/ledger/rewrite_samples.h"

/* Is there an element that the call reads at `address`? Never on a triangle's diagonal, which may be
 * implied. */
static bool covers(const struct operand *operand, uintptr_t address)
{
    const struct blas_matrix *matrix = &operand->matrix;
    const uintptr_t first = (uintptr_t)matrix->pointer;
    const size_t column_bytes = (size_t)matrix->ld * operand->element_bytes;
    if (address < first)
        return false;
    const int64_t column = (int64_t)((address - first) / column_bytes);
    const size_t rest = (address - first) % column_bytes;
    const int64_t row = (int64_t)(rest / operand->element_bytes);
    if (rest % operand->element_bytes || column >= matrix->columns || row >= matrix->rows)
        return false;
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? row > column : row < column);
}

/* Bytes of memory that is the program's: not for the sanitizers' eyes, as another thread may be writing. */
__attribute__((no_sanitize("address"), no_sanitize("thread")))
static uint64_t value_at(uintptr_t address, size_t element_bytes)
{
    const struct __attribute__((packed, may_alias)) { uint64_t value; } *wide = (const void *)address;
    const struct __attribute__((packed, may_alias)) { uint32_t value; } *narrow = (const void *)address;
    return element_bytes < sizeof(uint64_t) ? narrow->value : wide->value;
}

static uint64_t next_below(struct rewrite_samples *samples, uint64_t limit)
{
    samples->sequence = samples->sequence * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (samples->sequence >> 33) % limit;
}

/* Somewhere in the operand; 0 where the draw missed its part. */
static uintptr_t draw(struct rewrite_samples *samples, const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    uint64_t row = next_below(samples, (uint64_t)matrix->rows),
             column = next_below(samples, (uint64_t)matrix->columns);
    if (matrix->part == PART_LOWER ? row < column : matrix->part == PART_UPPER && row > column) {
        const uint64_t other = row;
        row = column;
        column = other;
    }
    const uintptr_t address =
        (uintptr_t)matrix->pointer + (column * (uint64_t)matrix->ld + row) * operand->element_bytes;
    return covers(operand, address) ? address : 0;
}

double rewrite_samples_renew(struct rewrite_samples *samples, const struct operand *operand)
{
    int compared = 0, changed = 0;
    for (int i = 0; i < REWRITE_SAMPLES_MAX; i++) {
        struct sample *sample = &samples->taken[i];
        const bool known = sample->address && covers(operand, sample->address);
        if (!known)
            sample->address = draw(samples, operand);
        const uint64_t value = sample->address ? value_at(sample->address, operand->element_bytes) : 0;
        compared += known;
        changed += known && value != sample->value;
        sample->value = value;
    }
    return compared > 0 ? (double)changed / compared : 0;
}

void rewrite_samples_forget(struct rewrite_samples *samples)
{
    for (int i = 0; i < REWRITE_SAMPLES_MAX; i++)
        samples->taken[i].address = 0;
}
