/* work_split.h - the work of one call over several devices.
 *
 * What runs is work_split_measured: throughput decides. Paper 004's rule, by counts of
 * processing elements, and its local work sizes are here as the baseline to compare with.
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

/* Section 4.3, one dimension: the smallest divisor of `items` that is no less than the
 * processing elements of a compute unit; the largest up to `most` if there is none. */
int64_t work_local_size(int64_t items, int64_t elements_of_unit, int64_t most);

/* Two dimensions: divisors of x and y whose product is a multiple of 32 and at most `most`,
 * first with the largest x (`along_y`: y), then with the largest product. Without such a
 * pair, the largest divisor of that one up to `most`, and 1. */
struct work_block {
    int64_t x, y;
};
struct work_block work_local_block(int64_t x, int64_t y, int64_t most, bool along_y);

#endif
