#include "interpose/host_reason.h"

const char *host_reason_text(enum host_reason reason)
{
    static const char *const texts[HOST_REASON_COUNT] = {
        [HOST_FORWARDED] = "not offloaded by mublas",
        [HOST_BELOW_FLOOR] = "too small ever to pay",
        [HOST_ARGUMENTS] = "invalid arguments, nothing to compute, infinite alpha, or overlapping operands",
        [HOST_QUERY] = "a workspace query",
        [HOST_FASTER] = "predicted faster on the host",
        [HOST_NOT_RESIDENT] = "upload not yet worth its cost",
        [HOST_REWRITTEN] = "the matrix is rewritten between calls",
        [HOST_UNTRACKABLE] = "the matrix cannot stay on the device: its memory cannot be followed",
        [HOST_NOT_OPENED] = "opening the device, cuBLAS or cuSOLVER not yet paid for",
        [HOST_VARIANT] = "an argument that the device's routine does not have",
        [HOST_FP_ENVIRONMENT] =
            "floating-point traps or rounding mode, or a denormal scalar that counts as zero",
        [HOST_SWITCHED_OFF] = "MUBLAS_OFFLOAD=never",
        [HOST_NO_DEVICE] = "no usable device",
        [HOST_ENDING] = "the program was ending",
        [HOST_BUSY] = "other threads' calls were in the way",
        [HOST_SANDBOX] = "the program has forbidden itself system calls",
        [HOST_NESTED] = "called from within another BLAS call",
        [HOST_AFTER_FORK] = "in a fork child or under a checkpointer",
        [HOST_INTEGERS] = "the width of the library's integers is unknown, or several libraries differ in it",
        [HOST_UNSUPPORTED] = "not supported on the device",
        [HOST_OUT_OF_MEMORY] = "out of device memory",
        [HOST_INACCESSIBLE] = "an operand's memory is protected",
        [HOST_VALUES] = "a matrix is not finite, or near overflow or underflow",
        [HOST_UNSUCCESSFUL] = "no success on the device: INFO is the host's to say",
        [HOST_DEVICE_ERROR] = "device error",
    };
    return (unsigned)reason < HOST_REASON_COUNT ? texts[reason] : "unknown reason";
}
