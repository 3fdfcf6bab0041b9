#include "command/tune/crossover_table.h"

#include <math.h>

enum { POINTS = 60 };

static bool is_known(const struct learned_times *times, int class)
{
    return timed_class_exists(class) && times->host[class].count > 0 && times->resident[class].count > 0;
}

/* n, for gemv sqrt(m n); of level 3 the largest of its sizes. */
static double size_of(int class, double amount)
{
    const struct blas_call call = timed_class_call(class, amount);
    switch (call.family) {
    case FAMILY_AXPY: return amount;
    case FAMILY_GEMV:
    case FAMILY_SYMV:
    case FAMILY_HEMV:
    case FAMILY_TRMV: return sqrt(amount);
    default: return fmax((double)call.m, fmax((double)call.n, (double)call.k));
    }
}

static double matrix_elements(int class, double amount)
{
    const struct blas_call call = timed_class_call(class, amount);
    const double m = (double)call.m, n = (double)call.n, k = (double)call.k;
    const double order = (double)blas_side_order(&call);
    switch (timed_class_shared(call.family)) {
    case FAMILY_AXPY: return 0;
    case FAMILY_GEMV: return amount;
    case FAMILY_GEMM: return m * k + k * n + m * n;
    case FAMILY_SYRK:
    case FAMILY_HERK: return n * k + n * n / 2;
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return 2 * n * k + n * n / 2;
    case FAMILY_SYMM: return order * order / 2 + 2 * m * n;
    case FAMILY_TRMM:
    case FAMILY_TRSM: return order * order / 2 + m * n;
    default: return amount / 2;
    }
}

static double host_us(const struct learned_times *times, int class, double amount)
{
    return time_curve_at(&times->host[class], TIME_SHRINKS, amount);
}

static double resident_us(const struct learned_times *times, int class, double amount)
{
    return learned_times_device(times, class, amount);
}

/* The first call with a matrix: it is uploaded, pinned, by the faster way that was learned. */
static double cold_us(const struct learned_times *times, int class, double amount)
{
    const double element = (double)blas_element_bytes(timed_class_type(class));
    const double bytes = matrix_elements(class, amount) * element;
    double pinned = INFINITY, huge = INFINITY;
    if (bytes <= 0)
        return resident_us(times, class, amount);
    learned_times_upload(times, UPLOAD_PINNED, bytes, &pinned);
    learned_times_upload(times, UPLOAD_PINNED_HUGE, bytes, &huge);
    const double upload = fmin(pinned, huge);
    return isfinite(upload) ? resident_us(times, class, amount) + upload : NAN;
}

/* From the least sample of either side to the greatest. */
static void range_of(const struct learned_times *times, int class, double *low, double *high)
{
    const struct time_curve *host = &times->host[class], *device = &times->resident[class];
    *low = fmin(host->samples[0].amount, device->samples[0].amount);
    *high = fmax(host->samples[host->count - 1].amount, device->samples[device->count - 1].amount);
}

/* The least size on a fine ladder at which `device` is below the host; infinity: never there. */
static double border(const struct learned_times *times, int class,
                     double (*device)(const struct learned_times *, int, double))
{
    double low, high;
    range_of(times, class, &low, &high);
    for (double amount = low; amount <= high; amount *= 1.02)
        if (device(times, class, amount) < host_us(times, class, amount))
            return size_of(class, amount);
    return INFINITY;
}

static void put_border(char *text, size_t room, double size)
{
    if (isfinite(size))
        snprintf(text, room, "%.0f", size);
    else
        snprintf(text, room, "never");
}

void crossover_table(FILE *stream, const struct learned_times *times)
{
    char name[TIMED_CLASS_NAME], resident[24], cold[24];
    fprintf(stream,
            "crossovers against %s, %d threads: calls gain on the device from this n on\n"
            "(gemv: sqrt(m n), level 3: its largest size)\n\n",
            times->host_blas[0] ? times->host_blas : "an unknown host BLAS", times->host_threads);
    fprintf(stream, "%-24s %10s %12s\n", "class", "resident", "with upload");
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_known(times, class))
            continue;
        put_border(resident, sizeof resident, border(times, class, resident_us));
        put_border(cold, sizeof cold, border(times, class, cold_us));
        fprintf(stream, "%-24s %10s %12s\n", timed_class_name(class, name), resident, cold);
    }
}

void crossover_curves(FILE *stream, const struct learned_times *times)
{
    char name[TIMED_CLASS_NAME];
    fputs("class,size,host_us,resident_us,upload_us\n", stream);
    for (int class = 0; class < TIMED_CLASSES; class++) {
        double low, high;
        if (!is_known(times, class))
            continue;
        range_of(times, class, &low, &high);
        for (int i = 0; i < POINTS; i++) {
            const double amount = low * pow(high / low, (double)i / (POINTS - 1)), cold = cold_us(times, class, amount);
            fprintf(stream, "%s,%.4g,%.4g,%.4g,", timed_class_name(class, name), size_of(class, amount),
                    host_us(times, class, amount), resident_us(times, class, amount));
            if (isfinite(cold))
                fprintf(stream, "%.4g", cold);
            fputc('\n', stream);
        }
    }
}
