#include "interpose/report/advice_words.h"
#include "common/plural.h"

#include <stdio.h>
#include <string.h>

static const char *const phrases[HOST_REASON_COUNT] = {
    [HOST_FORWARDED] = "mublas does not offload these routines",
    [HOST_BELOW_FLOOR] = "they are too small ever to pay",
    [HOST_ARGUMENTS] = "of their arguments: invalid, nothing to compute, infinite alpha, or operands that "
                       "overlap",
    [HOST_QUERY] = "they only ask for the size of a workspace",
    [HOST_FASTER] = "the host was predicted to be faster",
    [HOST_NOT_RESIDENT] = "the matrix was not used often enough yet to be worth sending",
    [HOST_REWRITTEN] = "the matrix is rewritten between calls and would have to be sent again each time",
    [HOST_UNTRACKABLE] = "the matrix lies in memory whose writes cannot be followed (shared memory, a "
                         "file, a "
                         "stack, or unaligned), and sending it for each call is slower",
    [HOST_NOT_OPENED] = "calls had not yet paid for opening the GPU, cuBLAS or cuSOLVER",
    [HOST_FP_ENVIRONMENT] = "the program traps floating-point exceptions or rounds in another way, or a "
                            "scalar is denormal",
    [HOST_SWITCHED_OFF] = "MUBLAS_OFFLOAD=never says so",
    [HOST_NO_DEVICE] = "there was no usable GPU",
    [HOST_ENDING] = "the program was ending",
    [HOST_BUSY] = "calls of other threads were in the way",
    [HOST_SANDBOX] = "the program has forbidden itself system calls (seccomp)",
    [HOST_NESTED] = "they were made within another BLAS call",
    [HOST_AFTER_FORK] = "a fork's child, or a process under a checkpointer, cannot use the GPU",
    [HOST_INTEGERS] = "the width of the library's integers is unknown, or several libraries differ in it",
    [HOST_UNSUPPORTED] = "the GPU's library does not have them",
    [HOST_OUT_OF_MEMORY] = "the GPU's memory is too small for them",
    [HOST_INACCESSIBLE] = "the memory of an operand is protected",
    [HOST_VALUES] = "a matrix is not finite, or near overflow or underflow",
    [HOST_UNSUCCESSFUL] = "they ended with INFO other than 0, which the host has to say",
    [HOST_DEVICE_ERROR] = "the GPU failed",
};

static const char *const remedies[HOST_REASON_COUNT] = {
    [HOST_OUT_OF_MEMORY] = " MUBLAS_DEVICE_MEMORY says how much mublas may fill.",
    [HOST_AFTER_FORK] = " Start workers as programs of their own (in Python: multiprocessing's spawn).",
    [HOST_FP_ENVIRONMENT] = " Build without trapping exceptions (gfortran's -ffpe-trap).",
    [HOST_DEVICE_ERROR] = " A line on standard error says how (MUBLAS_VERBOSE=0 hides it).",
};

const char advice_without_inside[] = " The seconds of each are without those of calls that it makes.";

const char advice_silent_children[] =
    "One that leaves by _exit, as Python's multiprocessing has it after a fork, or that a signal ends, "
    "writes no report: in Python take multiprocessing's spawn.";

static bool lacks_library(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    return reason == HOST_UNSUPPORTED && (is_lapack ? facts->solver_is_missing : facts->level3_is_missing);
}

const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    if (lacks_library(facts, reason, is_lapack) && facts->device == ADVICE_DEVICE_NONE)
        return is_lapack ? "neither a usable GPU nor cuSOLVER was found"
                         : "neither a usable GPU nor cuBLAS was found";
    if (lacks_library(facts, reason, is_lapack))
        return is_lapack ? "no cuSOLVER was found that works" : "no cuBLAS was found that works";
    if (reason == HOST_NOT_OPENED && facts->device == ADVICE_DEVICE_NONE)
        return "there was no usable GPU that they could have paid for";
    if (reason == HOST_UNTRACKABLE && facts->tracking != ADVICE_TRACKS)
        return "writes are not tracked here, and sending the matrix for each call is slower";
    return phrases[reason];
}

const char *advice_remedy(const struct advice_facts *facts, enum host_reason reason, bool is_lapack)
{
    if (lacks_library(facts, reason, is_lapack) && facts->device == ADVICE_DEVICE_NONE)
        return " mublas doctor says what to do about both.";
    if (lacks_library(facts, reason, is_lapack))
        return is_lapack ? " Install CUDA's libcusolver (CUDA 13 or 12) with its libcublas, or name it by "
                           "MUBLAS_CUSOLVER. mublas doctor shows what else is missing."
                         : " Install CUDA's libcublas (CUDA 13, 12 or 11), or name it by MUBLAS_CUBLAS. "
                           "mublas doctor shows what else is missing.";
    return remedies[reason] ? remedies[reason] : "";
}

const char *advice_device_remedy(const char *fault)
{
    if (fault && strstr(fault, "no CUDA driver"))
        return "Where there is an NVIDIA GPU, install its driver; start a container with the GPU. mublas "
               "doctor says more.";
    return "mublas doctor says what to do.";
}

const char *advice_tracking_remedy(const char *fault)
{
    if (strstr(fault, "not permitted") || strstr(fault, "Permission denied"))
        return "allow the system call userfaultfd in the container's profile";
    if (strstr(fault, "closed its descriptors"))
        return "the program should close its own descriptors only";
    return "that takes Linux 6.7 or newer with userfaultfd";
}

void advice_print_size(char *text, size_t room, const struct advice_routine *routine)
{
    const long long sizes[] = {routine->m, routine->n, routine->k};
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < 3; i++)
        if (sizes[i] > 0 && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%lld", used ? " x " : "", sizes[i]);
}

void advice_print_spent(char *text, size_t room, const struct advice_routine *routine, int reason)
{
    const unsigned long long calls = routine->calls[reason];
    const double seconds = routine->seconds[reason], inside = routine->inside_seconds[reason];
    if (inside >= 0.0005)
        snprintf(text, room, "%.3f s on the host in %llu call%s (%.3f s of that in calls that it makes)",
                 seconds, calls, plural(calls), inside);
    else if (seconds > 0)
        snprintf(text, room, "%.3f s on the host in %llu call%s", seconds, calls, plural(calls));
    else
        snprintf(text, room, "%llu call%s on the host (not timed)", calls, plural(calls));
}
