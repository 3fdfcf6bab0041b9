#include "gpu/device_candidate.h"

enum { COMPUTE_MODE_DEFAULT = 0 };

enum candidate_refusal device_candidate_look(CUdevice device)
{
    int mode = COMPUTE_MODE_DEFAULT, active = 0;
    unsigned flags;
    if (driver()->device_attribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device) == CUDA_SUCCESS &&
        mode != COMPUTE_MODE_DEFAULT)
        return CANDIDATE_EXCLUSIVE;
    if (driver()->primary_state(device, &flags, &active) == CUDA_SUCCESS && active)
        return CANDIDATE_OF_PROGRAM;
    return CANDIDATE_FREE;
}

enum candidate_refusal device_candidate_look_inside(void)
{
    size_t free_bytes, total_bytes;
    if (driver()->memory_info(&free_bytes, &total_bytes) != CUDA_SUCCESS)
        return CANDIDATE_OCCUPIED;
    return free_bytes / CANDIDATE_FREE_PERCENT < total_bytes / 100 ? CANDIDATE_OCCUPIED : CANDIDATE_FREE;
}

const char *device_candidate_reason(enum candidate_refusal refusal)
{
    switch (refusal) {
    case CANDIDATE_EXCLUSIVE: return "its compute mode keeps it for others";
    case CANDIDATE_OF_PROGRAM: return "the program uses it itself";
    case CANDIDATE_OCCUPIED: return "its memory is in use by others";
    case CANDIDATE_FREE: break;
    }
    return "it is free";
}
