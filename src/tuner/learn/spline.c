#include "tuner/learn/spline.h"

#include <math.h>
#include <stdlib.h>

/* The normal equations (E'E + alpha^2 D'D) f = E'y, a band of five diagonals, as L D L': the diagonal
 * (once factorised its reciprocals), and the two below it. Then, of the inverse: its diagonal. */
struct band {
    size_t length;
    double *diagonal, *below, *second, *values, *inverse;
};

static bool band_make(struct band *band, size_t length)
{
    enum { ARRAYS = 5 };
    double *memory = calloc(ARRAYS * (length + 1), sizeof *memory);
    *band = (struct band){length, memory, memory + length, memory + 2 * length, memory + 3 * length,
                          memory + 4 * length};
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

/* Takahashi's recursion: the inverse within the band, from its last corner on. */
static void invert_diagonal(struct band *band)
{
    double below = 0, here = 0, next = 0; /* of the inverse: (i+1, i+2), (i+1, i+1), (i+2, i+2) */
    for (size_t i = band->length; i-- > 0;) {
        const double one = i + 1 < band->length ? band->below[i] : 0,
                     two = i + 2 < band->length ? band->second[i] : 0;
        const double right = -one * here - two * below, far = -one * below - two * next;
        const double corner = band->diagonal[i] - one * right - two * far;
        next = here, here = corner, below = right;
        band->inverse[i] = corner;
    }
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

/* How far a sample lies from the fit, in units of the error that the fit without it has there. */
static double surprise(const struct band *band, const struct spline_sample *sample)
{
    const double rest = fmax(1 - band->inverse[sample->position], 1e-9); /* what others have to say there */
    return fabs(sample->value - band->values[sample->position]) / sqrt(rest);
}

/* At each position the larger surprise of the nearest samples on both sides; half of it at least is that of
 * all samples, lest a gap pass for certain because two samples happen to fit. */
static void fill_errors(const struct band *band, const struct spline_sample *samples, size_t count,
                        double *errors)
{
    double sum = 0, latest = 0, *above = band->diagonal; /* no longer needed */
    for (size_t i = 0; i < band->length; i++)
        errors[i] = -1;
    for (size_t i = 0; i < count; i++) {
        const double own = surprise(band, &samples[i]);
        errors[samples[i].position] = fmax(errors[samples[i].position], own);
        sum += own * own;
    }
    const double overall = sqrt(sum / (double)count);
    for (size_t i = band->length; i-- > 0;)
        above[i] = latest = errors[i] >= 0 ? errors[i] : latest;
    latest = 0;
    for (size_t i = 0; i < band->length; i++) {
        latest = errors[i] >= 0 ? errors[i] : latest;
        errors[i] = (overall + fmax(latest, above[i])) / 2 * sqrt(band->inverse[i]);
    }
}

bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values, double *errors)
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
    if (errors) {
        invert_diagonal(&band);
        fill_errors(&band, samples, count, errors);
    }
    band_free(&band);
    return true;
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
