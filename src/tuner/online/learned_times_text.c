/* The lines of learned_times.h. */
#include "tuner/online/learned_times.h"

#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double greatest = 1e18;

static const char *const way_names[UPLOAD_WAYS] = {"pinned", "pinned-huge", "staged"};

/* Samples as "AMOUNT US AMOUNT US ...", ascending, to the end of the line. */
static bool read_curve(struct line_reader *reader, struct time_curve *curve)
{
    double amount = 0, us, least = 0;
    if (curve->count)
        return line_reader_fault(reader, "a curve a second time");
    do {
        if (!line_reader_decimal(reader, 1, greatest, &amount) || !line_reader_decimal(reader, 1e-6,
                                                                                       greatest, &us))
            return false;
        if (amount <= least)
            return line_reader_fault(reader, "amounts do not ascend");
        if (!time_curve_add(curve, amount, us))
            return line_reader_fault(reader, "more than %d samples", TIME_CURVE_SAMPLES);
        least = amount;
    } while (reader->at < reader->stop);
    return true;
}

static bool read_figure(struct line_reader *reader, double *figure)
{
    if (*figure != 0)
        return line_reader_fault(reader, "a figure a second time");
    return line_reader_decimal(reader, 1e-12, greatest, figure) && line_reader_end(reader);
}

static bool read_host_blas(struct line_reader *reader, struct learned_times *times)
{
    if (times->host_blas[0])
        return line_reader_fault(reader, "a host BLAS a second time");
    return line_reader_rest(reader, times->host_blas, sizeof times->host_blas);
}

static bool read_host_threads(struct line_reader *reader, struct learned_times *times)
{
    int64_t threads;
    if (times->host_threads)
        return line_reader_fault(reader, "a number of threads a second time");
    if (!line_reader_integer(reader, 1, 1 << 20, &threads) || !line_reader_end(reader))
        return false;
    times->host_threads = (int)threads;
    return true;
}

static bool read_class(struct line_reader *reader, int *class)
{
    char name[TIMED_CLASS_NAME];
    if (!line_reader_name(reader, name, sizeof name))
        return false;
    *class = timed_class_parse(name);
    return *class != TIMED_CLASS_NONE ||
           line_reader_fault(reader, "there is no class of calls '%s'", name);
}

/* One factor for each set of the class. */
static bool read_factors(struct line_reader *reader, int sets, double *factors)
{
    static const double least = 1. / FLAG_FACTOR_MOST;
    if (factors[0] > 0)
        return line_reader_fault(reader, "factors a second time");
    for (int set = 0; set < sets; set++)
        if (!line_reader_decimal(reader, least, FLAG_FACTOR_MOST, &factors[set]))
            return false;
    return line_reader_end(reader);
}

static bool read_upload(struct line_reader *reader, struct learned_times *times)
{
    for (int way = 0; way < UPLOAD_WAYS; way++)
        if (line_reader_is(reader, way_names[way]))
            return read_curve(reader, &times->upload[way]);
    return line_reader_fault(reader, "there is no such way");
}

static bool read_line(struct line_reader *reader, struct learned_times *times)
{
    int class;
    if (line_reader_is(reader, "host-blas"))
        return read_host_blas(reader, times);
    if (line_reader_is(reader, "host-threads"))
        return read_host_threads(reader, times);
    if (line_reader_is(reader, "wake"))
        return read_figure(reader, &times->wake_us);
    if (line_reader_is(reader, "links-together"))
        return read_figure(reader, &times->links_part);
    if (line_reader_is(reader, "upload"))
        return read_upload(reader, times);
    if (line_reader_is(reader, "flags"))
        return read_class(reader, &class) && read_factors(reader, flag_sets_of(class), times->flags[class]);
    if (line_reader_is(reader, "narrow-shares") || line_reader_is(reader, "result") ||
        line_reader_is(reader, "scan"))
        return true; /* of older recipes */
    if (line_reader_is(reader, "device-sets"))
        return read_class(reader, &class) &&
               read_factors(reader, device_sets_of(class), times->device_sets[class]);
    if (line_reader_is(reader, "route"))
        return route_factors_read(reader, &times->routes);
    if (line_reader_is(reader, "host"))
        return read_class(reader, &class) && read_curve(reader, &times->host[class]);
    return line_reader_word(reader, "device") && read_class(reader, &class) &&
           read_curve(reader, &times->resident[class]);
}

bool learned_times_parse(struct learned_times *times, const char *text, char fault[LEARNED_FAULT_BYTES])
{
    struct line_reader reader;
    memset(times, 0, sizeof *times);
    line_reader_begin(&reader, text, strlen(text));
    while (line_reader_next(&reader))
        if (!read_line(&reader, times))
            break;
    if (*reader.fault) {
        snprintf(fault, LEARNED_FAULT_BYTES, "crossover %s", reader.fault);
        return false;
    }
    return true;
}

static void write_curve(FILE *stream, const char *side, const char *name, const struct time_curve *curve)
{
    if (curve->count == 0)
        return;
    fprintf(stream, "%s %s", side, name);
    for (int i = 0; i < curve->count; i++)
        fprintf(stream, " %.10g %.4g", curve->samples[i].amount, curve->samples[i].us);
    fputc('\n', stream);
}

static void write_factors(FILE *stream, const char *what, const char *name, const double *factors, int sets)
{
    if (!(factors[0] > 0) || sets == 1)
        return;
    fprintf(stream, "%s %s", what, name);
    for (int set = 0; set < sets; set++)
        fprintf(stream, " %.3g", factors[set]);
    fputc('\n', stream);
}

static void write_lines(const struct learned_times *times, FILE *stream)
{
    char name[TIMED_CLASS_NAME];
    if (times->host_blas[0])
        fprintf(stream, "host-blas %s\n", times->host_blas);
    if (times->host_threads)
        fprintf(stream, "host-threads %d\n", times->host_threads);
    if (times->wake_us > 0)
        fprintf(stream, "wake %.4g\n", times->wake_us);
    if (times->links_part > 0)
        fprintf(stream, "links-together %.3g\n", times->links_part);
    for (int way = 0; way < UPLOAD_WAYS; way++)
        write_curve(stream, "upload", way_names[way], &times->upload[way]);
    route_factors_write(stream, &times->routes);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class)) {
            write_curve(stream, "host", timed_class_name(class, name), &times->host[class]);
            write_factors(stream, "flags", name, times->flags[class], flag_sets_of(class));
            write_curve(stream, "device", name, &times->resident[class]);
            write_factors(stream, "device-sets", name, times->device_sets[class], device_sets_of(class));
        }
}

char *learned_times_text(const struct learned_times *times)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    const locale_t locale = plain_locale_begin();
    write_lines(times, stream);
    plain_locale_end(locale);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
