/* contexts.h - the BLACS contexts that this process is in, as far as mublas saw them made.
 *
 * Programs use a handle again for another grid, so a context is dropped where the BLACS end it, and its
 * number of calls and its nonce, which all processes agreed on, tell it from an older one. */
#ifndef MUBLAS_SCALAPACK_CONTEXTS_H
#define MUBLAS_SCALAPACK_CONTEXTS_H

#include "scalapack/distribution.h"
#include "scalapack/team.h"

#include <stdbool.h>
#include <stdint.h>

struct parallel_context {
    int handle;
    struct grid_place place;
    uint32_t nonce; /* agreed; 0: not yet */
    uint64_t calls; /* that came to a vote */
    bool is_refused; /* the host's for good, on all processes alike */
    struct team *team; /* NULL: not met yet, or a grid of one process */
    struct parallel_context *next;
};

/* After the BLACS made a grid with this handle. Those of several processes are kept where the job is whole
 * (membership.h). */
void contexts_note(int handle);

static inline bool context_is_alone(const struct parallel_context *context)
{
    return context->place.rows * context->place.columns == 1;
}

/* Before the BLACS end it; all of them. */
void contexts_drop(int handle);
void contexts_drop_all(void);

/* NULL: not one of these. It belongs to the thread that calls for it, as the BLACS' own does. */
struct parallel_context *contexts_find(int handle);

/* Is there any? A load. */
bool contexts_are_there(void);

#endif
