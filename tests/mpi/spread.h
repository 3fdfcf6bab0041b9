/* spread.h - a distributed matrix of a test: its image, which all processes have, a process's part with
 * guards around every column, and after the call every process's part looked at by one of them.
 *
 * All that must not be read is NaN, each with a payload of its own, so that it is known again. */
#ifndef MUBLAS_TESTS_SPREAD_H
#define MUBLAS_TESTS_SPREAD_H

#include "mpi/dense.h"

void Cigesd2d(int context, int m, int n, const int *a, int lda, int row, int column);
void Cigerv2d(int context, int m, int n, int *a, int lda, int row, int column);
void Cigebs2d(int context, const char *scope, const char *topology, int m, int n, const int *a, int lda);
void Cigebr2d(int context, const char *scope, const char *topology, int m, int n, int *a, int lda, int row,
              int column);

struct grid {
    int context, rows, columns, row, column; /* context below 0: not in it */
};

enum fate { FATE_STAYS, FATE_RESULT, FATE_ANY };

struct spread {
    int rows, columns, row_block, column_block, row_source, column_source, gap;
    size_t element;
    bool is_single;
    unsigned char *image, *after; /* column by column, without gaps */
    unsigned char *fates;         /* enum fate of each element */
    unsigned char *part;          /* of this process, guards included */
    int ld, descriptor[9];
};

/* A quiet NaN that `number` tells from others, in each real number of the element. */
static void spread_poison(const struct spread *spread, unsigned char *at, uint64_t number)
{
    uint64_t hash = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    const uint64_t wide = UINT64_C(0x7ff8000000000000) | (hash >> 13);
    const uint32_t narrow = 0x7fc00000 | (uint32_t)(hash >> 42);
    const size_t real = spread->is_single ? 4 : 8;
    for (size_t i = 0; i < spread->element; i += real)
        memcpy(at + i, spread->is_single ? (const void *)&narrow : (const void *)&wide, real);
}

/* Index `i` of one dimension: whose it is, and where there. */
static int spread_deal(int i, int block, int source, int processes, int *local)
{
    const int number = i / block;
    *local = number / processes * block + i % block;
    return (number % processes + source) % processes;
}

static int spread_count(int count, int block, int source, int processes, int me)
{
    int mine = 0, local;
    for (int i = 0; i < count; i++)
        mine += spread_deal(i, block, source, processes, &local) == me;
    return mine;
}

static int spread_ld(const struct spread *spread, const struct grid *grid, int row)
{
    const int mine = spread_count(spread->rows, spread->row_block, spread->row_source, grid->rows, row);
    return (mine > 0 ? mine : 1) + spread->gap;
}

/* Bytes of a process's part: a column of guards before it and one behind. */
static size_t spread_bytes(const struct spread *spread, const struct grid *grid, int row, int column)
{
    const int columns =
        spread_count(spread->columns, spread->column_block, spread->column_source, grid->columns, column);
    return (size_t)(columns + 2) * (size_t)spread_ld(spread, grid, row) * spread->element;
}

/* A process's part as it is before the call; origins (may be NULL): whose number of the image each element
 * is, or -1. */
static void spread_fill(const struct spread *spread, const struct grid *grid, int row, int column,
                        unsigned char *part, int *origins)
{
    const int ld = spread_ld(spread, grid, row);
    const size_t count = spread_bytes(spread, grid, row, column) / spread->element;
    for (size_t i = 0; i < count; i++) {
        spread_poison(spread, part + i * spread->element, i * 64 + (size_t)(row * 8 + column));
        if (origins)
            origins[i] = -1;
    }
    for (int j = 0; j < spread->columns; j++) {
        int at_row, at_column;
        if (spread_deal(j, spread->column_block, spread->column_source, grid->columns, &at_column) != column)
            continue;
        for (int i = 0; i < spread->rows; i++) {
            if (spread_deal(i, spread->row_block, spread->row_source, grid->rows, &at_row) != row)
                continue;
            const size_t at = (size_t)(at_column + 1) * (size_t)ld + (size_t)at_row;
            const size_t number = (size_t)j * (size_t)spread->rows + (size_t)i;
            memcpy(part + at * spread->element, spread->image + number * spread->element, spread->element);
            if (origins)
                origins[at] = (int)number;
        }
    }
}

static void *spread_local(const struct spread *spread)
{
    return spread->part + (size_t)spread->ld * spread->element;
}

/* The image, all of it poison, and fates. */
static void spread_begin(struct spread *spread)
{
    const size_t count = (size_t)spread->rows * (size_t)spread->columns;
    spread->image = dense_keep(malloc(count * spread->element + 16));
    spread->after = dense_keep(malloc(count * spread->element + 16));
    spread->fates = dense_keep(calloc(count + 1, 1));
    for (size_t i = 0; i < count; i++)
        spread_poison(spread, spread->image + i * spread->element, i);
}

/* From the process that made the image to all; then everybody's part, and its descriptor. */
static void spread_out(struct spread *spread, const struct grid *grid)
{
    const int ints = (int)((size_t)spread->rows * (size_t)spread->columns * spread->element / sizeof(int));
    if (ints > 0 && grid->rows * grid->columns > 1) {
        if (grid->row == 0 && grid->column == 0)
            Cigebs2d(grid->context, "All", " ", ints, 1, (const int *)(void *)spread->image, ints);
        else
            Cigebr2d(grid->context, "All", " ", ints, 1, (int *)(void *)spread->image, ints, 0, 0);
    }
    spread->ld = spread_ld(spread, grid, grid->row);
    spread->part = dense_keep(malloc(spread_bytes(spread, grid, grid->row, grid->column)));
    spread_fill(spread, grid, grid->row, grid->column, spread->part, NULL);
    const int descriptor[9] = {1,
                               grid->context,
                               spread->rows,
                               spread->columns,
                               spread->row_block,
                               spread->column_block,
                               spread->row_source,
                               spread->column_source,
                               spread->ld};
    memcpy(spread->descriptor, descriptor, sizeof descriptor);
}

/* A process's part after the call. False: something is not as it was that had to stay. */
static bool spread_take(const struct spread *spread, const struct grid *grid, int row, int column,
                        const unsigned char *part)
{
    const size_t bytes = spread_bytes(spread, grid, row, column), count = bytes / spread->element;
    unsigned char *const before = malloc(bytes);
    int *const origins = malloc(count * sizeof *origins);
    bool good = before && origins;
    if (good)
        spread_fill(spread, grid, row, column, before, origins);
    for (size_t i = 0; i < count && before && origins; i++) {
        const enum fate fate = origins[i] < 0 ? FATE_STAYS : (enum fate)spread->fates[origins[i]];
        const unsigned char *const now = part + i * spread->element;
        if (fate == FATE_STAYS)
            good = good && memcmp(now, before + i * spread->element, spread->element) == 0;
        if (origins[i] >= 0)
            memcpy(spread->after + (size_t)origins[i] * spread->element, now, spread->element);
    }
    free(before);
    free(origins);
    return good;
}

/* On the grid's first process: all parts come there. False: as above. */
static bool spread_gather(const struct spread *spread, const struct grid *grid)
{
    bool good = true;
    const size_t mine = spread_bytes(spread, grid, grid->row, grid->column);
    if (grid->row != 0 || grid->column != 0) {
        const int ints = (int)(mine / sizeof(int));
        Cigesd2d(grid->context, ints, 1, (const int *)(void *)spread->part, ints, 0, 0);
        return true;
    }
    for (int row = 0; row < grid->rows; row++)
        for (int column = 0; column < grid->columns; column++) {
            const size_t bytes = spread_bytes(spread, grid, row, column);
            const int ints = (int)(bytes / sizeof(int));
            unsigned char *const part = row + column == 0 ? spread->part : malloc(bytes);
            if (row + column > 0)
                Cigerv2d(grid->context, ints, 1, (int *)(void *)part, ints, row, column);
            good = spread_take(spread, grid, row, column, part) && good;
            if (row + column > 0)
                free(part);
        }
    return good;
}

static struct number spread_number(const struct spread *spread, const unsigned char *at)
{
    float single[2] = {0, 0};
    double wide[2] = {0, 0};
    memcpy(spread->is_single ? (void *)single : (void *)wide, at, spread->element);
    return spread->is_single ? (struct number){(double)single[0], (double)single[1]}
                             : (struct number){wide[0], wide[1]};
}

/* A submatrix. */
struct window {
    struct spread *in;
    int row, column, rows, columns;
};

static size_t window_at(const struct window *window, int i, int j)
{
    return (size_t)(window->column + j) * (size_t)window->in->rows + (size_t)(window->row + i);
}

/* Write a part (L, U, F; with `is_unit` without the diagonal) of the matrix to the image, rounded. */
static void window_write(const struct window *window, struct dense from, char part, bool is_unit)
{
    for (int j = 0; j < window->columns; j++)
        for (int i = 0; i < window->rows; i++) {
            if (!dense_is_in(part, i, j) || (is_unit && i == j))
                continue;
            const double wide[2] = {from.re[dense_at(&from, i, j)], from.im[dense_at(&from, i, j)]};
            const float single[2] = {(float)wide[0], (float)wide[1]};
            memcpy(window->in->image + window_at(window, i, j) * window->in->element,
                   window->in->is_single ? (const void *)single : (const void *)wide, window->in->element);
        }
}

static struct dense window_read(const struct window *window, const unsigned char *image)
{
    const struct dense to = dense_new(window->rows, window->columns);
    for (int j = 0; j < window->columns; j++)
        for (int i = 0; i < window->rows; i++) {
            const struct number number =
                spread_number(window->in, image + window_at(window, i, j) * window->in->element);
            to.re[dense_at(&to, i, j)] = number.re;
            to.im[dense_at(&to, i, j)] = number.im;
        }
    return to;
}

static void window_set_fate(const struct window *window, char part, enum fate fate)
{
    for (int j = 0; j < window->columns; j++)
        for (int i = 0; i < window->rows; i++)
            if (dense_is_in(part, i, j))
                window->in->fates[window_at(window, i, j)] = (unsigned char)fate;
}

#endif
