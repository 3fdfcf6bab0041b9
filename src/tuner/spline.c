#include "tuner/spline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The normal equations (E'WE + alpha^2 D'D) f = E'W y, a band of five diagonals, as L D L':
 * diagonal, and the two below it. Then, of the inverse: its diagonal. */
struct band {
    size_t length;
    double *diagonal, *below, *second, *right, *inverse;
};

static bool band_make(struct band *band, size_t length)
{
    double *memory = length < SIZE_MAX / 64 ? calloc(5 * length + 1, sizeof *memory) : NULL;
    *band = (struct band){length, memory, memory + length, memory + 2 * length, memory + 3 * length,
                          memory + 4 * length};
    return memory != NULL;
}

static void band_free(struct band *band)
{
    free(band->diagonal);
}

static void add_smoothness(struct band *band, double alpha)
{
    static const double difference[3] = {1, -2, 1};
    for (size_t i = 0; i + 2 < band->length; i++)
        for (int j = 0; j < 3; j++) {
            band->diagonal[i + j] += alpha * alpha * difference[j] * difference[j];
            if (j < 2)
                band->below[i + j] += alpha * alpha * difference[j] * difference[j + 1];
            if (j < 1)
                band->second[i + j] += alpha * alpha * difference[j] * difference[j + 2];
        }
}

static void factorise(struct band *band)
{
    double *d = band->diagonal, *one = band->below, *two = band->second;
    for (size_t i = 0; i < band->length; i++) {
        if (i + 1 < band->length) {
            const double factor = one[i] / d[i];
            d[i + 1] -= factor * one[i];
            if (i + 2 < band->length) {
                one[i + 1] -= factor * two[i];
                d[i + 2] -= two[i] / d[i] * two[i];
                two[i] /= d[i];
            }
            one[i] = factor;
        }
    }
}

static void solve(const struct band *band, double *values)
{
    const double *one = band->below, *two = band->second;
    const size_t length = band->length;
    memcpy(values, band->right, length * sizeof *values);
    for (size_t i = 0; i < length; i++)
        values[i] -= (i > 0 ? one[i - 1] * values[i - 1] : 0) + (i > 1 ? two[i - 2] * values[i - 2] : 0);
    for (size_t i = 0; i < length; i++)
        values[i] /= band->diagonal[i];
    for (size_t i = length; i-- > 0;)
        values[i] -=
            (i + 1 < length ? one[i] * values[i + 1] : 0) + (i + 2 < length ? two[i] * values[i + 2] : 0);
}

/* Takahashi's recursion: the inverse within the band, from its last corner on. */
static void invert_diagonal(struct band *band)
{
    double below = 0, here = 0, next = 0; /* of the inverse: (i+1, i+2), (i+1, i+1), (i+2, i+2) */
    for (size_t i = band->length; i-- > 0;) {
        const double one = i + 1 < band->length ? band->below[i] : 0,
                     two = i + 2 < band->length ? band->second[i] : 0;
        const double right = -one * here - two * below, far = -one * below - two * next;
        const double corner = 1 / band->diagonal[i] - one * right - two * far;
        next = here, here = corner, below = right;
        band->inverse[i] = corner;
    }
}

static bool are_good(const struct spline_sample *samples, size_t count, size_t length)
{
    bool has_two = false;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].position >= length || !isfinite(samples[i].value) || !(samples[i].weight > 0))
            return false;
        has_two = has_two || samples[i].position != samples[0].position;
    }
    return has_two;
}

static bool fit(struct band *band, const struct spline_sample *samples, size_t count, size_t length,
                double alpha, double *values)
{
    if (!are_good(samples, count, length) || !(alpha > 0) || !band_make(band, length))
        return false;
    for (size_t i = 0; i < count; i++) {
        band->diagonal[samples[i].position] += samples[i].weight;
        band->right[samples[i].position] += samples[i].weight * samples[i].value;
    }
    add_smoothness(band, alpha);
    factorise(band);
    solve(band, values);
    invert_diagonal(band);
    return true;
}

/* How far a sample lies from what the others foretell; an only one on its side is foretold by a line. */
static double surprise(const struct band *band, const struct spline_sample *sample, const double *values)
{
    const double leverage = sample->weight * band->inverse[sample->position];
    const double rest = 1 - leverage > 1e-9 ? 1 - leverage : 1e-9;
    return fabs(sample->value - values[sample->position]) / rest;
}

/* The same in units of the error that the fit without the sample has there: what the
 * weights' unit is worth around it. */
static double scale(const struct band *band, const struct spline_sample *sample, const double *values)
{
    const double leverage = sample->weight * band->inverse[sample->position];
    const double rest = 1 - leverage > 1e-9 ? 1 - leverage : 1e-9;
    return fabs(sample->value - values[sample->position]) * sqrt(sample->weight / rest);
}

/* At each position, the scale of the nearest samples on both sides; half of it at least is
 * that of all samples, lest a gap pass for certain because two samples happen to fit. */
static void fill_errors(const struct band *band, const struct spline_sample *samples, size_t count,
                        const double *values, double *errors)
{
    double sum = 0, latest = 0;
    for (size_t i = 0; i < band->length; i++)
        errors[i] = -1;
    for (size_t i = 0; i < count; i++) {
        const double own = scale(band, &samples[i], values);
        double *error = &errors[samples[i].position];
        *error = own > *error ? own : *error;
        sum += own * own;
    }
    const double overall = sqrt(sum / (double)count);
    double *other_side = band->right; /* no longer needed */
    for (size_t i = band->length; i-- > 0;)
        other_side[i] = latest = errors[i] >= 0 ? errors[i] : latest;
    latest = 0;
    for (size_t i = 0; i < band->length; i++) {
        latest = errors[i] >= 0 ? errors[i] : latest;
        const double local = latest > other_side[i] ? latest : other_side[i];
        errors[i] = (overall + local) / 2 * sqrt(band->inverse[i]);
    }
}

bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values, double *errors)
{
    struct band band;
    if (!fit(&band, samples, count, length, alpha, values))
        return false;
    if (errors)
        fill_errors(&band, samples, count, values, errors);
    band_free(&band);
    return true;
}

double spline_foretold(const struct spline_sample *samples, size_t count, size_t length, double alpha)
{
    struct band band;
    double sum = INFINITY;
    double *values = length < SIZE_MAX / sizeof *values ? malloc(length * sizeof *values) : NULL;
    if (values && fit(&band, samples, count, length, alpha, values)) {
        sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += pow(surprise(&band, &samples[i], values), 2);
        band_free(&band);
    }
    free(values);
    return sqrt(sum / (double)count);
}

double spline_choose_alpha(const struct spline_sample *samples, size_t count, size_t length)
{
    double best = 1, least = INFINITY;
    if (count < 4)
        return best;
    for (double alpha = 1.0 / 64; alpha <= 4096; alpha *= 2) {
        const double error = spline_foretold(samples, count, length, alpha);
        if (error < least)
            least = error, best = alpha;
    }
    return best;
}

static bool is_sampled(const struct spline_sample *samples, size_t count, size_t position)
{
    for (size_t i = 0; i < count; i++)
        if (samples[i].position == position)
            return true;
    return false;
}

size_t spline_next(const struct spline_sample *samples, size_t count, size_t length, const double *errors)
{
    size_t next = length;
    if (length > 0 && !is_sampled(samples, count, length - 1))
        return length - 1;
    if (length > 0 && !is_sampled(samples, count, 0))
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((next == length || errors[i] > errors[next]) && !is_sampled(samples, count, i))
            next = i;
    return next;
}
