#include "common/blas_call.h"
#include "common/routine_rows.h"

enum { HAS_REAL_EVERY = 1, HAS_REAL_REAL = 1, HAS_REAL_COMPLEX = 0 };
enum { HAS_COMPLEX_EVERY = 1, HAS_COMPLEX_REAL = 0, HAS_COMPLEX_COMPLEX = 1 };
enum { COMPUTES_ALL, COMPUTES_HALF };

const struct blas_family_row blas_families[FAMILY_COUNT] = {
#define FAMILY(NAME, name, types, gated, products, computed, signature, ...) \
    {#name, HAS_REAL_##types, HAS_COMPLEX_##types, COMPUTES_##computed, \
     PRODUCT_##gated, PRODUCT_##products, SIGNATURE_##NAME},
#include "common/routines.def"
};

const struct blas_matrix *call_matrix(const struct blas_call *call, enum blas_argument argument)
{
    return argument == ARGUMENT_A ? &call->a : argument == ARGUMENT_B ? &call->b
                                           : argument == ARGUMENT_C   ? &call->c
                                                                      : NULL;
}

const struct blas_vector *call_vector(const struct blas_call *call, enum blas_argument argument)
{
    return argument == ARGUMENT_X ? &call->x : argument == ARGUMENT_Y ? &call->y : NULL;
}

/* op(A) does not exchange rows and columns. */
static bool is_upright(enum blas_trans trans)
{
    return trans == TRANS_NONE || trans == TRANS_CONJUGATE_ONLY;
}

static int64_t size_of(const struct blas_call *call, enum blas_size size)
{
    switch (size) {
    case SIZE_M: return call->m;
    case SIZE_N: return call->n;
    case SIZE_K: return call->k;
    case SIZE_ORDER: break;
    }
    return blas_side_order(call);
}

static void set_shape(struct blas_call *call, const struct blas_operand *operand)
{
    const bool transposed = !is_upright(operand->by_trans_b ? call->trans_b : call->trans);
    const enum blas_argument argument = (enum blas_argument)operand->argument;
    const int64_t rows = size_of(call, (enum blas_size)operand->sizes[0][transposed]);
    struct blas_vector *vector = (struct blas_vector *)call_vector(call, argument);
    struct blas_matrix *matrix = (struct blas_matrix *)call_matrix(call, argument);
    if (vector) {
        vector->length = rows;
        return;
    }
    if (operand->is_packed) {
        /* None of an illegal order, or of one that no device has room for. */
        const int64_t elements = rows > 0 && rows <= INT32_MAX ? rows * (rows + 1) / 2 : 0;
        *matrix = (struct blas_matrix){matrix->pointer, elements, 1, elements, PART_FULL};
        return;
    }
    matrix->rows = rows;
    matrix->columns = size_of(call, (enum blas_size)operand->sizes[1][transposed]);
    matrix->part = !operand->is_triangle ? PART_FULL : call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
}

void call_set_shapes(struct blas_call *call)
{
    const struct blas_signature *signature = &blas_families[call->family].signature;
    for (int i = 0; i < signature->operand_count; i++)
        set_shape(call, &signature->operands[i]);
}

static double elements_touched(const struct blas_matrix *matrix)
{
    double rows = (double)matrix->rows, columns = (double)matrix->columns;
    if (!matrix->pointer)
        return 0;
    return matrix->part == PART_FULL ? rows * columns : columns * (columns + 1) / 2;
}

double call_work_per_product(enum blas_type type)
{
    return blas_is_complex(type) ? 8 : 2;
}

double call_work_products(const struct blas_call *call)
{
    const double m = (double)call->m, n = (double)call->n, k = (double)call->k;
    switch ((enum size_product)blas_families[call->family].products) {
    case PRODUCT_N: return n;
    case PRODUCT_NN: return n * n;
    case PRODUCT_MN: return m * n;
    case PRODUCT_MNK: return m * n * k;
    case PRODUCT_NNK: return n * n * k;
    case PRODUCT_MN_ORDER: return m * n * (double)blas_side_order(call);
    }
    return 0;
}

uint64_t call_gated_size(const struct blas_call *call)
{
    const uint64_t m = (uint64_t)call->m, n = (uint64_t)call->n, k = (uint64_t)call->k;
    switch ((enum size_product)blas_families[call->family].gated) {
    case PRODUCT_N: return n;
    case PRODUCT_MN: return m * n;
    case PRODUCT_MNK: return m * n * k;
    case PRODUCT_NNK: return n * n * k;
    default: return 0; /* no gate's */
    }
}

struct call_work call_work_of(const struct blas_call *call)
{
    const struct blas_matrix *const matrices[] = {&call->a, &call->b, &call->c};
    const double bytes = (double)blas_element_bytes(call->type), products = call_work_products(call);
    const double lengths = (double)call->x.length + 2.0 * (double)call->y.length;
    const double computed = blas_families[call->family].computes_half ? products / 2 : products;
    double touched = 0, scanned = 0, gaps = 0;
    for (int i = 0; i < 3; i++) {
        const struct blas_matrix *const matrix = matrices[i];
        if (!matrix->pointer)
            continue;
        touched += elements_touched(matrix);
        scanned += (double)matrix->ld * (double)matrix->columns;
        gaps += (double)(matrix->ld - matrix->rows) * (double)matrix->columns;
    }
    return (struct call_work){.products = products,
                              .operations = computed * call_work_per_product(call->type),
                              .matrix_bytes = touched * bytes,
                              .result_bytes = elements_touched(&call->c) * bytes,
                              .scanned_bytes = scanned * bytes,
                              .gap_bytes = gaps * bytes,
                              .vector_bytes = lengths * (call->family == FAMILY_TRMV ? 2 : 1) * bytes};
}
