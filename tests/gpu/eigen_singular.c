/* Singular values of a bidiagonal matrix by bisection, and with vectors by divide and conquer while its products
 * are not cuBLAS'. */
#include "eigen_steps.h"
#include "lapack/singular/own_singular.h"

#include <string.h>

enum { D, E, S, U, V, INFO, WORKSPACE };

static int64_t ld_of(const struct eigen_case *given) { return given->n + EIGEN_GAP; }

static struct bidiagonal_bisection bisection_of(const struct eigen_run *run)
{
    return (struct bidiagonal_bisection){.type = run->given->type, .n = run->given->n,
                                         .d = eigen_memory_address(&run->memory, D),
                                         .e = eigen_memory_address(&run->memory, E),
                                         .s = eigen_memory_address(&run->memory, S)};
}

static void take_matrix(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), n = (size_t)run->given->n;
    eigen_memory_take(&run->memory, D, n * element);
    eigen_memory_take(&run->memory, E, (n - 1) * element);
}

static enum status take_bisection(struct eigen_run *run)
{
    const struct bidiagonal_bisection work = bisection_of(run);
    take_matrix(run);
    eigen_memory_take(&run->memory, S, (size_t)work.n * blas_element_bytes(work.type));
    eigen_memory_take(&run->memory, WORKSPACE, bidiagonal_bisection_workspace(&work));
    return STATUS_OK;
}

static void fill_bisection(struct eigen_run *run)
{
    eigen_set_tridiagonal(run->given, eigen_memory_host(&run->memory, D), eigen_memory_host(&run->memory, E));
    eigen_memory_allow(&run->memory, S);
    eigen_memory_allow(&run->memory, WORKSPACE);
}

static enum status queue_bisection(struct eigen_run *run)
{
    const struct bidiagonal_bisection work = bisection_of(run);
    return bidiagonal_bisection_queue(&run->handle, &work, eigen_memory_address(&run->memory, WORKSPACE));
}

static uint64_t digest_bisection(const struct eigen_run *run)
{
    return result_digest(run->given->type, eigen_memory_host(&run->memory, S), run->given->n);
}

const struct eigen_form eigen_singular_values = {"singular values by bisection", {"as queued"}, take_bisection,
                                                 fill_bisection, queue_bisection, digest_bisection};

static struct bidiagonal_division call_of(const struct eigen_run *run)
{
    return (struct bidiagonal_division){.type = run->given->type, .n = run->given->n,
                                        .d = eigen_memory_address(&run->memory, D),
                                        .e = eigen_memory_address(&run->memory, E),
                                        .u = {eigen_memory_address(&run->memory, U), ld_of(run->given)},
                                        .v = {eigen_memory_address(&run->memory, V), ld_of(run->given)},
                                        .vectors = run->given->n,
                                        .info = eigen_memory_address(&run->memory, INFO)};
}

/* Before addresses are known any does that is not 0. */
static enum status take_division(struct eigen_run *run)
{
    struct bidiagonal_division call = call_of(run);
    const size_t bytes = (size_t)(call.u.ld * call.n) * blas_element_bytes(call.type);
    call.u.address = call.v.address = 1;
    take_matrix(run);
    eigen_memory_take(&run->memory, U, bytes);
    eigen_memory_take(&run->memory, V, bytes);
    eigen_memory_take(&run->memory, INFO, sizeof(int));
    eigen_memory_take(&run->memory, WORKSPACE, bidiagonal_division_workspace(&call));
    return STATUS_OK;
}

static void fill_division(struct eigen_run *run)
{
    const struct bidiagonal_division call = call_of(run);
    const size_t element = blas_element_bytes(call.type);
    eigen_set_tridiagonal(run->given, eigen_memory_host(&run->memory, D), eigen_memory_host(&run->memory, E));
    eigen_memory_allow(&run->memory, D);
    for (int64_t j = 0; j < call.n; j++) {
        eigen_memory_allow_part(&run->memory, U, (size_t)(j * call.u.ld) * element, (size_t)call.n * element);
        eigen_memory_allow_part(&run->memory, V, (size_t)(j * call.v.ld) * element, (size_t)call.n * element);
    }
    eigen_memory_allow(&run->memory, INFO);
    eigen_memory_allow(&run->memory, WORKSPACE);
}

static enum status queue_division(struct eigen_run *run)
{
    const struct bidiagonal_division call = call_of(run);
    return bidiagonal_division_queue(&run->handle, &call, eigen_memory_address(&run->memory, WORKSPACE));
}

static uint64_t digest_division(const struct eigen_run *run)
{
    const struct bidiagonal_division call = call_of(run);
    int info;
    memcpy(&info, eigen_memory_host(&run->memory, INFO), sizeof info);
    const double number = info;
    uint64_t digest = result_digest(TYPE_D, &number, 1);
    digest = result_digest_more(digest, call.type, eigen_memory_host(&run->memory, D), call.n);
    digest = result_digest_more(digest, call.type, eigen_memory_host(&run->memory, U), call.u.ld * call.n);
    return result_digest_more(digest, call.type, eigen_memory_host(&run->memory, V), call.v.ld * call.n);
}

const struct eigen_form eigen_singular_division = {"singular values and vectors by divide and conquer",
                                                   {"as queued"}, take_division, fill_division, queue_division,
                                                   digest_division};
