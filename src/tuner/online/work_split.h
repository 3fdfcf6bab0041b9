/* work_split.h - the work of one call over several devices.
 *
 * What runs is work_split_measured: throughput decides. Paper 004's rule, by counts of
 * processing elements, is here as the baseline to compare with.
 * Where the paper contradicts itself, tests/unit/test_work_split.c says so. Pure
 * functions without allocation; thread-safe. */
#ifndef MUBLAS_WORK_SPLIT_H
#define MUBLAS_WORK_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct work_device {
    double items_per_us; /* 0: not to be used */
    double overhead_us;  /* before its first item: launch, vectors up, results back */
};

/* Deal `items` so that the last device is done as early as possible: all that have work end
 * together, as nearly as multiples of `unit` allow (the remainder of items / unit goes with
 * some device's last unit). A device whose overhead alone takes longer gets none. If no
 * device is to be used the first has all. */
void work_split_measured(const struct work_device *devices, size_t count, int64_t items, int64_t unit,
                         int64_t *shares);

/* When the last device is done, in microseconds; infinity for a share on one not to be used. */
double work_split_finish(const struct work_device *devices, size_t count, const int64_t *shares);

/* Paper 004, section 4.2: weights for kernels of much, medium and little computation. */
#define WORK_WEIGHT_LARGE 0.25
#define WORK_WEIGHT_MEDIUM 0.75
#define WORK_WEIGHT_SMALL 1.25

/* Of two devices the one with fewer processing elements gets its part of all elements times
 * the weight where that part is at most 0.4, else half (equations 7 and 8), rounded half up;
 * the other the rest. Of more, each and the next larger one are weighed against each other,
 * and the ratios chained. elements[i] >= 1, at most 64 devices. */
void work_split_by_elements(const int *elements, size_t count, double weight, int64_t items, int64_t *shares);

#endif
