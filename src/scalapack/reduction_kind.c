/* parallel_reduction_methods: a generalised eigenproblem becomes a standard one. */
#include "common/whole_number.h"
#include "scalapack/kinds.h"

#include <stdlib.h>

/* As the documentation of syngst and hengst has it (ScaLAPACK 2.2). */
static bool workspace_suffices(const struct parallel_call *call)
{
    const struct distribution *const of = &call->matrices[0].distribution;
    const int64_t rows = distribution_count(of->rows, of->row_block, 0, 0, call->place.rows);
    return !parallel_has(call, WORD_lwork) ||
           parallel_integer(call, WORD_lwork) >= larger(of->row_block * (rows + 1), 3 * of->row_block);
}

static bool accepts(struct parallel_call *call)
{
    const int32_t itype = parallel_integer(call, WORD_itype);
    return itype >= 1 && itype <= 3 && parallel_integer(call, WORD_n) > 1 &&
           workspace_suffices(call);
}

static size_t vector_bytes(const struct parallel_call *call)
{
    (void)call;
    return 0;
}

static void plan(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work)
{
    const int64_t n = parallel_integer(call, WORD_n);
    const struct blas_matrix whole = parallel_sizes(&call->matrices[0]);
    const uint64_t bytes = blas_part_bytes(&whole, call->routine->type);
    work->reduction = (struct reduction_problem){.family = LAPACK_SYGST, .type = call->routine->type,
                                                 .uplo = parallel_uplo(call),
                                                 .itype = parallel_integer(call, WORD_itype), .n = n};
    work->call.shape = (struct route_shape){.family = LAPACK_SYGST, .type = call->routine->type, .m = n,
                                            .n = n, .k = n, .bytes_up = 2 * bytes, .bytes_down = bytes};
    work->call.times = route_times_predict(&machine->grid, &work->call.shape);
}

static bool describe(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route)
{
    struct reduction_problem *const problem = &work->reduction;
    (void)vectors;
    work->memory = problem->diagonal = malloc((size_t)problem->n * blas_element_bytes(TYPE_Z));
    if (!work->memory)
        return false;
    problem->a = parallel_whole(&call->matrices[0]);
    problem->b = parallel_whole(&call->matrices[1]);
    reduction_describe(problem, route);
    return true;
}

static void publish(const struct parallel_call *call, void *vectors, struct parallel_work *work)
{
    (void)call, (void)vectors, (void)work;
}

/* ScaLAPACK scales nothing yet, either. */
static void take(const struct parallel_call *call, const void *vectors, int64_t found)
{
    const double real = 1;
    const float single = 1;
    (void)vectors, (void)found;
    if (blas_is_single(call->routine->type))
        memcpy(parallel_address(call, WORD_scale), &single, sizeof single);
    else
        memcpy(parallel_address(call, WORD_scale), &real, sizeof real);
}

const struct parallel_methods parallel_reduction_methods = {
    .is_strict = true, .accepts = accepts, .vector_bytes = vector_bytes, .plan = plan,
    .describe = describe, .publish = publish, .take = take};
