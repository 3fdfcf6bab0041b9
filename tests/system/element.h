/* element.h - elements of operands of any type, s d c or z, for the tests of entries: in memory as
 * BLAS has them, in computations as long double complex. */
#ifndef MUBLAS_TESTS_ELEMENT_H
#define MUBLAS_TESTS_ELEMENT_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef long double _Complex number;

static inline bool is_complex(char type)
{
    return type == 'c' || type == 'z';
}

static inline bool is_single(char type)
{
    return type == 's' || type == 'c';
}

static inline size_t part_bytes(char type)
{
    return is_single(type) ? sizeof(float) : sizeof(double);
}

static inline size_t element_bytes(char type)
{
    return part_bytes(type) << is_complex(type);
}

static inline void set_part(char type, double *memory, int64_t index, int part, double value)
{
    int64_t at = is_complex(type) ? 2 * index + part : index;
    if (is_single(type))
        ((float *)memory)[at] = (float)value;
    else
        memory[at] = value;
}

static inline number get(char type, const double *memory, int64_t index)
{
    int64_t at = is_complex(type) ? 2 * index : index;
    const float *single = (const float *)memory;
    long double real = is_single(type) ? (long double)single[at] : (long double)memory[at], imaginary = 0;
    if (is_complex(type))
        imaginary = is_single(type) ? (long double)single[at + 1] : (long double)memory[at + 1];
    return CMPLXL(real, imaginary);
}

static inline long double magnitude(number value)
{
    return fabsl(creall(value)) + fabsl(cimagl(value));
}

static inline number scalar_of(char type, const double value[2])
{
    double storage[2];
    for (int part = 0; part <= is_complex(type); part++)
        set_part(type, storage, 0, part, value[part]);
    return get(type, storage, 0);
}

/* The place of element (i, j) in memory; layout R or C. */
static inline int64_t matrix_index(char layout, int64_t i, int64_t j, int64_t ld)
{
    return layout == 'R' ? i * ld + j : i + j * ld;
}

#endif
