/* program.h - the frame of a bench program: arguments, clock, digest, output.
 *
 * Each program is an ordinary one: it calls LAPACK or BLAS by their Fortran names and
 * knows of no GPU. It solves its problem a number of times,
 *
 *     PROGRAM [N [REPETITIONS [EXTRA]]]
 *
 * and prints one line:
 *
 *     program,n,repetitions,first_seconds,later_seconds,calls_seconds,residual,orthogonality,digest
 *
 * first_seconds   the first repetition, which also wakes devices and threads
 * later_seconds   the median of the others; empty if there were none
 * calls_seconds   of the same repetitions (the first, if alone) the part inside the library's
 *                 calls; empty where a program's measured part is nothing else
 * residual, orthogonality   the largest of all repetitions (checks.h says of what), in units
 *                 of DBL_EPSILON; empty where there is nothing to check
 * digest          of the bits of all results of all repetitions
 *
 * With BENCH_REPETITIONS=FILE in the environment it also appends a line for each repetition to that file,
 *
 *     program,n,repetition,seconds,digest
 *
 * repetitions counted from 1, the digest of that one's results alone.
 *
 * Making matrices and checking results is not measured. Exit status: 0, 1 when a routine
 * fails, 2 for bad arguments. */
#ifndef MUBLAS_BENCH_PROGRAM_H
#define MUBLAS_BENCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
    const char *program;
    int n, repetitions, extra;
    int repetition; /* the one under way, from 0 */
    double start, call_start;
    double *times, *call_times;     /* by repetition; owned */
    double residual, orthogonality; /* negative: not checked */
    uint64_t *digests;              /* by repetition; owned */
};

/* Reads the arguments; `extra` is the default of the third, 0: there is none. Exits on bad ones. */
struct run run_begin(const char *program, int count, char **arguments, int extra);

/* Goes on to the next repetition; false after the last. */
bool run_next(struct run *run);

/* The clock of the repetition. May be stopped and started again: times add up. */
void run_start(struct run *run);
void run_stop(struct run *run);

/* A second clock, for library calls within what the first one measures. */
void run_call_begins(struct run *run);
void run_call_ends(struct run *run);

/* Values checked in this repetition; negative: not checked. A NaN stays. */
void run_checked(struct run *run, double residual, double orthogonality);
void run_digest(struct run *run, const double *values, size_t count);

/* Prints the line; returns the exit status. */
int run_finish(struct run *run);

/* Uninitialised memory for `count` doubles, by malloc; exits when there is none. */
double *allocate(size_t count);
int *allocate_integers(size_t count);

/* Exits with a message unless info is 0. */
void expect_success(const char *routine, int info);

#endif
