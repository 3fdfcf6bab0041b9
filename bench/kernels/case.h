/* case.h - one measured case of the kernel bench: a BLAS call without its addresses.
 *
 * Layouts of the matrix (for axpy: of both vectors):
 *   ALIGNED  first element at a multiple of 256 bytes, columns at multiples of 128
 *   ODD      the leading dimension is odd (axpy: y begins one element further on)
 *   SHIFTED  as ALIGNED, but begun one real number further on: the least that a Fortran
 *            program can pass. For complex types cuBLAS does not take such addresses. */
#ifndef MUBLAS_BENCH_CASE_H
#define MUBLAS_BENCH_CASE_H

#include "common/blas_call.h"

enum layout { LAYOUT_ALIGNED, LAYOUT_ODD, LAYOUT_SHIFTED, LAYOUT_COUNT };

struct bench_case {
    enum blas_family family; /* symv, hemv: of the real, of the complex types */
    enum blas_type type;
    enum blas_uplo uplo;
    enum blas_trans trans;
    enum blas_diag diag;
    enum layout layout;
    bool warm; /* every call on the same matrix, which the second-level cache holds */
    int64_t m, n;
};

struct case_list {
    struct bench_case *cases; /* to be freed */
    size_t count;
};

struct options;

/* The cases that the options choose, those of the acceptance figures first. */
struct case_list case_list_make(const struct options *options, size_t l2_bytes);

char case_type_letter(enum blas_type type);
const char *case_routine(const struct bench_case *wanted); /* without the type's letter */
/* The flags as BLAS spells them: "N", "L", "UTN"; "-" for axpy. */
void case_flags(const struct bench_case *wanted, char text[4]);
const char *case_layout(enum layout layout);

int64_t case_ld(const struct bench_case *wanted);
/* Bytes between the slot's begin and the first element. */
size_t case_shift(const struct bench_case *wanted);
/* Bytes of the slot that one call's matrix, or both axpy vectors, take up. */
size_t case_footprint(const struct bench_case *wanted);
/* Where y begins in an axpy slot. */
size_t case_second_vector(const struct bench_case *wanted);
/* Bytes that the routine must move: elements of the matrix or triangle once, x once, y read
 * and written (axpy: two vectors read, one written; trmv: x read and written). */
double case_bytes(const struct bench_case *wanted);
int64_t case_x_length(const struct bench_case *wanted);
int64_t case_y_length(const struct bench_case *wanted); /* also what trmv writes */

#endif
