/* workspace.h - the parts of a route's workspace, one behind the other. */
#ifndef MUBLAS_LAPACK_WORKSPACE_H
#define MUBLAS_LAPACK_WORKSPACE_H

#include "gpu/driver.h"

/* Where a part of so many bytes begins; *end, 0 at first, is where the next one does. */
static inline size_t workspace_take(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end += device_aligned(bytes);
    return at;
}

#endif
