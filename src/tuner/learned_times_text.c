/* The lines of learned_times.h. The command that writes them never leaves the C locale; the program
 * that reads them may have another, hence no strtod. */
#include "tuner/learned_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const way_names[UPLOAD_WAYS] = {"pinned", "pinned-huge", "staged"};

/* Digits, at most one point, an exponent. False: that is no positive finite number. */
static bool read_number(const char **text, double *value)
{
    const char *at = *text;
    double number = 0, scale = 1;
    int digits = 0, exponent = 0;
    for (; *at >= '0' && *at <= '9'; at++, digits++)
        number = 10 * number + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, digits++) {
            number = 10 * number + (*at - '0');
            scale *= 10;
        }
    if (digits == 0 || digits > 40)
        return false;
    if (*at == 'e') {
        bool negative = at[1] == '-';
        at += negative || at[1] == '+' ? 2 : 1;
        for (digits = 0; *at >= '0' && *at <= '9' && digits < 3; at++, digits++)
            exponent = 10 * exponent + (*at - '0');
        if (digits == 0)
            return false;
        exponent = negative ? -exponent : exponent;
    }
    *value = number / scale * pow(10, exponent);
    *text = at;
    return *value > 0 && isfinite(*value);
}

/* Samples as " AMOUNT:US AMOUNT:US...", ascending, to the end of the text. */
static bool read_curve(const char *text, struct time_curve *curve, const char **reason)
{
    *reason = "a curve comes twice";
    if (curve->count)
        return false;
    while (*text == ' ') {
        double amount, us;
        text++;
        *reason = "a sample is not AMOUNT:MICROSECONDS, both positive";
        if (!read_number(&text, &amount) || *text++ != ':' || !read_number(&text, &us))
            return false;
        *reason = "samples do not ascend";
        if (curve->count && amount <= curve->samples[curve->count - 1].amount)
            return false;
        *reason = "a curve has too many samples";
        if (!time_curve_add(curve, amount, us))
            return false;
    }
    *reason = "a curve has no samples, or something behind them";
    return *text == '\0' && curve->count > 0;
}

static bool read_figure(const char *text, double *figure, const char **reason)
{
    *reason = "a figure is not one positive number, or comes twice";
    return *figure == 0 && read_number(&text, figure) && *text == '\0';
}

static bool read_host_blas(struct learned_times *times, const char *path, const char **reason)
{
    *reason = "the host BLAS is no path, too long, or comes twice";
    if (times->host_blas[0] || !*path || strlen(path) >= sizeof times->host_blas)
        return false;
    strcpy(times->host_blas, path);
    return true;
}

static bool read_host_threads(struct learned_times *times, const char *text, const char **reason)
{
    double threads = times->host_threads;
    if (!read_figure(text, &threads, reason))
        return false;
    *reason = "the number of host threads is none";
    if (threads < 1 || threads > 1e6 || threads != floor(threads))
        return false;
    times->host_threads = (int)threads;
    return true;
}

/* The word at *text into `word`; *text then at the blank behind it or at the end. */
static bool take_word(const char **text, char word[TIMED_CLASS_NAME])
{
    size_t length = strcspn(*text, " ");
    if (length == 0 || length >= TIMED_CLASS_NAME)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

static bool read_class_curve(struct time_curve *curves, const char *text, const char **reason)
{
    char name[TIMED_CLASS_NAME];
    *reason = "there is no such class of calls";
    int class = take_word(&text, name) ? timed_class_parse(name) : TIMED_CLASS_NONE;
    return class != TIMED_CLASS_NONE && read_curve(text, &curves[class], reason);
}

static bool read_upload_curve(struct learned_times *times, const char *text, const char **reason)
{
    char name[TIMED_CLASS_NAME];
    *reason = "there is no such way of uploading";
    if (!take_word(&text, name))
        return false;
    for (int way = 0; way < UPLOAD_WAYS; way++)
        if (strcmp(name, way_names[way]) == 0)
            return read_curve(text, &times->upload[way], reason);
    return false;
}

bool learned_times_read(struct learned_times *times, const char *line, const char **reason)
{
    char word[TIMED_CLASS_NAME];
    *reason = "a line has no value";
    if (!take_word(&line, word) || *line++ != ' ')
        return false;
    if (strcmp(word, "host-blas") == 0)
        return read_host_blas(times, line, reason);
    if (strcmp(word, "host-threads") == 0)
        return read_host_threads(times, line, reason);
    if (strcmp(word, "wake") == 0)
        return read_figure(line, &times->wake_us, reason);
    if (strcmp(word, "scan") == 0)
        return read_figure(line, &times->scan_us_per_byte, reason);
    if (strcmp(word, "upload") == 0)
        return read_upload_curve(times, line, reason);
    if (strcmp(word, "host") == 0)
        return read_class_curve(times->host, line, reason);
    if (strcmp(word, "device") == 0)
        return read_class_curve(times->resident, line, reason);
    *reason = "a line begins with no known word";
    return false;
}

static void write_curve(const char *side, const char *name, const struct time_curve *curve, FILE *stream)
{
    if (curve->count == 0)
        return;
    fprintf(stream, "%s %s", side, name);
    for (int i = 0; i < curve->count; i++)
        fprintf(stream, " %.10g:%.4g", curve->samples[i].amount, curve->samples[i].us);
    fputc('\n', stream);
}

void learned_times_write(const struct learned_times *times, FILE *stream)
{
    char name[TIMED_CLASS_NAME];
    if (times->host_blas[0])
        fprintf(stream, "host-blas %s\n", times->host_blas);
    if (times->host_threads)
        fprintf(stream, "host-threads %d\n", times->host_threads);
    if (times->wake_us > 0)
        fprintf(stream, "wake %.4g\n", times->wake_us);
    if (times->scan_us_per_byte > 0)
        fprintf(stream, "scan %.4g\n", times->scan_us_per_byte);
    for (int way = 0; way < UPLOAD_WAYS; way++)
        write_curve("upload", way_names[way], &times->upload[way], stream);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class)) {
            write_curve("host", timed_class_name(class, name), &times->host[class], stream);
            write_curve("device", timed_class_name(class, name), &times->resident[class], stream);
        }
}
