/* makespan.h - how long equal workers take for work items that each takes when it is free: blocks of a
 * grid on the slots of a device. Pure. */
#ifndef MUBLAS_MAKESPAN_H
#define MUBLAS_MAKESPAN_H

#include <stddef.h>
#include <stdint.h>

struct work_items {
    int64_t count; /* 0 or more */
    double time;   /* of each, > 0 */
};

enum { WORK_GROUPS_MAX = 8 };

/* The groups (at most WORK_GROUPS_MAX) one after another, in units of their times, on workers >= 1. */
double makespan(const struct work_items *groups, size_t count, int64_t workers);

#endif
