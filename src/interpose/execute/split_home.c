#include "interpose/execute/split_home.h"
#include "mirror/transfer/staging.h"

enum { STEP_ALIGNMENT = 256 };

/* The steps of one device under way. */
struct listing {
    struct split_home *home;
    int device;
    size_t offset; /* of the next one's results */
};

size_t split_home_step_bytes(const struct split_plan *plan, const struct split_step *step)
{
    const size_t bytes = (size_t)step->results * blas_element_bytes(plan->call->type);
    return (bytes + STEP_ALIGNMENT - 1) / STEP_ALIGNMENT * STEP_ALIGNMENT;
}

static enum status count_step(void *context, const struct split_step *step)
{
    const struct listing *const listing = context;
    struct split_home *const home = listing->home;
    home->bytes[listing->device] += split_home_step_bytes(home->plan, step);
    home->steps++;
    return STATUS_OK;
}

static enum status list_step(void *context, const struct split_step *step)
{
    struct listing *const listing = context;
    struct split_home *const home = listing->home;
    home->addends[home->listed++] =
        (struct split_addend){.values = home->results[listing->device] + listing->offset,
                              .piece = step->piece,
                              .result_first = step->result_first,
                              .results = step->results};
    listing->offset += split_home_step_bytes(home->plan, step);
    return STATUS_OK;
}

static void each_step(struct split_home *home, split_visit *visit)
{
    for (int d = 0; d < home->plan->devices; d++) {
        struct listing listing = {.home = home, .device = d};
        split_plan_each(home->plan, d, visit, &listing);
    }
}

static const struct blas_vector *result_of(const struct split_plan *plan)
{
    return plan->call->family == FAMILY_TRMV ? &plan->call->x : &plan->call->y;
}

static size_t packed_bytes(const struct split_plan *plan)
{
    return (size_t)result_of(plan)->length * blas_element_bytes(plan->call->type);
}

static size_t addends_bytes(const struct split_home *home)
{
    return (size_t)home->steps * sizeof *home->addends;
}

static size_t all_bytes(const struct split_home *home)
{
    size_t bytes = split_memory_rounded(packed_bytes(home->plan)) + split_sum_bytes(home->plan) +
                   split_memory_rounded(addends_bytes(home));
    for (int d = 0; d < home->plan->devices; d++)
        bytes += split_memory_rounded(home->bytes[d]);
    return bytes;
}

enum status split_home_take(struct split_home *home, const struct split_plan *plan)
{
    *home = (struct split_home){.plan = plan};
    each_step(home, count_step);
    if (!split_memory_take(&home->memory, all_bytes(home)))
        return STATUS_OUT_OF_MEMORY;
    home->addends = split_memory_part(&home->memory, addends_bytes(home));
    home->packed = split_memory_part(&home->memory, packed_bytes(plan));
    for (int d = 0; d < plan->devices; d++)
        home->results[d] = split_memory_part(&home->memory, home->bytes[d]);
    each_step(home, list_step);
    return STATUS_OK;
}

void split_home_give_back(struct split_home *home)
{
    split_memory_give_back(&home->memory);
}

void split_home_come_to(struct split_home *home, int device, unsigned char *results)
{
    const unsigned char *const before = home->results[device];
    for (int i = 0; i < home->steps; i++) {
        struct split_addend *const addend = &home->addends[i];
        const size_t offset = (size_t)((unsigned char *)addend->values - before);
        if (offset < home->bytes[device])
            addend->values = results + offset;
    }
    home->results[device] = results;
}

static bool is_read(const struct blas_call *call)
{
    return call->family != FAMILY_TRMV && !blas_scalar_is_zero(call->type, call->beta);
}

enum status split_home_add_up(struct split_home *home)
{
    const struct blas_vector *const result = result_of(home->plan);
    const size_t element = blas_element_bytes(home->plan->call->type);
    if (is_read(home->plan->call))
        staging_pack_vector(home->packed, result, element);
    const enum status status =
        split_sum(home->plan, home->addends, home->steps, &home->memory, home->packed);
    if (status == STATUS_OK)
        staging_unpack_vector(result, home->packed, element);
    return status;
}
