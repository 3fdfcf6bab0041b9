/* process_pins.h - how much of this process's memory something has pinned (VmPin).
 *
 * Only the text of /proc/thread-self/status tells, which the kernel writes anew for each reader. Opening and
 * closing takes a third of that question's time and more, so the file is kept open. It is the one of the
 * thread that opened it: once that has ended, or the program has closed the descriptor, the present
 * thread's is opened. One of these, with one descriptor, serves all threads, of which one asks at a
 * time (mirror.h: `pinning`); the kernel would let readers of one descriptor wait for each other as well.
 * All zeros: nothing is kept yet. */
#ifndef MUBLAS_PROCESS_PINS_H
#define MUBLAS_PROCESS_PINS_H

#include "mirror/host_memory/descriptor.h"

#include <stdint.h>

struct process_pins {
    struct descriptor status;
    pid_t process; /* that opened it; 0: nothing is kept */
};

/* Bytes of this process that something has pinned by now; 0 when unknown. A fork child is told of its own. */
uint64_t process_pins_bytes(struct process_pins *pins);

/* Keep nothing any more. */
void process_pins_close(struct process_pins *pins);

#endif
