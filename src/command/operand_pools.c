#include "command/operand_pools.h"

#include "interpose/entries/pack.h"
#include "mirror/pinning/pins.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 256 << 10 }; /* bytes of numbers, again and again */

/* Numbers as float from 1 to 2, as double from 2^-7 to 2: no sum overflows or underflows. */
static const char *numbers(void)
{
    static uint32_t words[NUMBERS / sizeof(uint32_t)];
    uint32_t state = 12345;
    for (size_t i = 0; i < NUMBERS / sizeof *words && !words[NUMBERS / sizeof *words - 1]; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = 0x3f800000u | state >> 9;
    }
    return (const char *)words;
}

static void fill(char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += NUMBERS)
        memcpy(memory + at, numbers(), bytes - at < NUMBERS ? bytes - at : NUMBERS);
}

/* At other offsets in their pages: processors take a store to a place for one to another page's same
 * place. */
static bool provide_vectors(struct operand_pools *pools, size_t bytes)
{
    enum { PAGE = 4096, APART = PAGE / 2 + 64 };
    const size_t stride = (bytes + PAGE - 1) / PAGE * PAGE + APART;
    if (bytes <= pools->vector_bytes)
        return true;
    free(pools->vectors);
    pools->vectors = malloc(2 * stride + bytes);
    if (pools->vectors)
        fill(pools->vectors, 2 * stride + bytes);
    pools->x = pools->vectors;
    pools->y = pools->vectors + stride;
    pools->x_before = pools->vectors + 2 * stride;
    pools->vector_bytes = pools->vectors ? bytes : 0;
    return pools->vectors;
}

size_t operand_bytes(const struct blas_call *call, const struct blas_matrix *matrix)
{
    return (size_t)matrix->ld * (size_t)matrix->columns * blas_element_bytes(call->type);
}

/* The first `bytes` of a pool, with numbers in them; NULL: it has not as many. */
static char *provide(const struct operand_pools *pools, struct pool *pool, size_t bytes)
{
    if (bytes > pools->matrix_bytes || (!pool->memory && !(pool->memory = malloc(pools->matrix_bytes))))
        return NULL;
    if (bytes > pool->filled) {
        const size_t begin = pool->filled / sizeof(double) * sizeof(double);
        fill(pool->memory + begin, bytes - begin);
        pool->filled = bytes;
    }
    return pool->memory;
}

/* Zeros, where there is not as much already. */
static char *provide_result(struct operand_pools *pools, struct pool *pool, size_t bytes)
{
    pools->c_is_new = bytes > pool->filled;
    if (pools->c_is_new) {
        free(pool->memory);
        pool->memory = calloc(bytes, 1);
        pool->filled = pool->memory ? bytes : 0;
    }
    return pool->memory;
}

static bool provide_matrices(struct operand_pools *pools, struct blas_call *call)
{
    struct blas_matrix *matrices[] = {&call->a, &call->b, &call->c};
    struct pool *const c = pools->c[pools->side == SIDE_HOST ? call->type : 0];
    struct pool *const from[] = {pools->a, pools->b, c};
    pools->c_is_new = false;
    for (int i = 0; i < 3; i++) {
        const size_t bytes = operand_bytes(call, matrices[i]);
        const bool large = bytes >= PIN_BYTES_MIN;
        if (bytes && large && i == 2 && pools->side == SIDE_DEVICE)
            matrices[i]->pointer = provide_result(pools, &c[1], bytes);
        else if (bytes)
            matrices[i]->pointer = provide(pools, &from[i][large], bytes);
        if (bytes && !matrices[i]->pointer)
            return false;
    }
    return true;
}

bool operand_pools_prepare(struct operand_pools *pools, struct blas_call *call, int64_t lda)
{
    call->a.ld = call->b.ld = call->c.ld = INT64_MAX;
    call->x.increment = call->y.increment = 1;
    call->alpha = blas_scalar_of(call->type, blas_is_in_place(call) ? 2 : 1e-3);
    call->beta = blas_scalar_of(call->type, 0.5);
    if (!pack_legal(call))
        return false;
    call->a.ld = lda > call->a.rows ? lda : call->a.rows;
    call->b.ld = call->b.rows;
    call->c.ld = call->c.rows;
    const int64_t longest = call->x.length > call->y.length ? call->x.length : call->y.length;
    if (longest && !provide_vectors(pools, (size_t)longest * blas_element_bytes(call->type)))
        return false;
    call->x.pointer = longest ? pools->x : NULL;
    call->y.pointer = call->y.length ? pools->y : NULL;
    return provide_matrices(pools, call);
}

void operand_pools_renew_vector(const struct operand_pools *pools, const struct blas_call *call)
{
    memcpy(call->x.pointer, pools->x_before, (size_t)call->x.length * blas_element_bytes(call->type));
}
