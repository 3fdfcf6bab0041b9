/* timed_class.h - the classes of calls that share a time, on the host as on the device.
 *
 * The tuning classes that programs can reach (not wsymv), gemv's once for each form, and
 * syr2k of s and d in two forms: panel (k < n / 4, as factorisations call it, or k <= 32) and
 * deep. Flags other than the transposition share, for syr2k all. A class is a number from 0
 * on. Pure functions. */
#ifndef MUBLAS_TIMED_CLASS_H
#define MUBLAS_TIMED_CLASS_H

#include "common/blas_call.h"
#include "tuner/tuning_class.h"

enum { TIMED_CLASSES = TUNING_CLASSES * TUNING_FORMS + 4, TIMED_CLASS_NONE = -1, TIMED_CLASS_NAME = 32 };

/* TIMED_CLASS_NONE: no program's call. */
int timed_class_of(const struct blas_call *call);

/* Not every number is a class: only gemv has forms. Walk from 0 to TIMED_CLASSES and skip. */
bool timed_class_exists(int class);

/* "daxpy", "dgemv_none_tall", "dtrmv_transpose", "dsyr2k_panel", into `name`. */
const char *timed_class_name(int class, char name[TIMED_CLASS_NAME]);
/* Back again; TIMED_CLASS_NONE: there is no such class. */
int timed_class_parse(const char *name);

/* The amount of work: elements, n of axpy, m n of gemv, n^2 of a triangle; n^2 k of syr2k. */
double timed_class_amount(const struct blas_call *call);

enum blas_family timed_class_family(int class);
enum blas_type timed_class_type(int class);

/* A call of the class with about this amount of work, shapes and pointers left out: family,
 * type, flags, m, n, k. */
struct blas_call timed_class_call(int class, double amount);

/* The gated size (crossover.h) of a call of the class with this amount, rounded down. */
uint64_t timed_class_gated(int class, double amount);

#endif
