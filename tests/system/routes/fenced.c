#include "fenced.h"

#include "../element.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

void fenced_make(struct fenced *operand, char type, int64_t rows, int64_t columns, int64_t ld)
{
    const int64_t in_page = PAGE / (int64_t)element_bytes(type);
    *operand = (struct fenced){
        .memory = {.type = type, .rows = rows, .columns = columns, .ld = ld, .part = 'F'}};
    if (rows <= 0 || columns <= 0)
        return;
    operand->memory.lead = (in_page - ((columns - 1) * ld + rows) % in_page) % in_page;
    guarded_make(&operand->memory);
}

void fenced_free(struct fenced *operand)
{
    if (operand->memory.memory)
        guarded_free(&operand->memory);
    free(operand->before);
    *operand = (struct fenced){.before = NULL};
}

void *fenced_data(const struct fenced *operand, bool twin)
{
    return operand->memory.memory ? guarded_data(&operand->memory, twin) : NULL;
}

static bool is_in(char part, int64_t i, int64_t j)
{
    return part == 'F' || (part == 'U' && i <= j) || (part == 'L' && i >= j);
}

void fenced_fill(struct fenced *operand, char part, const double *matrix)
{
    const size_t size = element_bytes(operand->memory.type);
    for (int64_t j = 0; j < operand->memory.columns; j++)
        for (int64_t i = 0; i < operand->memory.rows; i++)
            for (int twin = 0; twin < 2 && is_in(part, i, j); twin++)
                memcpy((char *)fenced_data(operand, twin) + (size_t)(i + j * operand->memory.ld) * size,
                       (const char *)matrix + (size_t)(i + j * operand->memory.rows) * size, size);
}

void fenced_fill_packed(struct fenced *operand, char part, int n, const double *matrix)
{
    const size_t size = element_bytes(operand->memory.type);
    size_t at = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (!is_in(part, i, j))
                continue;
            for (int twin = 0; twin < 2; twin++)
                memcpy((char *)fenced_data(operand, twin) + at * size,
                       (const char *)matrix + (size_t)(i + j * n) * size, size);
            at++;
        }
}

void fenced_close(struct fenced *operand, char written, int64_t columns)
{
    operand->written = written;
    operand->columns = columns;
    if (!operand->memory.memory)
        return;
    operand->before = malloc(operand->memory.bytes);
    if (!operand->before)
        abort();
    memcpy(operand->before, operand->memory.memory, operand->memory.bytes);
    if (!getenv("ROUTES_OPEN"))
        guarded_close(&operand->memory, GUARD_PROTECT);
}

static bool may_be_written(const struct fenced *operand, int64_t index)
{
    if (index < 0)
        return false;
    const int64_t i = index % operand->memory.ld, j = index / operand->memory.ld;
    return i < operand->memory.rows && j < operand->columns && is_in(operand->written, i, j);
}

bool fenced_is_clean(const struct fenced *operand)
{
    const struct guarded *memory = &operand->memory;
    if (!memory->memory)
        return true;
    const int64_t size = (int64_t)element_bytes(memory->type), in_page = PAGE / size;
    for (int64_t page = 0; page < (int64_t)memory->bytes / PAGE; page++) {
        if (!memory->touched[page] ||
            memcmp(memory->memory + page * PAGE, operand->before + page * PAGE, PAGE) == 0)
            continue;
        for (int64_t slot = page * in_page; slot < (page + 1) * in_page; slot++)
            if (memcmp(memory->memory + slot * size, operand->before + slot * size, (size_t)size) != 0 &&
                !may_be_written(operand, slot - in_page - memory->lead))
                return false;
    }
    return true;
}

bool fenced_agrees(const struct fenced *operand, double tolerance)
{
    const struct guarded *memory = &operand->memory;
    for (int64_t j = 0; memory->memory && j < operand->columns; j++)
        for (int64_t i = 0; i < memory->rows; i++) {
            const int64_t at = i + j * memory->ld;
            if (!is_in(operand->written, i, j))
                continue;
            const number ours = get(memory->type, fenced_data(operand, false), at);
            const number host = get(memory->type, fenced_data(operand, true), at);
            if (isnan(magnitude(host)) ? !isnan(magnitude(ours)) :
                ours != host && !(magnitude(ours - host) <= tolerance))
                return false;
        }
    return true;
}
