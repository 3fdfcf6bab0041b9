/* cuda_libraries.h - cuSOLVER and what it needs of the CUDA driver, opened at run time, so that the peer is
 * built where no CUDA is installed. */
#ifndef MUBLAS_BENCH_CUDA_LIBRARIES_H
#define MUBLAS_BENCH_CUDA_LIBRARIES_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses: no usable libraries or device; a cuSOLVER without the routine. */
enum { NOT_THERE = 3, NO_ROUTINE = 4 };
enum { CUDA_REAL_64 = 1, CUDA_COMPLEX_64 = 5 }; /* cudaDataType */
enum { CUSOLVER_VECTORS = 1, CUSOLVER_RANGE_INDICES = 1002 };
enum { CUBLAS_LOWER = 0, CUBLAS_NO_TRANSPOSE = 0 };

/* The functions of cuda_functions.def. */
struct cuda_libraries {
#define DRIVER_FUNCTION(member, symbol, parameters) int(*member) parameters;
#define SOLVER_FUNCTION(member, symbol, parameters) int(*member) parameters;
#include "cuda_functions.def"
#undef DRIVER_FUNCTION
#undef SOLVER_FUNCTION
};

/* Routines that the library lacks are NULL. Exits with NOT_THERE and a line that says what is missing if that
 * is a library, or what every program needs of it. */
void cuda_libraries_open(struct cuda_libraries *libraries);

#endif
