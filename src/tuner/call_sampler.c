#include "tuner/call_sampler.h"
#include "tuner/curve_smoothing.h"
#include "tuner/flag_times.h"
#include "tuner/gain_border.h"
#include "tuner/narrow_times.h"
#include "tuner/sample_gaps.h"

#include <math.h>
#include <stdlib.h>

enum { COARSE = 16, FINE = 4, BISECTIONS = 4, FILLS = 12, PIECE = 20 };

/* Amounts between which the sides change place are close enough. */
static const double close_enough = 1.15;
/* Where neither side is so many times faster, samples are timed again and again: elsewhere noise does not
 * matter; a few times anyway. */
static const double level = 1.6;
enum { FEW = 3 };
/* How much more than expected a time is a peak. */
static const double peak = 1.2;

struct listed_sample {
    int class;
    double amount;
};

/* Of what is listed: timed on end. */
struct piece {
    int begin, end;
};

struct notes {
    struct moments_table moments;
    struct listed_sample listed[TIMED_CLASSES * TIME_CURVE_SAMPLES];
    int count;
    struct piece pieces[TIMED_CLASSES * TIME_CURVE_SAMPLES];
    int piece_count;
};

struct session {
    const struct call_sampler *sampler;
    struct learned_times *times;
    struct sample_batch batch;
    struct notes *notes;
    uint64_t random_state;
    double done; /* in passes over all classes, of which there are these: */
    int all;
};

static bool is_wanted(const struct session *session, int class)
{
    const struct call_sampler *sampler = session->sampler;
    return timed_class_exists(class) &&
           (!sampler->wanted ||
            sampler->wanted(sampler->argument, timed_class_family(class), timed_class_type(class)));
}

static bool stopped(const struct session *session)
{
    const struct call_sampler *sampler = session->sampler;
    return sampler->stop(sampler->argument, fmin(session->done / session->all, 1));
}

/* One size of all classes. */
static bool sample_size(struct session *session, double bytes, bool near_only)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_wanted(session, class))
            continue;
        const double amount = timed_class_amount_of(class, bytes);
        const bool far = gain_border_is_clear(session->times, class) ||
                         !gain_border_is_near(session->times, class, amount);
        if (near_only && far)
            continue;
        if (stopped(session))
            return false;
        sample_batch_add(&session->batch, class, amount);
    }
    sample_batch_time(&session->batch);
    return true;
}

/* Sizes `factor` apart, small ones of all classes first: when time ends, each has some. */
static bool pass(struct session *session, double factor, bool near_only)
{
    const struct call_sampler *sampler = session->sampler;
    const int sizes = 1 + (int)(log(sampler->most_bytes / sampler->least_bytes) / log(factor));
    double bytes = sampler->least_bytes;
    for (int size = 0; size < sizes; size++, bytes *= factor, session->done += 1.0 / sizes)
        if (!sample_size(session, bytes, near_only))
            return false;
    return true;
}

/* What the neighbours of sample i let expect there; of the first: no more than the next; of the last: a
 * time in proportion to the one before, as no work takes longer. */
static double expected(const struct time_curve *curve, int i)
{
    if (i == 0)
        return curve->samples[1].us;
    const struct time_sample *at = &curve->samples[i];
    if (i + 1 == curve->count)
        return at[-1].us * at->amount / at[-1].amount;
    const double part = log(at->amount / at[-1].amount) / log(at[1].amount / at[-1].amount);
    return at[-1].us * pow(at[1].us / at[-1].us, part);
}

/* A time that sticks out is a disturbance, or a host that uses more threads from there on: timing it again
 * tells. */
static void time_peaks_again(struct session *session, int class, const struct time_curve *curve)
{
    for (int i = 0; i < curve->count && curve->count > 1; i++)
        if (curve->samples[i].us > peak * expected(curve, i))
            sample_batch_again(&session->batch, class, curve->samples[i].amount, false);
}

static bool check_peaks(struct session *session)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_wanted(session, class))
            continue;
        if (stopped(session))
            return false;
        time_peaks_again(session, class, &session->times->host[class]);
        time_peaks_again(session, class, &session->times->resident[class]);
    }
    sample_batch_time(&session->batch);
    session->done++;
    return true;
}

static bool close_in(struct session *session)
{
    for (int round = 0; round < BISECTIONS; round++) {
        for (int class = 0; class < TIMED_CLASSES; class++) {
            double below, above;
            if (!is_wanted(session, class))
                continue;
            if (stopped(session))
                return false;
            if (gain_border_find(session->times, class, &below, &above) && above / below > close_enough)
                sample_batch_add(&session->batch, class, sqrt(below * above));
        }
        sample_batch_time(&session->batch);
        session->done++;
    }
    return true;
}

/* One gap of each class in turn, until there is none. */
static bool fill_gaps(struct session *session)
{
    bool any = true;
    for (int round = 0; any && round < FILLS; round++) {
        any = false;
        for (int class = 0; class < TIMED_CLASSES; class++) {
            double amount = 0;
            if (!is_wanted(session, class))
                continue;
            if (stopped(session))
                return false;
            if (!sample_gaps_find(&session->batch, class, &amount))
                continue;
            sample_batch_add(&session->batch, class, amount);
            any = true;
        }
        sample_batch_time(&session->batch);
    }
    return true;
}

/* Is neither side far ahead, there or at a neighbour? A single time may be a disturbed one. */
static bool is_close(const struct session *session, int class, int sample)
{
    const struct time_curve *host = &session->times->host[class];
    bool close = false;
    for (int i = sample - 1; i <= sample + 1; i++) {
        const bool exists = i >= 0 && i < host->count;
        close = close || (exists && !sample_gaps_is_ahead(session->times, class, host->samples[i].amount,
                                                          level));
    }
    return close;
}

static bool has_few_times(const struct session *session, int class, double amount)
{
    const struct sample_moments *moments =
        sample_moments_find(&session->notes->moments, class, SIDE_HOST, amount);
    return moments && moments->count < FEW;
}

enum visit { ALL, BESIDE_ANEW, CLOSE };

/* The longest calls are timed a few times, too. */
static bool is_timed_often(const struct session *session, int class, int sample)
{
    const struct time_sample *host = &session->times->host[class].samples[sample];
    return is_close(session, class, sample) &&
           (host->us < session->sampler->most_us || has_few_times(session, class, host->amount));
}

/* Range: all zero where there is none. */
static bool is_visited(const struct session *session, enum visit which, int class, int sample,
                       struct amount_range range)
{
    const double amount = session->times->host[class].samples[sample].amount;
    const bool beside = sample_gaps_is_beside(range, amount), few = has_few_times(session, class, amount);
    return which == ALL || (is_timed_often(session, class, sample) && (beside || few)) ||
           (beside && (which == BESIDE_ANEW || few));
}

static void list_class(struct session *session, int class, enum visit which)
{
    const struct time_curve *host = &session->times->host[class];
    struct notes *notes = session->notes;
    struct amount_range range = {0, 0};
    if (!sample_gaps_range(&session->batch, class, &range))
        range.low = range.high = 0;
    for (int i = 0; i < host->count; i++)
        if (is_visited(session, which, class, i, range))
            notes->listed[notes->count++] = (struct listed_sample){class, host->samples[i].amount};
}

/* In [0, most). */
static int random_below(struct session *session, int most)
{
    session->random_state = session->random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((session->random_state >> 33) % (uint64_t)most);
}

/* Those listed from `first` on, in any order. */
static void cut_into_pieces(struct session *session, int first)
{
    struct notes *notes = session->notes;
    const int count = notes->count - first, pieces = (count + PIECE - 1) / PIECE;
    for (int i = count - 1; i > 0; i--) {
        const int other = random_below(session, i + 1);
        const struct listed_sample kept = notes->listed[first + i];
        notes->listed[first + i] = notes->listed[first + other];
        notes->listed[first + other] = kept;
    }
    for (int i = 0; i < pieces; i++)
        notes->pieces[notes->piece_count++] =
            (struct piece){first + count * i / pieces, first + count * (i + 1) / pieces};
}

/* Calls of one routine and type follow each other, as in a program; but not all of them. */
static void list_pieces(struct session *session, enum visit which)
{
    struct notes *notes = session->notes;
    notes->count = notes->piece_count = 0;
    for (int kind = 0; kind < FAMILY_COUNT * TYPE_COUNT; kind++) {
        const int first = notes->count;
        for (int class = 0; class < TIMED_CLASSES; class++)
            if (is_wanted(session, class) && gain_border_known(session->times, class) &&
                (int)timed_class_family(class) * TYPE_COUNT + (int)timed_class_type(class) == kind)
                list_class(session, class, which);
        if (notes->count > first)
            cut_into_pieces(session, first);
    }
}

/* False: stopped. */
static bool time_piece(struct session *session, struct piece piece, bool anew)
{
    for (int i = piece.begin; i < piece.end; i++) {
        const struct listed_sample *sample = &session->notes->listed[i];
        if (stopped(session))
            return false;
        sample_batch_again(&session->batch, sample->class, sample->amount, anew);
    }
    sample_batch_time(&session->batch);
    return true;
}

/* All samples, or those beside the border, or close to it, once more: by then what disturbed the last time is
 * over. The pieces come in any order, lest one disturbance has all of a class. Before, small calls of all
 * classes took turns, and one thread alone is faster while no others wait for work: such times do not count
 * beside the border. */
static bool visit(struct session *session, enum visit which)
{
    struct notes *notes = session->notes;
    if (session->sampler->before_visit)
        session->sampler->before_visit(session->sampler->argument);
    list_pieces(session, which);
    for (int left = notes->piece_count; left > 0; left--) {
        struct piece *piece = &notes->pieces[random_below(session, left)];
        if (!time_piece(session, *piece, which == BESIDE_ANEW))
            return false;
        *piece = notes->pieces[left - 1];
    }
    session->done++;
    return true;
}

/* Disturbed times of the scout may have ended classes: what they lack is added once all were timed again. */
static bool look_closer(struct session *session)
{
    if (!visit(session, ALL) || !pass(session, COARSE, false) || !pass(session, FINE, true) ||
        !check_peaks(session) || !fill_gaps(session) || !visit(session, BESIDE_ANEW) || !close_in(session))
        return false;
    for (int i = 1; i < session->sampler->visits; i++)
        if (!fill_gaps(session) || !visit(session, CLOSE))
            return false;
    return true;
}

/* What sets make of a side's times, and narrow shares of the host's; samples are then those of average sets,
 * without such shares. */
static void learn_sets(struct session *session, int class, enum call_side side, struct time_curve *curve,
                       double factors[DEVICE_SETS_MOST])
{
    const struct moments_table *table = &session->notes->moments;
    const struct blas_call call = timed_class_call(class, 1e6);
    double narrow = 0;
    flag_times_fit(table, class, side, factors);
    if (side == SIDE_HOST && narrow_shares_exist(&call))
        narrow = session->times->narrow[class] = narrow_times_fit(table, class, curve, factors);
    for (int i = 0; i < curve->count; i++) {
        const struct sample_moments *moments =
            sample_moments_find(table, class, (int)side, curve->samples[i].amount);
        if (moments)
            curve->samples[i].us = sample_moments_time(moments, factors, narrow);
    }
}

static void learn_all_sets(struct session *session)
{
    struct learned_times *times = session->times;
    double by_flags[DEVICE_SETS_MOST];
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_wanted(session, class))
            continue;
        if (times->host[class].count) {
            learn_sets(session, class, SIDE_HOST, &times->host[class], by_flags);
            for (int set = 0; set < FLAG_SETS_MOST; set++)
                times->flags[class][set] = by_flags[2 * set];
        }
        if (times->resident[class].count)
            learn_sets(session, class, SIDE_DEVICE, &times->resident[class], times->device_sets[class]);
        learned_times_separate(times, class);
    }
}

bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times)
{
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return false;
    struct session session = {.sampler = sampler, .times = times, .notes = notes,
                              .batch = {.sampler = sampler, .times = times, .moments = &notes->moments},
                              .all = 3 + 1 + 1 + BISECTIONS + sampler->visits};
    const bool good = pass(&session, COARSE, false);
    if (good) {
        look_closer(&session); /* until time ends, at the latest */
        learn_all_sets(&session);
        curve_smoothing_all(times);
    }
    free(notes);
    return good;
}
