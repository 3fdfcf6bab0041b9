/* vigil.h - how a client waits: for the ring, for answers, and for words that the device writes. A wait spins
 * for a moment, then sleeps ever longer, and looks whether the server lives: one that has hung up, has lost
 * its device, or whose heart has not beaten for seconds, loses the link. Thread-safe. */
#ifndef MUBLAS_SERVICE_VIGIL_H
#define MUBLAS_SERVICE_VIGIL_H

#include "service/message.h"

/* A wait knows this of the server's life; all zero at first. */
struct vigil {
    uint64_t begun, looked, silent; /* ns */
    unsigned heartbeat;
    bool is_begun;
};

/* One step of a wait. Not CUDA_SUCCESS: the link is lost. */
CUresult vigil_step(struct vigil *vigil);

/* Until the answer is there. */
CUresult vigil_await_slot(struct service_slot *slot);

/* Nanoseconds that waits were in the queue so far. */
uint64_t vigil_queue_nanoseconds(void);

#endif
