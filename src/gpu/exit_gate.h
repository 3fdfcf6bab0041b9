/* exit_gate.h - keep threads away from the driver once the process ends.
 *
 * The CUDA driver takes itself down in an exit handler of its own; a call that it
 * catches half way may lose results that belong in the program's memory. So before
 * that the calls under way finish and no other begins: before all exit handlers where
 * the main thread ends the process, else in a handler of ours, registered after the
 * driver's and therefore run before it. BLAS calls from then on are the host's.
 * Thread-safe. */
#ifndef MUBLAS_EXIT_GATE_H
#define MUBLAS_EXIT_GATE_H

#include <stdbool.h>

/* Register the handler: after cuInit, and again after loading more of CUDA. */
void exit_gate_install(void);

/* What the handler does, for those that know earlier that the process ends. */
void exit_gate_close(void);

/* Bracket what must not be cut off; exit_gate_leave only after true. False: the process ends. */
bool exit_gate_enter(void);
void exit_gate_leave(void);
bool exit_gate_is_closed(void);

/* This thread leaves, however deep it is inside: by a jump out of its call, which a handler makes. */
void exit_gate_leave_by_jump(void);

/* The same around a call whose parts enter one by one, for each of several devices: this thread's, until it
 * leaves, may do so although the process has begun to end, and so may those of a thread that the call has
 * started and waits for, once that says that it is one. */
bool exit_gate_enter_with_parts(void);
void exit_gate_leave_with_parts(void);
void exit_gate_be_part(void);

/* Who is inside expects to be for this long from now: the end of the process waits for it, where it would
 * otherwise lose patience after some seconds. */
void exit_gate_expect(double seconds);

#endif
