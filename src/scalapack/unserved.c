#include "scalapack/unserved.h"
#include "scalapack/call.h"
#include "scalapack/contexts.h"
#include "scalapack/membership.h"

/* Integers of a descriptor (ScaLAPACK Users' Guide, section 4.3.3), from 0. */
enum { DTYPE, CTXT, M_, N_, MB, NB };
enum { BLOCK_CYCLIC = 1, DESCRIPTOR = 3 };

/* Upper halves of small integers of 64 bits are 0; a block of 32 bits is at least 1. */
static bool is_wide(const int32_t *descriptor)
{
    return descriptor[CTXT] == 0 && descriptor[N_] == 0 && descriptor[NB] == 0;
}

static enum parallel_unserved without_descriptor(const int32_t *descriptor)
{
    if (!descriptor || descriptor[DTYPE] != BLOCK_CYCLIC)
        return UNSERVED_ARGUMENTS;
    return is_wide(descriptor) ? UNSERVED_WIDE : UNSERVED_ARGUMENTS;
}

enum parallel_unserved unserved_because(enum parallel_symbol symbol, const struct lapack_frame *frame)
{
    const struct parallel_routine *const routine = parallel_routine_of(symbol);
    struct parallel_call call;
    if (!parallel_call_begin(&call, routine, frame))
        return without_descriptor(frame_address(frame, routine->signature.matrices[0].position + DESCRIPTOR));
    if (parallel_call_is_query(&call))
        return UNSERVED_QUERY;
    const struct parallel_context *const context = contexts_find(call.context);
    if (!context)
        return membership_fault() ? UNSERVED_JOB : UNSERVED_CONTEXT;
    if (context->is_refused)
        return UNSERVED_GIVEN_UP;
    return parallel_call_reaches(&call, 1) ? UNSERVED_SMALL : UNSERVED_ARGUMENTS;
}
