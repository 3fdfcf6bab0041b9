/* mps_process.h - start and end the MPS control daemon of a job's folder. */
#ifndef MUBLAS_MPS_PROCESS_H
#define MUBLAS_MPS_PROCESS_H

#include "command/run/mps_folder.h"

/* By `program`, NVIDIA's; waits until it answers. False: it does not within some seconds. With the folder's
 * lock. */
bool mps_process_start(const char *program, const struct mps_folder *folder);

/* Ask it to end, and see to it. Nothing happens if it does not run. With the folder's lock. */
void mps_process_end(const struct mps_folder *folder);

/* Let this process, and what it becomes, use that daemon. */
bool mps_process_name(const struct mps_folder *folder);

/* Close all files but `kept`, which become the first behind standard error, and lead standard input, output
 * and error nowhere: neither may a reader wait for a process that stays behind. */
void mps_process_keep_files(int *const *kept, int count);

#endif
