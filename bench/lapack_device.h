/* lapack_device.h - the device that bench/lapack measures on: a stream, times between events, its read
 * bandwidth. */
#ifndef MUBLAS_BENCH_LAPACK_DEVICE_H
#define MUBLAS_BENCH_LAPACK_DEVICE_H

#include "gpu/driver.h"
#include "mublas.h"

#include <stdbool.h>

struct lapack_device {
    struct mublas_handle *handle; /* on the stream */
    CUstream stream;
    char name[96];
    double bandwidth; /* bytes a second that a kernel reads; 0: not measured */
};

/* The first device, in its primary context, current from then on. Ends the program where there is none. */
struct lapack_device lapack_device_open(void);

/* Seconds on the device from before what is queued to its end; negative: it failed. */
double lapack_device_time(const struct lapack_device *device, bool (*queue)(void *context), void *context);

/* Ends the program with one line. */
void lapack_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
