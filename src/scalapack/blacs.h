/* blacs.h - the functions of the BLACS that mublas calls, and votes by them.
 *
 * Found in the library that has the program's ScaLAPACK, in what that depends on, or in what is loaded: MKL's
 * ScaLAPACK names no BLACS. Integers have 32 bits. */
#ifndef MUBLAS_SCALAPACK_BLACS_H
#define MUBLAS_SCALAPACK_BLACS_H

#include "scalapack/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers that all processes of a grid compare: from 0 to this. The BLACS compare absolute values. */
enum { BLACS_NUMBER_MOST = 1 << 30 };

/* Look for the functions, once, beginning with the library that has this code. False: some are not there. */
bool blacs_find(const void *code);

/* The place of the process in the grid of a context; rows below 1: it is not in it. Local. Works with
 * integers of 64 bits, too. */
struct grid_place blacs_place(int context);

/* Each number becomes the smallest, or the largest, among all processes of the grid. All of them must call.
 * */
void blacs_smallest(int context, int32_t *numbers, int count);
void blacs_largest(int context, int32_t *numbers, int count);

#endif
