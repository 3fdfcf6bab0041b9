/* mps_daemon.h - is NVIDIA's MPS control daemon there, by which processes share a device side by side? */
#ifndef MUBLAS_MPS_DAEMON_H
#define MUBLAS_MPS_DAEMON_H

#include <limits.h>
#include <stdbool.h>

/* The folder of its pipes that the driver would use: CUDA_MPS_PIPE_DIRECTORY, or the usual one. */
const char *mps_daemon_folder(void);

/* Folders of a job's own daemon, which `mublas run` has started, begin with this; that of its pipes, which
 * the driver is told, lies in one. */
#define MPS_JOB_FOLDER "mublas-mps."
bool mps_daemon_is_of_job(const char *folder);

/* The program that controls it, by PATH or where drivers are installed. False: there is none. */
bool mps_daemon_program(char path[PATH_MAX]);

/* Does somebody listen at the control pipe or socket in the folder? Sends nothing. */
bool mps_daemon_answers(const char *folder);

#endif
