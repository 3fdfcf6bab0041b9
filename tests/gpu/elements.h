/* elements.h - numbers for operands that are the same everywhere, and digests of results. */
#ifndef MUBLAS_TESTS_ELEMENTS_H
#define MUBLAS_TESTS_ELEMENTS_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Real numbers in an element, and their size. */
int element_parts(enum blas_type type);
size_t element_part_bytes(enum blas_type type);

/* Splitmix64 of operand and element. */
uint64_t element_hash(int operand, int64_t i, int64_t j);

/* A sign and as many bits as the type holds, so that products are not exact, times 1 to 2^-7: made of
 * integers alone. */
double element_value(enum blas_type type, int operand, int64_t i, int64_t j);

void element_set_part(enum blas_type type, void *numbers, int64_t index, double value);

/* FNV-1a, 64 bits, over `count` elements; in each part every NaN counts as the same one. */
uint64_t result_digest(enum blas_type type, const void *result, int64_t count);

/* The same of a result in several pieces: the digest of those before it, at first RESULT_DIGEST_EMPTY. */
#define RESULT_DIGEST_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t result_digest_more(uint64_t digest, enum blas_type type, const void *result, int64_t count);

/* Equal bits, or both NaN, in all parts of all elements. */
bool results_equal(enum blas_type type, const void *one, const void *two, int64_t count);

#endif
