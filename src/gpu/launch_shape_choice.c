/* Which shape a call takes: one that was asked for, what was learned, or the built-in rules. */
#include "gpu/launch_shape.h"

#include <stdatomic.h>

static struct launch_shape overriding_shape;
static launch_shape_chooser *_Atomic present_chooser;

struct launch_shape launch_shape_choose_at(int place, const struct blas_call *call)
{
    launch_shape_chooser *chooser = atomic_load_explicit(&present_chooser, memory_order_acquire);
    struct launch_shape shape;
    if (overriding_shape.edge)
        return overriding_shape;
    if (chooser && chooser(place, call, &shape) && launch_shape_can(call, &shape))
        return shape;
    return launch_shape_built_in(call);
}

struct launch_shape launch_shape_choose(const struct blas_call *call)
{
    return launch_shape_choose_at(LAUNCH_PLACE_FIRST, call);
}

void launch_shape_choose_by(launch_shape_chooser *chooser)
{
    atomic_store_explicit(&present_chooser, chooser, memory_order_release);
}

void launch_shape_override(struct launch_shape shape)
{
    overriding_shape = shape;
}
