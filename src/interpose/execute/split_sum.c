#include "interpose/execute/split_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums of the chain under way, and of all chains before it; where any term has come to them. A complex
 * result counts as two numbers. */
struct sums {
    bool single;
    int parts; /* 2: complex */
    int64_t numbers;
    void *chain, *all;
    bool *chain_began, *all_began;
};

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

static bool create(struct sums *sums, const struct split_plan *plan)
{
    const enum blas_type type = plan->call->type;
    *sums = (struct sums){.single = blas_is_single(type),
                          .parts = blas_scalar_parts(type),
                          .numbers = split_plan_results(plan) * blas_scalar_parts(type)};
    const size_t count = (size_t)sums->numbers, bytes = sums->single ? sizeof(float) : sizeof(double);
    sums->chain = malloc(count * bytes);
    sums->all = malloc(count * bytes);
    sums->chain_began = calloc(count, sizeof *sums->chain_began);
    sums->all_began = calloc(count, sizeof *sums->all_began);
    return sums->chain && sums->all && sums->chain_began && sums->all_began;
}

static void destroy(struct sums *sums)
{
    free(sums->chain);
    free(sums->all);
    free(sums->chain_began);
    free(sums->all_began);
}

static void end_chain(const struct sums *sums)
{
    (sums->single ? end_chain_single : end_chain_double)(sums);
    memset(sums->chain_began, 0, (size_t)sums->numbers * sizeof *sums->chain_began);
}

static void add_addend(const struct sums *sums, const struct split_addend *addend)
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
        memcpy(result, sums->all, (size_t)sums->numbers * (sums->single ? sizeof(float) : sizeof(double)));
    else if (sums->parts == 1)
        (sums->single ? scale_single : scale_double)(sums, call, result);
    else
        (sums->single ? scale_complex_single : scale_complex_double)(sums, call, result);
}

static void add_all(const struct sums *sums, const struct split_addend *addends, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0 && addends[i].piece / SPLIT_CHAIN != addends[i - 1].piece / SPLIT_CHAIN)
            end_chain(sums);
        add_addend(sums, &addends[i]);
    }
    end_chain(sums);
}

enum status split_sum(const struct split_plan *plan, struct split_addend *addends, int count, void *result)
{
    struct sums sums;
    enum status status = STATUS_OUT_OF_MEMORY;
    if (create(&sums, plan)) {
        status = are_exact(&sums, addends, count) ? STATUS_OK : STATUS_UNSUPPORTED;
        if (status == STATUS_OK) {
            qsort(addends, (size_t)count, sizeof *addends, by_piece);
            add_all(&sums, addends, count);
            finish(&sums, plan->call, result);
        }
    }
    destroy(&sums);
    return status;
}
