/* last_thread.h - end the process as its last thread would, were the CUDA driver's threads not there.
 *
 * A process whose main thread leaves by pthread_exit ends with its last thread: that calls exit(0) in the C
 * library. The driver has threads that last for ever, in a program without CUDA by mublas alone. So once main
 * has ended a thread of ours looks ten times a second whether the program has any left, and then does what
 * its last one would have done, with main's signal mask. The host BLAS's threads (OpenBLAS keeps some) count
 * as the program's: they keep it without mublas, too.
 *
 * Threads inherit the I/O priority of the one that makes them. The driver's are told from all others by
 * one that hardly differs from the usual one, but is not what programs set: a thread has it while it makes
 * the driver do what may start threads. Nothing is done if the kernel refuses that, or such a thread has had
 * the same of its own. Nor is a program ended that uses CUDA itself; but signals find a thread
 * that takes them then, since the driver's have those blocked that the thread which made them had, as all
 * of purchase.h. Not noticed: the end of a main thread that neither loaded the library nor made such a
 * call. */
#ifndef MUBLAS_LAST_THREAD_H
#define MUBLAS_LAST_THREAD_H

#include <stdbool.h>

/* Threads that the calling thread makes between these are the driver's. Pass on what the first gave, and
 * whether the driver is in use now. Any thread may call them, not one pair within another. */
int last_thread_driver_begins(void);
void last_thread_driver_has_begun(int priority_before, bool is_awake);

#endif
