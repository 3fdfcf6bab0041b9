#include "command/run/run.h"
#include "common/launcher.h"
#include "common/text.h"
#include "interpose/report/report_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER_PREFIX "mublas-report-"

static unsigned hash_of(const char *text)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The ranks that share the folder; 0: it is this process's own. */
static int ranks_of_job(struct mps_rank *owner)
{
    struct launcher_process launcher;
    const struct local_rank world = world_rank(), *const local = local_rank();
    const char *const variable = local->variable ? local->variable : world.variable;
    const int ranks = local->ranks > 0 ? local->ranks : world.ranks;
    *owner = (struct mps_rank){getpid(), process_started(getpid())};
    if (world.rank < 0 || ranks == 1 || !variable || !launcher_process_find(variable, &launcher))
        return 0;
    *owner = (struct mps_rank){launcher.process, launcher.started};
    return ranks > 0 ? ranks : INT_MAX;
}

enum { PREFIX_BYTES = 64 };

/* Numbers of processes mean something in their namespace alone: a container's are others than this machine's. */
static void folder_prefix(char prefix[PREFIX_BYTES])
{
    struct stat names;
    const unsigned long where = stat("/proc/self/ns/pid", &names) == 0 ? (unsigned long)names.st_ino : 0;
    snprintf(prefix, PREFIX_BYTES, FOLDER_PREFIX "%lu.%lx.", (unsigned long)geteuid(), where);
}

/* The lock of the ranks' folder; who has it may have removed the folder. */
static int lock_ranks(const struct run_parts *parts, int more_flags)
{
    char path[PATH_MAX + 8];
    struct stat state;
    snprintf(path, sizeof path, "%s/ranks", parts->folder);
    const int file = open(path, more_flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (file >= 0 && flock(file, LOCK_EX) != 0 && errno == EINTR)
        continue;
    if (file >= 0 && fstat(file, &state) == 0 && state.st_nlink > 0)
        return file;
    if (file >= 0) {
        close(file);
        errno = ENOENT;
    }
    return -1;
}

/* A line of the ranks' file: one that came, or has ended. */
struct rank_line {
    struct mps_rank rank;
    bool has_ended;
};

static bool add_rank_line(int file, bool has_ended)
{
    struct rank_line line;
    memset(&line, 0, sizeof line);
    line.rank = (struct mps_rank){getpid(), process_started(getpid())};
    line.has_ended = has_ended;
    errno = ENOSPC; /* where only a part of it is written */
    return write(file, &line, sizeof line) == (ssize_t)sizeof line;
}

/* False: no other may leave a part yet. *running is one that may; *all_came: no more ranks are to come. */
static bool find_running(int file, int ranks, struct mps_rank *running, bool *all_came)
{
    struct rank_line lines[2];
    int came = 0;
    bool any = false;
    lseek(file, 0, SEEK_SET);
    for (off_t at = 0; pread(file, &lines[0], sizeof *lines, at) == (ssize_t)sizeof *lines; at += sizeof *lines) {
        const struct mps_rank *const rank = &lines[0].rank;
        bool has_ended = process_started(rank->process) != rank->begun; /* one that was killed leaves no line */
        came += !lines[0].has_ended;
        for (off_t on = at + (off_t)sizeof *lines;
             !has_ended && pread(file, &lines[1], sizeof *lines, on) == (ssize_t)sizeof *lines; on += sizeof *lines)
            has_ended = lines[1].has_ended && lines[1].rank.process == rank->process;
        if (has_ended || lines[0].has_ended)
            continue;
        *running = *rank;
        any = true;
    }
    *all_came = came >= ranks;
    return any;
}

static bool is_there(const struct merged_reports *reports, long process)
{
    for (int i = 0; i < reports->count; i++)
        if (reports->of[i].report->reporter.process == process)
            return true;
    return false;
}

/* Parts that are in the folder, and that should be. */
struct scan {
    struct merged_reports reports;
    struct absent *absent;
    int absent_count;
};

/* A note and a signal of one process say one thing. */
static void add_absent(struct scan *scan, const struct absent *one)
{
    for (int i = 0; i < scan->absent_count; i++)
        if (scan->absent[i].process == one->process) {
            scan->absent[i].made_calls |= one->made_calls;
            scan->absent[i].signal |= one->signal;
            scan->absent[i].reason |= one->reason;
            return;
        }
    struct absent *const more = realloc(scan->absent, (size_t)(scan->absent_count + 1) * sizeof *more);
    if (more) {
        scan->absent = more;
        more[scan->absent_count++] = *one;
    }
}

/* A process whose part found no room has written a report of its own, to where one goes that outlives its run. */
static void take_own_report(struct scan *scan, const struct absent *absent)
{
    char fault[REPORT_FAULT_BYTES];
    const char *const form = getenv("MUBLAS_REPORT");
    const struct reporter reporter = {absent->process, {.rank = absent->rank, .ranks = absent->ranks}, true};
    if (!absent->reason || !form || report_file_stream(form) >= 0)
        return;
    char *const name = report_file_name(form, &reporter);
    if (name)
        merged_reports_take(&scan->reports, name, fault);
    free(name);
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
        if (strncmp(name, REPORT_PART_PREFIX, strlen(REPORT_PART_PREFIX)) == 0)
            merged_reports_take(&scan->reports, path, fault);
        else if (absent_read(path, name, &absent))
            add_absent(scan, &absent);
    }
    if (all)
        closedir(all);
    for (int i = 0; i < scan->absent_count; i++)
        take_own_report(scan, &scan->absent[i]);
    merged_reports_sort(&scan->reports);
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
            absent_print(stream, &scan->absent[i], parts->folder);
    print_silent_ranks(stream, scan, parts);
    if (fclose(stream) == 0 && length > 0)
        return text;
    free(text);
    return NULL;
}

static const char *report_word(void)
{
    const char *const estimate = getenv("MUBLAS_ESTIMATE");
    return estimate && *estimate ? "estimate" : "report";
}

static void say_none(const struct run_parts *parts, const char *program, const char *missing)
{
    struct stat there;
    const bool is_file = report_file_stream(parts->report) < 0;
    if (is_file && lstat(parts->report, &there) == 0 && S_ISREG(there.st_mode))
        fprintf(stderr, "mublas run: %s is of an earlier run: %s has ended and wrote no %s there (none is "
                        "written after a signal, exec or _exit)%s%s\n",
                parts->report, program, report_word(), missing ? ": " : "", missing ? missing : "");
    else if (missing)
        fprintf(stderr, "mublas run: there is no %s: %s\n", report_word(), missing);
}

static void merge(const struct run_parts *parts, char **program)
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
    struct report *const sum =
        scan.reports.count ? merged_reports_sum(&scan.reports, *program, command, &missing) : NULL;
    if (scan.reports.count && (!sum || !merged_reports_deliver(&scan.reports, parts->report, sum)))
        fprintf(stderr, "mublas run: there is no %s: out of memory\n", report_word());
    if (sum)
        report_clear(sum);
    free(sum);
    free(missing);
    free(words);
    free(scan.absent);
    merged_reports_clear(&scan.reports);
}

/* The last of a job's ranks merges, and so does every one that cannot know whether others will come. */
void run_parts_end(const struct run_parts *parts, pid_t process, int status, char **program)
{
    struct mps_rank running;
    bool all_came = true;
    const int file = lock_ranks(parts, O_CREAT);
    absent_leave(parts, process, status, *program);
    if (file >= 0)
        add_rank_line(file, true);
    if (file < 0 || !find_running(file, parts->ranks, &running, &all_came)) {
        merge(parts, program);
        if (all_came)
            private_folder_remove(parts->folder);
    }
    if (file >= 0)
        close(file);
}

/* Until ranks and launcher are gone, or the last rank has merged. A launcher that ends its ranks by SIGKILL
 * leaves them no time for it. */
static void watch(const struct run_parts *parts, const struct mps_rank *launcher, char **program)
{
    for (;;) {
        struct mps_rank running = *launcher;
        bool all_came = false;
        const int file = lock_ranks(parts, 0);
        if (file < 0)
            _exit(0);
        const bool waits = find_running(file, parts->ranks, &running, &all_came) || !all_came;
        const int process = waits ? rank_process_open(&running) : -1;
        if (process < 0) {
            merge(parts, program);
            private_folder_remove(parts->folder);
            _exit(0);
        }
        close(file);
        rank_process_wait(process);
    }
}

/* A process without a parent, which nobody waits for, in a session that the launcher does not know. */
static void watch_begin(const struct run_parts *parts, const struct mps_rank *launcher, char **program)
{
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) {
            setsid();
            run_keep_files(false, false);
            watch(parts, launcher, program);
        }
        _exit(0);
    }
    while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Makes or finds the folder in this place. 0, or the reason as errno has it. */
static int begin_in(const char *place, struct run_parts *parts, const char *report, const struct mps_rank *owner,
                    bool *made)
{
    enum { PARTS_BYTES = 1 << 18 };
    char prefix[PREFIX_BYTES];
    folder_prefix(prefix);
    private_folders_remove_left(place, prefix); /* their `mublas run`, or its launcher, is gone */
    snprintf(parts->folder, sizeof parts->folder, "%s/%s%ld.%llx.%x", place, prefix, (long)owner->process,
             owner->begun, hash_of(report));
    int reason = private_folder_make(parts->folder, PARTS_BYTES, made);
    const int file = reason ? -1 : lock_ranks(parts, O_CREAT);
    if (!reason && (file < 0 || !add_rank_line(file, false)))
        reason = errno;
    if (file >= 0)
        close(file);
    if (reason && *made)
        private_folder_remove(parts->folder);
    return reason;
}

/* The same where another rank may remove the folder meanwhile. */
static int begin_patiently(const char *place, struct run_parts *parts, const char *report,
                           const struct mps_rank *owner, bool *made)
{
    enum { TRIES = 20 };
    int reason = ENOENT;
    for (int i = 0; i < TRIES && reason == ENOENT; i++)
        reason = begin_in(place, parts, report, owner, made);
    return reason;
}

/* Nothing will be merged: no process may take another's place. */
static void keep_apart(const char *report)
{
    char *name;
    const char *const dot = report_file_is_page(report) ? strrchr(report, '.') : report + strlen(report);
    if (report_file_stream(report) >= 0 || asprintf(&name, "%.*s.%%p%s", (int)(dot - report), report, dot) < 0)
        return;
    setenv("MUBLAS_REPORT", name, 1);
    free(name);
}

bool run_parts_begin(struct run_parts *parts, const char *report, char **program)
{
    static const char second[] = "/tmp";
    struct mps_rank owner;
    bool made;
    const char *const place = private_folder_place();
    const bool is_second = strcmp(place, second) == 0;
    parts->ranks = ranks_of_job(&owner);
    merged_report_name(report, parts->report);
    const int reason = begin_patiently(place, parts, report, &owner, &made);
    const int again = reason && !is_second ? begin_patiently(second, parts, report, &owner, &made) : reason;
    if (again) {
        fprintf(stderr, "mublas run: each process writes %s %s of its own, since no folder can be made to merge them: "
                        "%s: %s", report_word()[0] == 'e' ? "an" : "a", report_word(), place, strerror(reason));
        fprintf(stderr, is_second ? "\n" : "; %s: %s\n", second, strerror(again));
        keep_apart(report);
        return false;
    }
    if (setenv("MUBLAS_REPORT_PARTS", parts->folder, 1) != 0)
        return false;
    if (made && parts->ranks > 0)
        watch_begin(parts, &owner, program);
    return true;
}
