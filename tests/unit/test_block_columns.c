/* A triangle as blocks that several devices have in turn. */
#include "lapack/several/shared_cholesky.h"
#include "tap.h"
#include "unit_test.h"

static double area_of(const struct blas_matrix *piece)
{
    return piece->part == PART_FULL ? (double)piece->rows * (double)piece->columns
                                    : (double)piece->rows * (double)(piece->rows + 1) / 2;
}

/* All of the triangle, each block inside its owner's memory, apart from the others. */
static void test_cover(enum blas_uplo uplo, int64_t n, int devices)
{
    static const double pace[DEVICES_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    const struct blas_matrix a = {.pointer = (void *)4096, .rows = n, .columns = n, .ld = n + 3};
    struct block_columns blocks;
    size_t ends[DEVICES_MAX] = {0};
    double area = 0;
    const bool shared = block_columns_make(&blocks, TYPE_Z, uplo, n, pace, devices);
    bool apart = blocks.count <= BLOCKS_MOST && block_begin(&blocks, blocks.count - 1) < n;
    for (int i = 0; i < blocks.count; i++) {
        const struct blas_matrix square = block_square(&blocks, i, &a);
        const struct blas_matrix rest = block_rest(&blocks, i, &a);
        const int owner = blocks.owner[i];
        const size_t last = block_place(&blocks, i, block_length(&blocks, i) - 1);
        area += area_of(&square) + area_of(&rest);
        apart = apart && blocks.offset[i] >= ends[owner] && blocks.offset[i] % 256 == 0 &&
                last < block_bytes(&blocks, i);
        ends[owner] = blocks.offset[i] + block_bytes(&blocks, i);
        apart = apart && ends[owner] <= blocks.bytes[owner];
    }
    const bool is_meant = devices > 1 && blocks.count >= devices;
    tap_ok(area == (double)n * (double)(n + 1) / 2 && apart && shared == is_meant,
           "order %lld on %d: %d blocks of %lld", (long long)n, devices, blocks.count,
           (long long)blocks.width);
}

static void test_shares(double first, double second)
{
    const double pace[] = {first, second};
    struct block_columns blocks;
    double work[2] = {0, 0};
    block_columns_make(&blocks, TYPE_D, UPLO_LOWER, 32768, pace, 2);
    for (int i = 0; i < blocks.count; i++)
        work[blocks.owner[i]] += (double)(i + 1) * (double)block_length(&blocks, i);
    const double part = work[0] / (work[0] + work[1]), meant = first / (first + second);
    tap_ok(part > 0.9 * meant && part < 1.1 * meant,
           "paces %g and %g: the first has %.3f of the work, %.3f is meant", first, second, part, meant);
}

UNIT_TEST(test_block_columns)
{
    static const int64_t orders[] = {2, 64, 65, 128, 129, 2048, 2049, 32768, 40001, 100000};
    for (int i = 0; i < 10; i++)
        for (int devices = 1; devices <= 3; devices++)
            test_cover(i % 2 ? UPLO_LOWER : UPLO_UPPER, orders[i], devices);
    test_shares(1, 1);
    test_shares(3, 1);
    test_shares(1, 5);
    return tap_done();
}
