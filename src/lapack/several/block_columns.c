#include "lapack/several/block_columns.h"
#include "lapack/workspace.h"

/* Wide enough for products at full speed, and so many that the last ones weigh little. */
enum { WIDTH_UNIT = 64, WIDTH_MOST = 1024, BLOCKS_WANTED = 32 };

static int64_t width_of(int64_t n)
{
    const int64_t wanted = (n / BLOCKS_WANTED + WIDTH_UNIT - 1) / WIDTH_UNIT * WIDTH_UNIT;
    const int64_t least = ((n + BLOCKS_MOST - 1) / BLOCKS_MOST + WIDTH_UNIT - 1) / WIDTH_UNIT * WIDTH_UNIT;
    const int64_t width = wanted > WIDTH_MOST ? WIDTH_MOST : wanted;
    return width < WIDTH_UNIT ? WIDTH_UNIT : width < least ? least : width;
}

/* A block is changed by each one before it, over its own length. */
static double work_of(const struct block_columns *blocks, int block)
{
    return (double)(block + 1) * (double)block_length(blocks, block);
}

static int owner_of(const double *busy, const double *pace, int devices, double work)
{
    int best = 0;
    for (int i = 1; i < devices; i++)
        if (busy[i] + work / pace[i] < busy[best] + work / pace[best])
            best = i;
    return best;
}

bool block_columns_make(struct block_columns *blocks, enum blas_type type, enum blas_uplo uplo, int64_t n,
                        const double *pace, int devices)
{
    double busy[DEVICES_MAX] = {0};
    *blocks = (struct block_columns){.type = type, .uplo = uplo, .n = n, .width = width_of(n)};
    blocks->count = (int)((n + blocks->width - 1) / blocks->width);
    for (int block = 0; block < blocks->count; block++) {
        const double work = work_of(blocks, block);
        const int owner = owner_of(busy, pace, devices, work);
        busy[owner] += work / pace[owner];
        blocks->owner[block] = owner;
        blocks->offset[block] = blocks->bytes[owner];
        blocks->bytes[owner] += device_aligned(block_bytes(blocks, block));
    }
    return devices > 1 && blocks->count >= devices;
}

int64_t block_ld(const struct block_columns *blocks, int block)
{
    const int64_t rows = blocks->uplo == UPLO_LOWER ? block_length(blocks, block)
                                                    : block_order(blocks, block);
    return (rows + 15) / 16 * 16;
}

size_t block_bytes(const struct block_columns *blocks, int block)
{
    const int64_t columns = blocks->uplo == UPLO_LOWER ? block_order(blocks, block)
                                                       : block_length(blocks, block);
    return (size_t)block_ld(blocks, block) * (size_t)columns * blas_element_bytes(blocks->type);
}

size_t block_place(const struct block_columns *blocks, int block, int64_t distance)
{
    const size_t step = blocks->uplo == UPLO_LOWER ? 1 : (size_t)block_ld(blocks, block);
    return (size_t)distance * step * blas_element_bytes(blocks->type);
}

static void *element_of(const struct block_columns *blocks, const struct blas_matrix *a, int64_t row,
                        int64_t column)
{
    return (char *)a->pointer +
           ((size_t)column * (size_t)a->ld + (size_t)row) * blas_element_bytes(blocks->type);
}

struct blas_matrix block_square(const struct block_columns *blocks, int block, const struct blas_matrix *a)
{
    const int64_t begin = block_begin(blocks, block), order = block_order(blocks, block);
    return (struct blas_matrix){.pointer = element_of(blocks, a, begin, begin), .rows = order,
                                .columns = order, .ld = a->ld,
                                .part = blocks->uplo == UPLO_LOWER ? PART_LOWER : PART_UPPER};
}

struct blas_matrix block_rest(const struct block_columns *blocks, int block, const struct blas_matrix *a)
{
    const bool lower = blocks->uplo == UPLO_LOWER;
    const int64_t begin = block_begin(blocks, block), order = block_order(blocks, block),
                  rest = blocks->n - begin - order;
    if (rest == 0)
        return (struct blas_matrix){.rows = 0};
    return (struct blas_matrix){.pointer = element_of(blocks, a, lower ? begin + order : begin,
                                                      lower ? begin : begin + order),
                                .rows = lower ? rest : order, .columns = lower ? order : rest, .ld = a->ld,
                                .part = PART_FULL};
}
