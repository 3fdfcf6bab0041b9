/* d-splines against their definition, solved densely. */
#include "tuner/learn/class_tuning.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 64 };

static uint64_t random_state = 7;

static double draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* Minimise |y - E f|^2 + alpha^2 |D f|^2 by its normal equations, Gauss' way. */
static void dense_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                      double *f)
{
    static double matrix[MOST][MOST + 1];
    memset(matrix, 0, sizeof matrix);
    for (size_t i = 0; i < count; i++) {
        matrix[samples[i].position][samples[i].position]++;
        matrix[samples[i].position][MOST] += samples[i].value;
    }
    for (size_t row = 0; row + 2 < length; row++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                matrix[row + i][row + j] += alpha * alpha * (i == 1 ? -2 : 1) * (j == 1 ? -2 : 1);
    for (size_t i = 0; i < length; i++)
        for (size_t row = 0; row < length; row++) {
            const double factor = matrix[row][i] / matrix[i][i];
            if (row == i)
                continue;
            for (size_t j = i; j < MOST + 1; j++)
                matrix[row][j] -= factor * matrix[i][j];
        }
    for (size_t i = 0; i < length; i++)
        f[i] = matrix[i][MOST] / matrix[i][i];
}

static size_t random_samples(struct spline_sample *samples, size_t length)
{
    const size_t count = 3 + (size_t)(draw() * 12);
    for (size_t i = 0; i < count; i++)
        samples[i] = (struct spline_sample){(size_t)(draw() * (double)length), 10 * draw()};
    samples[0].position = 0;
    samples[1].position = length - 1;
    return count;
}

static void test_definition(void)
{
    double largest = 0;
    for (int round = 0; round < 60; round++) {
        const size_t length = 3 + (size_t)(draw() * (MOST - 3));
        struct spline_sample samples[16];
        const size_t count = random_samples(samples, length);
        const double alpha = pow(2, 8 * draw() - 4);
        double values[MOST], dense[MOST];
        const bool good = spline_fit(samples, count, length, alpha, values);
        dense_fit(samples, count, length, alpha, dense);
        for (size_t i = 0; i < length; i++)
            largest = fmax(largest, good ? fabs(values[i] - dense[i]) : INFINITY);
    }
    tap_ok(largest < 1e-6, "60 random fits are those of the definition, within %.1e", largest);
}

static void test_line(void)
{
    const struct spline_sample samples[3] = {{3, 3}, {10, 10}, {50, 50}};
    double values[100], largest = 0;
    tap_ok(spline_fit(samples, 3, 100, 8, values), "three samples on a line");
    for (int i = 0; i < 100; i++)
        largest = fmax(largest, fabs(values[i] - i));
    tap_ok(largest < 1e-6, "give the line, whatever alpha, within %.1e", largest);
}

static void test_refusals(void)
{
    const struct spline_sample one[2] = {{5, 1}, {5, 2}}, outside[2] = {{5, 1}, {9, 2}},
                               strange[2] = {{1, NAN}, {5, 2}}, good[2] = {{1, 1}, {5, 2}};
    double values[9];
    tap_ok(!spline_fit(one, 2, 9, 1, values), "two samples at one position are refused");
    tap_ok(!spline_fit(outside, 2, 9, 1, values), "and one beyond the end");
    tap_ok(!spline_fit(strange, 2, 9, 1, values), "and NaN");
    tap_ok(!spline_fit(NULL, 0, 9, 1, values), "and none");
    tap_ok(!spline_fit(good, 2, 9, 0, values) && !spline_fit(good, 2, 9, NAN, values) &&
               spline_fit(good, 2, 9, 1, values), "and an alpha that is not above 0");
}

UNIT_TEST(test_spline)
{
    test_definition();
    test_line();
    test_refusals();
    return tap_done();
}
