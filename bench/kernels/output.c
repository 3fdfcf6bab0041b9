#include "output.h"

#include "cublas_peer.h"
#include "options.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

void output_note(FILE *csv, const char *format, ...)
{
    FILE *const files[] = {stdout, csv};
    for (int i = 0; i < 2 && files[i]; i++) {
        va_list values;
        va_start(values, format);
        fputs("# ", files[i]);
        vfprintf(files[i], format, values);
        fputc('\n', files[i]);
        va_end(values);
    }
}

/* "580.159.04" of "NVRM version: NVIDIA UNIX ... Kernel Module  580.159.04  Release Build ..." */
static void read_driver_release(char *text, size_t size)
{
    char line[256] = "", *word = NULL;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file) {
        if (!fgets(line, sizeof line, file))
            *line = 0;
        fclose(file);
    }
    for (word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
        if (strspn(word, "0123456789") && strspn(word, "0123456789.") == strlen(word) && strchr(word, '.'))
            break;
    snprintf(text, size, "%s", word ? word : "of unknown release");
}

void output_begin(const struct options *options, const struct device_properties *device, int count,
                  char **arguments)
{
    FILE *csv = options->csv;
    char driver_release[64], date[32], command[1024] = "";
    const time_t now = time(NULL);
    read_driver_release(driver_release, sizeof driver_release);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(command);
        snprintf(command + used, sizeof command - used, "%s%s", i ? " " : "", arguments[i]);
    }
    output_note(csv, "device: %s, %d multiprocessors", device->name, device->multiprocessors);
    output_note(csv, "l2_bytes: %zu", device->l2_bytes);
    output_note(csv, "driver: %s, CUDA %d.%d; cuBLAS: %d", driver_release, device->driver_version / 1000,
                device->driver_version % 1000 / 10, cublas_peer_version());
    output_note(csv, "date: %s", date);
    output_note(csv, "command: %s", command);
    printf("%-14s %8s %8s %-7s %-4s %10s %9s %8s %8s %8s %6s %6s\n", "routine", "m", "n", "layout", "L2",
           "mublas us", "GB/s", "cublas", "atomics", "roof", "/roof", "x peer");
    if (csv)
        fprintf(csv,
                "routine,type,flags,m,n,lda,layout,cache,bytes,calls,replays,roof_us,mublas_us,mublas_spread,"
                "cublas_us,cublas_atomics_us,agreement%s\n",
                options->shapes.count ? ",shape" : "");
}

static double rate(double bytes, double seconds)
{
    return seconds > 0 ? 1e-9 * bytes / seconds : 0;
}

static double better(double one, double other)
{
    return one > 0 && (one < other || other <= 0) ? one : other;
}

static void write_time(FILE *csv, double seconds)
{
    if (seconds > 0)
        fprintf(csv, ",%.4f", 1e6 * seconds);
    else
        fputc(',', csv);
}

static const char *const agreements[] = {[AGREEMENT_UNCHECKED] = "unchecked", [AGREEMENT_AGREES] = "agrees",
                                         [AGREEMENT_PEER_ERRS] = "peer errs",
                                         [AGREEMENT_DISAGREES] = "disagrees"};
static const char *const remarks[] = {[AGREEMENT_UNCHECKED] = "",
                                      [AGREEMENT_AGREES] = "",
                                      [AGREEMENT_PEER_ERRS] = " PEER ERRS",
                                      [AGREEMENT_DISAGREES] = " DISAGREES"};

static void name_of(const struct bench_case *wanted, char name[16])
{
    char flags[4];
    case_flags(wanted, flags);
    snprintf(name, 16, "%c%s %s", case_type_letter(wanted->type), case_routine(wanted), flags);
}

static void write_csv(FILE *csv, const struct result *result, const char *flags)
{
    const struct bench_case *wanted = result->wanted;
    const struct timing *own = &result->timings[CONTENDER_MUBLAS];
    fprintf(csv, "%s,%c,%s,%lld,%lld,%lld,%s,%s,%.0f,%d,%d", case_routine(wanted),
            case_type_letter(wanted->type), flags, (long long)wanted->m, (long long)wanted->n,
            (long long)case_ld(wanted), case_layout(wanted->layout), wanted->warm ? "warm" : "cold",
            case_bytes(wanted), result->calls, own->replays);
    write_time(csv, result->roof_seconds);
    write_time(csv, own->seconds);
    fprintf(csv, ",%.4f", own->spread);
    write_time(csv, result->timings[CONTENDER_CUBLAS].seconds);
    write_time(csv, result->timings[CONTENDER_CUBLAS_ATOMICS].seconds);
    fprintf(csv, ",%s", agreements[result->agreement]);
    if (result->shape)
        fprintf(csv, ",\"%s\"", result->shape); /* it has commas */
    fputc('\n', csv);
    fflush(csv);
}

void output_result(FILE *csv, const struct result *result)
{
    const struct bench_case *wanted = result->wanted;
    const double bytes = case_bytes(wanted), own = result->timings[CONTENDER_MUBLAS].seconds;
    const double plain = result->timings[CONTENDER_CUBLAS].seconds;
    const double atomics = result->timings[CONTENDER_CUBLAS_ATOMICS].seconds;
    char flags[4], name[16];
    case_flags(wanted, flags);
    name_of(wanted, name);
    printf("%-14s %8lld %8lld %-7s %-4s %10.2f %9.0f %8.0f %8.0f %8.0f %6.3f %6.2f%s%s%s\n", name,
           (long long)wanted->m, (long long)wanted->n, case_layout(wanted->layout),
           wanted->warm ? "warm" : "cold", 1e6 * own, rate(bytes, own), rate(bytes, plain),
           rate(bytes, atomics), rate(bytes, result->roof_seconds), own > 0 ? result->roof_seconds / own : 0,
           own > 0 ? better(plain, atomics) / own : 0, remarks[result->agreement], result->shape ? " " : "",
           result->shape ? result->shape : "");
    fflush(stdout);
    if (csv)
        write_csv(csv, result, flags);
}

void output_skipped(FILE *csv, const struct bench_case *wanted, const char *shape, const char *reason)
{
    char name[16];
    name_of(wanted, name);
    output_note(csv, "%s m=%lld n=%lld: not by %s: %s", name, (long long)wanted->m, (long long)wanted->n,
                shape, reason);
}
