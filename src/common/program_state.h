/* program_state.h - what mublas leaves to the thread it works in as it was: errno and the floating-point
 * environment (design section 4, invariants 1 and 5).
 *
 * What the program calls, and what is called at exit, at a fork and at a thread's end, begins with
 * program_state_keep and ends with program_state_return; before anything is computed in between, or code that is
 * not ours is called, program_state_compute. What the host BLAS does to the state stays: it runs outside. */
#ifndef MUBLAS_PROGRAM_STATE_H
#define MUBLAS_PROGRAM_STATE_H

#include "common/float_state.h"

#include <errno.h>

struct program_state {
    struct float_state arithmetic; /* how the program computes; what was raised once `computing` */
    int error_number;
    bool computing;
};

static inline void program_state_keep(struct program_state *program)
{
    float_state_read_control(&program->arithmetic);
    program->error_number = errno;
    program->computing = false;
}

/* Nothing that mublas computes traps, or depends on the program's rounding mode or flush-to-zero. */
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
