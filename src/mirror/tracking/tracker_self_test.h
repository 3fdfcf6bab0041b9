/* tracker_self_test.h - does this kernel really follow writes? */
#ifndef MUBLAS_TRACKER_SELF_TEST_H
#define MUBLAS_TRACKER_SELF_TEST_H

#include "mirror/tracking/write_tracker.h"

#include <stdbool.h>

/* Try each promise of write_tracker.h on a small mapping of its own: kernels,
 * container profiles and emulators have lacked one or another. NULL when all
 * hold, else a phrase that names the broken one. Takes some tens of
 * microseconds. */
const char *tracker_self_test(struct write_tracker *tracker);

/* True when scans report memory that was never touched, and blocks of 2 MiB that
 * were discarded whole, small pages and huge ones, as they must. */
bool tracker_sees_discarded_blocks(struct write_tracker *tracker);

#endif
