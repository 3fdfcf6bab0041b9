/* Vectors as LAPACK's geev leaves them: of norm 1, the largest element of a complex one real; near overflow
 * and underflow. */
#include "lapack/problems.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static bool is_near(double one, double other)
{
    return fabs(one - other) <= 1e-15;
}

/* Columns: real, a pair, zero; the rows between n and ld are nobody's. */
static void test_real(double scale)
{
    enum { N = 4, LD = 5 };
    double values[2 * N] = {1, 0, 2, 3, 2, -3, 5, 0};
    double v[N * LD] = {3 * scale, 0, -4 * scale, 0,          77, 0, 0, 3 * scale, 0, 77,
                        0,         0, 4 * scale,  12 * scale, 77, 0, 0, 0,         0, 77};
    const struct general_eigenproblem problem = {
        .type = TYPE_D, .with_vectors = true, .n = N, .values = values,
        .vectors = {.pointer = v, .rows = N, .columns = N, .ld = LD, .part = PART_FULL}};
    general_eigen_normalise(&problem);
    tap_ok(is_near(v[0], 0.6) && is_near(v[2], -0.8), "a real vector times %g has norm 1", scale);
    tap_ok(v[LD + 3] != 0 && v[2 * LD + 3] == 0 && is_near(fabs(v[LD + 3]), 12.0 / 13),
           "a pair's largest element is real");
    tap_ok(is_near(hypot(v[LD + 2], v[2 * LD + 2]), 5.0 / 13) &&
               is_near(v[LD + 2] * v[LD + 3], 4.0 / 13 * 12 / 13),
           "and all are turned by the same angle");
    tap_ok(v[3 * LD] == 0 && v[3 * LD + 3] == 0, "a vector of zeros stays so");
    tap_ok(v[4] == 77 && v[LD + 4] == 77 && v[2 * LD + 4] == 77 && v[3 * LD + 4] == 77,
           "rows behind the last stay");
}

static void test_complex(void)
{
    float values[4] = {1, 1, 0, 0};
    float v[8] = {3, 0, 0, -4, 0, 0, 0, 2};
    const struct general_eigenproblem problem = {
        .type = TYPE_C, .with_vectors = true, .n = 2, .values = values,
        .vectors = {.pointer = v, .rows = 2, .columns = 2, .ld = 2, .part = PART_FULL}};
    general_eigen_normalise(&problem);
    tap_ok(fabsf(v[2] - 0.8f) < 1e-6f && v[3] == 0 && fabsf(v[0]) < 1e-6f && fabsf(v[1] - 0.6f) < 1e-6f,
           "a complex vector is turned and has norm 1");
    tap_ok(v[4] == 0 && v[5] == 0 && v[6] == 1 && v[7] == 0, "one with a single element, too");
}

UNIT_TEST(test_general_eigen_normalise)
{
    test_real(1);
    test_real(1e300);
    test_real(1e-300);
    test_complex();
    return tap_done();
}
