#include "interpose/execute/split.h"
#include "mirror/transfer/transfer.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES_MOST = 16 << 20, ALIGNMENT = 64 };

/* The memory of the call that has set `kept_in_use`. A child of fork may find it set for good, and has its
 * own then. */
static unsigned char *kept;
static size_t kept_bytes;
static atomic_bool kept_in_use;

size_t split_memory_rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static unsigned char *allocate(size_t bytes)
{
    return aligned_alloc(ALIGNMENT, split_memory_rounded(bytes + 1));
}

static void grow_kept(size_t bytes)
{
    if (kept_bytes >= bytes)
        return;
    free(kept);
    kept = allocate(bytes);
    kept_bytes = kept ? bytes : 0;
}

bool split_memory_take(struct split_memory *memory, size_t bytes)
{
    const bool may_be_kept = bytes <= KEPT_BYTES_MOST && !atomic_exchange(&kept_in_use, true);
    *memory = (struct split_memory){.is_kept = may_be_kept};
    if (memory->is_kept)
        grow_kept(bytes);
    memory->bytes = memory->is_kept ? kept : allocate(bytes);
    return memory->bytes != NULL;
}

void *split_memory_part(struct split_memory *memory, size_t bytes)
{
    void *const part = memory->bytes + memory->used;
    memory->used += split_memory_rounded(bytes);
    return part;
}

void split_memory_give_back(struct split_memory *memory)
{
    if (memory->is_kept)
        atomic_store(&kept_in_use, false);
    else
        free(memory->bytes);
    *memory = (struct split_memory){.bytes = NULL};
}

/* Which numbers some term has come to. */
enum known_of { OF_NONE, OF_SOME, OF_ALL };

struct numbers {
    void *values;
    enum known_of of;
    bool *began; /* for each: of OF_SOME */
};

/* The sums of the chain under way, and of all chains before it. A complex result counts as two numbers. */
struct sums {
    bool single;
    int parts; /* 2: complex */
    int64_t numbers;
    struct numbers chain, all;
};

static void name_each(const struct sums *sums, struct numbers *numbers)
{
    if (numbers->of != OF_SOME)
        memset(numbers->began, numbers->of == OF_ALL, (size_t)sums->numbers);
    numbers->of = OF_SOME;
}

#define REAL float
#define NAME(name) name##_single
#define FUSED fmaf
#include "interpose/execute/split_sum.inc"
#undef REAL
#undef NAME
#undef FUSED
#define REAL double
#define NAME(name) name##_double
#define FUSED fma
#include "interpose/execute/split_sum.inc"

static size_t real_bytes(enum blas_type type)
{
    return blas_real_bytes(type);
}

size_t split_sum_bytes(const struct split_plan *plan)
{
    const enum blas_type type = plan->call->type;
    const size_t numbers = (size_t)split_plan_results(plan) * (size_t)blas_scalar_parts(type);
    return 2 * (split_memory_rounded(numbers * real_bytes(type)) + split_memory_rounded(numbers));
}

static struct sums make_sums(const struct split_plan *plan, struct split_memory *memory)
{
    const enum blas_type type = plan->call->type;
    struct sums sums = {.single = blas_is_single(type),
                        .parts = blas_scalar_parts(type),
                        .numbers = split_plan_results(plan) * blas_scalar_parts(type)};
    const size_t count = (size_t)sums.numbers, bytes = count * real_bytes(type);
    sums.chain = (struct numbers){.values = split_memory_part(memory, bytes),
                                  .began = split_memory_part(memory, count)};
    sums.all = (struct numbers){.values = split_memory_part(memory, bytes),
                                .began = split_memory_part(memory, count)};
    return sums;
}

/* The first one's sums are the sums of all, too. */
static void end_chain(struct sums *sums)
{
    if (sums->all.of == OF_NONE) {
        const struct numbers unused = sums->all;
        sums->all = sums->chain;
        sums->chain = unused;
    } else {
        (sums->single ? end_chain_single : end_chain_double)(sums);
    }
    sums->chain.of = OF_NONE;
}

static void add_addend(struct sums *sums, const struct split_addend *addend)
{
    (sums->single ? add_single : add_double)(sums, addend);
}

static int by_piece(const void *one, const void *other)
{
    const int64_t a = ((const struct split_addend *)one)->piece,
                  b = ((const struct split_addend *)other)->piece;
    return (a > b) - (a < b);
}

static bool are_exact(const struct sums *sums, const struct split_addend *addends, int count)
{
    bool exact = true;
    for (int i = 0; i < count && sums->parts == 2 && exact; i++)
        exact = (sums->single ? is_finite_single : is_finite_double)(sums, &addends[i]);
    return exact;
}

static void finish(const struct sums *sums, const struct blas_call *call, void *result)
{
    if (call->family == FAMILY_TRMV)
        memcpy(result, sums->all.values, (size_t)sums->numbers * real_bytes(call->type));
    else if (sums->parts == 1)
        (sums->single ? scale_single : scale_double)(sums, call, result);
    else
        (sums->single ? scale_complex_single : scale_complex_double)(sums, call, result);
}

static void add_all(struct sums *sums, const struct split_addend *addends, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0 && addends[i].piece / SPLIT_CHAIN != addends[i - 1].piece / SPLIT_CHAIN)
            end_chain(sums);
        add_addend(sums, &addends[i]);
    }
    end_chain(sums);
}

enum status split_sum(const struct split_plan *plan, struct split_addend *addends, int count,
                      struct split_memory *memory, void *result)
{
    struct sums sums = make_sums(plan, memory);
    if (!are_exact(&sums, addends, count))
        return STATUS_UNSUPPORTED;
    qsort(addends, (size_t)count, sizeof *addends, by_piece);
    add_all(&sums, addends, count);
    finish(&sums, plan->call, result);
    return STATUS_OK;
}

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
