/* narrow_shares.h - how much of a call a host's thread does column by column.
 *
 * OpenBLAS gives each thread a range of the columns of SYMV's triangle, of about as much work as the others:
 * a multiple of 4 wide, but for the last, which gets what is left. Of the upper triangle a range narrower
 * than 16 is done column by column, which takes several times as long, and the last columns are the longest:
 * ssymv of order 843 takes 25 us on 16 threads, of order 844 12. Which orders
 * those are depends on the number of threads alone (driver/level2/symv_thread.c and kernel/x86_64/ssymv_U.c
 * and dsymv_U.c of OpenBLAS 0.3.26); how much longer they take is learned (narrow_times.h), and is nothing
 * where the host is another one. Pure functions. */
#ifndef MUBLAS_NARROW_SHARES_H
#define MUBLAS_NARROW_SHARES_H

#include "common/blas_call.h"

enum { NARROW_SHARE_COLUMNS = 15 /* at most */ };

/* Can calls of this family, type and triangle have any? */
bool narrow_shares_exist(const struct blas_call *call);

/* Columns of such a range, as if they were as long as the order, for the thread that has most of them: 0 to
 * NARROW_SHARE_COLUMNS. */
double narrow_shares_columns(const struct blas_call *call, int threads);

#endif
