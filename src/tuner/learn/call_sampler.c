#include "tuner/learn/call_sampler.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/tuning_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The class's sample within 1% of the amount; NULL: there is none. */
static struct sample *sample_table_find(struct class_samples *samples, double amount)
{
    for (int i = 0; i < samples->count; i++)
        if (fabs(samples->samples[i].amount / amount - 1) < 0.01)
            return &samples->samples[i];
    return NULL;
}

/* Another one without times; there is room. */
static struct sample *sample_table_add(struct class_samples *samples, double amount, double asked)
{
    struct sample *sample = &samples->samples[samples->count++];
    *sample = (struct sample){.amount = amount, .asked = asked};
    return sample;
}

/* Microseconds of both sides; what is not positive and finite does not count. */
static void sample_add_times(struct sample *sample, const double us[CALL_SIDES], int set)
{
    if (sample->count == SAMPLE_TIMES)
        return;
    for (int side = 0; side < CALL_SIDES; side++)
        sample->us[side][sample->count] = (float)us[side];
    sample->sets[sample->count++] = (unsigned char)set;
}

/* Microseconds of a call of average sets, by factors of these (NULL: they make no difference). There is one
 * time at least. */
static double sample_time(const struct sample *sample, enum call_side side, const double *factors)
{
    double us[SAMPLE_TIMES];
    for (int i = 0; i < sample->count; i++)
        us[i] = (double)sample->us[side][i] / (factors ? factors[sample->sets[i]] : 1);
    return statistics_usual_mean(us, (size_t)sample->count);
}

static void make_curve(const struct class_samples *samples, enum call_side side, const double *factors,
                       struct time_curve *curve)
{
    memset(curve, 0, sizeof *curve);
    for (int i = 0; i < samples->count; i++)
        if (samples->samples[i].count > 0)
            time_curve_add(curve, samples->samples[i].amount,
                           sample_time(&samples->samples[i], side, factors));
}

/* The class's curves of `times`, from all samples that have times; its factors as well: of a set the median
 * of its times over the curve, drawn towards 1 where they are few. On the host odd and even sizes are one. */
static void sample_table_curves(const struct class_samples *samples, int class, struct learned_times *times)
{
    make_curve(samples, SIDE_HOST, NULL, &times->host[class]);
    make_curve(samples, SIDE_DEVICE, NULL, &times->resident[class]);
    learned_times_separate(times, class);
}

/* The median of the logarithms of a set's times over their samples', drawn towards 0. */
static double logarithm_of(const struct class_samples *samples, enum call_side side, int set, int sets_each)
{
    static const double few = 2; /* times that count as much as knowing nothing */
    static double logarithms[TIME_CURVE_SAMPLES * SAMPLE_TIMES];
    size_t count = 0;
    for (int i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->samples[i];
        for (int time = 0; time < sample->count; time++)
            if (sample->sets[time] / sets_each == set)
                logarithms[count++] = log((double)sample->us[side][time] / sample_time(sample, side, NULL));
    }
    return count ? statistics_median(logarithms, count) * (double)count / ((double)count + few) : 0;
}

static void find_factors(const struct class_samples *samples, int class, enum call_side side,
                         double factors[DEVICE_SETS_MOST])
{
    const int each = side == SIDE_HOST ? 2 : 1, sets = device_sets_of(class) / each;
    double logarithms[DEVICE_SETS_MOST], mean = 0;
    for (int set = 0; set < sets; set++)
        mean += (logarithms[set] = logarithm_of(samples, side, set, each)) / sets;
    for (int set = 0; set < DEVICE_SETS_MOST; set++) {
        const double factor = set / each < sets ? exp(logarithms[set / each] - mean) : 1;
        factors[set] = fmin(fmax(factor, 1. / FLAG_FACTOR_MOST), FLAG_FACTOR_MOST);
    }
}

static void sample_table_conclude(const struct class_samples *samples, int class, struct learned_times *times)
{
    double by_flags[DEVICE_SETS_MOST];
    if (samples->count == 0)
        return;
    find_factors(samples, class, SIDE_HOST, by_flags);
    for (int set = 0; set < FLAG_SETS_MOST; set++)
        times->flags[class][set] = by_flags[2 * set];
    find_factors(samples, class, SIDE_DEVICE, times->device_sets[class]);
    make_curve(samples, SIDE_HOST, by_flags, &times->host[class]);
    make_curve(samples, SIDE_DEVICE, times->device_sets[class], &times->resident[class]);
    learned_times_separate(times, class);
}

/* A number from the call's sizes, without a pattern: sizes of a class's samples all leave the same
 * remainders. */
static unsigned mixed(const struct blas_call *call)
{
    const uint64_t sizes = (uint64_t)call->m * 0x9e3779b97f4a7c15u + (uint64_t)call->n * 0xbf58476d1ce4e5b9u +
                           (uint64_t)call->k * 0x94d049bb133111ebu;
    return (unsigned)((sizes ^ sizes >> 29) * 0xd6e8feb86659fd93u >> 40);
}

/* The next size, above or below, which is odd; a block stays one. */
static int64_t odd_size(int64_t size)
{
    return size <= SAMPLE_BLOCK ? size : size % 8 == 2 ? size + 1 : size - 1;
}

static void make_odd(int class, struct blas_call *call)
{
    struct blas_call odd = *call;
    odd.m = odd_size(odd.m);
    odd.n = odd_size(odd.n);
    odd.k = odd_size(odd.k);
    if (timed_class_of(&odd) == class)
        *call = odd;
}

void sample_variant_apply(int class, unsigned timed, struct blas_call *call)
{
    const unsigned sets = (unsigned)flag_sets_of(class), first = mixed(call) % sets;
    /* An even number of sets would come with the same sizes in each round. */
    const unsigned rounds = sets % 2 == 0 ? timed / sets : 0;
    flag_set_apply((int)((first + timed) % sets), call);
    if ((timed + rounds) % 2)
        make_odd(class, call);
}

enum {
    SCOUT_STEP = 4 /* in bytes */,
    GAPS = 4 /* filled at a time */,
    SURE = 4 /* times of a sample */,
    KINDS = FAMILY_COUNT * TYPE_COUNT /* calls of one are one routine's, of one type */
};

/* How many times faster a side may be where samples are made, and near the border, where they are closer to
 * each other and timed in each round. */
static const double sampled_lead = 2.5, near_lead = 1.5;
/* In amounts: no sample is made closer to another than this, and near the border. Small triangles are worth a
 * device that take a host's threads longer to begin than to solve. */
static const double step = 1.1, apart = 1.23, near_apart = 1.12, least_part = 64;

struct chosen {
    int class;
    struct sample *sample;
};

struct session {
    const struct call_sampler *sampler;
    struct learned_times *times;
    struct sample_table *table;
    struct chosen chosen[TIMED_CLASSES * TIME_CURVE_SAMPLES]; /* to be timed next */
    int count;
    bool device_first;
    double done; /* rounds, and the scout */
    int round;
};

static bool is_of_kind(const struct session *session, int class, int kind)
{
    const struct call_sampler *sampler = session->sampler;
    return timed_class_exists(class) &&
           (int)timed_class_family(class) * TYPE_COUNT + (int)timed_class_type(class) == kind &&
           (!sampler->wanted ||
            sampler->wanted(sampler->argument, timed_class_family(class), timed_class_type(class)));
}

/* Even, and no powers of two, of which caches hold few columns, so that a host takes twice as long. A size
 * larger than a block becomes two more than a multiple of four, and less than it was, since there may be no
 * memory for more. */
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

/* How many times the faster side is faster. */
static double lead_at(const struct session *session, int class, double amount)
{
    const double gain = time_curve_at(&session->times->host[class], TIME_SHRINKS, amount) /
                        learned_times_device(session->times, class, amount);
    return fmax(gain, 1 / gain);
}

/* A single time on the device, which is nearly all latency, tells nothing of larger calls. */
static bool takes_long(const struct session *session, int class, double amount)
{
    const struct time_curve *host = &session->times->host[class];
    const double most = session->sampler->most_us;
    if (host->count < 2)
        return host->count && host->samples[0].us > most;
    return time_curve_at(host, TIME_SHRINKS, amount) > most ||
           learned_times_device(session->times, class, amount) > most;
}

static void choose_sample(struct session *session, int class, struct sample *sample)
{
    session->chosen[session->count++] = (struct chosen){class, sample};
}

/* A sample of about this amount, if there is none and it can be timed. */
static bool add_sample(struct session *session, int class, double amount)
{
    struct class_samples *samples = &session->table->classes[class];
    const struct blas_call call = sample_call(class, amount);
    const double exact = call_work_products(&call);
    if (samples->count == TIME_CURVE_SAMPLES || timed_class_of(&call) != class ||
        sample_table_find(samples, exact) || takes_long(session, class, amount))
        return false;
    choose_sample(session, class, sample_table_add(samples, exact, amount));
    return true;
}

/* The next flags and sizes of each, on both sides; the side of the last turn goes on. */
static void time_turn(struct session *session, const struct chosen *chosen, int count)
{
    const struct call_sampler *sampler = session->sampler;
    struct blas_call calls[SAMPLER_CALLS];
    double us[CALL_SIDES][SAMPLER_CALLS];
    for (int i = 0; i < count; i++) {
        calls[i] = sample_call(chosen[i].class, chosen[i].sample->asked);
        sample_variant_apply(chosen[i].class, (unsigned)chosen[i].sample->count, &calls[i]);
    }
    for (int turn = 0; turn < CALL_SIDES; turn++) {
        const enum call_side side = turn == session->device_first ? SIDE_HOST : SIDE_DEVICE;
        sampler->time(sampler->argument, side, calls, count, us[side]);
    }
    session->device_first = !session->device_first;
    for (int i = 0; i < count; i++) {
        const double both[CALL_SIDES] = {us[SIDE_HOST][i], us[SIDE_DEVICE][i]};
        if (both[SIDE_HOST] > 0 && both[SIDE_DEVICE] > 0 && isfinite(both[SIDE_HOST] + both[SIDE_DEVICE]))
            sample_add_times(chosen[i].sample, both, device_set_of(&calls[i]));
    }
}

/* All that are chosen. False: stopped. */
static bool time_chosen(struct session *session)
{
    const struct call_sampler *sampler = session->sampler;
    const int count = session->count, turns = (count + SAMPLER_CALLS - 1) / SAMPLER_CALLS;
    struct chosen *chosen = session->chosen;
    bool good = true, changed[TIMED_CLASSES] = {false};
    for (int turn = 0; turn < turns && good; turn++) {
        const int begin = count * turn / turns, end = count * (turn + 1) / turns;
        good = !sampler->stop(sampler->argument, fmin(session->done / (1 + SAMPLER_ROUNDS), 1));
        if (good)
            time_turn(session, chosen + begin, end - begin);
    }
    for (int i = 0; i < count; i++)
        changed[chosen[i].class] = true;
    session->count = 0;
    for (int class = 0; class < TIMED_CLASSES && good; class++)
        if (changed[class])
            sample_table_curves(&session->table->classes[class], class, session->times);
    return good;
}

/* Small ones of all classes first: when time ends, each has some. */
static bool scout(struct session *session)
{
    const struct call_sampler *sampler = session->sampler;
    for (double bytes = sampler->least_bytes; bytes <= sampler->most_bytes; bytes *= SCOUT_STEP)
        for (int kind = 0; kind < KINDS; kind++) {
            for (int class = 0; class < TIMED_CLASSES; class++)
                if (is_of_kind(session, class, kind))
                    add_sample(session, class, timed_class_amount_of(class, bytes));
            if (!time_chosen(session))
                return false;
        }
    session->done++;
    return true;
}

/* A disturbed time may have kept some from being timed. */
static void add_scouted(struct session *session, int class)
{
    const struct call_sampler *sampler = session->sampler;
    for (double bytes = sampler->least_bytes; bytes <= sampler->most_bytes; bytes *= SCOUT_STEP)
        add_sample(session, class, timed_class_amount_of(class, bytes));
}

/* Is there a sample as near as that? */
static bool has_near(const struct class_samples *samples, double amount, double factor)
{
    for (int i = 0; i < samples->count; i++)
        if (samples->samples[i].amount < amount * factor && amount < samples->samples[i].amount * factor)
            return true;
    return false;
}

/* Sizes evenly by ratio. */
static void fill_gaps(struct session *session, int class)
{
    const struct class_samples *samples = &session->table->classes[class];
    const double most = timed_class_amount_of(class, session->sampler->most_bytes);
    double amount = timed_class_amount_of(class, session->sampler->least_bytes) / least_part;
    for (int gaps = 0; amount <= most && gaps < GAPS; amount *= step) {
        const double lead = lead_at(session, class, amount);
        if (lead < sampled_lead && !has_near(samples, amount, lead < near_lead ? near_apart : apart))
            gaps += add_sample(session, class, amount);
    }
}

/* A sample that could not be timed is not asked for again. */
static bool is_due(const struct session *session, int class, const struct sample *sample)
{
    const bool near = lead_at(session, class, sample->amount) < near_lead;
    return sample->count > 0 && sample->count < (near ? SURE + session->round + 1 : SURE);
}

static bool sample_round(struct session *session)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (int class = 0; class < TIMED_CLASSES; class++) {
            struct class_samples *samples = &session->table->classes[class];
            if (!is_of_kind(session, class, kind) || session->times->host[class].count == 0)
                continue;
            for (int i = 0; i < samples->count; i++)
                if (is_due(session, class, &samples->samples[i]))
                    choose_sample(session, class, &samples->samples[i]);
            add_scouted(session, class);
            if (session->round > 0) /* single times would mislead */
                fill_gaps(session, class);
        }
        if (!time_chosen(session))
            return false;
    }
    session->done++;
    session->round++;
    return true;
}

static bool run(struct session *session)
{
    bool good = scout(session);
    if (!good)
        return false;
    while (session->round < SAMPLER_ROUNDS && good) /* until time ends, at the latest */
        good = sample_round(session);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class))
            sample_table_conclude(&session->table->classes[class], class, session->times);
    return true;
}

bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times)
{
    struct session *session = calloc(1, sizeof *session);
    struct sample_table *table = calloc(1, sizeof *table);
    bool good = session && table;
    if (good) {
        session->sampler = sampler;
        session->times = times;
        session->table = table;
        good = run(session);
    }
    free(session);
    free(table);
    return good;
}
