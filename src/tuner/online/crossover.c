#include "tuner/online/crossover.h"
#include "common/blas_family.h"
#include "mirror/costs.h"
#include "common/call_work.h"

#include <math.h>

void crossover_use_learned(struct machine_model *model, const struct learned_times *learned)
{
    double least = model->sharing * learned_times_least_resident(learned);
    model->learned = learned;
    model->call_us = fmin(model->call_us, least); /* the built-in floors rest on it */
    if (learned->wake_us > 0)
        model->wake_us = model->sharing * learned->wake_us;
}

double crossover_copies_us(const struct machine_model *model, double bytes, bool trackable)
{
    enum upload_way way = !trackable ? UPLOAD_STAGED : model->huge_pages ? UPLOAD_PINNED_HUGE : UPLOAD_PINNED;
    double us;
    if (bytes <= 0)
        return 0;
    if (model->learned && learned_times_upload(model->learned, way, bytes, &us))
        return model->sharing * us;
    if (!trackable || bytes < PIN_BYTES_MIN)
        return 1e6 * bytes / model->staged_bandwidth;
    return 1e6 * bytes / model->link_bandwidth + 2 * bytes * model->pin_us_per_byte;
}

double crossover_new_output_us(const struct machine_model *model, const struct blas_call *call)
{
    return model->sharing * (result_home_us(call, false) - result_home_us(call, true));
}

/* Learned on a matrix without gaps that stays on the device. */
static double resident_us(const struct machine_model *model, int class, const struct blas_call *call,
                          bool trackable)
{
    double us;
    if (model->learned && learned_times_resident(model->learned, class, call, trackable, &us))
        return model->sharing * us + call_work_gap_bytes(call) * model->scan_us_per_byte;
    return built_in_resident_us(model, call, trackable);
}

struct predicted_times crossover_times(const struct machine_model *model, const struct blas_call *call)
{
    struct predicted_times times = {.class = timed_class_of(call)};
    if (!model->learned || !learned_times_host(model->learned, times.class, call, &times.host_us))
        times.host_us = built_in_host_us(model, call);
    times.resident_us = resident_us(model, times.class, call, true);
    return times;
}

void crossover_place(const struct machine_model *model, const struct blas_call *call, uint64_t missing_bytes,
                     bool trackable, struct predicted_times *times)
{
    if (!trackable)
        times->resident_us = resident_us(model, times->class, call, false);
    times->upload_us = crossover_copies_us(model, (double)missing_bytes, trackable);
}

uint64_t crossover_floor(const struct machine_model *model, enum blas_family family, enum blas_type type)
{
    uint64_t built_in = built_in_floor(model, family, type), learned;
    if (!model->learned)
        return built_in;
    /* Where a class is not learned, the built-in floor bounds it. */
    bool complete = learned_times_floor(model->learned, family, type, &learned);
    return complete || learned < built_in ? learned : built_in;
}

uint64_t crossover_size(const struct blas_call *call)
{
    const uint64_t m = (uint64_t)call->m, n = (uint64_t)call->n, k = (uint64_t)call->k;
    switch ((enum size_product)blas_families[call->family].gated) {
    case PRODUCT_N: return n;
    case PRODUCT_MN: return m * n;
    case PRODUCT_MNK: return m * n * k;
    case PRODUCT_NNK: return n * n * k;
    default: return 0; /* no gate's */
    }
}
