/* mps_watch.h - a process aside that ends a job's MPS with the last of its ranks, however they end. */
#ifndef MUBLAS_MPS_WATCH_H
#define MUBLAS_MPS_WATCH_H

#include "command/run/mps_folder.h"

/* Start it, with the watcher's lock of the open folder, for a job of so many ranks on this machine: it waits
 * for all of them to come for some seconds, and then until those that came are gone. False: this system
 * cannot wait for processes. With the folder's lock. */
bool mps_watch_begin(struct mps_folder *folder, int ranks);

#endif
