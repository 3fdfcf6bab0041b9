/* mps.h - NVIDIA's MPS for a parallel job, without which the ranks on a device take turns. */
#ifndef MUBLAS_MPS_H
#define MUBLAS_MPS_H

/* For `mublas run`, about to become the program: where its launcher's ranks share a device, MPS is installed
 * and nobody runs it, let the job have it, and tell the program's environment. The first rank on the machine
 * starts it in a folder of the job's (mps_folder.h), which a process aside watches and removes, with MPS,
 * after the last rank (mps_watch.h). Changes nothing of the machine. Says one line where the folder cannot
 * be trusted or MPS does not start; else nothing. */
void mps_begin(void);

#endif
