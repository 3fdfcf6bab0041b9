/* two_stage_problem.h - real symmetric matrices for the eigensolver in two stages, and its values of them on
 * the emulated device. No other memory is written: what lies between the columns is looked at here, what lies
 * beside an allocation by the emulated driver. */
#ifndef MUBLAS_TESTS_TWO_STAGE_PROBLEM_H
#define MUBLAS_TESTS_TWO_STAGE_PROBLEM_H

#include "lapack/eigensolver/two_stage.h"
#include "real_matrices.h"
#include "solver_handle.h"

enum { GAP = 3 /* rows between the matrix's columns that belong to nobody */ };
static const double BOUND = 4; /* in units of n eps |A|, and of n eps */

struct problem {
    enum blas_type type;
    enum blas_uplo uplo;
    int n, first, count; /* the order; of the vectors wanted */
    double *given;       /* both triangles */
    const char *kind;
};

/* Takes a random or another matrix, whose triangle depends on the order. */
static inline void with_matrix(enum blas_type type, int n, const struct matrix_kind *kind,
                               void (*function)(const struct problem *problem))
{
    const struct problem problem = {.type = type,
                                    .uplo = n % 2 ? UPLO_UPPER : UPLO_LOWER,
                                    .n = n,
                                    .kind = kind->name,
                                    .given = real_matrix(kind, type, n)};
    function(&problem);
    free(problem.given);
}

static inline bool stream_is_done(void)
{
    return driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS;
}

static inline CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        exit(1);
    return address;
}

static inline CUdeviceptr send_numbers(const double *numbers, size_t count)
{
    const CUdeviceptr address = allocate(count * sizeof *numbers);
    device_poke(address, numbers, count * sizeof *numbers);
    return address;
}

static inline double get(enum blas_type type, const void *elements, size_t place)
{
    return type == TYPE_S ? (double)((const float *)elements)[place] : ((const double *)elements)[place];
}

/* The triangle, with NaN in the place of all else. */
static inline CUdeviceptr send(const struct problem *problem)
{
    const int n = problem->n, lda = n + GAP;
    const size_t bytes = (size_t)n * (size_t)lda * blas_element_bytes(problem->type);
    unsigned char *const elements = malloc(bytes);
    const CUdeviceptr a = allocate(bytes);
    memset(elements, 0xff, bytes);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const size_t place = (size_t)(i + j * lda);
            const double number = problem->given[i + j * n];
            if (problem->uplo == UPLO_UPPER ? i > j : i < j)
                continue;
            if (problem->type == TYPE_S)
                ((float *)elements)[place] = (float)number;
            else
                ((double *)elements)[place] = number;
        }
    device_poke(a, elements, bytes);
    free(elements);
    return a;
}

static inline bool is_gap_kept(const struct problem *problem, CUdeviceptr a)
{
    const size_t element = blas_element_bytes(problem->type), lda = (size_t)problem->n + GAP;
    const size_t bytes = (size_t)problem->n * lda * element;
    unsigned char *const elements = malloc(bytes);
    bool good = true;
    device_peek(elements, a, bytes);
    for (size_t i = 0; i < bytes; i++)
        good = good && (i / element % lda < (size_t)problem->n || elements[i] == 0xff);
    free(elements);
    return good;
}

typedef bool queue_function(const struct two_stage *work, CUdeviceptr workspace, void *argument);

/* The values' bytes as they are on the device; to be freed. */
static inline void *values_by(queue_function *queue, const struct problem *problem, void *argument,
                              bool *good)
{
    const size_t value_bytes = (size_t)problem->n * blas_element_bytes(problem->type);
    const struct two_stage work = {.type = problem->type, .uplo = problem->uplo, .n = problem->n,
                                   .a = send(problem), .lda = problem->n + GAP, .w = allocate(value_bytes)};
    void *const w = malloc(value_bytes);
    size_t bytes = 0;
    if (two_stage_workspace(&handle, &work, &bytes) != STATUS_OK)
        exit(1);
    const CUdeviceptr workspace = allocate(bytes);
    *good = queue(&work, workspace, argument) && stream_is_done();
    *good = is_gap_kept(problem, work.a) && *good;
    device_peek(w, work.w, value_bytes);
    device_free(emulated_device, workspace); /* which looks for writes beside it */
    device_free(emulated_device, work.a);
    device_free(emulated_device, work.w);
    return w;
}

/* All at once, without a wait between. */
static inline bool queue_all(const struct two_stage *work, CUdeviceptr workspace, void *argument)
{
    const unsigned long waits = call_count("cuStreamSynchronize");
    (void)argument;
    return two_stage_queue(&handle, work, workspace) == STATUS_OK &&
           call_count("cuStreamSynchronize") == waits;
}

#endif
