#include "command/crossover_chart.h"

#include "command/chart.h"

#include <math.h>

enum { COLUMNS_LEAST = 3, COLUMNS = 4, AREA_WIDTH = 230, AREA_HEIGHT = 170, STEP_X = 310, STEP_Y = 250 };
enum { LEFT = 60, TOP = 70, POINTS = 60 };

static const struct svg_pen host_pen = {"#2f5fd0", 1.8, NULL}, resident_pen = {"#d02020", 1.8, NULL},
                            cold_pen = {"#d02020", 1.2, "5 3"};

const char *crossover_family_name(enum blas_family family)
{
    static const char *const names[FAMILY_COUNT] = {
        [FAMILY_AXPY] = "axpy",   [FAMILY_GEMV] = "gemv",   [FAMILY_SYMV] = "symv", [FAMILY_HEMV] = "hemv",
        [FAMILY_TRMV] = "trmv",   [FAMILY_GEMM] = "gemm",   [FAMILY_SYMM] = "symm", [FAMILY_HEMM] = "hemm",
        [FAMILY_SYRK] = "syrk",   [FAMILY_HERK] = "herk",   [FAMILY_SYR2K] = "syr2k",
        [FAMILY_HER2K] = "her2k", [FAMILY_TRMM] = "trmm",   [FAMILY_TRSM] = "trsm"};
    return names[family] ? names[family] : "other";
}

static bool is_shown(const struct learned_times *times, enum blas_family family, int class)
{
    return timed_class_exists(class) && timed_class_family(class) == family &&
           (times->host[class].count > 0 || times->resident[class].count > 0);
}

int crossover_chart_panels(const struct learned_times *times, enum blas_family family)
{
    int panels = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        panels += is_shown(times, family, class);
    return panels;
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
    return times->host[class].count > 0 ? time_curve_at(&times->host[class], TIME_SHRINKS, amount) : NAN;
}

static double resident_us(const struct learned_times *times, int class, double amount)
{
    return times->resident[class].count > 0 ? learned_times_device(times, class, amount) : NAN;
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

static void widen(const struct time_curve *curve, double *low, double *high)
{
    if (curve->count == 0)
        return;
    *low = fmin(*low, curve->samples[0].amount);
    *high = fmax(*high, curve->samples[curve->count - 1].amount);
}

/* The least size on a fine ladder at which `device` is below the host; infinity: never there. */
static double border(const struct learned_times *times, int class,
                     double (*device)(const struct learned_times *, int, double))
{
    double low = INFINITY, high = 0;
    widen(&times->host[class], &low, &high);
    widen(&times->resident[class], &low, &high);
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

static void draw_panel(FILE *stream, const struct learned_times *times, int class, int place)
{
    double low = INFINITY, high = 0, least = INFINITY, most = 0;
    double sizes[POINTS], host[POINTS], resident[POINTS], cold[POINTS];
    char title[100], name[TIMED_CLASS_NAME], border_text[24];
    widen(&times->host[class], &low, &high);
    widen(&times->resident[class], &low, &high);
    for (int i = 0; i < POINTS; i++) {
        const double amount = low * pow(high / low, (double)i / (POINTS - 1));
        sizes[i] = size_of(class, amount);
        host[i] = host_us(times, class, amount);
        resident[i] = resident_us(times, class, amount);
        cold[i] = cold_us(times, class, amount);
        least = fmin(least, fmin(host[i], resident[i])); /* fmin and fmax pass over NaN */
        most = fmax(most, fmax(host[i], fmax(resident[i], cold[i])));
    }
    const struct blas_call call = timed_class_call(class, high);
    const char *const label = call.family == FAMILY_GEMV ? "sqrt(m n)" : "n";
    const struct chart chart = {stream, LEFT + place % COLUMNS * STEP_X, TOP + place / COLUMNS * STEP_Y,
                                AREA_WIDTH, AREA_HEIGHT,
                                {sizes[0], sizes[POINTS - 1] * 1.01, SCALE_BINARY, label},
                                {least / 1.5, most * 1.5, SCALE_DECIMAL, "microseconds"}};
    put_border(border_text, sizeof border_text, border(times, class, resident_us));
    snprintf(title, sizeof title, "%s (%s)", timed_class_name(class, name), border_text);
    chart_frame(&chart, title);
    chart_curve(&chart, sizes, cold, POINTS, &cold_pen, false);
    chart_curve(&chart, sizes, resident, POINTS, &resident_pen, false);
    chart_curve(&chart, sizes, host, POINTS, &host_pen, false);
}

void crossover_chart(FILE *stream, const struct learned_times *times, enum blas_family family)
{
    const struct chart_key keys[] = {{host_pen, "host", false}, {resident_pen, "device, resident", false},
                                     {cold_pen, "device, with upload", false}};
    const int panels = crossover_chart_panels(times, family), rows = (panels + COLUMNS - 1) / COLUMNS;
    const int columns = panels < COLUMNS ? COLUMNS_LEAST : COLUMNS; /* the heading wants room */
    char heading[400];
    int place = 0;
    svg_begin(stream, LEFT + columns * STEP_X, TOP + rows * STEP_Y);
    snprintf(heading, sizeof heading,
             "%s against %s, %d threads; in brackets: resident calls gain from this n on",
             crossover_family_name(family), times->host_blas[0] ? times->host_blas : "an unknown host BLAS",
             times->host_threads);
    svg_text(stream, (struct svg_point){12, 20}, SVG_START, 13, 0, heading);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        chart_legend(stream, (struct svg_point){12 + 180 * (double)i, 38}, &keys[i], 1);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (is_shown(times, family, class))
            draw_panel(stream, times, class, place++);
    svg_end(stream);
}

void crossover_summary(FILE *stream, const struct learned_times *times)
{
    char name[TIMED_CLASS_NAME], resident[24], cold[24];
    fprintf(stream,
            "\ncrossovers against %s, %d threads: calls gain on the device from this n on\n"
            "(gemv: sqrt(m n), level 3: its largest size)\n\n",
            times->host_blas[0] ? times->host_blas : "an unknown host BLAS", times->host_threads);
    fprintf(stream, "%-24s %10s %12s\n", "class", "resident", "with upload");
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class) || times->host[class].count == 0 || times->resident[class].count == 0)
            continue;
        put_border(resident, sizeof resident, border(times, class, resident_us));
        put_border(cold, sizeof cold, border(times, class, cold_us));
        fprintf(stream, "%-24s %10s %12s\n", timed_class_name(class, name), resident, cold);
    }
}
