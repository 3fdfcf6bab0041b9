#include "tuner/online/decision.h"

#include <stdatomic.h>
#include <string.h>

/* Sizes below EXACT are themselves; each doubling beyond has STEPS of its own. */
enum { EXACT_BITS = 10, EXACT = 1 << EXACT_BITS, STEP_BITS = 8, STEPS = 1 << STEP_BITS, DOUBLINGS = 17,
       SLOTS = EXACT + DOUBLINGS * STEPS };

/* A shape in 64 bits, never 0; written as a whole. */
union packed_shape {
    struct {
        uint64_t edge : 12, threads_x : 12, threads_y : 12, leaf_columns : 4, blocks : 14, order : 1,
            wide_team : 1, variant : 2, known : 1, none : 1;
    } part;
    uint64_t whole;
};

static const struct recipe *_Atomic recipe_in_force;
/* Touched page by page: a program pays for the classes and sizes that it has. */
static _Atomic uint64_t kept[TUNING_CLASSES][TUNING_FORMS][SLOTS];

static uint64_t pack(const struct launch_shape *shape)
{
    union packed_shape packed = {.part = {.edge = shape->edge & 0xfff,
                                          .threads_x = shape->threads_x & 0xfff,
                                          .threads_y = shape->threads_y & 0xfff,
                                          .leaf_columns = shape->leaf_columns & 0xf,
                                          .blocks = shape->blocks_per_multiprocessor & 0x3fff,
                                          .order = shape->order == ORDER_ALONG,
                                          .wide_team = shape->team_groups == 4,
                                          .variant = (unsigned)shape->variant & 3u,
                                          .known = 1}};
    return packed.whole;
}

static bool unpack(uint64_t whole, struct launch_shape *shape)
{
    const union packed_shape packed = {.whole = whole};
    *shape = (struct launch_shape){packed.part.edge,
                                   packed.part.threads_x,
                                   packed.part.threads_y,
                                   packed.part.leaf_columns,
                                   packed.part.blocks,
                                   packed.part.order ? ORDER_ALONG : ORDER_DOWN,
                                   packed.part.wide_team ? 4 : 1,
                                   (enum symv_variant)packed.part.variant};
    return !packed.part.none;
}

/* The slot of a size, and the size that stands for it. */
static int slot_of(int64_t size, int64_t *representative)
{
    *representative = size;
    if (size < EXACT)
        return (int)size;
    int doubling = 63 - __builtin_clzll((uint64_t)size) - EXACT_BITS;
    if (doubling >= DOUBLINGS) {
        *representative = INT64_C(1) << (DOUBLINGS + EXACT_BITS - 1);
        doubling = DOUBLINGS - 1;
        return EXACT + doubling * STEPS;
    }
    const int shift = EXACT_BITS + doubling - STEP_BITS;
    *representative = size >> shift << shift;
    return EXACT + doubling * STEPS + (int)(size >> shift & (STEPS - 1));
}

bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape)
{
    if (by_occupancy) {
        const struct blas_call call = tuning_class_call_at(class, form, size);
        if (!rules->has_occupancy)
            return false;
        *shape = occupancy_shape(&call, &rules->base, &rules->occupancy, &rules->figures);
        return shape->edge != 0;
    }
    for (int i = 0; i < rules->interval_count; i++)
        if (size <= rules->intervals[i].upto) {
            *shape = rules->intervals[i].shape;
            return shape->edge != 0;
        }
    return false;
}

static uint64_t decide(const struct recipe *recipe, int class, enum tuning_form form, int64_t size)
{
    const union packed_shape none = {.part = {.known = 1, .none = 1}};
    const struct class_recipe *rules = &recipe->classes[class][form];
    struct launch_shape shape;
    if (decision_of(rules, class, form, size, rules->by_occupancy, &shape) ||
        decision_of(rules, class, form, size, false, &shape))
        return pack(&shape);
    return none.whole;
}

bool decision_shape(const struct blas_call *call, struct launch_shape *shape)
{
    const struct recipe *recipe = atomic_load_explicit(&recipe_in_force, memory_order_acquire);
    const int class = tuning_class_of(call);
    int64_t representative;
    if (!recipe || class == TUNING_CLASS_NONE)
        return false;
    const enum tuning_form form = tuning_form_of(call);
    _Atomic uint64_t *slot = &kept[class][form][slot_of(tuning_size_of(call), &representative)];
    uint64_t packed = atomic_load_explicit(slot, memory_order_relaxed);
    if (packed == 0) {
        packed = decide(recipe, class, form, representative);
        atomic_store_explicit(slot, packed, memory_order_relaxed);
    }
    return unpack(packed, shape);
}

void decision_use(const struct recipe *recipe)
{
    if (atomic_load(&recipe_in_force)) /* not the first: decisions are kept of another */
        memset((void *)kept, 0, sizeof kept);
    atomic_store_explicit(&recipe_in_force, recipe, memory_order_release);
    launch_shape_choose_by(recipe ? decision_shape : NULL);
}
