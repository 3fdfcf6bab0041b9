#include "tuner/sample_reach.h"
#include "tuner/gain_border.h"

/* A device that is ten times slower does not overtake within what is left out; samples closer than this
 * foretell no more than one. */
static const double hopeless = 0.05, apart = 1.5, step = 1.5;

static bool may_gain(const struct learned_times *times, int class, double last)
{
    const double gain = gain_border_gain(times, class, last);
    return gain_border_is_clear(times, class) && gain > hopeless && gain < 1;
}

bool sample_reach_find(const struct sample_batch *batch, int class, double bytes, double *amount)
{
    const struct time_curve *host = &batch->times->host[class];
    if (host->count < 2 || !gain_border_known(batch->times, class) ||
        sample_batch_lacks(batch, class, timed_class_amount_of(class, bytes)))
        return false;
    const double last = host->samples[host->count - 1].amount;
    while (may_gain(batch->times, class, last) && timed_class_amount_of(class, bytes /= step) > apart * last) {
        *amount = timed_class_amount_of(class, bytes);
        if (sample_batch_lacks_both(batch, class, *amount))
            return true;
    }
    return false;
}
