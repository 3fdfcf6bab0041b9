#include "tuner/online/decision.h"

#include "common/device_list.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_KEPT = 1024 };

/* A shape in 64 bits, never 0; written as a whole. */
union packed_shape {
    struct {
        uint64_t edge : 12, threads_x : 12, threads_y : 12, leaf_columns : 4, blocks : 14, order : 1,
            wide_team : 1, variant : 2, known : 1, none : 1;
    } part;
    uint64_t whole;
};

/* Touched page by page: a program pays for the classes and sizes that it has. */
struct decisions {
    const struct recipe *_Atomic recipe;
    _Atomic uint64_t kept[TUNING_CLASSES][TUNING_FORMS][SIZES_KEPT];
};

/* Of the first device and those like it; of the unlike ones by place. */
static struct decisions first;
static struct decisions *_Atomic others[DEVICES_MAX];

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

bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape)
{
    if (by_occupancy && rules->has_occupancy && tuning_class_family(class) != FAMILY_AXPY) {
        const struct blas_call call = tuning_class_call_at(class, form, size);
        *shape = occupancy_shape(&call, &rules->base, &rules->occupancy, &rules->figures);
        if (shape->edge != 0)
            return true;
    }
    for (int i = 0; i < rules->interval_count; i++)
        if (size <= rules->intervals[i].upto) {
            *shape = rules->intervals[i].shape;
            return shape->edge != 0;
        }
    return false;
}

struct launch_shape decision_or_built_in(const struct class_recipe *rules, const struct blas_call *call,
                                         bool by_occupancy)
{
    struct launch_shape shape;
    if (decision_of(rules, tuning_class_of(call), tuning_form_of(call), tuning_size_of(call), by_occupancy,
                    &shape) &&
        launch_shape_can(call, &shape))
        return shape;
    return launch_shape_built_in(call);
}

/* A place below 0 stands for the first device. */
static struct decisions *decisions_at(int place)
{
    struct decisions *const other =
        place < 0 ? NULL : atomic_load_explicit(&others[place], memory_order_acquire);
    return other ? other : &first;
}

bool decision_shape(int place, const struct blas_call *call, struct launch_shape *shape)
{
    struct decisions *const decisions = decisions_at(place);
    const struct recipe *recipe = atomic_load_explicit(&decisions->recipe, memory_order_acquire);
    const union packed_shape none = {.part = {.known = 1, .none = 1}};
    const int class = tuning_class_of(call);
    if (!recipe || class == TUNING_CLASS_NONE)
        return false;
    const enum tuning_form form = tuning_form_of(call);
    const struct class_recipe *rules = &recipe->classes[class][form];
    const int64_t size = tuning_size_of(call);
    if (size >= SIZES_KEPT)
        return decision_of(rules, class, form, size, rules->by_occupancy, shape);
    _Atomic uint64_t *const kept = &decisions->kept[class][form][size];
    uint64_t packed = atomic_load_explicit(kept, memory_order_relaxed);
    if (packed == 0) {
        packed = decision_of(rules, class, form, size, rules->by_occupancy, shape) ? pack(shape) : none.whole;
        atomic_store_explicit(kept, packed, memory_order_relaxed);
    }
    return unpack(packed, shape);
}

void decision_use(const struct recipe *recipe)
{
    if (atomic_load(&first.recipe)) /* not the first: decisions are kept of another */
        memset((void *)first.kept, 0, sizeof first.kept);
    atomic_store_explicit(&first.recipe, recipe, memory_order_release);
    launch_shape_choose_by(recipe ? decision_shape : NULL);
}

bool decision_use_at(int place, const struct recipe *recipe)
{
    struct decisions *const decisions = calloc(1, sizeof *decisions);
    if (!decisions)
        return false;
    atomic_store(&decisions->recipe, recipe);
    atomic_store_explicit(&others[place], decisions, memory_order_release);
    launch_shape_choose_by(decision_shape);
    return true;
}
