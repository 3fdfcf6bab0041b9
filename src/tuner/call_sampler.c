#include "tuner/call_sampler.h"
#include "tuner/curve_smoothing.h"
#include "tuner/gain_border.h"
#include "tuner/sample_gaps.h"
#include "tuner/sample_peaks.h"
#include "tuner/sample_reach.h"
#include "tuner/sample_visits.h"
#include "tuner/sampled_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE = 16, FINE = 4, GAPS = 4 /* of a class on end */, FILLS = 12 };

/* Amounts between which the sides change place are close enough. */
static const double close_enough = 1.15;

struct notes {
    struct moments_table moments;
    struct sample_visits visits;
};

struct session {
    const struct call_sampler *sampler;
    struct learned_times *times;
    struct sample_batch batch;
    struct notes *notes;
    bool full[TIMED_CLASSES]; /* no sample of the class is missing */
    double done; /* in passes over all classes, of which there are these: */
    int all;
};

static bool stopped(const struct session *session)
{
    const struct call_sampler *sampler = session->sampler;
    return sampler->stop(sampler->argument, fmin(session->done / session->all, 1));
}

static bool is_far(const struct session *session, int class, double amount)
{
    return gain_border_is_clear(session->times, class) || !gain_border_is_near(session->times, class, amount);
}

/* One size of all classes. */
static bool scout_size(struct session *session, double bytes)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!sample_batch_wants(&session->batch, class))
            continue;
        if (stopped(session))
            return false;
        sample_batch_add(&session->batch, class, timed_class_amount_of(class, bytes));
    }
    sample_batch_time(&session->batch);
    return true;
}

static int sizes_apart(const struct session *session, double factor)
{
    const struct call_sampler *sampler = session->sampler;
    return 1 + (int)(log(sampler->most_bytes / sampler->least_bytes) / log(factor));
}

/* Small ones of all classes first: when time ends, each has some. */
static bool scout(struct session *session)
{
    const int sizes = sizes_apart(session, COARSE);
    double bytes = session->sampler->least_bytes;
    bool good = true;
    session->batch.scouting = true;
    for (int size = 0; good && size < sizes; size++, bytes *= COARSE, session->done += 1.0 / sizes)
        good = scout_size(session, bytes);
    session->batch.scouting = false;
    return good;
}

/* What is added for the classes of each routine and type is timed on end, as in a program. False: stopped.
 * *any: something was added. */
static bool each_kind(struct session *session, bool (*add)(struct session *, int class), bool *any)
{
    *any = false;
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (int class = 0; class < TIMED_CLASSES; class++) {
            if (!sample_batch_is_of_kind(&session->batch, class, kind))
                continue;
            if (stopped(session))
                return false;
            *any = add(session, class) || *any;
        }
        sample_batch_time(&session->batch);
    }
    return true;
}

/* Sizes closer to each other, where no side is far ahead, and how far the class can be timed at all. */
static bool add_fine_sizes(struct session *session, int class)
{
    double bytes = session->sampler->least_bytes, furthest;
    for (int left = sizes_apart(session, FINE); left > 0; left--, bytes *= FINE) {
        const double amount = timed_class_amount_of(class, bytes);
        if (!is_far(session, class, amount))
            sample_batch_add(&session->batch, class, amount);
    }
    if (sample_reach_find(&session->batch, class, session->sampler->most_bytes, &furthest))
        sample_batch_add(&session->batch, class, furthest);
    return false;
}

static void time_peaks_again(struct session *session, int class, const struct time_curve *curve)
{
    for (int i = 0; i < curve->count; i++)
        if (sample_peaks_is(curve, i))
            sample_batch_again(&session->batch, class, curve->samples[i].amount);
}

static bool add_peaks(struct session *session, int class)
{
    time_peaks_again(session, class, &session->times->host[class]);
    time_peaks_again(session, class, &session->times->resident[class]);
    return false;
}

/* An amount of which a sample is missing: on the host, by a disturbed time; in a gap between others; or where
 * the sides change place. */
static bool find_missing(const struct session *session, int class, double *amount)
{
    double below, above;
    if (sample_batch_find_alone(&session->batch, class, amount) ||
        sample_gaps_find(&session->batch, class, amount))
        return true;
    if (!gain_border_find(session->times, class, &below, &above) || above / below <= close_enough)
        return false;
    *amount = sqrt(below * above);
    return sample_batch_lacks(&session->batch, class, *amount);
}

static bool add_missing(struct session *session, int class)
{
    double amount = 0;
    int added = 0;
    while (!session->full[class] && added < GAPS && find_missing(session, class, &amount)) {
        sample_batch_add(&session->batch, class, amount);
        added++;
    }
    session->full[class] = added == 0;
    return added > 0;
}

/* Some gaps of each class in turn, until there is none. */
static bool fill_gaps(struct session *session)
{
    bool any = true;
    memset(session->full, 0, sizeof session->full);
    for (int round = 0; any && round < FILLS; round++)
        if (!each_kind(session, add_missing, &any))
            return false;
    return true;
}

/* False: stopped. */
static bool time_piece(struct session *session, struct sample_piece piece)
{
    for (int i = 0; i < piece.count; i++) {
        if (stopped(session))
            return false;
        sample_batch_again(&session->batch, piece.samples[i].class, piece.samples[i].amount);
    }
    sample_batch_time(&session->batch);
    return true;
}

/* Samples once more: by then what disturbed the last time is over. */
static bool visit(struct session *session, bool all)
{
    struct sample_visits *visits = &session->notes->visits;
    struct sample_piece piece;
    if (session->sampler->before_visit)
        session->sampler->before_visit(session->sampler->argument);
    sample_visits_begin(visits, &session->batch, all);
    while (sample_visits_next(visits, &piece))
        if (!time_piece(session, piece))
            return false;
    session->done++;
    return true;
}

/* Disturbed times of the scout, and of what came later, may have ended classes: what they lack is added once
 * more was timed. */
static bool look_closer(struct session *session)
{
    bool any;
    if (!visit(session, true) || !scout(session) || !each_kind(session, add_fine_sizes, &any) ||
        !each_kind(session, add_peaks, &any))
        return false;
    for (int i = 0; i < session->sampler->visits; i++)
        if (!each_kind(session, add_fine_sizes, &any) || !fill_gaps(session) || !visit(session, false))
            return false;
    return true;
}

bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times)
{
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return false;
    struct session session = {.sampler = sampler, .times = times, .notes = notes,
                              .batch = {.sampler = sampler, .times = times, .moments = &notes->moments},
                              .all = 1 + 1 + 1 + sampler->visits};
    const bool good = scout(&session);
    if (good) {
        look_closer(&session); /* until time ends, at the latest */
        sample_batch_forget(&session.batch);
        for (int class = 0; class < TIMED_CLASSES; class++)
            if (sample_batch_wants(&session.batch, class))
                sampled_sets_learn(&notes->moments, class, times);
        curve_smoothing_all(times);
    }
    free(notes);
    return good;
}
