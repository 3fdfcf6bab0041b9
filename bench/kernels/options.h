/* options.h - command line of the kernel bench. */
#ifndef MUBLAS_BENCH_OPTIONS_H
#define MUBLAS_BENCH_OPTIONS_H

#include "common/blas_call.h"
#include "shape_list.h"

#include <stdio.h>

enum { OPTIONS_SIZES_MAX = 64 };

struct options {
    bool families[FAMILY_COUNT];
    bool types[TYPE_COUNT];
    const char *uplos, *transes, *diags; /* letters of flags to measure: "LU", "NTC", "NU" */
    bool cold, warm;
    bool layouts[3];       /* enum layout; used where sizes are given */
    struct {
        int64_t m, n;      /* not equal: gemv only */
    } sizes[OPTIONS_SIZES_MAX];
    int size_count;        /* 0: the standard sizes, edges and shapes */
    struct shape_list shapes; /* to measure each case by; none: the chosen one */
    int replays;           /* of a graph, at most */
    double budget_seconds; /* for the replays of one graph */
    double time_limit;     /* seconds; no case begins after it */
    bool plain;            /* no graph: plain launches by the wall clock */
    bool peers, roof;      /* measure cuBLAS; the roof */
    size_t pool_bytes;     /* at most, for rotating operands */
    FILE *csv;             /* NULL: none */
};

/* Stops with a line that names the argument when one is bad. */
struct options options_read(int count, char **arguments);

#endif
