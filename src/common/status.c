#include "common/status.h"

const char *status_text(enum status status)
{
    switch (status) {
    case STATUS_OK: return "success";
    case STATUS_NO_DEVICE: return "no usable device";
    case STATUS_OUT_OF_MEMORY: return "out of device memory";
    case STATUS_UNSUPPORTED: return "not supported on the device";
    case STATUS_BUSY: return "busy with other threads' calls";
    case STATUS_NOT_TRACKABLE: return "host memory cannot be tracked";
    case STATUS_INACCESSIBLE: return "an operand cannot be accessed";
    case STATUS_VALUES: return "a matrix needs scaling or is not finite";
    case STATUS_UNSUCCESSFUL: return "not solved on the device";
    case STATUS_DEVICE_ERROR: return "device call failed";
    case STATUS_DEVICE_LOST: return "device lost";
    case STATUS_RESULT_LOST: return "result could not be copied back";
    }
    return "unknown status";
}
