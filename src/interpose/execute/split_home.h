/* split_home.h - where the results of a call over several devices come to in host memory, until they are
 * added up: those of each device one after the other, as its steps are listed. */
#ifndef MUBLAS_SPLIT_HOME_H
#define MUBLAS_SPLIT_HOME_H

#include "interpose/execute/split_sum.h"

struct split_home {
    const struct split_plan *plan;
    struct split_memory memory;
    unsigned char *results[DEVICES_MAX]; /* of each device, */
    size_t bytes[DEVICES_MAX];           /* so much */
    struct split_addend *addends;        /* what each step brings */
    int steps, listed;
    void *packed; /* the call's result */
};

/* What a step brings, there and on the device. */
size_t split_home_step_bytes(const struct split_plan *plan, const struct split_step *step);

/* STATUS_OUT_OF_MEMORY: there is no room. Either way it is given back. */
enum status split_home_take(struct split_home *home, const struct split_plan *plan);
void split_home_give_back(struct split_home *home);

/* The device's results are there instead. Other memory than it had before, and as long. */
void split_home_come_to(struct split_home *home, int device, unsigned char *results);

/* All results have come, and may be changed where they lie: the call's result in the program's memory. Not
 * STATUS_OK: that is as it was. */
enum status split_home_add_up(struct split_home *home);

#endif
