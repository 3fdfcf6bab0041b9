/* membership.h - does every process of this job have mublas, on this machine, of one version and with the
 * same settings?
 *
 * A process that lacks mublas would meet a vote of ours with a reduction of its own. So each process that
 * is about to make a grid registers: it binds a socket whose name in the abstract namespace tells user,
 * job, version, settings and local rank. Nothing of that outlives the process, however it ends. The job is
 * known by the launcher: its process on this machine, and the number of ranks there, which must be that of
 * all. The first process that asks decides for all, once, and the others learn its answer by name: so all
 * processes of a grid have the same. The sockets serve to hand over arenas, too (team.h). */
#ifndef MUBLAS_MEMBERSHIP_H
#define MUBLAS_MEMBERSHIP_H

#include "common/launcher.h"

#include <stdbool.h>
#include <sys/types.h>

enum { JOB_NAME_BYTES = 64 };

/* The name that processes of one job, user, version and settings share: digits of the user, and of
 * a hash of the launcher's process (launcher.h) and number of ranks, the job's identity in the environment,
 * the library's file and version, and each setting that ranks may not differ in (not MUBLAS_DEVICE, nor what
 * only says where to write what). False: the launcher cannot be found. */
bool job_name_make(const struct local_rank *local, char name[JOB_NAME_BYTES]);

/* Before a grid is made, which synchronises its members. Does nothing the second time, without a launcher, or
 * where parallel routines are switched off. */
void membership_register(void);

/* After it. False: nothing is served in this job, or this process has forked since. Logs the reason once
 * (LOG_INFO). */
bool membership_is_whole(void);

/* How many ranks there are then. */
int membership_ranks(void);

/* Why not, for the report, in static storage; NULL: it is whole, or no grid was made. */
const char *membership_fault(void);

/* This process's local rank. */
int membership_rank(void);

/* A connection to the process of that local rank and process id, for one exchange; -1: there is none. */
int membership_connect(int rank, pid_t process);

/* The next connection of a process of this user, within some milliseconds, and who it is; -1: none came. */
int membership_accept(int milliseconds, pid_t *process);

#endif
