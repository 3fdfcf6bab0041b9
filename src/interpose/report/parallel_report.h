/* parallel_report.h - what a report tells of parallel routines (ScaLAPACK), and that as text. src/scalapack
 * counts them and offers what it has; nothing else is known of them here. */
#ifndef MUBLAS_PARALLEL_REPORT_H
#define MUBLAS_PARALLEL_REPORT_H

#include "interpose/policy.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
