/* whole_number.h - the smaller and the larger of two sizes, and the next multiple. */
#ifndef MUBLAS_WHOLE_NUMBER_H
#define MUBLAS_WHOLE_NUMBER_H

#include <stdint.h>

static inline int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static inline int64_t larger(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* The first multiple of `unit` (at least 1) that is no less than `number` (at least 0). */
static inline int64_t round_up(int64_t number, int64_t unit)
{
    return (number + unit - 1) / unit * unit;
}

#endif
