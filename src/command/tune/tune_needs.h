/* tune_needs.h - what `mublas tune` will need besides the device, looked for before anything is timed. */
#ifndef MUBLAS_TUNE_NEEDS_H
#define MUBLAS_TUNE_NEEDS_H

#include "command/tune/tune_options.h"

/* For calls: a process under the shim with a host BLAS, and cuBLAS where all of them are of level 3. False: one of
 * them is not there, which is said. */
bool tune_needs_are_met(const struct tune_options *options);

#endif
