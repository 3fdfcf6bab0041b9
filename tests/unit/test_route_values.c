/* The look at a matrix before it goes to cuSOLVER: its part alone, NaN and infinity wherever they stand, and
 * the diagonal. */
#include "lapack/route.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

enum { ROWS = 37, COLUMNS = 21, LD = 40 };

static float singles[2 * LD * COLUMNS];
static double doubles[2 * LD * COLUMNS];

static void *memory_of(enum blas_type type)
{
    return blas_is_single(type) ? (void *)singles : (void *)doubles;
}

static void put(enum blas_type type, int row, int column, int part, double value)
{
    const int at = (column * LD + row) * blas_scalar_parts(type) + part;
    if (blas_is_single(type))
        singles[at] = (float)value;
    else
        doubles[at] = value;
}

static struct blas_matrix fill(enum blas_type type, enum blas_part part, double value)
{
    const int rows = part == PART_FULL ? ROWS : COLUMNS;
    for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < LD; row++)
            for (int i = 0; i < blas_scalar_parts(type); i++) {
                const bool is_in = row < rows && (part != PART_LOWER || row >= column) &&
                                   (part != PART_UPPER || row <= column);
                put(type, row, column, i, is_in ? value : NAN);
            }
    return (struct blas_matrix){
        .pointer = memory_of(type), .rows = rows, .columns = COLUMNS, .ld = LD, .part = part};
}

/* Everywhere in the part, one after the other. */
static bool is_seen_everywhere(enum blas_type type, enum blas_part part, double value)
{
    const struct blas_matrix matrix = fill(type, part, 1);
    bool seen = route_values_of_matrix_are_finite(&matrix, type);
    for (int column = 0; column < COLUMNS; column++)
        for (int row = part == PART_LOWER ? column : 0;
             row < (part == PART_UPPER ? column + 1 : (int)matrix.rows); row++) {
            put(type, row, column, blas_scalar_parts(type) - 1, value);
            seen = seen && !route_values_of_matrix_are_finite(&matrix, type);
            put(type, row, column, blas_scalar_parts(type) - 1, 1);
        }
    return seen;
}

static void test_finite(enum blas_type type)
{
    static const char *const names[] = {"whole", "lower", "upper"};
    for (enum blas_part part = PART_FULL; part <= PART_UPPER; part++)
        tap_ok(is_seen_everywhere(type, part, NAN) && is_seen_everywhere(type, part, -INFINITY),
               "%c, %s: NaN and infinity are seen everywhere in the part, and nowhere else", "sdcz"[type],
               names[part]);
    struct blas_matrix matrix = fill(type, PART_FULL, 0);
    tap_ok(route_values_of_matrix_are_finite(&matrix, type) && !route_values_are_safe(&matrix, type),
           "%c: zeros are finite, and not safe", "sdcz"[type]);
    matrix = fill(type, PART_FULL, blas_is_single(type) ? 1e30 : 1e300);
    tap_ok(route_values_of_matrix_are_finite(&matrix, type) && !route_values_are_safe(&matrix, type),
           "%c: and so are large numbers", "sdcz"[type]);
}

static void test_diagonal(enum blas_type type)
{
    const struct blas_matrix matrix = fill(type, PART_UPPER, 1);
    const bool is_complex = blas_scalar_parts(type) == 2;
    tap_ok(route_values_diagonal_is_nonzero(&matrix, type, false) &&
               route_values_diagonal_is_nonzero(&matrix, type, true) == !is_complex,
           "%c: ones on the diagonal are not zero%s", "sdcz"[type],
           is_complex ? ", nor real with imaginary parts" : "");
    for (int part = 0; part < blas_scalar_parts(type); part++)
        put(type, 3, 5, part, 0);
    bool good = route_values_diagonal_is_nonzero(&matrix, type, false);
    for (int part = 0; part < blas_scalar_parts(type); part++)
        put(type, COLUMNS - 1, COLUMNS - 1, part, part ? 0 : -0.0);
    good = good && !route_values_diagonal_is_nonzero(&matrix, type, false);
    tap_ok(good, "%c: a zero on the diagonal is seen, also -0, and none beside it", "sdcz"[type]);
}

UNIT_TEST(test_route_values)
{
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        test_finite(type);
        test_diagonal(type);
    }
    return tap_done();
}
