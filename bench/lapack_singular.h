/* lapack_singular.h - what bench/lapack_singular measures, and how far from right its results are. */
#ifndef MUBLAS_BENCH_LAPACK_SINGULAR_H
#define MUBLAS_BENCH_LAPACK_SINGULAR_H

#include "gpu/lane.h"
#include "gpu/vendor/solver_library.h"

#include <math.h>

enum what { BDSDC, BDSVX, VECTORS, VALUES, GESVDP, WHATS };
enum { STRIP = 256 }; /* columns of a product whose elements are looked at */

/* One size's operands on the device. A bidiagonal matrix is `given` as its d and e. */
struct operands {
    enum what what;
    enum blas_type type, real;
    int64_t m, n;
    size_t element, real_bytes, device_bytes, host_bytes;
    CUdeviceptr given, a, s, e, u, v, info, workspace, strip;
    void *host_workspace;
    double error; /* gesvdp's */
};

static inline bool is_bidiagonal(const struct operands *o) { return o->what == BDSDC || o->what == BDSVX; }
static inline bool has_vectors(const struct operands *o) { return o->what != BDSVX && o->what != VALUES; }

static inline double get(bool single, const void *numbers, size_t place)
{
    return single ? (double)((const float *)numbers)[place] : ((const double *)numbers)[place];
}

extern struct device *device;
extern struct solver_handle handle;

/* Ends the program. */
void fail(const char *what) __attribute__((noreturn));

/* A copy, the caller's to free. */
void *fetch(CUdeviceptr from, size_t bytes);

/* Prints them; `s` are the values, `other` those to compare with, or NULL. False: one is too large. */
bool errors_print(const struct operands *o, const void *s, const void *other);

#endif
