/* call.h - one call of LAPACK: whose it is, and its arguments. */
#ifndef MUBLAS_LAPACK_CALL_H
#define MUBLAS_LAPACK_CALL_H

#include "host/host_blas.h"
#include "interpose/lapack/frame.h"
#include "interpose/lapack/routines.h"

#include <string.h>

struct lapack_call {
    enum symbol symbol;
    const struct lapack_routine *routine;
    const void *caller; /* its return address */
    const struct lapack_frame *frame;
    host_function *host;
    enum integer_width width;
};

/* Arguments by number, from 1. Fortran aligns them as it likes. */
static inline void *lapack_address(const struct lapack_call *call, int number)
{
    return frame_address(call->frame, number);
}

static inline int64_t lapack_integer_at(const struct lapack_call *call, const void *address)
{
    int64_t wide;
    int32_t narrow;
    if (call->width == WIDTH_64) {
        memcpy(&wide, address, sizeof wide);
        return wide;
    }
    memcpy(&narrow, address, sizeof narrow);
    return narrow;
}

static inline int64_t lapack_integer(const struct lapack_call *call, int number)
{
    return lapack_integer_at(call, lapack_address(call, number));
}

/* Element `index`, from 0, of an array of integers. */
static inline int64_t lapack_element(const struct lapack_call *call, int number, int64_t index)
{
    return lapack_integer_at(call,
                             (const unsigned char *)lapack_address(call, number) + index * (call->width / 8));
}

static inline char lapack_letter(const struct lapack_call *call, int number)
{
    const char letter = *(const char *)lapack_address(call, number);
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* A real number of the routine's precision. */
static inline double lapack_real(const struct lapack_call *call, int number)
{
    float single;
    double real;
    if (blas_is_single(call->routine->type)) {
        memcpy(&single, lapack_address(call, number), sizeof single);
        return (double)single;
    }
    memcpy(&real, lapack_address(call, number), sizeof real);
    return real;
}

/* Results. Element `index`, from 0, of an array of integers. */
static inline void lapack_put_integer(const struct lapack_call *call, int number, int64_t index,
                                      int64_t value)
{
    const int32_t narrow = (int32_t)value;
    unsigned char *const at = (unsigned char *)lapack_address(call, number) + index * (call->width / 8);
    memcpy(at, call->width == WIDTH_64 ? (const void *)&value : (const void *)&narrow,
           (size_t)call->width / 8);
}

#endif
