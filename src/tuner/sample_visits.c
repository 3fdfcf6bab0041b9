#include "tuner/sample_visits.h"
#include "tuner/gain_border.h"
#include "tuner/sample_gaps.h"
#include "tuner/sample_peaks.h"

#include <math.h>

enum { PIECE = 40 /* at most */ };

/* Where neither side is so many times faster, samples are timed again and again: elsewhere noise does not
 * matter; a few times anyway, since a single disturbed time may be all that a side is ahead by. */
static const double level = 1.5;
enum { FEW = 2, SURE = 4 };
/* What a sample takes on both sides that is timed at every visit, and by how much, in logarithms, times of the
 * same sample differ in its class, both sides together; a class is not taken to be a quieter or noisier one by
 * more than that, nor before so many times tell. */
static const double usual_us = 200, usual_noise = 0.2, quieter = 0.6, noisier = 2;
enum { TELLING = 12 };

/* Is neither side far ahead, there or, while it has few times, of which one may be a disturbed one, at a
 * neighbour? */
static bool is_close(const struct sample_batch *batch, int class, int sample, int times)
{
    const struct time_curve *host = &batch->times->host[class];
    const int around = times < SURE ? 1 : 0;
    bool close = false;
    for (int i = sample - around; i <= sample + around; i++) {
        const bool exists = i >= 0 && i < host->count;
        close = close || (exists && !sample_gaps_is_ahead(batch->times, class, host->samples[i].amount,
                                                          level));
    }
    return close;
}

/* How often it was timed among its own kind, on the host. */
static int times_of(const struct sample_batch *batch, int class, double amount)
{
    const struct sample_moments *moments = sample_moments_find(batch->moments, class, SIDE_HOST, amount);
    return !moments ? SURE : moments->scouted ? 0 : moments->count;
}

/* Half the squares of what times and the ones before them of the same sample differ by, in logarithms; no
 * disturbed one counts for more than as much as twice the time. */
static double differences(const struct sample_moments *moments, int *count)
{
    const int kept = moments->count < SAMPLE_MOMENTS ? moments->count : SAMPLE_MOMENTS;
    double sum = 0;
    for (int i = 1; i < kept; i++) {
        const double difference = fmin(fabs(log(moments->us[i] / moments->us[i - 1])), log(2));
        sum += difference * difference / 2;
        ++*count;
    }
    return sum;
}

/* How much noisier than usual the class's times are, both sides' together. */
static double noise_of(const struct sample_batch *batch, int class)
{
    double variance = 0;
    for (int side = 0; side < CALL_SIDES; side++) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < batch->moments->counts[class][side]; i++)
            sum += differences(&batch->moments->samples[class][side][i], &count);
        if (count < TELLING)
            return 1;
        variance += sum / count;
    }
    return fmin(fmax(sqrt(variance) / usual_noise, quieter), noisier);
}

/* Where noise falls with the root of the number of times, there is least of it over all for the time if
 * samples have as many times more as they are noisier, and fewer by the root of what they take longer. */
static bool is_due(int times, double us, double noise, int made)
{
    return times * sqrt(us / usual_us) / noise <= made + 1;
}

/* Where neither side is far ahead more times tell anyway; elsewhere nothing else would come back to a
 * disturbed one. The first sample, which takes next to no time, may be all that a side is ahead by. */
static bool is_doubtful(const struct sample_batch *batch, int class, int sample)
{
    const struct time_curve *host = &batch->times->host[class];
    return sample == 0 || sample_peaks_is(host, sample) ||
           sample_peaks_is_at(&batch->times->resident[class], host->samples[sample].amount);
}

/* Range: all zero where there is none. */
static bool is_visited(const struct sample_batch *batch, int class, int sample, struct amount_range range,
                       double noise, int made)
{
    const struct time_sample *host = &batch->times->host[class].samples[sample];
    const double amount = host->amount, us = host->us + learned_times_device(batch->times, class, amount);
    const int times = times_of(batch, class, amount);
    const bool beside = sample_gaps_is_beside(range, amount), close = is_close(batch, class, sample, times);
    if (times < SURE && is_doubtful(batch, class, sample))
        return true;
    if (times >= FEW && !(close && beside))
        return false;
    return is_due(times, us, noise, made);
}

static void list_class(struct sample_visits *visits, const struct sample_batch *batch, int class)
{
    const struct time_curve *host = &batch->times->host[class];
    struct amount_range range = {0, 0};
    const double noise = noise_of(batch, class);
    if (!sample_gaps_range(batch, class, &range))
        range.low = range.high = 0;
    for (int i = 0; i < host->count; i++)
        if (visits->all || is_visited(batch, class, i, range, noise, visits->made))
            visits->listed[visits->count++] = (struct visited_sample){class, host->samples[i].amount};
}

/* In [0, most). */
static int random_below(struct sample_visits *visits, int most)
{
    visits->random_state = visits->random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((visits->random_state >> 33) % (uint64_t)most);
}

/* Those listed from `first` on, in any order. */
static void cut_into_pieces(struct sample_visits *visits, int first)
{
    const int count = visits->count - first, pieces = (count + PIECE - 1) / PIECE;
    struct visited_sample *listed = visits->listed + first;
    for (int i = count - 1; i > 0; i--) {
        const int other = random_below(visits, i + 1);
        const struct visited_sample kept = listed[i];
        listed[i] = listed[other];
        listed[other] = kept;
    }
    for (int i = 0; i < pieces; i++) {
        const int begin = count * i / pieces, end = count * (i + 1) / pieces;
        visits->pieces[visits->piece_count++] = (struct sample_piece){listed + begin, end - begin};
    }
}

void sample_visits_begin(struct sample_visits *visits, const struct sample_batch *batch, bool all)
{
    visits->count = visits->piece_count = 0;
    visits->all = all;
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        const int first = visits->count;
        for (int class = 0; class < TIMED_CLASSES; class++)
            if (sample_batch_is_of_kind(batch, class, kind) && gain_border_known(batch->times, class))
                list_class(visits, batch, class);
        cut_into_pieces(visits, first);
    }
}

bool sample_visits_next(struct sample_visits *visits, struct sample_piece *piece)
{
    if (visits->piece_count == 0) {
        visits->made += !visits->all;
        return false;
    }
    const int next = random_below(visits, visits->piece_count);
    *piece = visits->pieces[next];
    visits->pieces[next] = visits->pieces[--visits->piece_count];
    return true;
}
