/* split_deal.c - which columns of a split call each device gets. */
#include "common/whole_number.h"
#include "interpose/execute/split.h"

#include <math.h>

/* Sums of more than two levels of chains are not split. */
enum { TERMS_MOST = 64 * SPLIT_CHAIN };

static const double numbers_most = 1e18; /* more than any plan has */

/* Queueing, for each device. */
static const double device_us = 50;

/* The bytes per microsecond that the host adds up: one way home and two through its caches. */
static const double bytes_a_us = 4000;

/* The reads of the columns before this one, as a part of the call's reads on one device. A symmetric matrix
 * has the elements beside a piece's block of the diagonal read twice: along the rows and across. (Where
 * cuts lie inside chains, those that are whole count as if they were in pieces, too: for too much.) */
static double work_before(const struct blas_call *call, int64_t grain, int64_t column)
{
    const double order = (double)call->n, length = (double)grain, times = blas_is_symmetric(call) ? 2 : 1;
    if (call->family == FAMILY_GEMV)
        return (double)column / order;
    const int64_t begin = column / grain * grain, end = smaller(call->n, begin + grain);
    const double pieces = (double)(begin / grain), here = (double)(column - begin);
    double elements = pieces * length * length / 2; /* whole pieces: blocks of the diagonal */
    if (call->uplo == UPLO_LOWER) {
        elements += times * pieces * length * (order - length * (pieces + 1) / 2);
        elements += here * (times * (double)(call->n - end) + (double)(end - begin) - here / 2);
    } else {
        elements += times * length * length * pieces * (pieces - 1) / 2;
        elements += here * (times * (double)begin + here / 2);
    }
    return elements / (order * order / 2);
}

/* The cut before which the part of the work is closest to this. */
static int64_t column_of(const struct blas_call *call, int64_t grain, double work)
{
    int64_t low = 0, high = (call->n + grain - 1) / grain; /* the first at or behind which it is done */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (work_before(call, grain, smaller(call->n, middle * grain)) >= work)
            high = middle;
        else
            low = middle + 1;
    }
    const int64_t behind = smaller(call->n, low * grain), before = larger(0, (low - 1) * grain);
    const double beyond = work_before(call, grain, behind) - work,
                 missing = work - work_before(call, grain, before);
    return beyond <= missing ? behind : before;
}

/* The next device's first column: by pace, but this one holds no more than it can, and leaves no more than
 * the others can hold; and none has all. */
static int64_t next_cut(const struct split_plan *plan, int device, const struct split_share *shares,
                        int64_t grain, double work)
{
    int64_t others = 0;
    for (int d = device + 1; d < plan->devices; d++)
        others += d + 1 == plan->devices ? shares[d].columns_most : shares[d].columns_most / grain * grain;
    const int64_t n = plan->call->n, first = plan->first[device];
    const bool has_all = first == 0, leaves_all = has_all && device + 2 == plan->devices;
    const int64_t needed =
        larger(leaves_all ? grain : first, round_up(n - smaller(others, n), grain));
    const int64_t held = smaller(first + shares[device].columns_most / grain * grain,
                                 has_all ? (n - 1) / grain * grain : n);
    return smaller(n, larger(needed, smaller(held, column_of(plan->call, grain, work))));
}

/* When the last device is done, as a part of the call's time alone. */
static double longest_part(const struct split_plan *plan, const struct split_share *shares, int64_t grain)
{
    double longest = 0;
    for (int d = 0; d < plan->devices; d++) {
        const double work = work_before(plan->call, grain, plan->first[d + 1]) -
                            work_before(plan->call, grain, plan->first[d]);
        longest = work > 0 ? fmax(longest, work / shares[d].pace) : longest;
    }
    return longest;
}

static bool deal(struct split_plan *plan, const struct split_share *shares, int64_t grain)
{
    const double work = work_before(plan->call, grain, plan->call->n);
    double all = 0, before = 0;
    for (int d = 0; d < plan->devices; d++)
        all += shares[d].pace;
    plan->first[0] = 0;
    for (int d = 0; d < plan->devices; d++) {
        before += shares[d].pace;
        plan->first[d + 1] = d + 1 == plan->devices ? plan->call->n
                                                    : next_cut(plan, d, shares, grain, work * before / all);
        const int64_t columns = plan->first[d + 1] - plan->first[d];
        if (columns > shares[d].columns_most || columns == plan->call->n) /* one is no split */
            return false;
    }
    plan->longest = longest_part(plan, shares, grain);
    return true;
}

struct counting {
    int64_t numbers, most;
};

static enum status count_step(void *context, const struct split_step *step)
{
    struct counting *const counting = context;
    counting->numbers += step->results;
    return counting->numbers <= counting->most ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* Count what comes home, as far as that is sooner done than in `best_us`. */
static bool is_sooner(struct split_plan *plan, double alone_us, double best_us)
{
    const bool any = isinf(best_us);
    const double spare_us = best_us - split_plan_us(plan, alone_us);
    const double spare =
        any ? numbers_most
            : fmin(numbers_most, spare_us * bytes_a_us / (double)blas_element_bytes(plan->call->type));
    if (!(spare >= 0))
        return false;
    const int64_t alone = split_plan_results(plan);
    struct counting counting = {.most = alone + (int64_t)spare};
    for (int d = 0; d < plan->devices; d++)
        if (split_plan_each(plan, d, count_step, &counting) != STATUS_OK)
            return false;
    plan->added = larger(0, counting.numbers - alone);
    return any || split_plan_us(plan, alone_us) < best_us;
}

/* The best plan so far, and the time that the next one has to beat. */
struct search {
    struct split_plan *plan;
    double alone_us, best_us;
    bool found;
};

/* Not even if all had parts by their pace, and nothing were added up. */
static bool is_hopeless(const struct search *search, const struct split_share *shares, int devices)
{
    double paces = 0;
    for (int d = 0; d < devices; d++)
        paces += shares[d].pace;
    return !isinf(search->best_us) && search->alone_us / paces + device_us * devices >= search->best_us;
}

/* The last devices are left out where they spoil it, or bring less than they cost. */
static void search(struct search *search, const struct split_share *shares, int devices, int64_t grain)
{
    for (int count = devices; count > 1; count--) {
        struct split_plan plan = {.call = search->plan->call, .devices = count};
        if (is_hopeless(search, shares, count) || !deal(&plan, shares, grain) ||
            !is_sooner(&plan, search->alone_us, search->best_us))
            continue;
        search->found = true;
        search->best_us = split_plan_us(&plan, search->alone_us);
        *search->plan = plan;
    }
}

static bool make_plan(struct split_plan *plan, const struct split_share *shares, int devices, double alone_us,
                      double most_us)
{
    struct search best = {plan, alone_us, most_us, false};
    if (blas_is_level3(plan->call) || blas_is_packed(plan->call) || plan->call->family == FAMILY_AXPY ||
        split_plan_terms(plan) > TERMS_MOST)
        return false;
    if (plan->call->n > SPLIT_CHAIN) /* first: few pieces are soon counted */
        search(&best, shares, devices, SPLIT_CHAIN);
    search(&best, shares, devices, SPLIT_NODE);
    return best.found;
}

bool split_plan_make(struct split_plan *plan, const struct blas_call *call, const struct split_share *shares,
                     int devices, double alone_us)
{
    *plan = (struct split_plan){.call = call};
    return make_plan(plan, shares, devices, alone_us, HUGE_VAL);
}

bool split_plan_turn(struct blas_call *turned, const struct blas_call *call)
{
    *turned = *call;
    turned->trans = blas_is_transposed(call) ? TRANS_NONE : TRANS_TRANSPOSE;
    if (call->family == FAMILY_GEMV) {
        turned->x.length = call->y.length;
        turned->y.length = call->x.length;
    }
    return !blas_is_symmetric(call);
}

void split_plan_serve(struct split_plan *plan, const struct blas_call *call)
{
    plan->call = call;
    is_sooner(plan, 0, HUGE_VAL); /* counts this call's partials */
}

double split_plan_us(const struct split_plan *plan, double alone_us)
{
    const double bytes = (double)plan->added * (double)blas_element_bytes(plan->call->type);
    return alone_us * plan->longest + device_us * plan->devices + bytes / bytes_a_us;
}

double split_plan_expected_us(const struct blas_call *call, double alone_us, int devices, double last_pace,
                              double most_us)
{
    struct split_share shares[DEVICES_MAX];
    struct split_plan plan = {.call = call};
    for (int d = 0; d < devices; d++)
        shares[d] = (struct split_share){.columns_most = call->n, .pace = d + 1 == devices ? last_pace : 1};
    return make_plan(&plan, shares, devices, alone_us, most_us) ? split_plan_us(&plan, alone_us) : HUGE_VAL;
}
