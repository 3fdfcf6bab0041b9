#include "mublas.h"

int mublas_version(void)
{
    return MUBLAS_VERSION;
}

const char *mublas_status_text(enum mublas_status status)
{
    switch (status) {
    case MUBLAS_SUCCESS: return "success";
    case MUBLAS_NO_DEVICE: return "no usable device";
    case MUBLAS_OUT_OF_MEMORY: return "out of memory";
    case MUBLAS_NOT_SUPPORTED: return "not supported";
    case MUBLAS_BAD_ARGUMENT: return "bad argument";
    case MUBLAS_BAD_HANDLE: return "not a handle";
    case MUBLAS_DEVICE_ERROR: return "a CUDA call failed";
    case MUBLAS_DEVICE_LOST: return "the CUDA context is lost";
    }
    return "unknown status";
}
