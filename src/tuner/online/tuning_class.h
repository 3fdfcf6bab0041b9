/* tuning_class.h - the classes of calls that share launch shapes: 25 of them.
 *
 * axpy of s, d, c, z; gemv of the same, not transposed and transposed; symv of s, d, w;
 * hemv of c, z; trmv of s, d, c, z, not transposed and transposed. Which triangle, unit
 * diagonals, conjugation and alignment share. A class is a number from 0 on; a gemv class
 * has three forms, the others are square. Pure functions. */
#ifndef MUBLAS_TUNING_CLASS_H
#define MUBLAS_TUNING_CLASS_H

#include "common/blas_call.h"

enum { TUNING_CLASSES = 25, TUNING_CLASS_NONE = -1, TUNING_UNIT = 32 };

/* Forms of gemv by its arguments m and n: square, tall (m >= 4 n), wide (n >= 4 m). */
enum tuning_form { TUNING_SQUARE, TUNING_TALL, TUNING_WIDE, TUNING_FORMS };

/* The class of a call; TUNING_CLASS_NONE: launches do not do it. */
int tuning_class_of(const struct blas_call *call);

/* "saxpy", "dgemv_none", "dgemv_transpose", "wsymv", "chemv", "ztrmv_none". */
const char *tuning_class_name(int class);
/* Back again; TUNING_CLASS_NONE: there is no such class. */
int tuning_class_parse(const char *name);
enum blas_family tuning_class_family(int class);
enum blas_type tuning_class_type(int class);
bool tuning_family_is_triangle(enum blas_family family); /* of level 2: half of a square matrix is read */

/* 3 for gemv, 1 for the others, whose only form is TUNING_SQUARE. */
int tuning_class_forms(int class);
enum tuning_form tuning_form_of(const struct blas_call *call);
const char *tuning_form_name(enum tuning_form form); /* "square", "tall", "wide" */
/* False: there is no such form. */
bool tuning_form_parse(const char *name, enum tuning_form *form);

/* The size of a call in units of 32: ceil(n / 32); at least 1. For gemv it is that of a matrix of the form's
 * aspect ratio (1 or 16) with as many terms to a sum, kept within a factor (1.1; 2) of the one with as many
 * elements; where the terms are the shorter side of a tall or wide matrix it is the latter's, sqrt(m n) /
 * 32, for tall ones, if one is within a factor of 1.05, the size with as many leaf tiles in a row. */
int64_t tuning_size_of(const struct blas_call *call);

/* A call of the class: lower triangle, non-unit diagonal, unit increments, aligned columns,
 * no pointers, alpha 1.5, beta 0.5 (axpy: alpha 2^-10, no matrix). m counts for gemv alone. */
struct blas_call tuning_class_call(int class, int64_t m, int64_t n);
/* The same at a size and form; a tall matrix has about 16 times as many rows as columns. Extents are a
 * little below multiples of 32, each size by something else: most calls of programs end within a tile, and
 * that takes longer than whole tiles do. */
struct blas_call tuning_class_call_at(int class, enum tuning_form form, int64_t size);

#endif
