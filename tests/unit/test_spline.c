/* d-splines against their definition, solved densely. */
#include "tuner/learn/spline.h"
#include "tap.h"

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
    double largest = 0, errors_off = 0;
    for (int round = 0; round < 60; round++) {
        const size_t length = 3 + (size_t)(draw() * (MOST - 3));
        struct spline_sample samples[16];
        const size_t count = random_samples(samples, length);
        const double alpha = pow(2, 8 * draw() - 4);
        double values[MOST], dense[MOST], errors[MOST];
        const bool good = spline_fit(samples, count, length, alpha, values, errors);
        dense_fit(samples, count, length, alpha, dense);
        for (size_t i = 0; i < length; i++) {
            largest = fmax(largest, good ? fabs(values[i] - dense[i]) : INFINITY);
            errors_off += !(errors[i] >= 0);
        }
    }
    tap_ok(largest < 1e-6, "60 random fits are those of the definition, within %.1e", largest);
    tap_ok(errors_off == 0, "with an error at each position");
}

static void test_line(void)
{
    const struct spline_sample samples[3] = {{3, 3}, {10, 10}, {50, 50}};
    double values[100], errors[100], largest = 0;
    tap_ok(spline_fit(samples, 3, 100, 8, values, errors), "three samples on a line");
    for (int i = 0; i < 100; i++)
        largest = fmax(largest, fabs(values[i] - i));
    tap_ok(largest < 1e-6, "give the line, whatever alpha, within %.1e", largest);
}

static void test_refusals(void)
{
    const struct spline_sample one[2] = {{5, 1}, {5, 2}}, outside[2] = {{5, 1}, {9, 2}},
                               strange[2] = {{1, NAN}, {5, 2}}, good[2] = {{1, 1}, {5, 2}};
    double values[9];
    tap_ok(!spline_fit(one, 2, 9, 1, values, NULL), "two samples at one position are refused");
    tap_ok(!spline_fit(outside, 2, 9, 1, values, NULL), "and one beyond the end");
    tap_ok(!spline_fit(strange, 2, 9, 1, values, NULL), "and NaN");
    tap_ok(!spline_fit(NULL, 0, 9, 1, values, NULL), "and none");
    tap_ok(!spline_fit(good, 2, 9, 0, values, NULL) && !spline_fit(good, 2, 9, NAN, values, NULL) &&
               spline_fit(good, 2, 9, 1, values, NULL), "and an alpha that is not above 0");
}

static double with_step(size_t position)
{
    return position < 57 ? 1 + 0.001 * (double)position : 3 - 0.002 * (double)position;
}

static double fit_error(const struct spline_sample *samples, size_t count)
{
    double values[128], sum = 0;
    spline_fit(samples, count, 128, 0.1, values, NULL);
    for (size_t i = 0; i < 128; i++)
        sum += fabs(values[i] - with_step(i));
    return sum / 128;
}

/* A sharp feature draws the samples. */
static void test_incremental(void)
{
    struct spline_sample added[17], even[17];
    double values[128], errors[128];
    size_t count = 0, near = 0;
    for (; count < 5; count++)
        added[count] = (struct spline_sample){count * 127 / 4, with_step(count * 127 / 4)};
    for (; count < 17; count++) {
        spline_fit(added, count, 128, 0.1, values, errors);
        const size_t next = spline_next(added, count, 128, errors);
        added[count] = (struct spline_sample){next, with_step(next)};
        near += next >= 32 && next < 96;
    }
    for (size_t i = 0; i < 17; i++)
        even[i] = (struct spline_sample){i * 127 / 16, with_step(i * 127 / 16)};
    const double of_added = fit_error(added, 17), of_even = fit_error(even, 17);
    tap_ok(of_added < 0.6 * of_even,
           "17 samples, 12 of them where it is least certain: error %.4f, evenly %.4f", of_added, of_even);
    tap_ok(near >= 8, "%zu of 12 lie about the step", near);
}

/* Noise all over, samples in two thirds: least certain is the middle of the gap. */
static void test_gap(void)
{
    struct spline_sample samples[20];
    double values[60], errors[60];
    size_t largest = 0;
    for (size_t i = 0; i < 20; i++)
        samples[i] = (struct spline_sample){2 * i + (i < 10 ? 0 : 20), draw()};
    spline_fit(samples, 20, 60, 4, values, errors);
    for (size_t i = 0; i < 59; i++)
        largest = errors[i] > errors[largest] ? i : largest;
    tap_ok(largest >= 26 && largest <= 32 && errors[largest] > 1.2 * errors[14],
           "the error is largest at %zu, in the gap 18 to 40", largest);
}

static void test_next(void)
{
    const double errors[5] = {0.1, 0.5, 0.9, 0.7, 0.1};
    struct spline_sample samples[5] = {{2, 1}, {3, 1}};
    const size_t order[5] = {4, 0, 1, 5, 5};
    bool good = true;
    for (size_t count = 2; count <= 5; count++) {
        const size_t next = spline_next(samples, count, 5, errors);
        good = good && next == order[count - 2];
        if (count < 5)
            samples[count] = (struct spline_sample){next, 1};
    }
    tap_ok(good, "the last position, the first, the least certain one, none");
}

int main(void)
{
    test_definition();
    test_line();
    test_refusals();
    test_incremental();
    test_gap();
    test_next();
    return tap_done();
}
