/* Poison, and what stands in an operand. Device memory is accessible here: for queued calls only. */
#include "emulated_driver/cusolver.h"

#include <math.h>
#include <string.h>

size_t solver_element_bytes(char type)
{
    static const char types[] = "sdczil";
    static const unsigned char bytes[] = {4, 8, 8, 16, 4, 8};
    return bytes[strchr(types, type) - types];
}

void solver_poison(void *address, char type, size_t count)
{
    const size_t bytes = count * solver_element_bytes(type);
    const bool narrow = type == 's' || type == 'c' || type == 'i';
    const uint32_t single = type == 'i' ? SOLVER_POISON_INT : SOLVER_POISON_FLOAT;
    const uint64_t pair = type == 'l' ? SOLVER_POISON_INT * 0x100000001u : SOLVER_POISON_DOUBLE;
    for (size_t at = 0; at < bytes; at += narrow ? 4 : 8)
        if (narrow)
            memcpy((char *)address + at, &single, 4);
        else
            memcpy((char *)address + at, &pair, 8);
}

/* The rows [*begin, *end) of a column that belong to the part. */
static void part_rows(enum part part, int64_t rows, int64_t column, int64_t *begin, int64_t *end)
{
    *begin = part == LOWER ? column : part == STRICTLY_LOWER ? column + 1 : 0;
    *end = part == UPPER ? column + 1 : part == STRICTLY_UPPER ? column : part == NOTHING ? 0 : rows;
    if (*end > rows)
        *end = rows;
    if (*begin > *end)
        *begin = *end;
}

static char *element_at(const struct operand *operand, int64_t row, int64_t column)
{
    return (char *)operand->address +
           (size_t)(row + column * operand->ld) * solver_element_bytes(operand->type);
}

void solver_poison_rest(const struct operand *operand, enum part part, int64_t defined)
{
    for (int64_t column = 0; column < operand->columns; column++) {
        int64_t begin, end;
        part_rows(column < defined ? part : NOTHING, operand->rows, column, &begin, &end);
        solver_poison(element_at(operand, 0, column), operand->type, (size_t)begin);
        solver_poison(element_at(operand, end, column), operand->type, (size_t)(operand->rows - end));
    }
}

static enum contents real_contents(const void *address, bool narrow)
{
    float single;
    double wide;
    uint64_t bits = 0;
    memcpy(&bits, address, narrow ? 4 : 8);
    memcpy(&single, address, 4);
    if (!narrow)
        memcpy(&wide, address, 8);
    if (narrow ? isfinite(single) : isfinite(wide))
        return FINITE;
    return bits == (narrow ? SOLVER_POISON_FLOAT : SOLVER_POISON_DOUBLE) ? POISONED : NOT_FINITE;
}

enum contents solver_contents(const struct operand *operand)
{
    enum contents all = FINITE;
    const bool narrow = operand->type == 's' || operand->type == 'c';
    const int64_t columns = operand->columns_before ? operand->columns_before : operand->columns;
    if (operand->type == 'i' || operand->type == 'l')
        return FINITE;
    for (int64_t column = 0; column < columns; column++) {
        int64_t begin, end;
        part_rows(operand->before, operand->rows, column, &begin, &end);
        const char *last = element_at(operand, end, column);
        for (const char *at = element_at(operand, begin, column); at < last; at += narrow ? 4 : 8) {
            const enum contents one = real_contents(at, narrow);
            all = one > all ? one : all;
        }
    }
    return all;
}
