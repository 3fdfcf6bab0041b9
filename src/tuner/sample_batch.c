#include "tuner/sample_batch.h"
#include "tuner/gain_border.h"
#include "tuner/narrow_shares.h"
#include "tuner/sample_variants.h"

#include <math.h>

bool sample_batch_wants(const struct sample_batch *batch, int class)
{
    const struct call_sampler *sampler = batch->sampler;
    return timed_class_exists(class) &&
           (!sampler->wanted ||
            sampler->wanted(sampler->argument, timed_class_family(class), timed_class_type(class)));
}

bool sample_batch_is_of_kind(const struct sample_batch *batch, int class, int kind)
{
    return sample_batch_wants(batch, class) &&
           (int)timed_class_family(class) * TYPE_COUNT + (int)timed_class_type(class) == kind;
}

static const struct time_sample *sample_at(const struct time_curve *curve, double amount)
{
    for (int i = 0; i < curve->count; i++)
        if (curve->samples[i].amount == amount)
            return &curve->samples[i];
    return NULL;
}

static bool is_time(double us)
{
    return us > 0 && !isinf(us);
}

/* False: there is no room. */
static bool record(const struct sample_batch *batch, const struct sample_request *request,
                   enum call_side side, double us)
{
    struct learned_times *times = batch->times;
    struct time_curve *curve = &(side == SIDE_HOST ? times->host : times->resident)[request->class];
    struct sample_moments *moments = sample_moments_at(batch->moments, request->class, (int)side,
                                                       request->amount);
    if (!moments)
        return false;
    moments->asked = request->asked;
    if (moments->scouted && !batch->scouting)
        moments->count = 0;
    moments->scouted = batch->scouting && (moments->scouted || moments->count == 0);
    sample_moments_add(moments, us, request->set, request->columns);
    return time_curve_add(curve, request->amount, sample_moments_time(moments, NULL, 0));
}

/* Those whose us are positive, which come to be their times. */
static void time_side(const struct sample_batch *batch, enum call_side side, double us[SAMPLE_BATCH])
{
    struct blas_call calls[SAMPLE_BATCH];
    double times[SAMPLE_BATCH];
    int count = 0;
    for (int i = 0; i < batch->count; i++)
        if (us[i] > 0)
            calls[count++] = batch->requests[i].call;
    if (count > 0)
        batch->sampler->time(batch->sampler->argument, side, calls, count, times);
    for (int i = batch->count - 1; i >= 0; i--)
        if (us[i] > 0)
            us[i] = times[--count];
}

static void forget_expected(struct sample_batch *batch, const struct sample_request *request)
{
    if (request->expected[SIDE_HOST])
        time_curve_remove(&batch->times->host[request->class], request->amount);
    if (request->expected[SIDE_DEVICE])
        time_curve_remove(&batch->times->resident[request->class], request->amount);
}

/* Nothing as large is asked for again: a gap that cannot be filled would stand before all others. */
static void note_impossible(struct sample_batch *batch, const struct sample_request *request)
{
    double *least = &batch->impossible[request->class];
    if (*least == 0 || request->amount < *least)
        *least = request->amount;
    forget_expected(batch, request);
}

/* Until it is timed a new sample has the time that its neighbours let expect, so that the next one that is
 * missing is another. */
static void expect(struct sample_batch *batch, struct sample_request *request)
{
    struct learned_times *times = batch->times;
    struct time_curve *host = &times->host[request->class], *device = &times->resident[request->class];
    if (batch->scouting || host->count == 0 || device->count == 0)
        return;
    if (request->on_host && !sample_at(host, request->amount))
        request->expected[SIDE_HOST] =
            time_curve_add(host, request->amount, time_curve_at(host, TIME_SHRINKS, request->amount));
    if (!sample_at(device, request->amount))
        request->expected[SIDE_DEVICE] = time_curve_add(
            device, request->amount, learned_times_device(times, request->class, request->amount));
    learned_times_separate(times, request->class);
}

/* What cannot be timed on the one side is not timed on the other. */
static void time_both(struct sample_batch *batch, double us[CALL_SIDES][SAMPLE_BATCH])
{
    const enum call_side first = batch->device_first ? SIDE_DEVICE : SIDE_HOST;
    const enum call_side second = batch->device_first ? SIDE_HOST : SIDE_DEVICE;
    for (int i = 0; i < batch->count; i++)
        us[first][i] = first == SIDE_DEVICE || batch->requests[i].on_host;
    time_side(batch, first, us[first]);
    for (int i = 0; i < batch->count; i++) {
        const bool skipped = first == SIDE_HOST && !batch->requests[i].on_host;
        const bool wanted = second == SIDE_DEVICE || batch->requests[i].on_host;
        us[second][i] = wanted && (skipped || us[first][i] > 0);
    }
    time_side(batch, second, us[second]);
    batch->device_first = !batch->device_first;
}

void sample_batch_time(struct sample_batch *batch)
{
    double us[CALL_SIDES][SAMPLE_BATCH];
    bool changed[TIMED_CLASSES] = {false};
    if (batch->count == 0)
        return;
    time_both(batch, us);
    for (int i = 0; i < batch->count; i++) {
        const struct sample_request *request = &batch->requests[i];
        if ((request->on_host && !is_time(us[SIDE_HOST][i])) || !is_time(us[SIDE_DEVICE][i]))
            note_impossible(batch, request);
        else if ((request->on_host && !record(batch, request, SIDE_HOST, us[SIDE_HOST][i])) ||
                 !record(batch, request, SIDE_DEVICE, us[SIDE_DEVICE][i]))
            forget_expected(batch, request);
        changed[request->class] = true;
    }
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (changed[class])
            learned_times_separate(batch->times, class);
    batch->count = 0;
}

void sample_batch_forget(struct sample_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        forget_expected(batch, &batch->requests[i]);
        learned_times_separate(batch->times, batch->requests[i].class);
    }
    batch->count = 0;
}

static bool is_gathered(const struct sample_batch *batch, int class, double amount)
{
    for (int i = 0; i < batch->count; i++)
        if (batch->requests[i].class == class && fabs(batch->requests[i].amount / amount - 1) < 0.01)
            return true;
    return false;
}

static void take_variant(const struct sample_batch *batch, struct sample_request *request)
{
    const struct sample_moments *moments =
        sample_moments_find(batch->moments, request->class, SIDE_DEVICE, request->amount);
    sample_variant_apply(request->class, moments ? moments->timed : 0, &request->call);
    request->set = device_set_of(request->class, &request->call);
    request->columns = narrow_shares_columns(&request->call, batch->times->host_threads);
}

static void gather(struct sample_batch *batch, const struct sample_request *request)
{
    if (is_gathered(batch, request->class, request->amount))
        return;
    struct sample_request *gathered = &batch->requests[batch->count++];
    *gathered = *request;
    take_variant(batch, gathered);
    expect(batch, gathered);
    if (batch->count == SAMPLE_BATCH)
        sample_batch_time(batch);
}

/* The largest calls of some classes take as long on the one side as on the other. */
static double most_us_of(const struct sample_batch *batch, int class, double amount)
{
    static const double near = 1.6, longer = 3;
    const double gain = gain_border_known(batch->times, class)
                            ? gain_border_gain(batch->times, class, amount)
                            : 0;
    return batch->sampler->most_us * (gain > 1 / near && gain < near ? longer : 1);
}

/* A single time may be that of a disturbed call, which says nothing of larger ones. */
bool sample_batch_host_takes_long(const struct sample_batch *batch, int class, double amount)
{
    const struct time_curve *host = &batch->times->host[class];
    if (host->count < 2)
        return host->count && host->samples[0].us > batch->sampler->most_us;
    return time_curve_at(host, TIME_SHRINKS, amount) > most_us_of(batch, class, amount);
}

/* A single time on the device is nearly all latency: it says nothing of larger calls. */
static bool device_takes_long(const struct sample_batch *batch, int class, double amount)
{
    return batch->times->resident[class].count > 1 &&
           learned_times_device(batch->times, class, amount) > most_us_of(batch, class, amount);
}

/* NULL: there is none. */
static const struct time_sample *sample_about(const struct time_curve *curve, double amount)
{
    for (int i = 0; i < curve->count; i++)
        if (fabs(curve->samples[i].amount / amount - 1) < 0.01)
            return &curve->samples[i];
    return NULL;
}

/* Even, and no powers of two, of which caches hold few columns, so that a host takes twice as long. What of
 * the call is larger than a block becomes two more than a multiple of four, and less than it was, since there
 * may be no memory for more. */
static int64_t usual_size(int64_t size)
{
    const int64_t usual = (size - 3) / 4 * 4 + 2;
    return size <= SAMPLE_BLOCK ? size : usual > SAMPLE_BLOCK ? usual : SAMPLE_BLOCK + 2;
}

static struct blas_call sample_call(int class, double amount)
{
    struct blas_call call = timed_class_call(class, amount);
    call.m = usual_size(call.m);
    call.n = usual_size(call.n);
    call.k = usual_size(call.k);
    return call;
}

/* For one more sample, those that are gathered included. */
static bool has_room(const struct sample_batch *batch, int class, enum call_side side)
{
    const struct learned_times *times = batch->times;
    const int count = (side == SIDE_HOST ? times->host : times->resident)[class].count;
    return count < TIME_CURVE_SAMPLES && batch->moments->counts[class][side] < TIME_CURVE_SAMPLES;
}

bool sample_batch_lacks(const struct sample_batch *batch, int class, double amount)
{
    const struct blas_call call = sample_call(class, amount);
    const double impossible = batch->impossible[class], exact = timed_class_amount(&call);
    const bool on_device = sample_about(&batch->times->resident[class], exact);
    const bool on_host = sample_about(&batch->times->host[class], exact);
    return timed_class_of(&call) == class && (impossible == 0 || exact < impossible) &&
           !device_takes_long(batch, class, amount) &&
           (on_device || has_room(batch, class, SIDE_DEVICE)) && (on_host || has_room(batch, class, SIDE_HOST)) &&
           (!on_device || (!on_host && !sample_batch_host_takes_long(batch, class, amount)));
}

bool sample_batch_lacks_both(const struct sample_batch *batch, int class, double amount)
{
    return sample_batch_lacks(batch, class, amount) && !sample_batch_host_takes_long(batch, class, amount);
}

bool sample_batch_find_alone(const struct sample_batch *batch, int class, double *amount)
{
    const struct time_curve *device = &batch->times->resident[class];
    for (int i = 0; i < device->count; i++) {
        const struct sample_moments *moments =
            sample_moments_find(batch->moments, class, SIDE_DEVICE, device->samples[i].amount);
        if (moments && !sample_at(&batch->times->host[class], moments->amount) &&
            sample_batch_lacks(batch, class, moments->asked)) {
            *amount = moments->asked;
            return true;
        }
    }
    return false;
}

/* The call that an earlier sample was of. */
static bool find_call(const struct sample_batch *batch, int class, double amount,
                      struct sample_request *request)
{
    for (int side = 0; side < CALL_SIDES; side++) {
        const struct sample_moments *moments = sample_moments_find(batch->moments, class, side, amount);
        if (moments) {
            request->asked = moments->asked;
            request->call = sample_call(class, moments->asked);
            return true;
        }
    }
    return false;
}

static void take_again(struct sample_batch *batch, int class, double amount, bool on_host)
{
    struct sample_request request = {.class = class, .amount = amount, .on_host = on_host};
    if (find_call(batch, class, amount, &request))
        gather(batch, &request);
}

void sample_batch_again(struct sample_batch *batch, int class, double amount)
{
    take_again(batch, class, amount, sample_at(&batch->times->host[class], amount));
}

/* What the host takes grows with the amount, but what the device takes may still be latency. */
void sample_batch_add(struct sample_batch *batch, int class, double amount)
{
    const struct blas_call call = sample_call(class, amount);
    const struct sample_request request = {.class = class, .amount = timed_class_amount(&call),
                                           .asked = amount, .call = call,
                                           .on_host = !sample_batch_host_takes_long(batch, class, amount)};
    const struct time_sample *alone = sample_about(&batch->times->resident[class], request.amount);
    if (!sample_batch_lacks(batch, class, amount))
        return;
    if (alone)
        take_again(batch, class, alone->amount, true);
    else
        gather(batch, &request);
}
