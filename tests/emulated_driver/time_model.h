/* time_model.h - how long a kernel takes on the emulated device: EMULATED_TIME.
 *
 * Without the variable an operation counts as a microsecond between events. With it events
 * tell the time of a clock that kernels advance by a model: bytes of the operands over a
 * bandwidth, plus a latency, times a penalty for every parameter of the launch shape that is
 * not the planted optimum's; with noise, outliers and spells of throttling. Parts are
 * separated by semicolons:
 *
 *   bandwidth B; latency S        bytes per second, seconds; 3e12 and 3e-6
 *   noise P                       relative standard deviation; 0
 *   outliers P F                  each launch with probability P takes F times as long
 *   throttle N M F                launches N to M of the process take F times as long
 *   execute L                     matrices with more rows or columns than L are not computed, nor
 *                                 vectors of more than L * L, nor large copies to the device made
 *   takes KERNEL S                a launch of kernels whose name begins so takes S seconds; the first that
 *                                 fits. With any such part no kernel of LAPACK's routines is computed, nor
 *                                 level 3 of many operations; others than these take no time.
 *   wrong EDGE COLUMNS            shapes with this edge and leaf columns give wrong results
 *   optimum KERNEL N EDGE THREADS COLUMNS TEAM VARIANT
 *                                 of kernels whose name begins so, where sqrt(rows * columns) <= N;
 *                                 the first that fits. No optimum: every shape is as good.
 *                                 axpy: only THREADS counts, and its length is the square of N.
 *
 * Each device has a clock of its own, which copies advance where EMULATED_LINK is set, and the calls of
 * cuBLAS where EMULATED_COMPUTE is. */
#ifndef MUBLAS_EMULATED_TIME_MODEL_H
#define MUBLAS_EMULATED_TIME_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/driver.h"

struct kernel;

bool time_model_is_on(void);

/* Advance the clock by a launch. False: it is not to be executed. */
bool time_model_launch(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads);

/* True for a shape whose result is to be spoilt. */
bool time_model_spoils(const struct kernel *kernel, const void *arguments);

/* False: a copy of so many bytes to the device is not to be made. */
bool time_model_copies(size_t bytes);

/* False: level 3 of so many operations is not to be computed. */
bool time_model_computes(double operations);

/* Operations of level 3, and bytes of a copy, on the device that runs: EMULATED_COMPUTE, EMULATED_LINK. */
void time_model_work(double operations);
void time_model_copy(size_t bytes);

/* Seconds that a device has worked since the driver was opened; false: it counts operations instead. */
double time_model_clock(CUdevice device);
bool time_model_has_clock(void);

#endif
