#include "command/commands.h"
#include "command/run/run.h"
#include "common/text.h"
#include "interpose/report/report_data.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool add(struct merged_reports *reports, struct report *report, struct timespec left)
{
    struct report_entry *const more = realloc(reports->of, (size_t)(reports->count + 1) * sizeof *more);
    if (!more)
        return false;
    reports->of = more;
    reports->of[reports->count++] = (struct report_entry){report, left};
    return true;
}

void merged_reports_clear(struct merged_reports *reports)
{
    for (int i = 0; i < reports->count; i++) {
        report_clear(reports->of[i].report);
        free(reports->of[i].report);
    }
    free(reports->of);
}

void merged_report_name(const char *report, char name[PATH_MAX])
{
    const struct local_rank world = world_rank(), *const local = local_rank();
    char host[HOST_BYTES] = "";
    snprintf(name, PATH_MAX, "%s", report);
    if (local->ranks <= 0 || world.ranks <= local->ranks || report_file_stream(report) >= 0 ||
        gethostname(host, sizeof host - 1) != 0)
        return;
    const char *const dot = report_file_is_page(report) ? strrchr(report, '.') : report + strlen(report);
    snprintf(name, PATH_MAX, "%.*s.%s%s", (int)(dot - report), report, host, dot);
}

/* Orders by rank, then by the time of the end. */
static int by_rank(const void *one, const void *other)
{
    const struct report_entry *const a = one, *const b = other;
    const int of_a = a->report->reporter.world.rank, of_b = b->report->reporter.world.rank;
    if (of_a != of_b)
        return of_a < of_b ? -1 : 1;
    if (a->left.tv_sec != b->left.tv_sec)
        return a->left.tv_sec < b->left.tv_sec ? -1 : 1;
    return (a->left.tv_nsec > b->left.tv_nsec) - (a->left.tv_nsec < b->left.tv_nsec);
}

void merged_reports_sort(struct merged_reports *reports)
{
    if (reports->count)
        qsort(reports->of, (size_t)reports->count, sizeof *reports->of, by_rank);
}

/* Another system may have ended lines in two letters. */
static void plain_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
}

/* The whole of a file, to be freed; NULL: errno says why. */
static char *read_all(const char *path, struct timespec *left)
{
    char *text = NULL;
    size_t length;
    struct stat state;
    FILE *const file = regular_file_open(path);
    FILE *const memory = file ? open_memstream(&text, &length) : NULL;
    char piece[65536];
    for (size_t got; memory && (got = fread(piece, 1, sizeof piece, file)) > 0;)
        fwrite(piece, 1, got, memory);
    if (file && fstat(fileno(file), &state) == 0)
        *left = state.st_mtim;
    if (file)
        fclose(file);
    if (memory && fclose(memory) != 0) {
        free(text);
        text = NULL;
    }
    if (text)
        plain_lines(text);
    return text;
}

static const char *next_counters(const char *text)
{
    static const char begin[] = REPORT_COUNTERS_BEGIN;
    while ((text = strstr(text, begin)) && text[-1] != '\n')
        text++;
    return text;
}

/* All counters that a file has, whatever else is in it. False: `fault` is a phrase. */
bool merged_reports_take(struct merged_reports *reports, const char *path, char *fault)
{
    struct timespec left = {0, 0};
    char *const all = read_all(path, &left), *text = NULL;
    const int before = reports->count;
    bool good = all && asprintf(&text, "\n%s", all) >= 0;
    snprintf(fault, REPORT_FAULT_BYTES, "%s", all ? "out of memory" : regular_file_fault());
    for (const char *at = good ? next_counters(text) : NULL; good && at; at = next_counters(at)) {
        struct report *const report = report_counters_parse(at, &at, fault);
        good = report && add(reports, report, left);
        at -= good; /* the end of the line before */
    }
    if (good && reports->count == before) {
        snprintf(fault, REPORT_FAULT_BYTES, "it has no counters of a mublas report");
        good = false;
    }
    free(all);
    free(text);
    return good;
}

static uint64_t calls_of(const struct report *report)
{
    return report->total.device_calls + report_host_calls(&report->total);
}

/* This process' parallel calls, which all ranks make together; 0: the job makes none. */
static uint64_t parallel_calls_of(const struct report *report)
{
    uint64_t calls = 0;
    for (int i = 0; i < report->parallel.count; i++)
        calls += report->parallel.rows[i].counts.device_calls + parallel_host_calls(&report->parallel.rows[i].counts);
    return calls;
}

static void put_rank(char text[16], const struct report *report)
{
    snprintf(text, 16, report->reporter.world.rank < 0 ? "-" : "%d", report->reporter.world.rank);
}

static void print_text_table(FILE *stream, const struct merged_reports *reports, bool is_parallel)
{
    char rank[16];
    fprintf(stream, "  %6s %10s %12s %12s %12s %10s %10s %10s%s  %s\n", "rank", "process", "calls", "on device",
            "on host", "device s", "host s", "run s", is_parallel ? "   parallel" : "", "program");
    for (int i = 0; i < reports->count; i++) {
        const struct report *const report = reports->of[i].report;
        put_rank(rank, report);
        fprintf(stream, "  %6s %10ld %12llu %12llu %12llu %10.3f %10.3f %10.3f", rank, report->reporter.process,
                (unsigned long long)calls_of(report), (unsigned long long)report->total.device_calls,
                (unsigned long long)report_host_calls(&report->total),
                (double)report_device_time(&report->total) / 1e9,
                (double)report_own_host_time(&report->total) / 1e9, (double)report->run_nanoseconds / 1e9);
        if (is_parallel)
            fprintf(stream, " %10llu", (unsigned long long)parallel_calls_of(report));
        fputs("  ", stream);
        printable_print(stream, report->program ? report->program : "");
        fputc('\n', stream);
    }
}

static void print_job(FILE *stream, const struct report *sum, const struct merged_reports *reports)
{
    const struct report **const all = calloc((size_t)reports->count, sizeof *all);
    for (int i = 0; all && i < reports->count; i++)
        all[i] = reports->of[i].report;
    if (all)
        estimate_job_print(stream, sum, all, reports->count);
    free(all);
}

static void print_text(FILE *stream, const struct report *sum, const struct merged_reports *reports)
{
    report_text_print(stream, sum);
    if (sum->estimate.is_there)
        print_job(stream, sum, reports);
    else
        print_text_table(stream, reports, sum->parallel.count > 0);
    for (int i = 0; i < reports->count; i++) {
        fputc('\n', stream);
        report_text_print(stream, reports->of[i].report);
    }
}

static void print_counters(FILE *stream, const struct merged_reports *reports)
{
    for (int i = 0; i < reports->count; i++)
        report_counters_print(stream, reports->of[i].report);
}

static void print_page_row(FILE *stream, const struct report *report, bool is_parallel)
{
    char rank[16];
    put_rank(rank, report);
    fprintf(stream, "<tr><th scope=\"row\">%ld</th><td>%s</td><td "
                    "class=\"text\">", report->reporter.process, rank);
    html_print(stream, report->program ? report->program : "");
    fprintf(stream, "</td><td>%llu</td><td>%llu</td><td>%llu</td><td>%.3f</td><td>%.3f</td><td>%.3f</td>",
            (unsigned long long)calls_of(report), (unsigned long long)report->total.device_calls,
            (unsigned long long)report_host_calls(&report->total),
            (double)report_device_time(&report->total) / 1e9,
            (double)report_own_host_time(&report->total) / 1e9, (double)report->run_nanoseconds / 1e9);
    if (is_parallel)
        fprintf(stream, "<td>%llu</td>", (unsigned long long)parallel_calls_of(report));
    fputs("</tr>\n", stream);
}

static void print_section(FILE *stream, const struct report *report)
{
    fputs("<details class=\"process\"><summary>", stream);
    if (report->reporter.world.rank >= 0)
        fprintf(stream, "rank %d, ", report->reporter.world.rank);
    fprintf(stream, "process %ld: ", report->reporter.process);
    html_print(stream, report->program ? report->program : "");
    fputs("</summary>\n", stream);
    page_print_body(stream, report);
    fputs("</details>\n", stream);
}

static void print_page(FILE *stream, const struct report *sum, const struct merged_reports *reports)
{
    const bool is_parallel = sum->parallel.count > 0;
    page_print_head(stream, sum);
    page_print_body(stream, sum);
    fputs("<section><h2>Processes</h2><div class=\"wide\"><table id=\"processes\"><thead><tr><th "
          "scope=\"col\">process"
          "</th><th scope=\"col\">rank</th><th scope=\"col\" class=\"text\">program</th><th "
          "scope=\"col\">calls</th>"
          "<th scope=\"col\">on device</th><th scope=\"col\">on host</th><th scope=\"col\">device s</th>"
          "<th scope=\"col\">host s</th><th scope=\"col\">run s</th>", stream);
    fputs(is_parallel ? "<th scope=\"col\">parallel calls</th></tr>" : "</tr>", stream);
    fputs("</thead><tbody>\n", stream);
    for (int i = 0; i < reports->count; i++)
        print_page_row(stream, reports->of[i].report, is_parallel);
    fputs("</tbody></table></div></section>\n", stream);
    for (int i = 0; i < reports->count; i++)
        print_section(stream, reports->of[i].report);
    page_print_foot(stream);
}

/* Prints one process's own report, else one of all. False: no memory. */
static bool print(FILE *stream, const struct report *sum, const struct merged_reports *reports, bool is_page,
                  bool is_file)
{
    if (!stream)
        return false;
    if (reports->count == 1 && is_page)
        page_print(stream, reports->of[0].report);
    else if (reports->count == 1)
        report_text_print(stream, reports->of[0].report);
    else if (is_page)
        print_page(stream, sum, reports);
    else
        print_text(stream, sum, reports);
    if (is_file && !is_page)
        print_counters(stream, reports);
    return fclose(stream) == 0;
}

struct report *merged_reports_sum(struct merged_reports *reports, const char *title, const char *command,
                                  char **missing)
{
    struct report *const sum = calloc(1, sizeof *sum);
    if (!sum)
        return NULL;
    for (int i = 0; i < reports->count; i++) {
        reports->of[i].report->is_section = reports->count > 1;
        report_add(sum, reports->of[i].report);
    }
    sum->reporter.world.rank = -1;
    sum->is_section = false;
    if (title) {
        free(sum->program);
        sum->program = strdup(title);
    }
    if (command)
        snprintf(sum->run.command, sizeof sum->run.command, "%s", command);
    struct report *const shown = reports->count == 1 ? reports->of[0].report : sum;
    shown->missing = *missing;
    *missing = NULL;
    return sum;
}

bool merged_reports_deliver(struct merged_reports *reports, const char *destination, const struct report *sum)
{
    const struct reporter nobody = {.world = {.rank = -1}};
    struct report_text text = {NULL, 0}, file = {NULL, 0};
    const bool good =
        print(open_memstream(&text.text, &text.length), sum, reports, false, false) &&
        print(open_memstream(&file.text, &file.length), sum, reports, report_file_is_page(destination), true);
    if (good)
        report_file_deliver(destination, &nobody, &text, &file, !report_has_calls(sum));
    free(text.text);
    free(file.text);
    return good;
}

/* True: they are printed. */
static bool merge_files(struct merged_reports *reports, const char *output)
{
    char *missing = NULL;
    const char *const title = reports->count > 1 ? "mublas report" : NULL;
    struct report *const sum = merged_reports_sum(reports, title, NULL, &missing);
    const bool good = sum && (output ? merged_reports_deliver(reports, output, sum)
                                     : print(fdopen(dup(STDOUT_FILENO), "w"), sum, reports, false, false));
    if (sum)
        report_clear(sum);
    free(sum);
    if (!good)
        fprintf(stderr, "mublas report: %s: cannot be written\n", output ? output : "standard output");
    return good;
}

static const char *output_fault(const char *output)
{
    char file[PATH_MAX];
    if (!*output)
        return "it names no file";
    if (report_file_stream(output) >= 0)
        return NULL;
    if (snprintf(file, sizeof file, "%s%s", strchr(output, '/') ? "" : "./", output) >= (int)sizeof file)
        return "its name is too long";
    return run_report_fault(file);
}

/* The first of the files before `file` that is the same; NULL: none. */
static const char *same_before(char **files, char **file)
{
    struct stat of_file, other;
    if (stat(*file, &of_file) != 0)
        return NULL;
    for (; files < file; files++)
        if (stat(*files, &other) == 0 && other.st_dev == of_file.st_dev && other.st_ino == of_file.st_ino)
            return *files;
    return NULL;
}

/* False, after a line on the first that is no report. */
static bool take_files(struct merged_reports *reports, char **files)
{
    char fault[REPORT_FAULT_BYTES];
    for (char **file = files; *file; file++) {
        const char *const same = same_before(files, file);
        if (same) {
            fprintf(stderr, "mublas report: %s is the same file as %s: it counts once\n", *file, same);
        } else if (!merged_reports_take(reports, *file, fault)) {
            fprintf(stderr, "mublas report: %s: %s\n", *file, fault);
            return false;
        }
    }
    return true;
}

/* Estimates have no page, and are not added to reports. */
static bool are_of_a_kind(const struct merged_reports *reports, const char *output)
{
    int estimates = 0;
    for (int i = 0; i < reports->count; i++)
        estimates += reports->of[i].report->estimate.is_there;
    if (estimates && estimates < reports->count)
        fprintf(stderr, "mublas report: %d of %d are estimates, the others reports: they do not add up\n", estimates,
                reports->count);
    else if (estimates && report_file_is_page(output))
        fprintf(stderr, "mublas report: --output='%s': an estimate is text, and no page\n", output);
    else
        return true;
    return false;
}

int merged_report_of_files(const char *output, char **files)
{
    struct merged_reports reports = {NULL, 0};
    const char *const destination_fault = output ? output_fault(output) : NULL;
    bool good = !destination_fault;
    if (destination_fault)
        fprintf(stderr, "mublas report: --output='%s' cannot be written there: %s\n", output, destination_fault);
    good = good && take_files(&reports, files) && are_of_a_kind(&reports, output) && merge_files(&reports, output);
    merged_reports_clear(&reports);
    return good ? 0 : 1;
}
