#include "tuner/online/crossover.h"
#include "mirror/pins.h"
#include "tuner/online/call_work.h"
#include "tuner/online/crossover_built_in.h"

#include <math.h>

void crossover_use_learned(struct machine_model *model, const struct learned_times *learned)
{
    double least = learned_times_least_resident(learned);
    model->learned = learned;
    model->call_us = fmin(model->call_us, least); /* the built-in floors rest on it */
    if (learned->wake_us > 0)
        model->wake_us = learned->wake_us;
    if (learned->scan_us_per_byte > 0)
        model->scan_us_per_byte = learned->scan_us_per_byte;
}

uint64_t crossover_matrix_bytes(const struct blas_call *call)
{
    return (uint64_t)call_work_matrix_bytes(call);
}

static double copies_us(const struct machine_model *model, double bytes, bool trackable)
{
    enum upload_way way = !trackable ? UPLOAD_STAGED : model->huge_pages ? UPLOAD_PINNED_HUGE : UPLOAD_PINNED;
    double us;
    if (bytes <= 0)
        return 0;
    if (model->learned && learned_times_upload(model->learned, way, bytes, &us))
        return us;
    if (!trackable || bytes < PIN_BYTES_MIN)
        return 1e6 * bytes / model->staged_bandwidth;
    return 1e6 * bytes / model->link_bandwidth + 2 * bytes * model->pin_us_per_byte;
}

double crossover_upload_us(const struct machine_model *model, uint64_t bytes)
{
    return copies_us(model, (double)bytes, true);
}

double crossover_staged_us(const struct machine_model *model, uint64_t bytes)
{
    return copies_us(model, (double)bytes, false);
}

uint64_t crossover_result_bytes(const struct blas_call *call)
{
    return (uint64_t)call_work_result_bytes(call);
}

/* To bring the result back, by DMA where it is large enough to be pinned. */
static double result_us(const struct machine_model *model, const struct blas_call *call, bool pinned)
{
    double us;
    if (model->learned && result_times_at(&model->learned->result, call, pinned, &us))
        return us;
    return built_in_result_us(model, call, pinned);
}

double crossover_new_output_us(const struct machine_model *model, const struct blas_call *call)
{
    return result_us(model, call, false) - result_us(model, call, true);
}

/* Learned on a matrix without gaps that stays on the device. */
static bool learned_resident_us(const struct machine_model *model, const struct blas_call *call,
                                bool trackable, double *us)
{
    double home_us;
    if (!model->learned || !learned_times_resident(model->learned, call, trackable, us))
        return false;
    *us += call_work_gap_bytes(call) * model->scan_us_per_byte;
    if (!trackable && !result_times_at(&model->learned->result, call, trackable, &home_us))
        *us += copies_us(model, call_work_result_bytes(call), false);
    return true;
}

struct predicted_times crossover_predict(const struct machine_model *model, const struct blas_call *call,
                                         uint64_t missing_bytes, bool trackable)
{
    struct predicted_times times;
    if (!model->learned || !learned_times_host(model->learned, call, &times.host_us))
        times.host_us = built_in_host_us(model, call);
    if (!learned_resident_us(model, call, trackable, &times.resident_us))
        times.resident_us = built_in_resident_us(model, call, trackable);
    times.upload_us = copies_us(model, (double)missing_bytes, trackable);
    return times;
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
    switch (call->family) {
    case FAMILY_AXPY:
    case FAMILY_SYMV:
    case FAMILY_HEMV:
    case FAMILY_TRMV: return n;
    case FAMILY_GEMV:
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM: return m * n;
    case FAMILY_GEMM: return m * n * k;
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return n * n * k;
    case FAMILY_COUNT: break;
    }
    return 0;
}
