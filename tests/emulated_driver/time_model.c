#include "emulated_driver/time_model.h"

#include "emulated_driver/internal.h"
#include "gpu/kernels/arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIMA_MAX = 128, LARGE_COPY = 8 << 20, WORD = 64, MANY_OPERATIONS = 1000000 };

struct optimum {
    char kernel[WORD];
    double length;
    double edge, threads, columns, team, variant;
};

/* How long a kernel of LAPACK's routines takes. */
struct duration {
    char kernel[WORD];
    double seconds;
};

static struct {
    bool is_read, is_on;
    double bandwidth, latency, noise, outlier_part, outlier_factor;
    double throttle_first, throttle_last, throttle_factor;
    double execute, wrong_edge, wrong_columns;
    struct optimum optima[OPTIMA_MAX];
    struct duration durations[OPTIMA_MAX];
    int count, duration_count;
    double clocks[DEVICES_MAX];
    unsigned long launches;
    uint64_t random_state;
} model = {.bandwidth = 3e12, .latency = 3e-6, .execute = HUGE_VAL};

static void read_part(const char *part)
{
    struct optimum *optimum = &model.optima[model.count < OPTIMA_MAX ? model.count : 0];
    if (sscanf(part, " optimum %63s %lf %lf %lf %lf %lf %lf", optimum->kernel, &optimum->length,
               &optimum->edge, &optimum->threads, &optimum->columns, &optimum->team,
               &optimum->variant) == 7 &&
        model.count < OPTIMA_MAX) {
        model.count++;
        return;
    }
    struct duration duration;
    if (sscanf(part, " takes %63s %lf", duration.kernel, &duration.seconds) == 2 &&
        model.duration_count < OPTIMA_MAX) {
        model.durations[model.duration_count++] = duration;
        return;
    }
    if (sscanf(part, " bandwidth %lf", &model.bandwidth) == 1 ||
        sscanf(part, " latency %lf", &model.latency) == 1 || sscanf(part, " noise %lf", &model.noise) == 1 ||
        sscanf(part, " execute %lf", &model.execute) == 1 ||
        sscanf(part, " outliers %lf %lf", &model.outlier_part, &model.outlier_factor) == 2 ||
        sscanf(part, " wrong %lf %lf", &model.wrong_edge, &model.wrong_columns) == 2 ||
        sscanf(part, " throttle %lf %lf %lf", &model.throttle_first, &model.throttle_last,
               &model.throttle_factor) == 3)
        return;
    if (part[strspn(part, " \n")])
        emulated_abort("EMULATED_TIME: '%s' is not a part of a time model", part);
}

bool time_model_is_on(void)
{
    if (model.is_read)
        return model.is_on;
    model.is_read = true;
    const char *text = getenv("EMULATED_TIME");
    model.is_on = text && *text;
    char *copy = model.is_on ? strdup(text) : NULL, *rest = copy;
    for (char *part; copy && (part = strsep(&rest, ";"));)
        read_part(part);
    free(copy);
    model.random_state = options()->seed + 77;
    return model.is_on;
}

static bool is_vector(const struct kernel *kernel)
{
    return kernel->argument_bytes == sizeof(struct vector_arguments);
}

static bool is_matrix(const struct kernel *kernel)
{
    return kernel->argument_bytes == sizeof(struct matrix_vector_arguments);
}

static double element_bytes(const struct kernel *kernel)
{
    switch (kernel->name[0]) {
    case 's': return 4;
    case 'z': case 'w': return 16;
    default: return 8;
    }
}

/* sqrt(rows * columns), and the bytes that must be moved. */
static double length_of(const struct kernel *kernel, const void *arguments, double *bytes)
{
    const double element = element_bytes(kernel);
    if (is_vector(kernel)) {
        const double count = (double)((const struct vector_arguments *)arguments)->count;
        *bytes = 3 * count * element;
        return sqrt(count);
    }
    const struct matrix_vector_arguments *given = arguments;
    const double elements = (double)given->rows * (double)given->columns;
    *bytes = (given->form == FORM_FULL ? elements : elements / 2) * element;
    return sqrt(elements);
}

static double steps_apart(double a, double b)
{
    return fabs(log2(a / b));
}

static double penalty(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads,
                      double length)
{
    const struct optimum *optimum = model.optima;
    while (optimum < model.optima + model.count &&
           (strncmp(kernel->name, optimum->kernel, strlen(optimum->kernel)) != 0 || length > optimum->length))
        optimum++;
    if (optimum == model.optima + model.count)
        return 1;
    double factor = 1 + 0.08 * steps_apart(threads, optimum->threads);
    if (is_vector(kernel))
        return factor;
    const struct matrix_vector_arguments *given = arguments;
    factor *= 1 + 0.15 * steps_apart(given->edge, optimum->edge);
    factor *= 1 + 0.05 * steps_apart(given->mapping.leaf_columns, optimum->columns);
    factor *= given->mapping.team_groups == optimum->team ? 1 : 1.1;
    factor *= given->variant == optimum->variant ? 1 : 1.2;
    factor *= blocks < given->items ? 1.04 : 1;
    return factor * (given->mapping.order == ORDER_DOWN ? 1 : 1.03);
}

static double uniform(void)
{
    return (double)(random_next(&model.random_state) >> 11) * 0x1p-53;
}

/* A nearly normal number, with standard deviation 1. */
static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

static double duration_of(const struct kernel *kernel)
{
    for (int i = 0; i < model.duration_count; i++)
        if (strncmp(kernel->name, model.durations[i].kernel, strlen(model.durations[i].kernel)) == 0)
            return model.durations[i].seconds;
    return 0;
}

bool time_model_launch(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads)
{
    double bytes;
    if (!time_model_is_on())
        return true;
    if (!is_vector(kernel) && !is_matrix(kernel)) {
        model.clocks[stream_running_device()] += duration_of(kernel);
        return model.duration_count == 0;
    }
    const double length = length_of(kernel, arguments, &bytes);
    double seconds =
        (model.latency + bytes / model.bandwidth) * penalty(kernel, arguments, blocks, threads, length);
    seconds *= 1 + model.noise * normal();
    model.launches++;
    if (model.outlier_part > 0 && uniform() < model.outlier_part)
        seconds *= model.outlier_factor;
    if ((double)model.launches >= model.throttle_first && (double)model.launches <= model.throttle_last)
        seconds *= model.throttle_factor;
    model.clocks[stream_running_device()] += seconds;
    if (is_vector(kernel))
        return length <= model.execute;
    const struct matrix_vector_arguments *given = arguments;
    return (double)given->rows <= model.execute && (double)given->columns <= model.execute;
}

bool time_model_spoils(const struct kernel *kernel, const void *arguments)
{
    if (!time_model_is_on() || !is_matrix(kernel))
        return false;
    const struct matrix_vector_arguments *given = arguments;
    return given->edge == model.wrong_edge && given->mapping.leaf_columns == model.wrong_columns;
}

bool time_model_copies(size_t bytes)
{
    return !time_model_is_on() || bytes < LARGE_COPY || model.execute == HUGE_VAL;
}

bool time_model_computes(double operations)
{
    return !time_model_is_on() || model.duration_count == 0 || operations < MANY_OPERATIONS;
}

/* HUGE_VAL takes no time. */
void time_model_work(double operations)
{
    const CUdevice device = stream_running_device();
    if (device >= 0)
        model.clocks[device] += operations / device_kind(device)->compute;
}

void time_model_copy(size_t bytes)
{
    const CUdevice device = stream_running_device();
    if (device >= 0)
        model.clocks[device] += (double)bytes / device_kind(device)->link;
}

bool time_model_has_clock(void)
{
    return time_model_is_on() || getenv("EMULATED_LINK") || getenv("EMULATED_COMPUTE");
}

double time_model_clock(CUdevice device)
{
    return model.clocks[device];
}
