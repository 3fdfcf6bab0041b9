/* program_state.h - keeps the program's errno and floating-point environment while mublas works in its thread
 * (invariants 1 and 5 of doc/architecture.md).
 *
 * Functions that the program calls, and those that run at exit, at a fork and at a thread's end, begin with
 * program_state_keep and end with program_state_return. They call program_state_compute before they compute
 * or call foreign code. The host BLAS runs outside, so what it does to the state stays. */
#ifndef MUBLAS_PROGRAM_STATE_H
#define MUBLAS_PROGRAM_STATE_H

#include "common/float_state.h"

#include <errno.h>

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
