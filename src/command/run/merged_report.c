#include "command/commands.h"
#include "command/run/run.h"
#include "common/text.h"
#include "interpose/report/report_data.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The reports of processes, in the order of their sections. */
struct reports {
    struct entry {
        struct report *report;
        struct timespec left; /* when its part was left */
    } *of;
    int count;
};

static bool add(struct reports *reports, struct report *report, struct timespec left)
{
    struct entry *const more = realloc(reports->of, (size_t)(reports->count + 1) * sizeof *more);
    if (!more)
        return false;
    reports->of = more;
    reports->of[reports->count++] = (struct entry){report, left};
    return true;
}

static void clear(struct reports *reports)
{
    for (int i = 0; i < reports->count; i++) {
        report_clear(reports->of[i].report);
        free(reports->of[i].report);
    }
    free(reports->of);
}

/* By rank, then in the order in which they ended. */
static int by_rank(const void *one, const void *other)
{
    const struct entry *const a = one, *const b = other;
    const int of_a = a->report->reporter.world.rank, of_b = b->report->reporter.world.rank;
    if (of_a != of_b)
        return of_a < of_b ? -1 : 1;
    if (a->left.tv_sec != b->left.tv_sec)
        return a->left.tv_sec < b->left.tv_sec ? -1 : 1;
    return (a->left.tv_nsec > b->left.tv_nsec) - (a->left.tv_nsec < b->left.tv_nsec);
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
static bool take_file(struct reports *reports, const char *path, char fault[REPORT_FAULT_BYTES])
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

static void put_rank(char text[16], const struct report *report)
{
    snprintf(text, 16, report->reporter.world.rank < 0 ? "-" : "%d", report->reporter.world.rank);
}

static void print_text_table(FILE *stream, const struct reports *reports)
{
    char rank[16];
    fprintf(stream, "  %6s %10s %12s %12s %12s %10s %10s %10s  %s\n", "rank", "process", "calls", "on device",
            "on host", "device s", "host s", "run s", "program");
    for (int i = 0; i < reports->count; i++) {
        const struct report *const report = reports->of[i].report;
        put_rank(rank, report);
        fprintf(stream, "  %6s %10ld %12llu %12llu %12llu %10.3f %10.3f %10.3f  ", rank, report->reporter.process,
                (unsigned long long)calls_of(report), (unsigned long long)report->total.device_calls,
                (unsigned long long)report_host_calls(&report->total),
                (double)report_device_time(&report->total) / 1e9,
                (double)report_own_host_time(&report->total) / 1e9, (double)report->run_nanoseconds / 1e9);
        printable_print(stream, report->program ? report->program : "");
        fputc('\n', stream);
    }
}

static void print_text(FILE *stream, const struct report *sum, const struct reports *reports)
{
    report_text_print(stream, sum);
    print_text_table(stream, reports);
    for (int i = 0; i < reports->count; i++) {
        fputc('\n', stream);
        report_text_print(stream, reports->of[i].report);
    }
}

static void print_counters(FILE *stream, const struct reports *reports)
{
    for (int i = 0; i < reports->count; i++)
        report_counters_print(stream, reports->of[i].report);
}

static void print_page_row(FILE *stream, const struct report *report)
{
    char rank[16];
    put_rank(rank, report);
    fprintf(stream, "<tr><th scope=\"row\">%ld</th><td>%s</td><td class=\"text\">", report->reporter.process, rank);
    html_print(stream, report->program ? report->program : "");
    fprintf(stream, "</td><td>%llu</td><td>%llu</td><td>%llu</td><td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n",
            (unsigned long long)calls_of(report), (unsigned long long)report->total.device_calls,
            (unsigned long long)report_host_calls(&report->total),
            (double)report_device_time(&report->total) / 1e9,
            (double)report_own_host_time(&report->total) / 1e9, (double)report->run_nanoseconds / 1e9);
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

static void print_page(FILE *stream, const struct report *sum, const struct reports *reports)
{
    page_print_head(stream, sum);
    page_print_body(stream, sum);
    fputs("<section><h2>Processes</h2><div class=\"wide\"><table id=\"processes\"><thead><tr><th scope=\"col\">process"
          "</th><th scope=\"col\">rank</th><th scope=\"col\" class=\"text\">program</th><th scope=\"col\">calls</th>"
          "<th scope=\"col\">on device</th><th scope=\"col\">on host</th><th scope=\"col\">device s</th>"
          "<th scope=\"col\">host s</th><th scope=\"col\">run s</th></tr></thead><tbody>\n", stream);
    for (int i = 0; i < reports->count; i++)
        print_page_row(stream, reports->of[i].report);
    fputs("</tbody></table></div></section>\n", stream);
    for (int i = 0; i < reports->count; i++)
        print_section(stream, reports->of[i].report);
    page_print_foot(stream);
}

/* Of one process its own report, else one of all. False: no memory. */
static bool print(FILE *stream, const struct report *sum, const struct reports *reports, bool is_page, bool is_file)
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

/* *missing becomes the report's. */
static struct report *sum_up(struct reports *reports, const char *title, const char *command, char **missing)
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

/* False: no memory. */
static bool deliver(struct reports *reports, const char *destination, const struct report *sum)
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

/* A process that left a note, or that a signal ended. */
struct absent {
    long process;
    int rank, ranks, signal; /* 0: not known */
    bool made_calls;
    char program[256];
};

static bool is_there(const struct reports *reports, long process)
{
    for (int i = 0; i < reports->count; i++)
        if (reports->of[i].report->reporter.process == process)
            return true;
    return false;
}

static bool read_absent(const char *path, bool is_lost, struct absent *absent)
{
    FILE *const file = regular_file_open(path);
    *absent = (struct absent){.made_calls = !is_lost};
    if (!file)
        return false;
    const bool good = fscanf(file, "%ld %d %d", &absent->process, &absent->rank, &absent->ranks) == 3 &&
                      (!is_lost || fscanf(file, "%d", &absent->signal) == 1) &&
                      fscanf(file, " %255[^\n]", absent->program) == 1;
    fclose(file);
    return good;
}

static void print_absent(FILE *stream, const struct absent *absent)
{
    if (ftell(stream) > 0)
        fputc(' ', stream);
    fprintf(stream, "Process %ld", absent->process);
    if (absent->rank >= 0)
        fprintf(stream, ", rank %d", absent->rank);
    fprintf(stream, " (%s) ", absent->program);
    if (absent->made_calls)
        fputs("made calls and ", stream);
    fputs("left no report: ", stream);
    if (absent->signal)
        fprintf(stream, "signal %d (%s) ended it.", absent->signal, strsignal(absent->signal));
    else if (process_is_alive((pid_t)absent->process))
        fputs("it has not ended.", stream);
    else
        fputs("a signal, exec or _exit ended it.", stream);
}

/* What is in the folder, and what should be. */
struct scan {
    struct reports reports;
    struct absent *absent;
    int absent_count;
};

/* What a note and a signal say of one process is one. */
static void add_absent(struct scan *scan, const struct absent *one)
{
    for (int i = 0; i < scan->absent_count; i++)
        if (scan->absent[i].process == one->process) {
            scan->absent[i].made_calls |= one->made_calls;
            scan->absent[i].signal |= one->signal;
            return;
        }
    struct absent *const more = realloc(scan->absent, (size_t)(scan->absent_count + 1) * sizeof *more);
    if (more) {
        scan->absent = more;
        more[scan->absent_count++] = *one;
    }
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* A part that is damaged was cut by the end of its process. */
static void scan_folder(const char *folder, struct scan *scan)
{
    char path[2 * PATH_MAX], fault[REPORT_FAULT_BYTES];
    struct absent absent;
    DIR *const all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        const char *const name = entry->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (begins(name, REPORT_PART_PREFIX))
            take_file(&scan->reports, path, fault);
        else if ((begins(name, REPORT_NOTE_PREFIX) || begins(name, RUN_LOST_PREFIX)) &&
                 read_absent(path, begins(name, RUN_LOST_PREFIX), &absent))
            add_absent(scan, &absent);
    }
    if (all)
        closedir(all);
    if (scan->reports.count)
        qsort(scan->reports.of, (size_t)scan->reports.count, sizeof *scan->reports.of, by_rank);
}

static bool rank_is_told(const struct scan *scan, int rank)
{
    for (int i = 0; i < scan->reports.count; i++)
        if (scan->reports.of[i].report->reporter.world.rank == rank)
            return true;
    for (int i = 0; i < scan->absent_count; i++)
        if (scan->absent[i].rank == rank)
            return true;
    return false;
}

/* Ranks of a job on this machine alone: of others not all are here. */
static void print_silent_ranks(FILE *stream, const struct scan *scan, const struct run_parts *parts)
{
    const struct report *const first = scan->reports.count ? scan->reports.of[0].report : NULL;
    const int ranks = first ? first->reporter.world.ranks : 0;
    if (parts->ranks > 0 && parts->ranks != ranks)
        return;
    for (int rank = 0; rank < ranks; rank++)
        if (!rank_is_told(scan, rank))
            fprintf(stream, "%sRank %d left no report: it made no call, or has not ended.",
                    ftell(stream) > 0 ? " " : "", rank);
}

/* To be freed; NULL: none. */
static char *missing_of(const struct scan *scan, const struct run_parts *parts)
{
    char *text = NULL;
    size_t length;
    FILE *const stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (int i = 0; i < scan->absent_count; i++)
        if (!is_there(&scan->reports, scan->absent[i].process))
            print_absent(stream, &scan->absent[i]);
    print_silent_ranks(stream, scan, parts);
    if (fclose(stream) == 0 && length > 0)
        return text;
    free(text);
    return NULL;
}

static void say_none(const struct run_parts *parts, const char *program, const char *missing)
{
    struct stat there;
    const bool is_file = strcmp(parts->report, "1") != 0;
    if (is_file && lstat(parts->report, &there) == 0 && S_ISREG(there.st_mode))
        fprintf(stderr, "mublas run: %s is of an earlier run: %s has ended and wrote no report there (none is "
                        "written after a signal, exec or _exit)%s%s\n",
                parts->report, program, missing ? ": " : "", missing ? missing : "");
    else if (missing)
        fprintf(stderr, "mublas run: there is no report: %s\n", missing);
}

void merged_report_write(const struct run_parts *parts, char **program)
{
    struct scan scan = {.absent = NULL};
    char command[COMMAND_BYTES], *words = NULL;
    size_t length;
    FILE *const stream = open_memstream(&words, &length);
    for (char **word = program; stream && *word; word++)
        fwrite(*word, 1, strlen(*word) + 1, stream);
    if (stream && fclose(stream) == 0)
        report_run_join(words, length, true, command);
    scan_folder(parts->folder, &scan);
    char *missing = missing_of(&scan, parts);
    if (scan.reports.count == 0)
        say_none(parts, *program, missing);
    struct report *const sum = scan.reports.count ? sum_up(&scan.reports, *program, command, &missing) : NULL;
    if (scan.reports.count && (!sum || !deliver(&scan.reports, parts->report, sum)))
        fprintf(stderr, "mublas run: there is no report: out of memory\n");
    if (sum)
        report_clear(sum);
    free(sum);
    free(missing);
    free(words);
    free(scan.absent);
    clear(&scan.reports);
}

/* True: they are printed. */
static bool merge_files(struct reports *reports, const char *output)
{
    char *missing = NULL;
    struct report *const sum = sum_up(reports, reports->count > 1 ? "mublas report" : NULL, NULL, &missing);
    const bool good = sum && (output ? deliver(reports, output, sum)
                                     : print(fdopen(dup(STDOUT_FILENO), "w"), sum, reports, false, false));
    if (sum)
        report_clear(sum);
    free(sum);
    if (!good)
        fprintf(stderr, "mublas report: %s: cannot be written\n", output ? output : "standard output");
    return good;
}

int merged_report_of_files(const char *output, char **files)
{
    struct reports reports = {NULL, 0};
    char fault[REPORT_FAULT_BYTES];
    bool good = true;
    for (; good && *files; files++)
        if (!take_file(&reports, *files, fault)) {
            fprintf(stderr, "mublas report: %s: %s\n", *files, fault);
            good = false;
        }
    good = good && merge_files(&reports, output);
    clear(&reports);
    return good ? 0 : 1;
}
