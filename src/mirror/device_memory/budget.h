/* budget.h - how much device memory the mirrors may fill.
 *
 * Either a fixed amount, or a percentage of what is free or their own already, and of this
 * process's share of the device where ranks divide one (gpu/device_choice.h). What is free
 * changes as the program and other processes take and give: two that follow it meet at equal
 * parts. Thread-safe; those that ask the driver are to be called inside device_enter. */
#ifndef MUBLAS_BUDGET_H
#define MUBLAS_BUDGET_H

#include "gpu/device.h"

#include <stdatomic.h>

struct budget {
    struct device *device;
    atomic_size_t bytes;     /* in force */
    atomic_size_t committed; /* taken of it */
    size_t fixed;            /* bytes, the most where percent is 0 */
    unsigned percent;        /* 0: fixed */
};

void budget_fix(struct budget *budget, struct device *device, size_t bytes);
void budget_follow(struct budget *budget, struct device *device, unsigned percent);

/* Look again at what is free. True when more is taken than may be now. */
bool budget_refresh(struct budget *budget);

/* Bytes that may be taken for a moment beside it, of what nobody uses now, where other ranks have a share of
 * the device; 0: none. */
size_t budget_spare(const struct budget *budget);

/* Take `bytes`; false, and nothing taken, when they are not there. */
bool budget_take(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

#endif
