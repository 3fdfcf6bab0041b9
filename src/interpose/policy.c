#include "interpose/policy.h"
#include "common/blas_call.h"
#include "mirror/ledger/account.h"

#include <math.h>

const char *host_reason_text(enum host_reason reason)
{
    static const char *const texts[HOST_REASON_COUNT] = {
        [HOST_FORWARDED] = "not offloaded by mublas",
        [HOST_BELOW_FLOOR] = "too small ever to pay",
        [HOST_ARGUMENTS] = "invalid arguments, nothing to compute, infinite alpha, or overlapping operands",
        [HOST_QUERY] = "a workspace query",
        [HOST_FASTER] = "predicted faster on the host",
        [HOST_NOT_RESIDENT] = "upload not yet worth its cost",
        [HOST_REWRITTEN] = "the matrix is rewritten between calls",
        [HOST_UNTRACKABLE] = "the matrix cannot stay on the device: its memory cannot be followed",
        [HOST_NOT_OPENED] = "opening the device, cuBLAS or cuSOLVER not yet paid for, or under way",
        [HOST_VARIANT] = "an argument that the device's routine does not have",
        [HOST_FP_ENVIRONMENT] =
            "floating-point traps or rounding mode, or a denormal scalar that counts as zero",
        [HOST_SWITCHED_OFF] = "MUBLAS_OFFLOAD=never",
        [HOST_NO_DEVICE] = "no usable device",
        [HOST_ENDING] = "the program was ending",
        [HOST_BUSY] = "other threads' calls were in the way",
        [HOST_SANDBOX] = "the program has forbidden itself system calls",
        [HOST_NESTED] = "called from within another BLAS call",
        [HOST_AFTER_FORK] = "in a fork child or under a checkpointer",
        [HOST_INTEGERS] = "the width of the library's integers is unknown, or several libraries differ in it",
        [HOST_UNSUPPORTED] = "not supported on the device",
        [HOST_OUT_OF_MEMORY] = "out of device memory",
        [HOST_INACCESSIBLE] = "an operand's memory is protected",
        [HOST_VALUES] = "a matrix is not finite, or near overflow or underflow",
        [HOST_UNSUCCESSFUL] = "no success on the device: INFO is the host's to say",
        [HOST_DEVICE_ERROR] = "device error",
    };
    return (unsigned)reason < HOST_REASON_COUNT ? texts[reason] : "unknown reason";
}

/* A call that writes a matrix must save this part of the host's time besides to be sure of a gain: the
 * model errs by it away from the border. Results that stay staged, since the program writes them too or
 * shares their pages, take more; the call must save that as far as it is the same for all sizes
 * (doc/measured.md). Calls that only read their matrix save most of the host's time. */
static const double unsure_part = 0.5;

static double unsure_us(const struct machine_model *model, const struct blas_call *call,
                        const struct predicted_times *times)
{
    const double staged_us = model->is_served ? 0 : model->sharing * STAGED_RESULT_US; /* foretold already */
    return call->c.pointer ? unsure_part * times->host_us + staged_us : 0;
}

double policy_sure_gain_us(const struct machine_model *model, const struct blas_call *call,
                           const struct predicted_times *times)
{
    return times->host_us - times->resident_us - unsure_us(model, call, times);
}

static struct policy_decision on_device(double gain_us, double earned_us)
{
    return (struct policy_decision){.device = true, .gain_us = gain_us, .earned_us = earned_us};
}

/* How many updates as large as this one those are that will follow it, when it is one of a
 * factorisation's, panel by panel: what remains, and so each of them, shrinks to nothing. */
static double updates_to_come(const struct blas_call *call)
{
    const double k = (double)call->k;
    if (call->family == FAMILY_GEMM)
        return fmin((double)call->m, (double)call->n) / k / 3;
    return blas_is_update(call->family) ? (double)call->n / k / 3 : 0;
}

static struct policy_decision on_host(enum host_reason reason, double credit_us)
{
    return (struct policy_decision){.device = false, .reason = reason, .credit_us = credit_us};
}

static enum host_reason reason_not_bought(const struct residency *residency)
{
    return residency->rewritten ? HOST_REWRITTEN : HOST_NOT_RESIDENT;
}

struct policy_decision policy_decide(enum offload_mode mode, const struct machine_model *model,
                                     const struct blas_call *call, struct predicted_times times,
                                     const struct residency *residency)
{
    if (mode == OFFLOAD_ALWAYS)
        return on_device(0, 0);
    if (mode == OFFLOAD_NEVER)
        return on_host(HOST_SWITCHED_OFF, 0);
    const bool pays_resident = times.host_us > times.resident_us;
    crossover_charge_residency(model, call, residency, &times);
    times.upload_us += times.new_output_us;
    /* A call on the host would lose this: an output's residency, as far as it has paid so far. */
    const double kept_us = fmin(residency->worth_us, times.kept_us);
    const double saved_us = times.host_us + kept_us - times.resident_us;
    /* The host may be writing an output that was not on the device, or not kept there. */
    if (saved_us > times.upload_us + (residency->kept_bytes ? 0 : unsure_us(model, call, &times))) {
        struct policy_decision decision =
            on_device(saved_us - times.upload_us, times.host_us - times.resident_us);
        /* An output that stays on the device comes again, and each refusal would cost the residency
         * that was bought for it. */
        if (residency->kept_bytes)
            decision.recurs_us = decision.gain_us * updates_to_come(call);
        return decision;
    }
    if (!residency->trackable && pays_resident)
        return on_host(HOST_UNTRACKABLE, 0);
    if (residency->resident || residency->missing_bytes == 0 || !residency->trackable || saved_us <= 0)
        return on_host(HOST_FASTER, 0);
    const bool recurs = residency->recurs && residency->usual_us > times.upload_us;
    if (recurs || residency->credit_us + saved_us >= ldexp(times.upload_us, (int)residency->setbacks))
        return on_device(saved_us, times.host_us - times.resident_us);
    return on_host(reason_not_bought(residency), saved_us);
}

bool policy_never_pays(const struct machine_model *model, const struct blas_call *call,
                       const struct predicted_times *times)
{
    struct predicted_times staged = *times;
    if (call->c.pointer && times->work.matrix_bytes >= EARLY_BYTES_MIN)
        return false;
    if (!model->is_in_use)
        return policy_sure_gain_us(model, call, times) <= 0;
    const struct residency result_alone = {.kept_bytes = (uint64_t)times->work.result_bytes};
    crossover_charge_residency(model, call, &result_alone, &staged);
    return times->host_us + staged.kept_us <= fmin(times->resident_us, staged.resident_us);
}

uint64_t policy_floor(enum offload_mode mode, const struct machine_model *model, enum blas_family family,
                      enum blas_type type)
{
    switch (mode) {
    case OFFLOAD_ALWAYS: return 0;
    case OFFLOAD_NEVER: return UINT64_MAX;
    case OFFLOAD_AUTO: break;
    }
    return crossover_floor(model, family, type);
}

/* A recipe, which the first calls that may be worth a device have read, may know of smaller ones that are. */
uint64_t policy_gate(enum offload_mode mode, const struct machine_model *model, enum blas_family family,
                     enum blas_type type, bool is_learned)
{
    enum { PART_UNREAD = 4 };
    const uint64_t floor = policy_floor(mode, model, family, type);
    const bool is_final = is_learned || floor == UINT64_MAX || floor < PART_UNREAD;
    return is_final ? floor : floor / PART_UNREAD;
}

struct policy_decision policy_decide_route(enum offload_mode mode, const struct route_times *times,
                                           const struct residency *residency)
{
    const double saved_us = times->host_us - times->compute_us - (times->moving_us - times->kept_us);
    const bool is_there = residency->resident && !residency->renewed;
    const bool is_new = residency->is_result && residency->renewed; /* it has to go up in any case */
    const double upload_us = is_there ? 0 : times->kept_us;
    const double price_us = ldexp(upload_us, (int)residency->setbacks);
    /* Without residency it would send the matrix, or stay on the host. */
    struct policy_decision decision =
        on_device(saved_us, residency->renewed ? 0 : fmin(saved_us, times->kept_us));
    decision.keeps = mode == OFFLOAD_ALWAYS ||
                     (residency->trackable &&
                      (is_there || residency->recurs ||
                       (!residency->is_result && residency->credit_us > price_us)));
    if (mode == OFFLOAD_ALWAYS) {
        decision.earned_us = fmax(0, saved_us);
        return decision;
    }
    if (mode == OFFLOAD_NEVER)
        return on_host(HOST_SWITCHED_OFF, 0);
    if (saved_us > upload_us) {
        decision.gain_us = saved_us - upload_us;
        decision.credit_us =
            residency->trackable && !decision.keeps && !is_new ? upload_us : 0;
        return decision;
    }
    if (saved_us <= 0 || !residency->trackable)
        return on_host(HOST_FASTER, 0);
    decision.keeps = decision.keeps || (!is_new && residency->credit_us + saved_us >= price_us);
    return decision.keeps ? decision : on_host(reason_not_bought(residency), is_new ? 0 : saved_us);
}

uint64_t policy_route_floor(enum offload_mode mode)
{
    switch (mode) {
    case OFFLOAD_ALWAYS: return 0;
    case OFFLOAD_NEVER: return UINT64_MAX;
    case OFFLOAD_AUTO: break;
    }
    return ROUTE_ORDER_LEAST;
}

static bool is_better(const struct device_offer *one, const struct device_offer *other)
{
    if (one->fits != other->fits)
        return one->fits;
    if (one->resident_bytes != other->resident_bytes)
        return one->resident_bytes > other->resident_bytes;
    return one->wait_us + one->work_us < other->wait_us + other->work_us;
}

int device_policy_choose(const struct device_offer *offers, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (offers[i].is_usable && (best < 0 || is_better(&offers[i], &offers[best])))
            best = i;
    return best;
}

static bool pays(const struct machine_model *model, const struct route_shape *shape)
{
    if (shape->n < ROUTE_ORDER_LEAST)
        return false;
    const struct route_times times = route_times_predict(model, shape);
    const struct residency none = {.trackable = false};
    return policy_decide_route(OFFLOAD_AUTO, &times, &none).device;
}

/* The same call of a larger order. */
static struct route_shape scaled(const struct route_shape *shape, int64_t order)
{
    const double factor = (double)order / (double)shape->n;
    struct route_shape larger = *shape;
    larger.n = order;
    larger.m = (int64_t)((double)shape->m * factor);
    larger.k = (int64_t)((double)shape->k * factor);
    larger.bytes_up = (uint64_t)((double)shape->bytes_up * factor * factor);
    larger.bytes_down = (uint64_t)((double)shape->bytes_down * factor * factor);
    larger.bytes_kept = (uint64_t)((double)shape->bytes_kept * factor * factor);
    return larger;
}

int64_t policy_order_that_pays(const struct machine_model *model, const struct route_shape *shape)
{
    enum { ORDER_MOST = 1 << 15 };
    int64_t order = shape->n;
    struct route_shape larger = *shape;
    while (order > 0 && order < ORDER_MOST && !pays(model, &larger)) {
        order += 1 + order / 100;
        larger = scaled(shape, order);
    }
    return order < ORDER_MOST ? order : 0;
}
