#include "scalapack/distribution.h"
#include "common/whole_number.h"

#include <string.h>

int64_t distribution_count(int64_t count, int64_t block, int me, int source, int processes)
{
    const int64_t distance = (processes + me - source) % processes;
    const int64_t blocks = count / block, extra = blocks % processes;
    int64_t mine = blocks / processes * block;
    if (distance < extra)
        mine += block;
    else if (distance == extra)
        mine += count % block;
    return mine;
}

int distribution_owner(int64_t index, int64_t block, int source, int processes)
{
    return (int)((index / block + source) % processes);
}

int64_t distribution_local(int64_t index, int64_t block, int processes)
{
    return index / block / processes * block + index % block;
}

/* The first block, not before that of `index`, that process `me` has. */
static int64_t first_block(int64_t index, int64_t block, int me, int source, int processes)
{
    const int64_t number = index / block;
    const int64_t behind = (me - source - number) % processes;
    return number + (behind < 0 ? behind + processes : behind);
}

/* One copy in either direction. */
struct copy {
    const struct distribution *of;
    const struct grid_place *place;
    enum blas_part part;
    size_t element;
    unsigned char *local, *whole;
    int64_t whole_ld;
    bool takes;
};

static void copy_rows(const struct copy *copy, unsigned char *local_column, unsigned char *whole_column,
                      int64_t low, int64_t high)
{
    const struct distribution *const of = copy->of;
    const int64_t block = of->row_block, begin = of->first_row + low, end = of->first_row + high;
    for (int64_t number = first_block(begin, block, copy->place->row, of->row_source, copy->place->rows);
         number * block < end; number += copy->place->rows) {
        const int64_t from = larger(number * block, begin), to = smaller((number + 1) * block, end);
        unsigned char *const local =
            local_column + (size_t)distribution_local(from, block, copy->place->rows) * copy->element;
        unsigned char *const whole = whole_column + (size_t)(from - of->first_row) * copy->element;
        const size_t bytes = (size_t)(to - from) * copy->element;
        if (copy->takes)
            memcpy(local, whole, bytes);
        else
            memcpy(whole, local, bytes);
    }
}

static void copy_column(const struct copy *copy, int64_t global)
{
    const struct distribution *const of = copy->of;
    const int64_t column = global - of->first_column;
    const int64_t low = copy->part == PART_LOWER ? column : 0;
    const int64_t high = copy->part == PART_UPPER ? smaller(column + 1, of->rows) : of->rows;
    const int64_t local = distribution_local(global, of->column_block, copy->place->columns);
    if (low < high)
        copy_rows(copy, copy->local + (size_t)(local * of->ld) * copy->element,
                  copy->whole + (size_t)(column * copy->whole_ld) * copy->element, low, high);
}

static void copy_all(const struct copy *copy)
{
    const struct distribution *const of = copy->of;
    const int64_t block = of->column_block, end = of->first_column + of->columns;
    int64_t number =
        first_block(of->first_column, block, copy->place->column, of->column_source, copy->place->columns);
    for (; number * block < end; number += copy->place->columns)
        for (int64_t global = larger(number * block, of->first_column);
             global < smaller((number + 1) * block, end); global++)
            copy_column(copy, global);
}

void distribution_put(const struct distribution *distribution, const struct grid_place *place,
                      enum blas_part part, size_t element_bytes, const void *local, void *whole,
                      int64_t whole_ld)
{
    const struct copy copy = {distribution, place, part, element_bytes, (unsigned char *)(uintptr_t)local,
                              whole, whole_ld, false};
    copy_all(&copy);
}

void distribution_take(const struct distribution *distribution, const struct grid_place *place,
                       enum blas_part part, size_t element_bytes, void *local, const void *whole,
                       int64_t whole_ld)
{
    const struct copy copy = {distribution, place, part, element_bytes, local,
                              (unsigned char *)(uintptr_t)whole, whole_ld, true};
    copy_all(&copy);
}
