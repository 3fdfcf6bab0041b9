/* mps_daemon.h - is NVIDIA's MPS control daemon there, by which processes share a device side by side? */
#ifndef MUBLAS_MPS_DAEMON_H
#define MUBLAS_MPS_DAEMON_H

#include <stdbool.h>

/* The folder of its pipes that the driver would use: CUDA_MPS_PIPE_DIRECTORY, or the usual one. */
const char *mps_daemon_folder(void);

/* Does somebody listen at the control pipe or socket in the folder? Sends nothing. */
bool mps_daemon_answers(const char *folder);

#endif
