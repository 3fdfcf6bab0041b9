/* device_sharing.h - the factor by which a device takes longer for a process, since other ranks of its job
 * use it too, and NVIDIA's MPS control daemon, by which processes share a device side by side. Thread-safe.
 *
 * Contexts of several processes take turns on a device, so a call of one of 16 ranks takes about 16 times
 * as long (a dgemm of order 300 on an H100: 231 us alone, 2380 in 16). Under NVIDIA's MPS, which lets them
 * run side by side, it takes about a quarter of that (470). Ranks are known by their launcher
 * (common/launcher.h). */
#ifndef MUBLAS_DEVICE_SHARING_H
#define MUBLAS_DEVICE_SHARING_H

#include "gpu/device.h"

#include <limits.h>
#include <stdbool.h>

/* The folder that the driver would use for the MPS daemon's pipes: CUDA_MPS_PIPE_DIRECTORY, or the usual
 * one. */
const char *mps_daemon_folder(void);

/* Folders of a job's own daemon, which `mublas run` has started, begin with this; that of its pipes, which
 * the driver is told, lies in one. */
#define MPS_JOB_FOLDER "mublas-mps."
bool mps_daemon_is_of_job(const char *folder);

/* The program that controls it, by PATH or where drivers are installed. False: there is none. */
bool mps_daemon_program(char path[PATH_MAX]);

/* Does somebody listen at the control pipe or socket in the folder? Sends nothing. */
bool mps_daemon_answers(const char *folder);

/* At least 1, for that many processes on the device, this one included. Pure. */
double device_sharing_factor(int sharers, bool has_mps);

/* The factor of a device that is awake. */
double device_sharing_of(const struct device *device);

/* Before a driver was asked, without a launcher 1: by the environment and the device files that there are,
 * and, where the ranks share a device, by whether an MPS daemon answers. One device is assumed
 * if nobody can count them, since too few are no harm. */
double device_sharing_foreseen(void);

/* The processes behind that factor. Looks for no daemon. */
int device_sharing_sharers_foreseen(void);

/* The number of devices of which one was chosen that CUDA_VISIBLE_DEVICES shows alone, INT_MAX if that cannot
 * be told: by what Slurm has given the job on this machine, or the device files. 0: it shows several, or
 * all. */
int device_sharing_bound_of(void);

/* The number of the device that ranks are dealt of those that can be counted without a driver, from 0. */
int device_sharing_place(int rank);

/* Device files (nvidia0, nvidia1, ...) in a folder. */
int device_sharing_count_files(const char *folder);

#endif
