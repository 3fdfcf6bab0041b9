/* Eigenvalues of a tridiagonal matrix by bisection, and with vectors by divide and conquer while its products
 * are not cuBLAS'. */
#include "eigen_steps.h"
#include "lapack/eigensolver/own_eigen.h"

#include <string.h>

enum { D, E, W, Q, INFO, WORKSPACE };

static int64_t ld_of(const struct eigen_case *given) { return given->n + EIGEN_GAP; }

static struct bisection bisection_of(const struct eigen_run *run)
{
    return (struct bisection){.type = run->given->type, .n = run->given->n,
                              .d = eigen_memory_address(&run->memory, D),
                              .e = eigen_memory_address(&run->memory, E),
                              .w = eigen_memory_address(&run->memory, W)};
}

static void take_matrix(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), n = (size_t)run->given->n;
    eigen_memory_take(&run->memory, D, n * element);
    eigen_memory_take(&run->memory, E, (n - 1) * element);
}

static enum status take_bisection(struct eigen_run *run)
{
    const struct bisection work = bisection_of(run);
    take_matrix(run);
    eigen_memory_take(&run->memory, W, (size_t)work.n * blas_element_bytes(work.type));
    eigen_memory_take(&run->memory, WORKSPACE, bisection_workspace(&work));
    return STATUS_OK;
}

static void fill_bisection(struct eigen_run *run)
{
    eigen_set_tridiagonal(run->given, eigen_memory_host(&run->memory, D), eigen_memory_host(&run->memory, E));
    eigen_memory_allow(&run->memory, W);
    eigen_memory_allow(&run->memory, WORKSPACE);
}

static enum status queue_bisection(struct eigen_run *run)
{
    const struct bisection work = bisection_of(run);
    return bisection_queue(&run->handle, &work, eigen_memory_address(&run->memory, WORKSPACE));
}

static uint64_t digest_bisection(const struct eigen_run *run)
{
    return result_digest(run->given->type, eigen_memory_host(&run->memory, W), run->given->n);
}

const struct eigen_form eigen_bisection = {
    "bisection", {"as queued"}, take_bisection, fill_bisection, queue_bisection, digest_bisection};

static struct divide_conquer_call call_of(const struct eigen_run *run)
{
    return (struct divide_conquer_call){.type = run->given->type, .n = run->given->n,
                                        .d = eigen_memory_address(&run->memory, D),
                                        .e = eigen_memory_address(&run->memory, E),
                                        .q = eigen_memory_address(&run->memory, Q), .ldq = ld_of(run->given),
                                        .vectors = run->given->with_vectors ? run->given->n : 0,
                                        .info = eigen_memory_address(&run->memory, INFO)};
}

static enum status take_divide(struct eigen_run *run)
{
    const struct divide_conquer_call call = call_of(run);
    take_matrix(run);
    eigen_memory_take(&run->memory, Q,
                      (size_t)(call.ldq * call.vectors) * blas_element_bytes(run->given->type));
    eigen_memory_take(&run->memory, INFO, sizeof(int));
    eigen_memory_take(&run->memory, WORKSPACE, divide_conquer_workspace(&call));
    return STATUS_OK;
}

static void fill_divide(struct eigen_run *run)
{
    const struct divide_conquer_call call = call_of(run);
    const size_t element = blas_element_bytes(call.type);
    eigen_set_tridiagonal(run->given, eigen_memory_host(&run->memory, D), eigen_memory_host(&run->memory, E));
    eigen_memory_allow(&run->memory, D);
    for (int64_t j = 0; j < call.vectors; j++)
        eigen_memory_allow_part(&run->memory, Q, (size_t)(j * call.ldq) * element, (size_t)call.n * element);
    eigen_memory_allow(&run->memory, INFO);
    eigen_memory_allow(&run->memory, WORKSPACE);
}

static enum status queue_divide(struct eigen_run *run)
{
    const struct divide_conquer_call call = call_of(run);
    return divide_conquer_queue(&run->handle, &call, eigen_memory_address(&run->memory, WORKSPACE));
}

static uint64_t digest_divide(const struct eigen_run *run)
{
    const struct divide_conquer_call call = call_of(run);
    int info;
    memcpy(&info, eigen_memory_host(&run->memory, INFO), sizeof info);
    const double number = info;
    uint64_t digest = result_digest(TYPE_D, &number, 1);
    digest = result_digest_more(digest, call.type, eigen_memory_host(&run->memory, D), call.n);
    return result_digest_more(digest, call.type, eigen_memory_host(&run->memory, Q), call.ldq * call.vectors);
}

const struct eigen_form eigen_divide = {
    "divide and conquer", {"as queued"}, take_divide, fill_divide, queue_divide, digest_divide};
