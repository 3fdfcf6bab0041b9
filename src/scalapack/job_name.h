/* job_name.h - what processes of one job, user, version and settings of mublas have in common, as a name. */
#ifndef MUBLAS_SCALAPACK_JOB_NAME_H
#define MUBLAS_SCALAPACK_JOB_NAME_H

#include "common/local_rank.h"

#include <stdbool.h>

enum { JOB_NAME_BYTES = 64 };

/* Digits of the user, and of a hash of: the launcher's process (launcher_process.h) and number of ranks, the
 * job's identity in the environment, the library's file and version, and each setting that ranks may not
 * differ in (not MUBLAS_DEVICE, nor what only says where to write what). False: the launcher cannot be
 * found. */
bool job_name_make(const struct local_rank *local, char name[JOB_NAME_BYTES]);

#endif
