/* split_deal.c - which columns of a split call each device gets. */
#include "interpose/execute/split_plan.h"

/* Sums of more than two levels of chains are not split. */
enum { TERMS_MOST = 64 * SPLIT_CHAIN };

/* Queueing and adding up, for each device. */
static const double device_us = 50;

/* What the host adds up: one way home and two through its caches. */
static const double bytes_a_us = 4000;

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t greatest(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* The part of the work that the columns before this one have: of a triangle an area. */
static double work_before(const struct blas_call *call, int64_t column)
{
    const double part = (double)column / (double)call->n;
    if (call->family == FAMILY_GEMV)
        return part;
    return call->uplo == UPLO_LOWER ? part * (2 - part) : part * part;
}

/* The cut before which the part of the work is closest to this. */
static int64_t column_of(const struct blas_call *call, int64_t grain, double work)
{
    int64_t low = 0, high = (call->n + grain - 1) / grain; /* the first at or behind which it is done */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (work_before(call, least(call->n, middle * grain)) >= work)
            high = middle;
        else
            low = middle + 1;
    }
    const int64_t behind = least(call->n, low * grain), before = greatest(0, (low - 1) * grain);
    return work_before(call, behind) - work <= work - work_before(call, before) ? behind : before;
}

/* Where the next device begins: by pace, but this one holds no more than it can, and leaves no more than the
 * others can hold; and none has all. */
static int64_t next_cut(const struct split_plan *plan, int device, const struct split_share *shares,
                        int64_t grain, double work)
{
    int64_t others = 0;
    for (int d = device + 1; d < plan->devices; d++)
        others += d + 1 == plan->devices ? shares[d].columns_most : shares[d].columns_most / grain * grain;
    const int64_t n = plan->call->n, first = plan->first[device];
    const bool has_all = first == 0, leaves_all = has_all && device + 2 == plan->devices;
    const int64_t needed =
        greatest(leaves_all ? grain : first, (n - least(others, n) + grain - 1) / grain * grain);
    const int64_t held = least(first + shares[device].columns_most / grain * grain,
                               has_all ? (n - 1) / grain * grain : n);
    return least(n, greatest(needed, least(held, column_of(plan->call, grain, work))));
}

/* The time of the device that is the last to be done, as a part of what one of middling pace would take for
 * all. */
static double longest_part(const struct split_plan *plan, const struct split_share *shares, double all_paces)
{
    double longest = 0;
    for (int d = 0; d < plan->devices; d++) {
        const double work =
            work_before(plan->call, plan->first[d + 1]) - work_before(plan->call, plan->first[d]);
        const double part = work > 0 ? work * all_paces / (plan->devices * shares[d].pace) : 0;
        longest = part > longest ? part : longest;
    }
    return longest;
}

static bool deal(struct split_plan *plan, const struct split_share *shares, int64_t grain)
{
    double all = 0, before = 0;
    for (int d = 0; d < plan->devices; d++)
        all += shares[d].pace;
    plan->first[0] = 0;
    for (int d = 0; d < plan->devices; d++) {
        before += shares[d].pace;
        plan->first[d + 1] = d + 1 == plan->devices ? plan->call->n
                                                    : next_cut(plan, d, shares, grain, before / all);
        const int64_t columns = plan->first[d + 1] - plan->first[d];
        if (columns > shares[d].columns_most || columns == plan->call->n) /* one is no split */
            return false;
    }
    plan->longest = longest_part(plan, shares, all);
    return true;
}

/* The last devices are left out where they spoil it. */
static bool deal_to_most(struct split_plan *plan, const struct split_share *shares, int devices,
                         int64_t grain)
{
    for (plan->devices = devices; plan->devices > 1; plan->devices--)
        if (deal(plan, shares, grain))
            return true;
    return false;
}

bool split_plan_make(struct split_plan *plan, const struct blas_call *call, const struct split_share *shares,
                     int devices, double alone_us)
{
    struct split_plan by_chains;
    *plan = by_chains = (struct split_plan){.call = call};
    if (blas_is_level3(call) || call->family == FAMILY_AXPY || split_plan_terms(plan) > TERMS_MOST)
        return false;
    const bool is_dealt = deal_to_most(plan, shares, devices, SPLIT_NODE);
    if (call->n <= SPLIT_CHAIN || !deal_to_most(&by_chains, shares, devices, SPLIT_CHAIN))
        return is_dealt;
    if (!is_dealt || split_plan_us(&by_chains, alone_us) < split_plan_us(plan, alone_us))
        *plan = by_chains;
    return true;
}

static enum status count_step(void *context, const struct split_step *step)
{
    (void)step;
    ++*(int64_t *)context;
    return STATUS_OK;
}

double split_plan_us(const struct split_plan *plan, double alone_us)
{
    int64_t partials = 0;
    for (int d = 0; d < plan->devices; d++)
        split_plan_each(plan, d, count_step, &partials);
    const double bytes = (double)(partials > plan->devices ? partials - plan->devices : 0) *
                         (double)split_plan_results(plan) * (double)blas_element_bytes(plan->call->type);
    return split_plan_even_us(alone_us * plan->longest * plan->devices, plan->devices) + bytes / bytes_a_us;
}

double split_plan_even_us(double alone_us, int devices)
{
    return alone_us / devices + device_us * devices;
}
