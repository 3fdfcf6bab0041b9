#include "interpose/call/kinds.h"
#include "common/settings.h"
#include "common/whole_number.h"
#include "gpu/launch.h"
#include "interpose/purchase/device_use.h"

#include <math.h>

/* Device memory comes in blocks of 2 MiB, and parts of a matrix begin and end within some. */
enum { BLOCK_BYTES = 2 << 20, MARGIN_BYTES = 2 * BLOCK_BYTES };

/* A call's least gain by more devices, as a part of its time on the one that holds its matrix. */
static const double worth_part = 0.2;

/* Between columns that are closer than that, memory is spent on what lies between the parts of a triangle,
 * too. */
static bool fits(const struct program_call *call, const struct mirror_table *mirrors)
{
    const struct blas_matrix *const a = &call->blas.a;
    const uint64_t column_bytes = (uint64_t)a->ld * blas_element_bytes(call->blas.type);
    const bool is_close = column_bytes <= BLOCK_BYTES;
    return operands_fit(mirrors, call->operands, call->operand_count) &&
           (!is_close || column_bytes * (uint64_t)a->columns <= operands_budget(mirrors));
}

bool split_call_is_due(const struct program_call *call)
{
    if (blas_is_level3(&call->blas) || !call->blas.a.pointer || !other_devices_are_possible())
        return false;
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(device_use_at(i)->device) && fits(call, device_use_at(i)->mirrors))
            return false;
    return true;
}

/* Calls leave out a device that has run out of memory: so many at first, doubled so often at the most. */
enum { LEFT_OUT_CALLS = 8, LEFT_OUT_DOUBLINGS = 10 };

static _Atomic uint64_t calls_so_far;

static bool is_left_out(const struct device_use *use)
{
    return atomic_load(&calls_so_far) < atomic_load(&use->left_out_until);
}

void split_call_ran_out(const struct split_call *split)
{
    for (int d = 0; d < split->plan.devices; d++) {
        struct device_use *const use = split->uses[d];
        if (!split->devices[d].ran_out)
            continue;
        const unsigned before = atomic_fetch_add(&use->shortages, 1);
        const uint64_t calls = (uint64_t)LEFT_OUT_CALLS
                               << (before < LEFT_OUT_DOUBLINGS ? before : LEFT_OUT_DOUBLINGS);
        atomic_store(&use->left_out_until, atomic_load(&calls_so_far) + calls);
    }
}

static int64_t columns_most(const struct device_use *use, const struct program_call *call)
{
    const size_t budget = operands_budget(use->mirrors),
                 column_bytes = (size_t)call->blas.a.ld * blas_element_bytes(call->blas.type);
    return budget > MARGIN_BYTES ? (int64_t)((budget - MARGIN_BYTES) / column_bytes) : 0;
}

/* Plans the call, or another one of its matrix, over the first `most` of the devices in use. */
static bool plan_of(struct split_call *split, const struct program_call *call, const struct blas_call *blas,
                    double alone_us, int most)
{
    struct split_share shares[DEVICES_MAX];
    int count = 0;
    for (int i = 0; i < device_use_count() && count < most; i++) {
        struct device_use *const use = device_use_at(i);
        const int64_t columns = columns_most(use, call);
        if (!device_is_usable(use->device) || columns == 0 || is_left_out(use))
            continue;
        split->uses[count] = use;
        split->devices[count] = (struct split_device){.device = use->device, .mirrors = use->mirrors};
        shares[count++] = (struct split_share){.columns_most = columns,
                                               .pace = device_use_model(use)->device_bandwidth /
                                                       call->model->device_bandwidth};
    }
    if (count < 2 || !split_plan_make(&split->plan, blas, shares, count, alone_us))
        return false;
    split_devices_describe(&split->plan, split->devices, call->operands[0].kind);
    return true;
}

static bool plan(struct split_call *split, const struct program_call *call, double alone_us, int most)
{
    return plan_of(split, call, &call->blas, alone_us, most);
}

static bool is_there(const struct split_call *split)
{
    for (int d = 0; d < split->plan.devices; d++)
        for (int i = 0; i < split->devices[d].operand_count; i++)
            if (!operands_are_resident(split->devices[d].mirrors, &split->devices[d].operands[i]))
                return false;
    return true;
}

/* Over those of `now` that had the matrix before the last ones came. */
static bool plan_as_before(struct split_call *split, const struct program_call *call,
                           const struct split_call *now, double alone_us)
{
    for (int most = now->plan.devices - 1; most > 1; most--)
        if (plan(split, call, alone_us, most) && is_there(split))
            return true;
    return false;
}

/* Each device, for its columns by either plan. One in the middle, between two cuts, may have none. */
static bool have_room_for_both(const struct split_call *one, const struct split_call *other,
                               const struct program_call *call)
{
    for (int d = 0; d < one->plan.devices && d < other->plan.devices; d++) {
        const int64_t *const a = &one->plan.first[d], *const b = &other->plan.first[d];
        const int64_t columns = larger(a[1], b[1]) - smaller(a[0], b[0]);
        if (a[0] < a[1] && b[0] < b[1] && columns > columns_most(one->uses[d], call))
            return false;
    }
    return true;
}

/* A program may use a matrix transposed and as it is in turn. Without room for both calls' parts,
 * each would be sent in place of the other: then the parts that are there serve both. */
static void keep_cuts(struct split_call *split, const struct program_call *call, double alone_us,
                      double other_us)
{
    struct split_call turned;
    struct blas_call blas;
    if (is_there(split) || !split_plan_turn(&blas, &call->blas) ||
        !plan_of(&turned, call, &blas, crossover_times(call->model, &blas).resident_us, DEVICES_MAX) ||
        !is_there(&turned) || have_room_for_both(split, &turned, call))
        return;
    split_plan_serve(&turned.plan, &call->blas);
    const double turned_us = split_plan_us(&turned.plan, alone_us);
    if (turned_us < other_us && (1 - worth_part) * turned_us <= split_plan_us(&split->plan, alone_us))
        *split = turned;
}

static void add_residency(struct residency *all, const struct residency *part)
{
    all->busy = all->busy || part->busy;
    all->trackable = all->trackable && part->trackable;
    if (!part->resident && (all->resident || part->credit_us < all->credit_us))
        all->credit_us = part->credit_us; /* the first, or the poorest */
    all->resident = all->resident && part->resident;
    all->bytes += part->bytes;
    all->missing_bytes += part->missing_bytes;
    all->pinned_bytes += part->pinned_bytes;
    all->setbacks = part->setbacks > all->setbacks ? part->setbacks : all->setbacks;
}

/* All together, with those that may still come. */
static bool can_hold(const struct program_call *call)
{
    const size_t column_bytes = (size_t)call->blas.a.ld * blas_element_bytes(call->blas.type);
    size_t bytes = next_devices_bytes();
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(device_use_at(i)->device))
            bytes += operands_budget(device_use_at(i)->mirrors);
    return bytes / column_bytes >= (size_t)call->blas.a.columns;
}

/* True if its kind and order allow it, however many devices there are. */
static bool is_ever_split(const struct program_call *call)
{
    return launch_supported(&call->blas) &&
           !isinf(split_plan_expected_us(&call->blas, 0, DEVICES_MAX, 1, HUGE_VAL));
}

/* Once enough devices are awake; where more are left, they are woken once `gain_us` of each call has added up
 * to what that takes. */
static bool plan_and_wake(struct split_call *split, const struct program_call *call, double alone_us,
                          double gain_us)
{
    int before = 0;
    const bool is_possible = can_hold(call);
    atomic_fetch_add(&calls_so_far, 1);
    while (!plan(split, call, alone_us, DEVICES_MAX)) {
        if (before == device_use_count() || !is_possible || !is_ever_split(call))
            return false;
        before = device_use_count();
        other_devices_want(gain_us);
    }
    return true;
}

static struct residency look_up_residency(const struct split_call *split, struct patience *patience)
{
    struct residency all = {.trackable = true, .resident = true};
    for (int d = 0; d < split->plan.devices; d++) {
        const struct split_device *const on = &split->devices[d];
        const struct residency part =
            operands_residency(on->mirrors, on->operands, on->operand_count, patience);
        if (on->operand_count > 0)
            add_residency(&all, &part);
    }
    return all;
}

/* The time that one more would save goes towards its price, if that is enough to be worth sending everyone
 * another part: not what would be saved if the others were alike. */
static void want_another(const struct split_call *split, double alone_us)
{
    const struct blas_call *const call = split->plan.call;
    const int devices = split->plan.devices;
    if (devices == DEVICES_MAX || !next_device_may_come())
        return;
    const double planned_us = split_plan_us(&split->plan, alone_us),
                 now_us = fmin(planned_us, split_plan_expected_us(call, alone_us, devices, 1, planned_us)),
                 then_us = split_plan_expected_us(call, alone_us, devices + 1, next_device_bandwidth(),
                                                  (1 - worth_part) * now_us);
    if (then_us < now_us)
        other_devices_want(now_us - then_us);
}

struct outcome {
    struct residency residency;
    struct policy_decision decision;
};

static struct outcome weigh(const struct split_call *split, struct program_call *call, double alone_us,
                            double other_us)
{
    struct predicted_times times = call->times;
    struct outcome outcome = {.residency = look_up_residency(split, &call->patience)};
    times.host_us = other_us; /* what it is compared with */
    times.resident_us = split_plan_us(&split->plan, alone_us);
    outcome.decision =
        policy_decide(settings()->offload, call->model, &call->blas, times, &outcome.residency);
    return outcome;
}

/* Against `other_us` elsewhere. Until the parts of the last devices are paid for, the others go on; where all
 * are there, fewer devices would have been planned if they were sooner done. */
static struct outcome weigh_all(struct split_call *split, struct program_call *call, double alone_us,
                                double other_us)
{
    struct split_call before;
    keep_cuts(split, call, alone_us, other_us);
    const bool was_split = !is_there(split) && plan_as_before(&before, call, split, alone_us);
    const double before_us = was_split ? split_plan_us(&before.plan, alone_us) : other_us;
    const struct outcome outcome = weigh(split, call, alone_us, fmin(before_us, other_us));
    if (outcome.decision.device)
        want_another(split, alone_us);
    if (outcome.decision.device || !was_split)
        return outcome;
    split_call_credit(split, outcome.decision.credit_us);
    *split = before;
    return weigh(split, call, alone_us, other_us);
}

bool split_call_decide(struct split_call *split, struct program_call *call)
{
    const double alone_us = call->times.resident_us;
    if (!plan_and_wake(split, call, alone_us, fmax(0, call->times.host_us - alone_us)))
        return false;
    call->patience = call_patience(call->times.host_us);
    const struct outcome outcome = weigh_all(split, call, alone_us, call->times.host_us);
    call->residency = outcome.residency;
    call->decision = outcome.decision;
    call->times.resident_us = split_plan_us(&split->plan, alone_us);
    return call->residency
        .trackable; /* else all of it would go to each device's scratch memory at every call */
}

bool split_call_is_faster(struct split_call *split, struct program_call *call)
{
    const double alone_us = call->times.resident_us, most_us = (1 - worth_part) * alone_us;
    if (blas_is_level3(&call->blas) || !call->blas.a.pointer || !call->residency.resident ||
        !other_devices_are_possible() || !launch_supported(&call->blas))
        return false;
    const int awake = device_use_count(), devices = awake > 1 ? awake : 2; /* or may be */
    const double then_us = split_plan_expected_us(&call->blas, alone_us, devices,
                                                  awake > 1 ? 1 : next_device_bandwidth(), most_us);
    if (!(then_us < most_us) || !plan_and_wake(split, call, alone_us, alone_us - then_us) ||
        split_plan_us(&split->plan, alone_us) > most_us)
        return false;
    const struct outcome outcome = weigh_all(split, call, alone_us, alone_us);
    if (outcome.residency.busy || !outcome.residency.trackable)
        return false;
    split->gain_us = alone_us - split_plan_us(&split->plan, alone_us);
    if (!outcome.decision.device)
        split_call_credit(split, outcome.decision.credit_us);
    return outcome.decision.device;
}

void split_call_credit(const struct split_call *split, double saved_us)
{
    for (int d = 0; d < split->plan.devices; d++)
        operands_credit(split->devices[d].mirrors, split->devices[d].operands,
                        split->devices[d].operand_count, saved_us);
}

void split_call_earn(const struct split_call *split, const struct device_use *whose_turn, double saved_us)
{
    for (int d = 0; d < split->plan.devices; d++) {
        const struct split_device *const on = &split->devices[d];
        if (on->operand_count == 0)
            continue;
        operands_earn(on->mirrors, on->operands, on->operand_count, saved_us / split->plan.devices);
        atomic_store(&split->uses[d]->shortages, 0);
        if (split->uses[d] != whose_turn)
            atomic_fetch_add_explicit(&split->uses[d]->calls, 1, memory_order_relaxed);
    }
}
