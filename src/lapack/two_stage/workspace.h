/* workspace.h - parts of a workspace in device memory, one behind the other. */
#ifndef MUBLAS_TWO_STAGE_WORKSPACE_H
#define MUBLAS_TWO_STAGE_WORKSPACE_H

#include "gpu/driver.h"

#include <stddef.h>
#include <stdint.h>

enum { WORKSPACE_ALIGNMENT = 256 };

/* The offset of a part of so many bytes; *end moves behind it. */
static inline size_t workspace_take(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end += (bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    return at;
}

static inline void *device_pointer(CUdeviceptr address) { return (void *)(uintptr_t)address; }

#endif
