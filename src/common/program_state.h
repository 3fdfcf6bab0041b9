/* program_state.h - keeps the program's errno and floating-point environment while mublas works in its
 * thread (invariants 1 and 5 of doc/architecture.md). */
#ifndef MUBLAS_PROGRAM_STATE_H
#define MUBLAS_PROGRAM_STATE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread's floating-point environment: its control and its flags.
 *
 * On x86-64 that is MXCSR, by which mublas and BLAS compute, and the control and status of the x87 unit,
 * which a library that mublas calls may use. On aarch64 it is FPCR and FPSR. <fenv.h> has no flush-to-zero,
 * and takes a hundred cycles. Reading the control takes some nanoseconds; MXCSR has flags, too. */
#if defined __x86_64__

struct float_state {
    uint32_t mxcsr;
    uint16_t x87_control, x87_status;
};

enum {
    FLOAT_MASKS = 0x3f,            /* of the x87 control word; FE_* and the denormal operand, 2 */
    FLOAT_X87_ROUNDING = 0x0c00,
    FLOAT_X87_DEFAULT = 0x037f,
    FLOAT_X87_FLAGS = 0x7f,        /* with the stack fault; the rest of the status is scratch */
    FLOAT_MXCSR_FLAGS = 0x3f,
    FLOAT_MXCSR_MASKS_SHIFT = 7,
    FLOAT_MXCSR_ROUNDING = 0x6000,
    FLOAT_MXCSR_DENORMALS_ARE_ZERO = 0x40,
    FLOAT_MXCSR_DEFAULT = 0x1f80
};

static inline void float_state_read_control(struct float_state *state)
{
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(state->mxcsr), "=m"(state->x87_control));
}

static inline void float_state_read_flags(struct float_state *state)
{
    __asm__ volatile("fnstsw %0" : "=m"(state->x87_status));
}

/* The exceptions that stop the program, as FE_* of <fenv.h>. */
static inline unsigned float_state_traps(const struct float_state *state)
{
    return (~(state->mxcsr >> FLOAT_MXCSR_MASKS_SHIFT) | ~(unsigned)state->x87_control) & FLOAT_MASKS;
}

static inline bool float_state_rounds_to_nearest(const struct float_state *state)
{
    return !(state->mxcsr & FLOAT_MXCSR_ROUNDING) && !(state->x87_control & FLOAT_X87_ROUNDING);
}

/* True where an operand below the smallest normal number counts as zero, in comparisons too. */
static inline bool float_state_ignores_denormals(const struct float_state *state)
{
    return state->mxcsr & FLOAT_MXCSR_DENORMALS_ARE_ZERO;
}

/* True when the thread computes as a new process does, whatever flags are raised. */
static inline bool float_state_is_default(const struct float_state *state)
{
    return (state->mxcsr | FLOAT_MXCSR_FLAGS) == (FLOAT_MXCSR_DEFAULT | FLOAT_MXCSR_FLAGS) &&
           state->x87_control == FLOAT_X87_DEFAULT;
}

#elif defined __aarch64__

struct float_state {
    uint64_t control, status;
};

enum {
    FLOAT_FLUSH_INPUTS = 1 << 0,   /* FIZ */
    FLOAT_ALTERNATE = 1 << 1,      /* AH: FZ is about results alone */
    FLOAT_TRAPS = 0x9f,            /* FE_* and the denormal operand, 0x80 ... */
    FLOAT_TRAPS_SHIFT = 8,         /* ... so far up */
    FLOAT_ROUNDING = 0x00c00000,
    FLOAT_FLUSH = 1 << 24          /* FZ */
};

static inline void float_state_read_control(struct float_state *state)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(state->control) : : "memory");
}

static inline void float_state_read_flags(struct float_state *state)
{
    __asm__ volatile("mrs %0, fpsr" : "=r"(state->status) : : "memory");
}

static inline unsigned float_state_traps(const struct float_state *state)
{
    return (unsigned)(state->control >> FLOAT_TRAPS_SHIFT) & FLOAT_TRAPS;
}

static inline bool float_state_rounds_to_nearest(const struct float_state *state)
{
    return !(state->control & FLOAT_ROUNDING);
}

static inline bool float_state_ignores_denormals(const struct float_state *state)
{
    const bool flushes_both = (state->control & FLOAT_FLUSH) && !(state->control & FLOAT_ALTERNATE);
    return flushes_both || (state->control & FLOAT_FLUSH_INPUTS);
}

static inline bool float_state_is_default(const struct float_state *state)
{
    return state->control == 0;
}

#endif

/* Reads the whole state, in place: a copy would wait for the parts to be stored. */
static inline void float_state_read(struct float_state *state)
{
    float_state_read_control(state);
    float_state_read_flags(state);
}

/* From now on the thread computes as a new process does: it rounds to nearest, nothing traps, denormals are
 * numbers. Reads the control of `state` and stores the flags there. Writes no register when the thread
 * computes so already. */
void float_state_set_default(struct float_state *state);

/* Restores the state, with the flags that were raised. */
void float_state_restore(const struct float_state *state);

/* In a handler that leaves what it has interrupted: the control alone, where handlers have that of what they
 * interrupt. On x86-64 they begin as a new process does, with mublas or without. */
void float_state_give_back(const struct float_state *state);

/* Functions that the program calls, and those that run at exit, at a fork and at a thread's end, begin with
 * program_state_keep and end with program_state_return. They call program_state_compute before they compute
 * or call foreign code. The host BLAS runs outside, so its changes to the state stay. */
struct program_state {
    struct float_state arithmetic; /* how the program computes; once `computing` also the flags */
    int error_number;
    bool computing;
};

static inline void program_state_keep(struct program_state *program)
{
    float_state_read_control(&program->arithmetic);
    program->error_number = errno;
    program->computing = false;
}

/* From now on no computation traps or depends on the program's rounding mode or flush-to-zero. */
static inline void program_state_compute(struct program_state *program)
{
    float_state_set_default(&program->arithmetic);
    program->computing = true;
}

/* Both at once. */
static inline void program_state_set_aside(struct program_state *program)
{
    program_state_keep(program);
    program_state_compute(program);
}

static inline void program_state_return(const struct program_state *program)
{
    if (program->computing)
        float_state_restore(&program->arithmetic);
    errno = program->error_number;
}

#endif
