/* report_data.h - what a report tells, read from the process at its exit (report_data.c), written and read as
 * text of counters and added up over processes (report_parse.c, report_sums.c), and printed in two forms: as text
 * (report.c) and as a page (page.c, page_charts.c, page_timeline.c). The printing knows no process: the
 * command prints what others have left in the same way. */
#ifndef MUBLAS_REPORT_DATA_H
#define MUBLAS_REPORT_DATA_H

#include "interpose/estimate/estimate.h"
#include "interpose/policy.h"
#include "interpose/report/report_file.h"
#include "interpose/report/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Parallel routines (ScaLAPACK) in a report, and that as text (parallel_report.c). src/scalapack counts them
 * and offers what it has; nothing else is known of them here. */

/* The steps that this process's time in a routine went to. */
enum parallel_step { STEP_AGREE, STEP_PUT, STEP_WORK, STEP_TAKE, STEP_COUNT };

/* Why a call never came to a vote. */
enum parallel_unserved {
    UNSERVED_QUERY,       /* it only asks for the size of a workspace */
    UNSERVED_SMALL,
    UNSERVED_ARGUMENTS,   /* nothing to do, or no descriptor of a distributed matrix */
    UNSERVED_WIDE,        /* integers of 64 bits */
    UNSERVED_CONTEXT,     /* its context was made by other means */
    UNSERVED_JOB,         /* nothing is served in this job: parallel_report.fault */
    UNSERVED_GIVEN_UP,    /* its context was, by all processes */
    UNSERVED_COUNT
};

struct parallel_counts {
    uint64_t device_calls;
    uint64_t host_calls[HOST_REASON_COUNT];    /* that were voted on; others' reasons are theirs to tell */
    uint64_t unserved_calls[UNSERVED_COUNT];
    uint64_t nanoseconds[STEP_COUNT]; /* of device calls; STEP_WORK of who does not own it is waiting */
    int64_t largest;                  /* order */
};

struct parallel_row {
    const char *name; /* "pdsyevd" */
    struct parallel_counts counts;
};

struct parallel_report {
    const struct parallel_row *rows; /* those that were called */
    int count;
    bool has_owner, owner_is_here; /* of the device's part of the last call */
    long owner;                    /* its process */
    int owner_rank;
    const char *fault; /* why nothing is served in this job; NULL: it is */
    bool has_elpa;     /* the program has loaded it */
};

/* Read at exit: NULL where there is nothing to tell. Static storage. */
typedef const struct parallel_report *parallel_report_read(void);

/* Any number of times, with the same one. Thread-safe. */
void parallel_report_offer(parallel_report_read *read);

/* Copies it, where there is anything to tell: names and faults are heap memory, as of a report that was
 * read. */
void parallel_report_copy(struct parallel_report *copy, struct parallel_row *rows, int rows_most);

uint64_t parallel_host_calls(const struct parallel_counts *counts);

/* A short English phrase. */
const char *parallel_unserved_text(enum parallel_unserved why);

/* The part of the text report that tells of parallel routines. */
void parallel_text_print(FILE *stream, const struct parallel_report *report);

/* The part of the page that does. Identifiers of tables are for what is once in a page. `is_sum`: of several
 * processes. */
void parallel_page_print(FILE *stream, const struct parallel_report *report, bool is_section, bool is_sum);

/* Advice tells what held a program back, in plain sentences, each with its evidence: facts in, sentences
 * out. The same for the text report and the page. Pure. advice_give calls the parts below it: sentences on
 * the whole process and on parallel routines (advice.c), on routines, and the phrases of both
 * (advice_routines.c). */

struct advice_routine {
    const char *name;
    bool is_lapack;
    uint64_t calls[HOST_REASON_COUNT]; /* on the host */
    double seconds[HOST_REASON_COUNT]; /* 0: not timed */
    double inside_seconds[HOST_REASON_COUNT]; /* of these in calls made inside, which are told themselves */
    long long m, n, k;                 /* of the largest that was predicted faster on the host; n 0: none */
    long long pays_from;               /* LAPACK: the order from which such a call pays here; 0: not known */
    const char *variant;               /* the argument that kept calls for HOST_VARIANT */
};

enum advice_device {
    ADVICE_DEVICE_USED,
    ADVICE_DEVICE_ASLEEP, /* nothing was worth waking it */
    ADVICE_DEVICE_READY,  /* being woken when the program ended, or too slowly; not used */
    ADVICE_DEVICE_NONE,
    ADVICE_DEVICE_LOST    /* given up in the middle */
};

enum advice_tracking {
    ADVICE_TRACKS,
    ADVICE_TRACKING_OFF,        /* by MUBLAS_TRACKING */
    ADVICE_TRACKING_IMPOSSIBLE, /* for tracking_fault */
    ADVICE_TRACKING_BLIND       /* writes may come unseen: RDMA and the like */
};

struct advice_facts {
    const struct advice_routine *routines; /* those that were called */
    int count;
    enum advice_device device;
    bool device_is_emulated;  /* a test's: nothing to tune */
    const char *device_fault; /* why there is none; NULL: not known */
    enum advice_tracking tracking;
    const char *tracking_fault;
    bool level3_is_missing, solver_is_missing; /* no cuBLAS, no cuSOLVER */
    bool has_recipe;                           /* of mublas tune */
    const char *unreachable; /* what of the program cannot be intercepted and why; NULL: nothing is known */
    double run_seconds;      /* so far; 0: not known */
    bool was_called;         /* any BLAS, LAPACK or parallel routine */
    bool has_queries_alone;  /* those calls asked for the size of a workspace */
    const struct parallel_report *parallel; /* NULL: nothing is known of such routines */
    bool has_forked, has_started_others; /* processes, whose calls are none of this one's */
    bool is_section; /* of a report that has theirs, too */
};

/* Calls `take` with each sentence, those of the whole process first, then the costliest. */
typedef void advice_take(void *context, const char *sentence);
void advice_give(const struct advice_facts *facts, advice_take *take, void *context);

/* The words after "because" for a routine's calls with this reason, and a remedy: static storage. The remedy
 * may be "". */
const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);

/* The remedy for a device that cannot be used; `fault` may be NULL. */
const char *advice_device_remedy(const char *fault);

/* The remedy for writes that cannot be tracked. */
const char *advice_tracking_remedy(const char *fault);

/* A sentence on processes that a program started. */
extern const char advice_silent_children[];

/* "900", "900 x 20", "900 x 20 x 7" */

/* Sentences under way. */
struct advice_giving {
    const struct advice_facts *facts;
    advice_take *take;
    void *context;
    int *said; /* sentences */
};

void advice_say(const struct advice_giving *giving, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum advice_kind { ADVICE_KIND_BLAS, ADVICE_KIND_LAPACK, ADVICE_KIND_ANY };

/* Over all routines of a kind, each second once. */
double advice_seconds_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);
uint64_t advice_calls_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);

/* One sentence for all routines of a kind, where calls have this reason. */
void advice_say_together(const struct advice_giving *giving, enum host_reason reason, enum advice_kind kind);

/* A sentence for each routine and reason that is not told together, the costliest first. */
void advice_say_routines(const struct advice_giving *giving);

enum { LANES_MOST = 16, SETUP_LINES_MOST = 48, REPORT_WORD_BYTES = 64, PARALLEL_ROWS_MOST = 64 };

/* Facts of a routine's calls that advice tells besides their numbers. */
struct routine_facts {
    long long m, n, k;                /* of the largest that was predicted faster on the host; n 0: none */
    long long pays_from;              /* the order from which such a call pays here; 0: not known */
    char variant[REPORT_WORD_BYTES]; /* an argument that no route has; "": none */
};

/* Facts of the whole process that advice tells; sentences are heap memory, NULL: none. */
struct process_facts {
    enum advice_device device;
    enum advice_tracking tracking;
    bool level3_is_missing, solver_is_missing, has_recipe, has_forked, has_started_others;
    char *device_fault, *tracking_fault, *unreachable;
};

/* All of it is read once, so that the parts agree while other threads go on. Release with report_clear. */
struct report {
    struct reporter reporter;
    int processes;     /* that it is the sum of; 1: of the reporter alone */
    bool is_section;   /* of a report of several processes */
    bool is_emulated;  /* the device is a test's, whose times say nothing of a GPU's */
    char *program;
    char *missing;     /* sentences on processes that left no report; NULL: none is known */
    struct report_run run;
    uint64_t run_nanoseconds; /* of a sum: the longest */
    struct process_facts facts;
    struct setup_line {
        char *label, *text;
    } setup[SETUP_LINES_MOST]; /* device, what opening it took, host libraries, settings */
    int setup_count;
    struct routine_stats routines[SYMBOL_COUNT], total; /* each nanosecond of the total's is counted once */
    struct routine_facts routine_facts[SYMBOL_COUNT];
    struct size_stats sizes;
    struct large_call largest[LARGEST_CALLS];
    int largest_count;
    struct time_in_calls in_calls;
    struct thread_lane lanes[LANES_MOST]; /* of the level that covers the run; the last may be of several threads */
    int lane_count, thread_count;
    struct estimate estimate; /* of calls that are not in the table of routines */
    struct parallel_report parallel; /* count 0: nothing to tell; its rows are: */
    struct parallel_row parallel_rows[PARALLEL_ROWS_MOST];
};

/* All zero is a report of nothing. */
void report_clear(struct report *report);

/* Behind such a library in the line of a host BLAS. */
#define SETUP_SLOW_HOST ", Netlib's slow reference"

/* Keeps a copy of the text; what is too much is left out. */
void report_setup_add(struct report *report, const char *label, const char *text);

/* The total, from the routines. */
void report_sum_up(struct report *report);

/* Adds a process to a sum, which begins as all zero. */
void report_add(struct report *sum, const struct report *more);

/* One text of lines from REPORT_COUNTERS_BEGIN to REPORT_COUNTERS_END, of printable ASCII without "--": it
 * can be in a text and in a comment of a page. Numbers have points whatever the locale, and words are
 * percent-encoded. Another version of mublas may have other reasons: the first line has its version. */
#define REPORT_COUNTERS_BEGIN "# mublas-counters "
#define REPORT_COUNTERS_END "# end"
void report_counters_print(FILE *stream, const struct report *report);

/* Reads one such text, which begins at `text`. NULL: `fault` is a phrase; else *rest is behind it. */
enum { REPORT_FAULT_BYTES = 160 };
struct report *report_counters_parse(const char *text, const char **rest, char fault[REPORT_FAULT_BYTES]);

bool report_was_called(const struct routine_stats *stats); /* other than for the size of a workspace */
bool report_has_calls(const struct report *report);        /* of any kind, parallel routines included */
uint64_t report_host_calls(const struct routine_stats *stats); /* without workspace queries */

/* Nanoseconds. A LAPACK routine's on the host are all of them; its own are those outside of calls that it
 * makes and that are counted themselves. */
uint64_t report_host_time(const struct routine_stats *stats);
uint64_t report_inside_time(const struct routine_stats *stats);
uint64_t report_own_host_time(const struct routine_stats *stats);
uint64_t report_device_time(const struct routine_stats *stats);
uint64_t report_link_time(const struct routine_stats *stats);  /* of that, packing and moving operands */
uint64_t report_kernel_time(const struct routine_stats *stats); /* of that, launching and waiting */

/* Thousands of millions of operations a second, on the device and on the host; 0: not known. */
double report_device_rate(const struct routine_stats *stats);
double report_host_rate(const struct routine_stats *stats);

/* "dsymv" for dsymv_; by other interfaces the exported name. */
enum { REPORT_NAME_BYTES = 40 };
const char *report_name(enum symbol symbol, char name[REPORT_NAME_BYTES]);

/* "dsyevd 3, dgeqrf 1": workspace queries by routine; to be freed, NULL: there are none. */
char *report_queries(const struct report *report);

/* The facts that advice.c makes its sentences of. */
void report_advice_give(const struct report *report, advice_take *take, void *context);

/* The report as text (report.c), or in its place what an estimate comes to (estimate/estimate_text.c), which is text
 * alone. */
void report_text_print(FILE *stream, const struct report *report);
void estimate_text_print(FILE *stream, const struct report *report);

/* Behind that of their sum a row for each process, the seconds of the job from the first one's begin to the last one's
 * end, and how sure all that is. `reports` becomes ordered by begin. */
void estimate_job_print(FILE *stream, const struct report *sum, const struct report **reports, int count);

/* That, with the counters behind it, for a file. */
void report_file_print(FILE *stream, const struct report *report);

/* "mublas report of process 4711, rank 3 of 8", "mublas report of 4 processes" */
void report_text_print_process(FILE *stream, const struct report *report);

/* The report as one page of HTML (page.c): no script, no network, a table beside each chart. A page has the
 * head, what is in the body, and the foot. */
void page_print(FILE *stream, const struct report *report);
void page_print_head(FILE *stream, const struct report *report);
void page_print_body(FILE *stream, const struct report *report);
void page_print_foot(FILE *stream);

/* The parts of the page that have charts. Two bars: the run, by whether a call was under way, and the calls,
 * by what they were spent on (page_charts.c). */
void page_print_whole(FILE *stream, const struct report *report);

/* A bar and a row for each routine, and workspace queries behind them. */
void page_print_routines(FILE *stream, const struct report *report);
void page_print_queries(FILE *stream, const struct report *report);

/* When threads were in which activity, a lane each; a bar for the calls of each size (page_timeline.c). */
void page_print_timeline(FILE *stream, const struct report *report);
void page_print_sizes(FILE *stream, const struct report *report);

/* The class of an activity's colour, and what that means. The legend has those that are shown. */
const char *page_activity_class(enum activity activity);
const char *page_activity_meaning(enum activity activity);
void page_print_legend(FILE *stream, const bool is_shown[ACTIVITY_COUNT]);

/* Threads may end the process at once: one of them runs the destructors, the report among them, and the
 * others would end the process meanwhile (glibc 2.41 has them wait by itself). From now on they wait for the
 * report. When the library is loaded, after start_objects_note, where a report is wanted. Does nothing for a
 * library that came by dlopen. */
void exit_wait_begin(void);

#endif
