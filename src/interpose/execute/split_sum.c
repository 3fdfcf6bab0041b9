#include "interpose/execute/split_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
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
