#include "interpose/execute/split_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums of the chain under way, and of all chains before it; where any term has come to them. */
struct sums {
    size_t element_bytes;
    bool single;
    int parts; /* 2: complex */
    int64_t results;
    unsigned char *chain, *all;
    bool *chain_began, *all_began;
};

static bool create(struct sums *sums, const struct split_plan *plan)
{
    const enum blas_type type = plan->call->type;
    *sums = (struct sums){.element_bytes = blas_element_bytes(type),
                          .single = blas_is_single(type),
                          .parts = blas_scalar_parts(type),
                          .results = split_plan_results(plan)};
    const size_t count = (size_t)sums->results;
    sums->chain = malloc(count * sums->element_bytes);
    sums->all = malloc(count * sums->element_bytes);
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

static void add_number(const struct sums *sums, unsigned char *to, const unsigned char *from)
{
    for (int part = 0; part < sums->parts; part++) {
        if (sums->single)
            ((float *)(void *)to)[part] += ((const float *)(const void *)from)[part];
        else
            ((double *)(void *)to)[part] += ((const double *)(const void *)from)[part];
    }
}

/* A lone one passes unchanged. */
static void add(const struct sums *sums, unsigned char *to, bool *began, int64_t index,
                const unsigned char *from)
{
    unsigned char *const at = to + (size_t)index * sums->element_bytes;
    if (began[index])
        add_number(sums, at, from);
    else
        memcpy(at, from, sums->element_bytes);
    began[index] = true;
}

static void end_chain(const struct sums *sums)
{
    for (int64_t i = 0; i < sums->results; i++)
        if (sums->chain_began[i])
            add(sums, sums->all, sums->all_began, i, sums->chain + (size_t)i * sums->element_bytes);
    memset(sums->chain_began, 0, (size_t)sums->results * sizeof *sums->chain_began);
}

static void add_addend(const struct sums *sums, const struct split_addend *addend)
{
    const unsigned char *values = addend->values;
    for (int64_t i = 0; i < addend->results; i++, values += sums->element_bytes)
        add(sums, sums->chain, sums->chain_began, addend->result_first + i, values);
}

static int by_piece(const void *one, const void *other)
{
    const int64_t a = ((const struct split_addend *)one)->piece,
                  b = ((const struct split_addend *)other)->piece;
    return (a > b) - (a < b);
}

static bool is_finite(const struct sums *sums, const struct split_addend *addend)
{
    bool finite = true;
    for (int64_t i = 0; i < addend->results * sums->parts; i++)
        finite = finite && (sums->single ? isfinite(((const float *)addend->values)[i])
                                         : isfinite(((const double *)addend->values)[i]));
    return finite;
}

static bool are_exact(const struct sums *sums, const struct split_addend *addends, int count)
{
    for (int i = 0; i < count && sums->parts == 2; i++)
        if (!is_finite(sums, &addends[i]))
            return false;
    return true;
}

/* scaled_result of contract.h. */
#define SCALE(name, real, scalar, fused)                                                                     \
    static void name(const struct blas_call *call, real *result, const real *sum)                            \
    {                                                                                                        \
        const real alpha = call->alpha.scalar, beta = call->beta.scalar;                                     \
        if (beta == 0)                                                                                       \
            *result = alpha * *sum;                                                                          \
        else                                                                                                 \
            *result = fused(alpha, *sum, beta * *result);                                                    \
    }
#define SCALE_COMPLEX(name, real, scalar, fused)                                                             \
    static void name(const struct blas_call *call, real result[2], const real sum[2])                        \
    {                                                                                                        \
        const real *const alpha = call->alpha.scalar, *const beta = call->beta.scalar;                       \
        real re = result[0], im = result[1];                                                                 \
        if (beta[0] == 0 && beta[1] == 0) {                                                                  \
            result[0] = fused(-alpha[1], sum[1], alpha[0] * sum[0]);                                         \
            result[1] = fused(alpha[1], sum[0], alpha[0] * sum[1]);                                          \
            return;                                                                                          \
        }                                                                                                    \
        if (beta[0] != 1 || beta[1] != 0) {                                                                  \
            const real old_re = re, old_im = im;                                                             \
            re = fused(-beta[1], old_im, beta[0] * old_re);                                                  \
            im = fused(beta[1], old_re, beta[0] * old_im);                                                   \
        }                                                                                                    \
        result[0] = fused(-alpha[1], sum[1], fused(alpha[0], sum[0], re));                                   \
        result[1] = fused(alpha[1], sum[0], fused(alpha[0], sum[1], im));                                    \
    }
SCALE(scale_s, float, s, fmaf)
SCALE(scale_d, double, d, fma)
SCALE_COMPLEX(scale_c, float, c, fmaf)
SCALE_COMPLEX(scale_z, double, z, fma)

static void finish(const struct sums *sums, const struct blas_call *call, unsigned char *result)
{
    const unsigned char *sum = sums->all;
    if (call->family == FAMILY_TRMV) {
        memcpy(result, sum, (size_t)sums->results * sums->element_bytes);
        return;
    }
    for (int64_t i = 0; i < sums->results; i++, result += sums->element_bytes, sum += sums->element_bytes)
        switch (call->type) {
        case TYPE_S: scale_s(call, (void *)result, (const void *)sum); break;
        case TYPE_D: scale_d(call, (void *)result, (const void *)sum); break;
        case TYPE_C: scale_c(call, (void *)result, (const void *)sum); break;
        default: scale_z(call, (void *)result, (const void *)sum);
        }
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
