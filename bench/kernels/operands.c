#include "operands.h"

enum {
    CALLS_LEAST = 20,
    CALLS_SMALL = 100,
    CALLS_MOST = 4096,
    SMALL_BYTES = 8 << 20,
    VECTORS_MOST = 512 << 20,
    ALIGNMENT = 256
};

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* x, then y; a spare unit so that the second is never the first's neighbour. */
static size_t vector_pair_bytes(const struct bench_case *wanted)
{
    const size_t element = blas_element_bytes(wanted->type);
    if (wanted->family == FAMILY_AXPY)
        return ALIGNMENT;
    return round_up((size_t)case_x_length(wanted) * element) +
           round_up((size_t)case_y_length(wanted) * element) + ALIGNMENT;
}

struct rotation rotation_make(double bytes, size_t footprint, size_t vector_bytes, size_t room,
                              size_t l2_bytes, bool warm)
{
    struct rotation rotation = {
        .calls = CALLS_LEAST, .matrix_stride = footprint, .vector_stride = vector_bytes};
    const double round = 4.0 * (double)l2_bytes / bytes + 1;
    if (!warm && round > rotation.calls)
        rotation.calls = round < CALLS_MOST ? (int)round + 1 : CALLS_MOST;
    if (bytes < SMALL_BYTES && rotation.calls < CALLS_SMALL)
        rotation.calls = CALLS_SMALL;
    const size_t fitting = room / footprint;
    rotation.matrices = warm ? 1 : fitting < (size_t)rotation.calls ? (int)fitting : rotation.calls;
    return rotation;
}

struct rotation rotation_of_case(const struct operands *operands, const struct bench_case *wanted,
                                 size_t l2_bytes)
{
    struct rotation rotation = rotation_make(case_bytes(wanted), case_footprint(wanted),
                                             vector_pair_bytes(wanted), operands->memory.matrix_bytes,
                                             l2_bytes, wanted->warm);
    const size_t fitting = operands->memory.vector_bytes / rotation.vector_stride;
    rotation.vectors = fitting < (size_t)rotation.calls ? (int)fitting : rotation.calls;
    return rotation;
}

void operands_want(const struct bench_case *wanted, size_t limit, size_t l2_bytes, size_t *pool_bytes,
                   size_t *vector_bytes)
{
    const size_t pair = vector_pair_bytes(wanted);
    const struct rotation rotation = rotation_make(case_bytes(wanted), case_footprint(wanted), pair, limit,
                                                   l2_bytes, wanted->warm);
    const size_t matrices = (size_t)rotation.matrices * rotation.matrix_stride;
    size_t vectors = (size_t)rotation.calls * pair;
    if (vectors > VECTORS_MOST)
        vectors = pair > VECTORS_MOST ? pair : VECTORS_MOST;
    *pool_bytes = matrices > *pool_bytes ? matrices : *pool_bytes;
    *vector_bytes = vectors > *vector_bytes ? vectors : *vector_bytes;
}

enum status operands_refresh(const struct operands *operands, const struct bench_case *wanted,
                             const struct rotation *rotation)
{
    if (wanted->family == FAMILY_AXPY)
        return tuning_pool_fill(&operands->memory, operands->memory.matrices,
                                (size_t)rotation->matrices * rotation->matrix_stride);
    return tuning_pool_fill(&operands->memory, operands->memory.vectors,
                            (size_t)rotation->vectors * rotation->vector_stride);
}

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* axpy adds thousands of times to one y: a small alpha keeps it where it was. */
static void set_scalars(struct blas_call *call)
{
    const double alpha = call->family == FAMILY_AXPY ? 0x1p-10 : 1.5, beta = 0.5;
    switch (call->type) {
    case TYPE_S: call->alpha.s = (float)alpha, call->beta.s = (float)beta; break;
    case TYPE_D: call->alpha.d = alpha, call->beta.d = beta; break;
    case TYPE_C: call->alpha.c[0] = (float)alpha, call->beta.c[0] = (float)beta; break;
    default: call->alpha.z[0] = alpha, call->beta.z[0] = beta;
    }
}

struct blas_call operands_call(const struct operands *operands, const struct bench_case *wanted,
                               const struct rotation *rotation, int number)
{
    struct blas_call call = {.family = wanted->family, .type = wanted->type, .uplo = wanted->uplo,
                             .trans = wanted->trans, .diag = wanted->diag, .m = wanted->m, .n = wanted->n};
    const CUdeviceptr slot = operands->memory.matrices +
                             (size_t)(number % rotation->matrices) * rotation->matrix_stride +
                             case_shift(wanted);
    const CUdeviceptr x = operands->memory.vectors +
                          (size_t)(number % rotation->vectors) * rotation->vector_stride;
    set_scalars(&call);
    call.x = (struct blas_vector){pointer(x), case_x_length(wanted), 1};
    call.y = (struct blas_vector){pointer(x + round_up((size_t)case_x_length(wanted) *
                                                       blas_element_bytes(wanted->type))),
                                  case_y_length(wanted), 1};
    if (wanted->family == FAMILY_AXPY) {
        call.x.pointer = pointer(slot);
        call.y.pointer = pointer(slot + case_second_vector(wanted));
        return call;
    }
    call.a = (struct blas_matrix){pointer(slot), wanted->m, wanted->n, case_ld(wanted), PART_FULL};
    if (wanted->family != FAMILY_GEMV)
        call.a.part = wanted->uplo == UPLO_LOWER ? PART_LOWER : PART_UPPER;
    return call;
}

double operands_magnitude(enum blas_type type)
{
    return type == TYPE_S || type == TYPE_C ? 0.5 : 0x1p-15;
}
