/* output.h - what the kernel bench prints: a table on standard output, and with -o the same
 * figures as comma-separated values, described by comment lines that begin with "#". */
#ifndef MUBLAS_BENCH_OUTPUT_H
#define MUBLAS_BENCH_OUTPUT_H

#include "agreement.h"

#include <stdio.h>

struct result {
    const struct bench_case *wanted;
    int calls;
    double roof_seconds;                    /* 0: not measured */
    struct timing timings[CONTENDER_COUNT]; /* seconds 0: not measured */
    enum agreement agreement;
    const char *shape;                      /* as given by -s; NULL: chosen */
};

struct options;
void output_begin(const struct options *options, const struct device_properties *device, int count,
                  char **arguments);
/* A line of comment in both. */
void output_note(FILE *csv, const char *format, ...) __attribute__((format(printf, 2, 3)));
void output_result(FILE *csv, const struct result *result);
/* A line of comment: this case is not measured by this shape. */
void output_skipped(FILE *csv, const struct bench_case *wanted, const char *shape, const char *reason);

#endif
