#include "tuner/online/crossover.h"
#include "common/blas_call.h"
#include "common/own_thread.h"
#include "mirror/ledger/account.h"
#include "mirror/operands.h"

#include <math.h>

/* Measured on one machine: host dsymv n=8192 moves 268 MB in 2.1 ms on 16 cores, about
 * 8 GB/s a core up to what the memory gives. */
static const double host_bandwidth_per_core = 8e9, host_bandwidth_limit = 250e9;
static const double host_double_flops_per_core = 25e9;
/* The figures below are OpenBLAS's on 16 cores of a Xeon with an H100 (doc/tuner.md, "What is built in"),
 * fitted to calls near the border, which are what they are to decide about. Threads that begin and end a
 * call together, and one alone; level 3 of which the cube root of products is this for each core has half
 * the rate of large ones. */
static const double threads_us = 5, one_thread_us = 1;
static const double half_rate_per_core[TYPE_COUNT] = {36, 24, 28, 20, 20};
/* So many times as large in routines that share work out less well. Large calls run at the full rate. */
static const double host_effort[FAMILY_COUNT] = {
    [FAMILY_GEMM] = 2,    [FAMILY_SYMM] = 1.3,  [FAMILY_HEMM] = 1.1, [FAMILY_SYRK] = 4.5, [FAMILY_HERK] = 3.7,
    [FAMILY_SYR2K] = 0.9, [FAMILY_HER2K] = 0.8, [FAMILY_TRMM] = 1.6, [FAMILY_TRSM] = 3};
static const double most_effort = 4.5;
/* Rank-k updates of a small matrix have work for one thread: microseconds a term. */
static const double update_term_us[TYPE_COUNT] = {0.027, 0.035, 0.048, 0.059, 1};
/* symv and hemv compute more than memory can hold back; below one order hemv does so with one thread. */
static const double symmetric_flops_per_core[TYPE_COUNT] = {16e9, 8.4e9, 18e9, 6.4e9, 0.6e9};
static const double one_thread_flops[TYPE_COUNT] = {47e9, 18e9, 47e9, 18e9, 1e9};
enum { ONE_THREAD_ORDER = 362 };
/* spmv and hpmv have one thread at every order, which adds columns up one by one: 8.3 GFLOP/s at 1024, 7.1 at 4096. */
static const double packed_part = 0.42;
/* Columns that are added up cost more than columns that are multiplied; trmv's are short. */
static const double gemv_columns = 1.6, trmv_columns = 1.9;
/* OpenBLAS on 16 cores of Xeons with AVX-512 and 300 MB of cache: dgemm 0.47 to 0.78 TFLOP/s at
 * 512 to 1900 columns; dsymv of order 1600 to 3900 220 to 270 GB/s on one machine, by itself; on another,
 * in dsyevr and dsytrd of order 4096 and 8192, 110 to 140. */
static const double cached_bandwidth_per_core = 10e9, widest_vectors_gain = 1.8;
/* Matrices that each core keeps its part of: 2 MB beside such processors' cores. */
static const double near_bandwidth_per_core = 30e9, near_bytes_per_core = 1.5e6, near_bytes_others = 0.2e6;
/* Bytes of vectors; any call's time includes the time to move so few. */
static const double short_vector_bytes = 64 << 10;
/* cuBLAS on an H100: microseconds for each step along an order or a sum, which small grids take one by
 * one. */
static const double product_step_us[TYPE_COUNT] = {0.055, 0.055, 0.093, 0.093, 1};
static const double update_step_us[TYPE_COUNT] = {0.079, 0.0071, 0.028, 0.023, 1};
static const double trmm_step_us[TYPE_COUNT] = {0.17, 0.18, 0.20, 0.25, 1};
static const double trsm_step_us[TYPE_COUNT] = {0.31, 0.44, 0.37, 0.45, 1};
static const double unit_solving = 0.6; /* where nothing is divided */

static double device_double_flops(const struct device_properties *device)
{
    /* FP64 at half the FP32 rate on the compute line (x.0), a 64th elsewhere. */
    double single = device->multiprocessors * 128.0 * 2 * device->clock_hz;
    return device->compute_minor == 0 && device->compute_major >= 6 ? single / 2 : single / 64;
}

struct machine_model crossover_builtin_model(const struct device_properties *device, int host_cores)
{
    static const double per_type[TYPE_COUNT] = {2, 1, 2, 1, 0.1};
    double host = host_cores * host_double_flops_per_core;
    double device_flops = device ? device_double_flops(device) : 30e12;
    struct machine_model model = {
        .host_cores = host_cores,
        .packers = host_cores,
        .host_bandwidth = fmin(host_cores * host_bandwidth_per_core, host_bandwidth_limit),
        .device_bandwidth = 0.8 * (device ? device->memory_bandwidth : 3.35e12),
        .link_bandwidth = RESULT_PINNED_BANDWIDTH,
        .staged_bandwidth = 5e9, /* 3 to 7 in LAPACK's programs, by what the processors' caches hold */
        .vector_bandwidth = 12e9,
        .call_us = 17,
        .third_operand_us = 8,
        .update_us = 31,
        .host_start_us = host_cores > 1 ? threads_us : 0,
        .scan_us_per_byte = 150.0 / (512 << 20), /* pages of 4 KiB: doc/measured.md */
        .pin_us_per_byte = 26e3 / (512 << 20),
        .wake_us = 400e3, /* 0.25 to 0.38 s on an H100 (reports of bench/programs) */
        .level3_wake_us = 70e3, /* there 0.07 to 0.1 s; 0.45 with the library's file not cached */
        .level3_first_us = 70e3, /* there dgemm 0.064 s, zher2k 0.084 */
        .solver_wake_us = 250e3, /* there 0.10 to 0.12 s, and a routine's first use as much again */
        .sharing = 1,
    };
    for (int type = 0; type < TYPE_COUNT; type++) {
        model.host_flops[type] = host * per_type[type];
        model.host_symmetric_flops[type] = host_cores * symmetric_flops_per_core[type];
        model.host_half_rate[type] = host_cores * half_rate_per_core[type];
        model.device_flops[type] = 0.5 * device_flops * per_type[type];
    }
    return model;
}

void crossover_use_processors(struct machine_model *model, int widest_vector, size_t cache_bytes)
{
    const double gain = widest_vector >= 64 ? widest_vectors_gain : widest_vector < 32 ? 0.5 : 1;
    for (int type = 0; type < TYPE_COUNT; type++)
        model->host_flops[type] *= gain;
    /* Half of it: the other operands, other programs. */
    const double cores = model->host_bandwidth / host_bandwidth_per_core; /* as many as memory can serve */
    model->cache_bytes = (double)cache_bytes / 2;
    model->cache_bandwidth = fmax(model->host_bandwidth, cores * cached_bandwidth_per_core);
    model->near_bytes = fmin(cores * (widest_vector >= 64 ? near_bytes_per_core : near_bytes_others),
                             model->cache_bytes);
    model->near_bandwidth = cores * near_bandwidth_per_core;
}

struct machine_model crossover_model_here(const struct device_properties *device)
{
    struct machine_model model = crossover_builtin_model(device, processors_for_blas());
    crossover_use_processors(&model, processors_vector_bytes(), processors_cache_bytes());
    model.packers = processors_usable();
    return model;
}

/* The host's rate in level 3, whose threads have too little to do where sizes are small. */
static double level3_rate(const struct machine_model *model, const struct blas_call *call, double operations)
{
    const double size = cbrt(operations / 2);
    const double half_rate = host_effort[call->family] * model->host_half_rate[call->type];
    return model->host_flops[call->type] * size / (size + half_rate);
}

static bool has_one_thread(const struct blas_call *call)
{
    return blas_is_packed(call) || (call->family == FAMILY_HEMV && call->n < ONE_THREAD_ORDER);
}

static double host_rate(const struct machine_model *model, const struct blas_call *call, double operations)
{
    if (call->family >= FAMILY_GEMM)
        return level3_rate(model, call, operations);
    if (has_one_thread(call))
        return fmin((blas_is_packed(call) ? packed_part : 1) * one_thread_flops[call->type],
                    model->host_symmetric_flops[call->type]);
    return blas_is_symmetric(call) ? model->host_symmetric_flops[call->type] : model->host_flops[call->type];
}

static double bandwidth_of(const struct machine_model *model, double bytes)
{
    return bytes <= model->near_bytes    ? model->near_bandwidth
           : bytes <= model->cache_bytes ? model->cache_bandwidth
                                         : model->host_bandwidth;
}

/* Terms of a rank-k or rank-2k update; 0: the call is none. */
static double update_terms(const struct blas_call *call)
{
    const bool is_rank_2k = call->family == FAMILY_SYR2K || call->family == FAMILY_HER2K;
    return blas_is_update(call->family) ? (is_rank_2k ? 2.0 : 1.0) * (double)call->k : 0;
}

/* The built_in_ functions predict where nothing was learned. */
static double built_in_host_us(const struct machine_model *model, const struct blas_call *call,
                               const struct call_work *work)
{
    const double matrices = work->matrix_bytes, vectors = work->vector_bytes;
    const double operations = work->operations, bytes = matrices + vectors;
    const double columns = call->trans != TRANS_NONE ? 1 : call->family == FAMILY_GEMV ? gemv_columns
                           : call->family == FAMILY_TRMV ? trmv_columns : 1;
    const double memory_us = 1e6 * (columns * matrices + vectors) / bandwidth_of(model, bytes);
    const double compute_us = fmax(1e6 * operations / host_rate(model, call, operations),
                                   update_terms(call) * update_term_us[call->type]);
    const double start_us = fmin(model->host_start_us, has_one_thread(call) ? one_thread_us : HUGE_VAL);
    return start_us + fmax(memory_us, compute_us);
}

/* Steps that follow each other, whatever is done beside them. */
static double steps_us(const struct blas_call *call)
{
    const enum blas_type type = call->type;
    switch (call->family) {
    case FAMILY_GEMM: return product_step_us[type] * (double)call->k;
    case FAMILY_SYMM:
    case FAMILY_HEMM: return product_step_us[type] * (double)blas_side_order(call);
    case FAMILY_TRMM: return trmm_step_us[type] * (double)blas_side_order(call);
    case FAMILY_TRSM:
        return trsm_step_us[type] * (double)blas_side_order(call) *
               (call->diag == DIAG_UNIT ? unit_solving : 1);
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return update_step_us[type] * update_terms(call);
    default: return 0; /* of level 3 alone */
    }
}

/* Host writes are looked for while the kernel runs, if that writes to no matrix. */
static double kernel_and_scan_us(const struct machine_model *model, const struct blas_call *call,
                                 const struct call_work *work)
{
    const double bytes = work->matrix_bytes + work->vector_bytes;
    const double kernel_us = 1e6 * fmax(bytes / model->device_bandwidth,
                                        work->operations / model->device_flops[call->type]);
    const double scan_us = work->scanned_bytes * model->scan_us_per_byte;
    return call->c.pointer ? fmax(kernel_us, model->sharing * steps_us(call)) + scan_us
                           : fmax(kernel_us, scan_us);
}

static double level3_us(const struct machine_model *model, const struct blas_call *call)
{
    return (call->b.pointer ? model->third_operand_us : 0) + (update_terms(call) > 0 ? model->update_us : 0);
}

/* A service's clients stage results as they do operands, each by its own processors and over its part of the
 * link. */
static double result_us(const struct machine_model *model, const struct call_work *work, double home_us)
{
    const double staged_us = STAGED_RESULT_US + 1e6 * work->result_bytes / model->staged_bandwidth;
    return !model->is_served ? model->sharing * home_us : home_us > 0 ? fmax(home_us, staged_us) : 0;
}

static double built_in_resident_us(const struct machine_model *model, const struct blas_call *call,
                                   const struct call_work *work, double home_us)
{
    const double long_bytes = fmax(0, work->vector_bytes - short_vector_bytes);
    return model->call_us + level3_us(model, call) + kernel_and_scan_us(model, call, work) +
           1e6 * long_bytes / model->vector_bandwidth + result_us(model, work, home_us);
}

/* Products that the host cannot have finished sooner than the device begins, which is lower than the true
 * number: either of the two terms of its time has half of it at least. */
static double level3_products(const struct machine_model *model, enum blas_type type, double per_element)
{
    const double us = fmax(0, model->call_us - model->host_start_us), seconds = us * 1e-6;
    const double once = call_work_per_product(type) / model->host_flops[type];
    const double large = seconds / (2 * once);
    const double small = pow(seconds / (2 * once * most_effort * model->host_half_rate[type]) *
                                 cbrt(call_work_per_product(type) / 4), 1.5);
    /* Level 3 moves up to four elements for a product where a size is 1. */
    return fmin(fmin(large, small), seconds / (4 * per_element));
}

/* An update of a single element has up to two terms for a product. */
static double update_products(const struct machine_model *model, enum blas_type type, double per_element)
{
    const double us = fmax(0, model->call_us + model->update_us - model->host_start_us);
    return fmin(level3_products(model, type, per_element), us / (2 * update_term_us[type]));
}

static uint64_t built_in_floor(const struct machine_model *model, enum blas_family family, enum blas_type type)
{
    /* The host's work while the device only begins: elements of a matrix that are
     * used once or twice, whichever of memory and arithmetic holds it back, or products. */
    const double seconds = 1e-6 * fmax(0, model->call_us - model->host_start_us);
    const double per_product = call_work_per_product(type) / model->host_flops[type];
    const double one_thread = blas_full_family(family) != family ? packed_part * one_thread_flops[type]
                              : family == FAMILY_HEMV ? one_thread_flops[type] : HUGE_VAL;
    const double symmetric = call_work_per_product(type) / fmin(model->host_symmetric_flops[type], one_thread);
    /* A matrix that does not fit the cache would be read more slowly: a floor must be below either. */
    const bool near = seconds * model->near_bandwidth < model->near_bytes;
    const bool cached = seconds * model->cache_bandwidth < model->cache_bytes;
    const double per_element = (double)blas_element_bytes(type) /
        (near ? model->near_bandwidth : cached ? model->cache_bandwidth : model->host_bandwidth);
    const double with_vectors = 1.1; /* of an order that may be faster */
    switch (blas_full_family(family)) {
    case FAMILY_AXPY: return UINT64_MAX; /* three transfers against three passes over host memory */
    case FAMILY_GEMV: /* y may be as long as a column, read and written */
        return (uint64_t)(seconds / fmax((gemv_columns + 2) * per_element, per_product));
    case FAMILY_SYMV:
    case FAMILY_HEMV: return (uint64_t)sqrt(2 * seconds / fmax(with_vectors * per_element, 2 * symmetric));
    case FAMILY_TRMV:
        return (uint64_t)sqrt(2 * seconds / fmax(with_vectors * trmv_columns * per_element, per_product));
    case FAMILY_GEMM: return (uint64_t)level3_products(model, type, per_element);
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return (uint64_t)update_products(model, type, per_element);
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM: /* the third size is one of the two: at most their product */
        return (uint64_t)sqrt(level3_products(model, type, per_element));
    default: return UINT64_MAX;
    }
}

void crossover_use_learned(struct machine_model *model, const struct learned_times *learned)
{
    double least = model->sharing * learned_times_least_resident(learned);
    model->learned = learned;
    model->call_us = fmin(model->call_us, least); /* the built-in floors rest on it */
    if (model->is_served)
        model->wake_us = learned->served_wake_us > 0 ? learned->served_wake_us : model->wake_us;
    else if (learned->wake_us > 0)
        model->wake_us = model->sharing * learned->wake_us;
}

double crossover_copies_us(const struct machine_model *model, double bytes, bool trackable)
{
    const enum upload_way way = !trackable          ? UPLOAD_STAGED
                                : model->is_served  ? UPLOAD_SERVED
                                : model->huge_pages ? UPLOAD_PINNED_HUGE
                                                    : UPLOAD_PINNED;
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
    return model->is_served ? 0 : model->sharing * (result_home_us(call, false) - result_home_us(call, true));
}

/* Learned on a matrix without gaps that stays on the device. Through a service results come home staged. */
static double resident_us(const struct machine_model *model, const struct blas_call *call,
                          const struct predicted_times *times, bool trackable)
{
    const double home_us = result_home_us(call, trackable && !model->is_served);
    double us;
    if (model->learned && learned_times_resident(model->learned, times->timed, home_us, &us))
        return model->sharing * us + times->work.gap_bytes * model->scan_us_per_byte;
    return built_in_resident_us(model, call, &times->work, home_us);
}

struct predicted_times crossover_times(const struct machine_model *model, const struct blas_call *call)
{
    const struct timed_call unknown = {.class = TIMED_CLASS_NONE};
    struct predicted_times times = {.timed = model->learned ? timed_call_of(call) : unknown,
                                    .work = call_work_of(call)};
    if (!model->learned || !learned_times_host(model->learned, times.timed, &times.host_us))
        times.host_us = built_in_host_us(model, call, &times.work);
    times.resident_us = resident_us(model, call, &times, true);
    return times;
}

void crossover_charge_missing(const struct machine_model *model, const struct blas_call *call,
                              uint64_t missing_bytes, bool trackable, struct predicted_times *times)
{
    if (!trackable)
        times->resident_us = resident_us(model, call, times, false);
    times->upload_us = crossover_copies_us(model, (double)missing_bytes, trackable);
}

void crossover_charge_residency(const struct machine_model *model, const struct blas_call *call,
                                const struct residency *residency, struct predicted_times *times)
{
    const uint64_t missing = residency->resident ? 0 : residency->missing_bytes;
    crossover_charge_missing(model, call, missing - residency->pinned_bytes, residency->trackable, times);
    times->upload_us += crossover_copies_us(model, (double)residency->pinned_bytes, false);
    times->kept_us = crossover_copies_us(model, (double)residency->kept_bytes, true);
    if (residency->trackable && !residency->kept_bytes)
        times->new_output_us = crossover_new_output_us(model, call);
}

uint64_t crossover_floor(const struct machine_model *model, enum blas_family family, enum blas_type type)
{
    uint64_t built_in = built_in_floor(model, family, type), learned;
    if (!model->learned)
        return built_in;
    /* The built-in floor bounds the learned one, if a class is not learned. */
    bool complete = learned_times_floor(model->learned, family, type, &learned);
    return complete || learned < built_in ? learned : built_in;
}
