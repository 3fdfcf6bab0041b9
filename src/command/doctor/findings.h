/* findings.h - what the checks of `mublas doctor` found: a line each, and what to do where something is
 * wrong. */
#ifndef MUBLAS_DOCTOR_FINDINGS_H
#define MUBLAS_DOCTOR_FINDINGS_H

#include <stdbool.h>

struct findings {
    bool colours;
    int wrong; /* how many */
};

/* Colours only where standard output is a terminal that knows them and NO_COLOR is not set. */
void findings_begin(struct findings *findings);

/* "ok     SUBJECT  TEXT" */
void finding_good(struct findings *findings, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "WRONG  SUBJECT  TEXT", then a line with the advice. */
void finding_wrong(struct findings *findings, const char *subject, const char *advice, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* "-      SUBJECT  not checked: WHY" */
void finding_skipped(struct findings *findings, const char *subject, const char *why);

#endif
