/* retained.h - host libraries are kept loaded while mublas knows of them.
 *
 * A reference is enough, but for one that is being unloaded already, as when a plug-in's first
 * call comes from its destructor: such a library goes whatever is done, and who retains it has
 * to forget it then. Thread-safe; waits for the loader only. */
#ifndef MUBLAS_RETAINED_H
#define MUBLAS_RETAINED_H

#include "host/host_library.h"

/* To be called when code from `start` to `end` goes after all; the loader's lock is held. */
typedef void retained_forget(uintptr_t start, uintptr_t end);

/* Keep the library, and the one that a function of it really comes from if that is another
 * and nobody else may keep it. */
void retained_keep(const struct host_library *library, retained_forget *forget);
void retained_keep_origin(const struct host_library *library, host_function *function,
                          retained_forget *forget);

#endif
