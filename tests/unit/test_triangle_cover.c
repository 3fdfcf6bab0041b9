/* Every element of the part is covered, no other byte is, and few strips do it. */
#include "mirror/transfer/transfer.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

struct marks {
    unsigned char *bytes; /* NULL: only count */
    size_t size, strips, copied;
    bool outside;
};

static int mark(void *context, const struct strip *strip)
{
    struct marks *marks = context;
    marks->strips++;
    marks->copied += strip->width * strip->height;
    if (strip->width == 0 || strip->height == 0 || (strip->height > 1 && strip->pitch < strip->width))
        marks->outside = true;
    for (size_t row = 0; marks->bytes && row < strip->height; row++) {
        size_t begin = strip->offset + row * strip->pitch;
        if (begin + strip->width > marks->size)
            marks->outside = true;
        else
            memset(marks->bytes + begin, 1, strip->width);
    }
    return 0;
}

static bool in_part(const struct blas_matrix *matrix, int64_t row, int64_t column)
{
    if (row >= matrix->rows)
        return false;
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? row >= column : row <= column);
}

static bool covers_exactly(const struct blas_matrix *matrix, size_t element_bytes)
{
    size_t ld_bytes = (size_t)matrix->ld * element_bytes;
    struct marks marks = {.size = ld_bytes * (size_t)matrix->columns};
    marks.bytes = calloc(marks.size, 1);
    triangle_cover(matrix, element_bytes, mark, &marks);
    bool good = !marks.outside;
    for (int64_t column = 0; column < matrix->columns && good; column++)
        for (size_t byte = 0; byte < ld_bytes && good; byte++)
            good = marks.bytes[(size_t)column * ld_bytes + byte] ==
                   in_part(matrix, (int64_t)(byte / element_bytes), column);
    free(marks.bytes);
    if (!good)
        printf("# part %d, %lld by %lld, ld %lld, %zu bytes\n", matrix->part, (long long)matrix->rows,
               (long long)matrix->columns, (long long)matrix->ld, element_bytes);
    return good;
}

static bool covers_with_every_ld(int64_t order, enum blas_part part)
{
    int64_t lds[] = {order, order + 1, order + 5, 2 * order + 3};
    bool good = true;
    for (size_t i = 0; i < sizeof lds / sizeof *lds; i++) {
        struct blas_matrix matrix = {NULL, order, order, lds[i], part};
        good = covers_exactly(&matrix, i % 2 ? 4 : 8) && good;
    }
    return good;
}

static void test_orders(enum blas_part part, const char *name)
{
    bool good = true;
    for (int64_t order = 1; order <= 200; order++)
        good = covers_with_every_ld(order, part) && good;
    tap_ok(good, "%s: exact for all orders up to 200", name);
    static const int64_t orders[] = {255, 256, 257, 511, 640, 1021};
    good = true;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        good = covers_with_every_ld(orders[i], part) && good;
    tap_ok(good, "%s: exact for larger orders", name);
}

static void test_cost(int64_t order, size_t strips_most)
{
    struct blas_matrix matrix = {NULL, order, order, order, PART_LOWER};
    struct marks marks = {0};
    triangle_cover(&matrix, 8, mark, &marks);
    double part = 8.0 * (double)order * ((double)order + 1) / 2;
    tap_ok(marks.strips <= strips_most && (double)marks.copied < 1.03 * part,
           "order %lld: %zu strips copy %.4f times the triangle", (long long)order, marks.strips,
           (double)marks.copied / part);
}

static int stop_at_third(void *context, const struct strip *strip)
{
    (void)strip;
    return ++*(int *)context == 3 ? 42 : 0;
}

UNIT_TEST(test_triangle_cover)
{
    test_orders(PART_LOWER, "lower");
    test_orders(PART_UPPER, "upper");
    bool good = true;
    for (int64_t rows = 1; rows < 20; rows++)
        for (int64_t columns = 1; columns < 20; columns++) {
            struct blas_matrix matrix = {NULL, rows, columns, rows + columns % 3, PART_FULL};
            good = covers_exactly(&matrix, 8) && good;
        }
    tap_ok(good, "rectangles: exact");
    test_cost(8192, 160);
    test_cost(16384, 300);
    test_cost(131072, 560);
    struct blas_matrix matrix = {NULL, 300, 300, 300, PART_UPPER}, empty = {NULL, 0, 0, 1, PART_LOWER};
    int calls = 0;
    tap_ok(triangle_cover(&matrix, 8, stop_at_third, &calls) == 42 && calls == 3,
           "a nonzero answer stops it");
    calls = 0;
    tap_ok(triangle_cover(&empty, 8, stop_at_third, &calls) == 0 && calls == 0, "nothing to cover, no strip");
    return tap_done();
}
