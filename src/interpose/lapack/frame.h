/* frame.h - a call of LAPACK as it came: what lapack_common (thunks.S) saved, and the caller's stack behind
 * it.
 *
 * All arguments of the routines in lapack.def are addresses, followed by the hidden lengths of strings,
 * which C callers often omit. */
#ifndef MUBLAS_LAPACK_FRAME_H
#define MUBLAS_LAPACK_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct lapack_frame; /* in words of 64 bits */

#if defined __x86_64__
enum { FRAME_REGISTERS = 6, FRAME_FIRST_REGISTER = 1, FRAME_STACK = 28 };
#elif defined __aarch64__
enum { FRAME_REGISTERS = 8, FRAME_FIRST_REGISTER = 2, FRAME_STACK = 28 };
#endif

/* The argument with this number, from 1. A length that the caller has omitted is any word of its stack. */
__attribute__((no_sanitize("address"))) static inline uint64_t frame_word(const struct lapack_frame *frame,
                                                                          int number)
{
    const uint64_t *const words = (const uint64_t *)(const void *)frame;
    return number <= FRAME_REGISTERS ? words[FRAME_FIRST_REGISTER + number - 1]
                                     : words[FRAME_STACK + number - FRAME_REGISTERS - 1];
}

static inline void *frame_address(const struct lapack_frame *frame, int number)
{
    return (void *)(uintptr_t)frame_word(frame, number);
}

#endif
