/* roof.h - the time of a kernel that only moves a call's bytes (roof.cu), measured as the
 * calls are: graphs of as many launches, over rotating slots of the same pool. The best of
 * several launch shapes counts. */
#ifndef MUBLAS_BENCH_ROOF_H
#define MUBLAS_BENCH_ROOF_H

#include "operands.h"
#include "replay.h"

enum roof_kind { ROOF_READ, ROOF_UPDATE /* two thirds of the bytes read, one written */ };

/* False, with a line that says why, where there is no roof to be measured. */
bool roof_open(struct device *device);

/* Measure now: seconds of one pass. STATUS_UNSUPPORTED when the pool is smaller. */
enum status roof_measure(const struct operands *operands, const struct replay_settings *settings,
                         enum roof_kind kind, double bytes, bool warm, double *best);

/* Seconds of one pass over `bytes`; 0 without a roof. Times are remembered, and serve for
 * up to half a percent more or fewer bytes. */
enum status roof_seconds(const struct operands *operands, const struct replay_settings *settings,
                         enum roof_kind kind, double bytes, bool warm, double *seconds);

#endif
