#include "tuner/learn/spline.h"

#include <math.h>
#include <stdlib.h>

/* The normal equations (E'E + alpha^2 D'D) f = E'y, a band of five diagonals, as L D L': the diagonal
 * (once factorised its reciprocals), and the two below it. */
struct band {
    size_t length;
    double *diagonal, *below, *second, *values;
};

static bool band_make(struct band *band, size_t length)
{
    enum { ARRAYS = 4 };
    double *memory = calloc(ARRAYS * (length + 1), sizeof *memory);
    *band = (struct band){length, memory, memory + length, memory + 2 * length, memory + 3 * length};
    return memory;
}

static void band_free(struct band *band)
{
    free(band->diagonal);
}

static void add_smoothness(struct band *band, double alpha)
{
    static const double difference[3] = {1, -2, 1};
    const double square = alpha * alpha;
    for (size_t i = 0; i + 2 < band->length; i++)
        for (int j = 0; j < 3; j++) {
            band->diagonal[i + j] += square * difference[j] * difference[j];
            if (j < 2)
                band->below[i + j] += square * difference[j] * difference[j + 1];
            if (j < 1)
                band->second[i + j] += square * difference[j] * difference[j + 2];
        }
}

static void factorise(struct band *band)
{
    double *d = band->diagonal, *one = band->below, *two = band->second;
    for (size_t i = 0; i < band->length; i++) {
        d[i] = 1 / d[i];
        if (i + 1 < band->length) {
            const double factor = one[i] * d[i];
            d[i + 1] -= factor * one[i];
            if (i + 2 < band->length) {
                const double far = two[i] * d[i];
                one[i + 1] -= factor * two[i];
                d[i + 2] -= far * two[i];
                two[i] = far;
            }
            one[i] = factor;
        }
    }
}

/* In place: values are the right-hand side before. */
static void solve(struct band *band)
{
    const double *one = band->below, *two = band->second;
    double *values = band->values;
    for (size_t i = 1; i < band->length; i++)
        values[i] -= one[i - 1] * values[i - 1] + (i > 1 ? two[i - 2] * values[i - 2] : 0);
    for (size_t i = 0; i < band->length; i++)
        values[i] *= band->diagonal[i];
    for (size_t i = band->length - 1; i-- > 0;)
        values[i] -= one[i] * values[i + 1] + (i + 2 < band->length ? two[i] * values[i + 2] : 0);
}

static bool are_good(const struct spline_sample *samples, size_t count, size_t length)
{
    bool has_two = false;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].position >= length || !isfinite(samples[i].value))
            return false;
        has_two = has_two || samples[i].position != samples[0].position;
    }
    return has_two;
}

bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values)
{
    struct band band;
    if (!(alpha > 0) || !are_good(samples, count, length) || !band_make(&band, length))
        return false;
    for (size_t i = 0; i < count; i++) {
        band.diagonal[samples[i].position]++;
        band.values[samples[i].position] += samples[i].value;
    }
    add_smoothness(&band, alpha);
    factorise(&band);
    solve(&band);
    for (size_t i = 0; i < length; i++)
        values[i] = band.values[i];
    band_free(&band);
    return true;
}
