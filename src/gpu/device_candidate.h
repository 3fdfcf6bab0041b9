/* device_candidate.h - a device beside the first that nobody named: used only while nobody else uses it.
 *
 * What can be told without a context there is looked at first. Its memory is looked at in a context of ours,
 * so only once calls have paid for one. Thread-safe. */
#ifndef MUBLAS_DEVICE_CANDIDATE_H
#define MUBLAS_DEVICE_CANDIDATE_H

#include "gpu/driver.h"

/* Of its memory, for others not to use it. The driver and our context there take part of the rest. */
enum { CANDIDATE_FREE_PERCENT = 90 };

enum candidate_refusal {
    CANDIDATE_FREE,
    CANDIDATE_EXCLUSIVE,  /* its compute mode keeps it for one process, or for none */
    CANDIDATE_OF_PROGRAM, /* the program has a context there */
    CANDIDATE_OCCUPIED    /* others have filled memory there */
};

/* The driver is open. Makes no context. */
enum candidate_refusal device_candidate_look(CUdevice device);

/* In its context. */
enum candidate_refusal device_candidate_look_inside(void);

/* "its memory is in use"; static storage. */
const char *device_candidate_reason(enum candidate_refusal refusal);

#endif
