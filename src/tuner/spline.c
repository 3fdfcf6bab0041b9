#include "tuner/spline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Fits of the same samples with several alphas side by side: each is a chain of operations that wait for
 * one another, so that several take little longer than one. */
enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* The normal equations (E'WE + alpha^2 D'D) f = E'W y, a band of five diagonals, as L D L':
 * diagonal (once factorised its reciprocals), and the two below it. Then, of the inverse: its diagonal. */
struct band {
    size_t length;
    lanes *diagonal, *below, *second, *right, *inverse, *values;
};

static bool band_make(struct band *band, size_t length)
{
    enum { ARRAYS = 6 };
    const size_t bytes = length < SIZE_MAX / 1024 ? ARRAYS * (length + 1) * sizeof(lanes) : 0;
    lanes *memory = bytes ? aligned_alloc(sizeof(lanes), bytes) : NULL;
    if (!memory)
        return false;
    memset(memory, 0, bytes);
    *band = (struct band){length, memory, memory + length, memory + 2 * length, memory + 3 * length,
                          memory + 4 * length, memory + 5 * length};
    return true;
}

static void band_free(struct band *band)
{
    free(band->diagonal);
}

static void add_smoothness(struct band *band, const lanes *alphas)
{
    static const double difference[3] = {1, -2, 1};
    const lanes squares = *alphas * *alphas;
    for (size_t i = 0; i + 2 < band->length; i++)
        for (int j = 0; j < 3; j++) {
            band->diagonal[i + j] += squares * difference[j] * difference[j];
            if (j < 2)
                band->below[i + j] += squares * difference[j] * difference[j + 1];
            if (j < 1)
                band->second[i + j] += squares * difference[j] * difference[j + 2];
        }
}

static void factorise(struct band *band)
{
    lanes *d = band->diagonal, *one = band->below, *two = band->second;
    for (size_t i = 0; i < band->length; i++) {
        d[i] = 1 / d[i];
        if (i + 1 < band->length) {
            const lanes factor = one[i] * d[i];
            d[i + 1] -= factor * one[i];
            if (i + 2 < band->length) {
                const lanes far = two[i] * d[i];
                one[i + 1] -= factor * two[i];
                d[i + 2] -= far * two[i];
                two[i] = far;
            }
            one[i] = factor;
        }
    }
}

static void solve(struct band *band)
{
    const lanes *one = band->below, *two = band->second;
    const size_t length = band->length;
    lanes *values = band->values;
    memcpy(values, band->right, length * sizeof *values);
    for (size_t i = 0; i < length; i++) {
        if (i > 0)
            values[i] -= one[i - 1] * values[i - 1];
        if (i > 1)
            values[i] -= two[i - 2] * values[i - 2];
    }
    for (size_t i = 0; i < length; i++)
        values[i] *= band->diagonal[i];
    for (size_t i = length; i-- > 0;) {
        if (i + 1 < length)
            values[i] -= one[i] * values[i + 1];
        if (i + 2 < length)
            values[i] -= two[i] * values[i + 2];
    }
}

/* Takahashi's recursion: the inverse within the band, from its last corner on. */
static void invert_diagonal(struct band *band)
{
    const lanes none = {0};
    lanes below = none, here = none, next = none; /* of the inverse: (i+1, i+2), (i+1, i+1), (i+2, i+2) */
    for (size_t i = band->length; i-- > 0;) {
        const lanes one = i + 1 < band->length ? band->below[i] : none,
                    two = i + 2 < band->length ? band->second[i] : none;
        const lanes right = -one * here - two * below, far = -one * below - two * next;
        const lanes corner = band->diagonal[i] - one * right - two * far;
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

/* With each of these alphas, above 0. band_free must follow if it is true. */
static bool fit(struct band *band, const struct spline_sample *samples, size_t count, size_t length,
                const lanes *alphas)
{
    if (!are_good(samples, count, length) || !band_make(band, length))
        return false;
    for (size_t i = 0; i < count; i++) {
        band->diagonal[samples[i].position] += samples[i].weight;
        band->right[samples[i].position] += samples[i].weight * samples[i].value;
    }
    add_smoothness(band, alphas);
    factorise(band);
    solve(band);
    invert_diagonal(band);
    return true;
}

/* 1 less what a sample has to say of its own place. */
static double rest_of(const struct band *band, const struct spline_sample *sample, int lane)
{
    const double rest = 1 - sample->weight * band->inverse[sample->position][lane];
    return rest > 1e-9 ? rest : 1e-9;
}

static double off_by(const struct band *band, const struct spline_sample *sample, int lane)
{
    return fabs(sample->value - band->values[sample->position][lane]);
}

/* How far a sample lies from what the others foretell; an only one on its side is foretold by a line. */
static double surprise(const struct band *band, const struct spline_sample *sample, int lane)
{
    return off_by(band, sample, lane) / rest_of(band, sample, lane);
}

/* The same in units of the error that the fit without the sample has there: what the
 * weights' unit is worth around it. */
static double scale(const struct band *band, const struct spline_sample *sample)
{
    return off_by(band, sample, 0) * sqrt(sample->weight / rest_of(band, sample, 0));
}

/* At each position, the scale of the nearest samples on both sides; half of it at least is
 * that of all samples, lest a gap pass for certain because two samples happen to fit. */
static void fill_errors(const struct band *band, const struct spline_sample *samples, size_t count,
                        double *errors)
{
    double sum = 0, latest = 0;
    for (size_t i = 0; i < band->length; i++)
        errors[i] = -1;
    for (size_t i = 0; i < count; i++) {
        const double own = scale(band, &samples[i]);
        double *error = &errors[samples[i].position];
        *error = own > *error ? own : *error;
        sum += own * own;
    }
    const double overall = sqrt(sum / (double)count);
    lanes *other_side = band->right; /* no longer needed */
    for (size_t i = band->length; i-- > 0;)
        other_side[i][0] = latest = errors[i] >= 0 ? errors[i] : latest;
    latest = 0;
    for (size_t i = 0; i < band->length; i++) {
        latest = errors[i] >= 0 ? errors[i] : latest;
        const double local = latest > other_side[i][0] ? latest : other_side[i][0];
        errors[i] = (overall + local) / 2 * sqrt(band->inverse[i][0]);
    }
}

bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values, double *errors)
{
    struct band band;
    const lanes alphas = (lanes){0} + alpha;
    if (!(alpha > 0) || !fit(&band, samples, count, length, &alphas))
        return false;
    for (size_t i = 0; i < length; i++)
        values[i] = band.values[i][0];
    if (errors)
        fill_errors(&band, samples, count, errors);
    band_free(&band);
    return true;
}

/* spline_foretold for each of the alphas. */
static void foretell(const struct spline_sample *samples, size_t count, size_t length, const lanes *alphas,
                     double errors[LANES])
{
    struct band band;
    const bool good = fit(&band, samples, count, length, alphas);
    for (int lane = 0; lane < LANES; lane++) {
        double sum = good ? 0 : INFINITY;
        for (size_t i = 0; i < count && good; i++) {
            const double error = surprise(&band, &samples[i], lane);
            sum += error * error;
        }
        errors[lane] = sqrt(sum / (double)count);
    }
    if (good)
        band_free(&band);
}

double spline_foretold(const struct spline_sample *samples, size_t count, size_t length, double alpha)
{
    double errors[LANES];
    const lanes alphas = (lanes){0} + alpha;
    if (!(alpha > 0))
        return INFINITY;
    foretell(samples, count, length, &alphas, errors);
    return errors[0];
}

double spline_choose_alpha(const struct spline_sample *samples, size_t count, size_t length)
{
    static const double lowest = 1.0 / 64, highest = 4096;
    double best = 1, least = INFINITY;
    if (count < 4)
        return best;
    for (double alpha = lowest; alpha <= highest; alpha *= 1 << LANES) {
        double errors[LANES];
        lanes alphas;
        for (int lane = 0; lane < LANES; lane++)
            alphas[lane] = ldexp(alpha, lane);
        foretell(samples, count, length, &alphas, errors);
        for (int lane = 0; lane < LANES; lane++)
            if (errors[lane] < least && alphas[lane] <= highest)
                least = errors[lane], best = alphas[lane];
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
