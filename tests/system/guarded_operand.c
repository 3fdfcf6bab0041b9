#define _GNU_SOURCE
#include "guarded_operand.h"

#include "element.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

void *guarded_data(const struct guarded *operand, bool twin)
{
    return (twin ? operand->twin : operand->memory) + PAGE +
           (size_t)operand->lead * element_bytes(operand->type);
}

static bool is_element(const struct guarded *operand, int64_t row, int64_t column)
{
    return row < operand->rows && column < operand->columns &&
           (operand->part == 'F' || (operand->part == 'U' ? row <= column : row >= column));
}

static void note_touched(struct guarded *operand)
{
    const size_t size = element_bytes(operand->type), origin = PAGE + (size_t)operand->lead * size;
    operand->touched = calloc(operand->bytes / PAGE, sizeof *operand->touched);
    for (int64_t j = 0; j < operand->columns; j++)
        for (int64_t i = 0; i < operand->rows; i++)
            if (is_element(operand, i, j)) /* none lies across a page's end */
                operand->touched[(origin + (size_t)(i + j * operand->ld) * size) / PAGE] = true;
}

static char *map(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    memset(memory, 0xff, bytes); /* NaN in any type */
    return memory;
}

void guarded_make(struct guarded *operand)
{
    const size_t elements = (size_t)(operand->lead + (operand->columns - 1) * operand->ld + operand->rows);
    operand->bytes = (elements * element_bytes(operand->type) + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
    operand->memory = map(operand->bytes);
    operand->twin = map(operand->bytes);
    note_touched(operand);
}

/* Others may live in what was unmapped. */
void guarded_free(struct guarded *operand)
{
    for (size_t page = 0; page < operand->bytes / PAGE; page++)
        if (operand->touched[page] || !operand->unmapped)
            munmap(operand->memory + page * PAGE, PAGE);
    munmap(operand->twin, operand->bytes);
    free(operand->touched);
}

static void set(struct guarded *operand, int64_t i, int64_t j, double scale, double offset,
                struct random *random)
{
    for (int part = 0; part <= is_complex(operand->type); part++) {
        const double value = (part ? 0 : offset) + scale * random_value(random);
        set_part(operand->type, guarded_data(operand, false), i + j * operand->ld, part, value);
        set_part(operand->type, guarded_data(operand, true), i + j * operand->ld, part, value);
    }
}

void guarded_fill(struct guarded *operand, bool dominant, struct random *random)
{
    for (int64_t j = 0; j < operand->columns; j++)
        for (int64_t i = 0; i < operand->rows; i++)
            if (is_element(operand, i, j))
                set(operand, i, j,
                    !dominant ? 1
                    : i == j  ? 0.5
                              : 1.0 / (double)operand->rows,
                    dominant && i == j ? 2 : 0, random);
}

void guarded_change(struct guarded *operand, struct random *random)
{
    const int64_t least = operand->rows < operand->columns ? operand->rows : operand->columns;
    for (int64_t i = (int64_t)random_below(random, 7); i < least; i += 7) /* a diagonal is in every part */
        set(operand, i, i, 0.5, 2, random);
}

void guarded_close(struct guarded *operand, enum guard guard)
{
    const size_t pages = operand->bytes / PAGE;
    operand->unmapped = guard == GUARD_UNMAP;
    for (size_t page = 0, end; page < pages; page = end) {
        for (end = page + 1; end < pages && operand->touched[end] == operand->touched[page];)
            end++;
        if (operand->touched[page])
            continue;
        char *const begin = operand->memory + page * PAGE;
        if (guard == GUARD_UNMAP ? munmap(begin, (end - page) * PAGE)
                                 : mprotect(begin, (end - page) * PAGE, PROT_NONE))
            abort();
    }
}

static bool is_near(const struct guarded *operand, int64_t index)
{
    const number got = get(operand->type, guarded_data(operand, false), index);
    const number right = get(operand->type, guarded_data(operand, true), index);
    return magnitude(got - right) <= (is_single(operand->type) ? 2e-3L : 1e-10L) * (1 + magnitude(right));
}

bool guarded_agrees(const struct guarded *operand)
{
    const size_t size = element_bytes(operand->type), in_page = PAGE / size;
    bool good = true;
    for (size_t page = 0; page < operand->bytes / PAGE; page++) {
        if (!operand->touched[page] ||
            memcmp(operand->memory + page * PAGE, operand->twin + page * PAGE, PAGE) == 0)
            continue;
        for (size_t slot = page * in_page; slot < (page + 1) * in_page; slot++) {
            const int64_t index = (int64_t)slot - (int64_t)in_page - operand->lead;
            if (memcmp(operand->memory + slot * size, operand->twin + slot * size, size) != 0)
                good = index >= 0 && is_element(operand, index % operand->ld, index / operand->ld) &&
                       is_near(operand, index) && good;
        }
    }
    return good;
}
