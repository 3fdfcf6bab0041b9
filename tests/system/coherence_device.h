/* coherence_device.h - the program's own use of CUDA between and beside BLAS calls, and
 * the emulated device's faults. Without device_begin nothing here does anything. */
#ifndef MUBLAS_TESTS_COHERENCE_DEVICE_H
#define MUBLAS_TESTS_COHERENCE_DEVICE_H

#include "coherence_memory.h"

enum device_use {
    DEVICE_COPIES = 1, /* copies from the device into the program's memory */
    DEVICE_PINS = 2,   /* which it pins before some of them */
    DEVICE_FAULTS = 4  /* calls of the driver fail now and then (emulated driver only) */
};

/* The module (coherence_device.c) does this for the functions below. */
struct device_functions {
    bool (*begin)(int uses);
    bool (*copy)(struct arena *arena, size_t index, size_t length, struct random *random);
    void (*unpin)(struct arena *arena);
};

/* Use CUDA in these ways from now on, as far as that is possible; else false and a TAP
 * comment. Thread-safe. */
bool device_begin(int uses);

/* Elements [index, index + length) get new values by a copy from the device, made by
 * a thread of its own half of the time. False when it was not done. */
bool device_copy(struct arena *arena, size_t index, size_t length, struct random *random);

/* To be called before the arena's memory goes away or moves. */
void device_unpin(struct arena *arena);

/* Let some driver call soon fail, not fatally: anybody's. */
void device_fault(struct random *random);

#endif
