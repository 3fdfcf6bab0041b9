/* purchase.h - what takes long to get, and then stays: the device, cuBLAS, cuSOLVER.
 *
 * Each has its price, which calls pay by what they would gain (enum purchase_time in policy.h). It is
 * asleep until they have paid a part; then it is prepared beside the program (background.h) while they
 * stay on the host; once they have paid all, the next waits for it if need be. So which call is the first
 * to use it depends on the calls alone. Where there can be no thread of ours, that call gets it itself.
 * Any thread may call these at once. */
#ifndef MUBLAS_PURCHASE_H
#define MUBLAS_PURCHASE_H

#include "gpu/device.h"
#include "interpose/purchase/background.h"

struct purchase {
    struct background_job job;
    bool (*get)(struct device *device); /* false: it failed */
    void (*prepared)(void);             /* called after that beside the program, unless NULL */
    struct device *_Atomic device;      /* where; NULL for the device itself */
    _Atomic uint64_t nanoseconds;       /* that `get` took */
    atomic_bool is_awaited;
};

/* Static storage, of these two functions. */
#define PURCHASE(getting, ...) {.job = {.work = purchase_work}, .get = (getting), __VA_ARGS__}
void purchase_work(struct background_job *job);

/* Prepare it. */
void purchase_begin(struct purchase *purchase, struct device *device);

/* Get it, or wait until it is prepared. False: it is not to be had now, since another thread may hold what
 * it needs. */
bool purchase_finish(struct purchase *purchase, struct device *device);

/* The same for one call at a time, while others get false and go on on the host, unless they are to go to
 * the device always. */
bool purchase_finish_alone(struct purchase *purchase, struct device *device);

/* For the report. nanoseconds 0: not got, or no report is wanted. What a call waited counts only where it
 * was prepared beside the program. */
struct purchase_times {
    uint64_t nanoseconds, waited_nanoseconds;
    bool beside;
};
struct purchase_times purchase_times(struct purchase *purchase);

#endif
