#include "tuner/crossover.h"
#include "common/processors.h"
#include "mirror/pins.h"

#include <math.h>

/* Design section 2: host dsymv n=8192 moves 268 MB in 2.1 ms on 16 cores, about
 * 8 GB/s a core up to what the memory gives. */
static const double host_bandwidth_per_core = 8e9, host_bandwidth_limit = 250e9;
static const double host_double_flops_per_core = 25e9;
/* OpenBLAS on 16 cores of Xeons with AVX-512 and 300 MB of cache: dgemm 0.47 to 0.78 TFLOP/s at
 * 512 to 1900 columns; dsymv of order 1600 to 3900 220 to 270 GB/s on one machine, by itself; on another,
 * in dsyevr and dsytrd of order 4096 and 8192, 110 to 140 (their reports, doc/residency.md). */
static const double cached_bandwidth_per_core = 10e9, widest_vectors_gain = 1.8;

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
        .host_bandwidth = fmin(host_cores * host_bandwidth_per_core, host_bandwidth_limit),
        .device_bandwidth = 0.8 * (device ? device->memory_bandwidth : 3.35e12),
        .link_bandwidth = 50e9,
        .staged_bandwidth = 5e9, /* 3 to 7 in LAPACK's programs, by what the processors' caches hold */
        .vector_bandwidth = 8e9,
        .call_us = 25,
        .scan_us_per_byte = 150.0 / (512 << 20), /* pages of 4 KiB: doc/residency.md */
        .pin_us_per_byte = 26e3 / (512 << 20),
        .wake_us = 400e3, /* 0.25 to 0.38 s on an H100 (reports of bench/programs) */
        .level3_wake_us = 70e3, /* there 0.07 to 0.1 s; 0.45 with the library's file not cached */
        .level3_first_us = 70e3, /* there dgemm 0.064 s, zher2k 0.084 */
    };
    for (int type = 0; type < TYPE_COUNT; type++) {
        model.host_flops[type] = host * per_type[type];
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
    model->cache_bytes = (double)cache_bytes / 2;
    model->cache_bandwidth = fmax(model->host_bandwidth, model->host_bandwidth / host_bandwidth_per_core *
                                                             cached_bandwidth_per_core);
}

struct machine_model crossover_model_here(const struct device_properties *device)
{
    struct machine_model model = crossover_builtin_model(device, processors_usable());
    crossover_use_processors(&model, processors_vector_bytes(), processors_cache_bytes());
    return model;
}

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

static double elements_touched(const struct blas_matrix *matrix)
{
    double rows = (double)matrix->rows, columns = (double)matrix->columns;
    if (!matrix->pointer)
        return 0;
    return matrix->part == PART_FULL ? rows * columns : columns * (columns + 1) / 2;
}

uint64_t crossover_matrix_bytes(const struct blas_call *call)
{
    double elements = elements_touched(&call->a) + elements_touched(&call->b) + elements_touched(&call->c);
    return (uint64_t)(elements * (double)blas_element_bytes(call->type));
}

/* The address range that a scan must cover, columns and the gaps between them. */
static double scanned_bytes(const struct blas_call *call)
{
    const struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    double elements = 0;
    for (int i = 0; i < 3; i++)
        if (matrices[i]->pointer)
            elements += (double)matrices[i]->ld * (double)matrices[i]->columns;
    return elements * (double)blas_element_bytes(call->type);
}

static double vector_bytes(const struct blas_call *call)
{
    double lengths = (double)call->x.length + 2.0 * (double)call->y.length;
    if (call->family == FAMILY_TRMV)
        lengths *= 2;
    return lengths * (double)blas_element_bytes(call->type);
}

/* Of one multiplication and addition. */
static double operations_per_product(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z ? 8 : 2;
}

static double operations(const struct blas_call *call)
{
    double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    double multiply_add = operations_per_product(call->type);
    switch (call->family) {
    case FAMILY_AXPY: return n * multiply_add;
    case FAMILY_GEMV: return m * n * multiply_add;
    case FAMILY_SYMV:
    case FAMILY_HEMV: return n * n * multiply_add;
    case FAMILY_TRMV: return n * n / 2 * multiply_add;
    case FAMILY_GEMM: return m * n * k * multiply_add;
    case FAMILY_SYMM:
    case FAMILY_HEMM: return m * n * (double)blas_side_order(call) * multiply_add;
    case FAMILY_SYRK:
    case FAMILY_HERK: return n * n * k / 2 * multiply_add;
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return n * n * k * multiply_add;
    case FAMILY_TRMM:
    case FAMILY_TRSM: return m * n * (double)blas_side_order(call) / 2 * multiply_add;
    case FAMILY_COUNT: break;
    }
    return 0;
}

/* Of what a scan covers, the bytes between columns. */
static double gap_bytes(const struct blas_call *call)
{
    const struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    double elements = 0;
    for (int i = 0; i < 3; i++)
        if (matrices[i]->pointer)
            elements += (double)(matrices[i]->ld - matrices[i]->rows) * (double)matrices[i]->columns;
    return elements * (double)blas_element_bytes(call->type);
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

static double builtin_host_us(const struct machine_model *model, const struct blas_call *call)
{
    double bytes = (double)crossover_matrix_bytes(call) + vector_bytes(call);
    double bandwidth = bytes <= model->cache_bytes ? model->cache_bandwidth : model->host_bandwidth;
    return 1e6 * fmax(bytes / bandwidth, operations(call) / model->host_flops[call->type]);
}

static double written_bytes(const struct blas_call *call)
{
    return elements_touched(&call->c) * (double)blas_element_bytes(call->type);
}

/* To bring the result back, by DMA where it is large enough to be pinned. */
static double written_us(const struct machine_model *model, const struct blas_call *call, bool pinned)
{
    const double bytes = written_bytes(call);
    double us;
    if (model->learned && result_times_at(&model->learned->result, call, pinned, &us))
        return us;
    const bool by_dma = pinned && (double)call->c.ld * (double)call->c.columns *
                                          (double)blas_element_bytes(call->type) >= PIN_BYTES_MIN;
    return 1e6 * bytes / (by_dma ? model->link_bandwidth : model->staged_bandwidth);
}

double crossover_new_output_us(const struct machine_model *model, const struct blas_call *call)
{
    return written_us(model, call, false) - written_us(model, call, true);
}

/* Where nothing is written to a matrix, host writes are looked for while the kernel runs. */
static double kernel_and_scan_us(const struct machine_model *model, const struct blas_call *call, double bytes)
{
    const double kernel_us =
        1e6 * fmax(bytes / model->device_bandwidth, operations(call) / model->device_flops[call->type]);
    const double scan_us = scanned_bytes(call) * model->scan_us_per_byte;
    return call->c.pointer ? kernel_us + scan_us : fmax(kernel_us, scan_us);
}

static double builtin_resident_us(const struct machine_model *model, const struct blas_call *call,
                                  bool trackable)
{
    double vectors = vector_bytes(call), bytes = (double)crossover_matrix_bytes(call) + vectors;
    return model->call_us + kernel_and_scan_us(model, call, bytes) + 1e6 * vectors / model->vector_bandwidth +
           written_us(model, call, trackable);
}

/* Learned on a matrix without gaps that stays on the device. */
static bool learned_resident_us(const struct machine_model *model, const struct blas_call *call,
                                bool trackable, double *us)
{
    double result_us;
    if (!model->learned || !learned_times_resident(model->learned, call, trackable, us))
        return false;
    *us += gap_bytes(call) * model->scan_us_per_byte;
    if (!trackable && !result_times_at(&model->learned->result, call, trackable, &result_us))
        *us += copies_us(model, written_bytes(call), false);
    return true;
}

struct predicted_times crossover_predict(const struct machine_model *model, const struct blas_call *call,
                                         uint64_t missing_bytes, bool trackable)
{
    struct predicted_times times;
    if (!model->learned || !learned_times_host(model->learned, call, &times.host_us))
        times.host_us = builtin_host_us(model, call);
    if (!learned_resident_us(model, call, trackable, &times.resident_us))
        times.resident_us = builtin_resident_us(model, call, trackable);
    times.upload_us = copies_us(model, (double)missing_bytes, trackable);
    return times;
}

static uint64_t builtin_floor(const struct machine_model *model, enum blas_family family, enum blas_type type)
{
    /* What the host gets done while the device only begins: elements of a matrix that are
     * used once or twice, whichever of memory and arithmetic holds it back, or products. */
    double per_product = operations_per_product(type) / model->host_flops[type];
    /* What does not fit the cache would be read more slowly: a floor must be below either. */
    const bool cached = model->call_us * 1e-6 * model->cache_bandwidth < model->cache_bytes;
    double per_element = (double)blas_element_bytes(type) / (cached ? model->cache_bandwidth : model->host_bandwidth);
    double once = model->call_us * 1e-6 / fmax(per_element, per_product);
    double twice = model->call_us * 1e-6 / fmax(per_element, 2 * per_product);
    /* Level 3 moves up to four elements for a product where a size is 1. */
    double products = model->call_us * 1e-6 / fmax(4 * per_element, per_product);
    switch (family) {
    case FAMILY_AXPY: return UINT64_MAX; /* three transfers against three passes over host memory */
    case FAMILY_GEMV: return (uint64_t)once;
    case FAMILY_SYMV:
    case FAMILY_HEMV: return (uint64_t)sqrt(2 * twice);
    case FAMILY_TRMV: return (uint64_t)sqrt(2 * once);
    case FAMILY_GEMM:
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return (uint64_t)products;
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM: return (uint64_t)sqrt(products); /* the third size is one of the two: at most their product */
    case FAMILY_COUNT: break;
    }
    return UINT64_MAX;
}

uint64_t crossover_floor(const struct machine_model *model, enum blas_family family, enum blas_type type)
{
    uint64_t built_in = builtin_floor(model, family, type), learned;
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
