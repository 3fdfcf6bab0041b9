/* Faults after a call of an eigensolver. */
#include "eigen_run.h"
#include "host_answer.h"

#include <stdlib.h>
#include <string.h>

enum { THRESHOLD = 30 }; /* of LAPACK's own testers */

static const char *untouched_fault(const struct eigen_run *run)
{
    const struct {
        const struct fenced *operand;
        const char *fault;
    } operands[] = {
        {&run->a, "A is written where it must not be"},
        {&run->b, "B is written where it must not be"},
        {&run->w, "W is written where it must not be"},
        {&run->z, "Z is written where it must not be"},
        {&run->work, "WORK is written before its beginning"},
        {&run->rwork, "RWORK is written before its beginning"},
        {&run->iwork, "IWORK is written before its beginning"},
        {&run->found, "ISUPPZ or IFAIL is written outside"},
    };
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        /* bisection that fails writes IWORK beyond its end in LAPACK itself */
        if (!fenced_is_clean(operands[i].operand) &&
            !(operands[i].operand == &run->iwork && run->host.info > 0))
            return operands[i].fault;
    return NULL;
}

static const char *workspace_fault(const struct eigen_run *run)
{
    return host_answer_is(&run->call, &run->host) ? NULL
                                                  : "the workspaces' first elements are not the host's";
}

/* The index of the first value that the range selects, from 0. */
static int first_value(const struct eigen_run *run)
{
    const struct lapack_call *call = &run->call;
    int first = 0;
    if (!has(call->routine, "range") || call->range == 'A')
        return 0;
    if (call->range == 'I')
        return call->il - 1;
    const double bound = ldexp(real_at(call->type, &call->vl, 0), -run->problem->exponent);
    while (first < call->n && !(run->problem->values[first] > bound))
        first++;
    return first;
}

static const char *values_fault(const struct eigen_run *run)
{
    const struct lapack_call *call = &run->call;
    const double *right = run->problem->values + first_value(run),
                 most = eigen_problem_tolerance(run->problem);
    for (int i = 0; i < run->expected; i++) {
        const double value = real_at(call->type, call->w, i);
        if (!(fabs(ldexp(value, -run->problem->exponent) - right[i]) <= most))
            return "a value is not the host's";
        if (i > 0 && value < real_at(call->type, call->w, i - 1))
            return "values are not ascending";
    }
    return NULL;
}

/* For B, the Cholesky factor in its triangle. */
static const char *factor_fault(const struct eigen_run *run)
{
    const double most = 8 * (run->problem->n + 1) * unit_roundoff(run->call.type) * run->problem->norm_b;
    return fenced_agrees(&run->b, most) ? NULL : "B is not the host's Cholesky factor";
}

struct quality {
    double residual, departure;
};

/* The quality of the vectors and values of the program's call or the host's. */
static struct quality quality_of(const struct eigen_run *run, const struct lapack_call *call)
{
    const struct eigen_problem *problem = run->problem;
    const int n = call->n, count = run->expected;
    const bool apart = has(call->routine, "z");
    double *vectors = dense_copy(call->type, n, count, apart ? call->z : call->a,
                                 apart ? call->ldz : call->lda);
    double *values = calloc((size_t)count + 1, sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = ldexp(real_at(call->type, call->w, i), -problem->exponent);
    const struct quality quality = {eigen_problem_residual(problem, vectors, values, count),
                                    eigen_problem_departure(problem, vectors, count)};
    free(vectors), free(values);
    return quality;
}

/* LAPACK scales a tiny matrix to about the root of the smallest normal number, and its stebz, which has a part of
 * the values, drops what is smaller than that number in the squares of the off-diagonal: the root of the
 * roundoff beside the norm, on any host. */
static double residual_limit(const struct eigen_run *run)
{
    const bool is_tiny = run->problem->exponent < 0 && run->call.range != 'A';
    const double roundoff = unit_roundoff(run->call.type);
    return fmax(THRESHOLD, is_tiny ? 4 * sqrt(2 * roundoff) / (run->call.n * roundoff) : 0);
}

/* Inverse iteration and MRRR now and then miss the threshold on graded matrices: twice the host's will do. */
static const char *vectors_fault(const struct eigen_run *run)
{
    const struct quality ours = quality_of(run, &run->call);
    const double limit = residual_limit(run);
    if (ours.residual <= limit && ours.departure <= THRESHOLD)
        return NULL;
    const struct quality host = quality_of(run, &run->host);
    if (!(ours.residual <= fmax(limit, 2 * host.residual)))
        return "the residual is too large";
    return ours.departure <= fmax(THRESHOLD, 2 * host.departure) ? NULL : "vectors are not orthogonal";
}

static const char *found_fault(const struct eigen_run *run)
{
    const struct lapack_call *call = &run->call;
    const bool support = has(call->routine, "isuppz");
    for (int i = 0; i < run->expected; i++) {
        if (!support && call->ifail[i] != 0 && run->host.ifail[i] == 0) /* none is for an order of 1 */
            return "IFAIL is not 0";
        if (support && run->host.isuppz[2 * i] > 0 &&
            (call->isuppz[2 * i] < 1 || call->isuppz[2 * i] > call->isuppz[2 * i + 1] ||
             call->isuppz[2 * i + 1] > call->n))
            return "ISUPPZ is no interval of rows";
    }
    return NULL;
}

const char *eigen_run_fault(const struct eigen_run *run)
{
    const struct lapack_call *call = &run->call;
    const char *fault = NULL;
    if (run->host.info > 0 && call->info == run->host.info) /* single MRRR gives up some clusters */
        return eigen_run_failure_fault(run);
    if (call->info != 0)
        return call->info == run->host.info ? "INFO is not 0" : "INFO is not the host's";
    if (has(call->routine, "range") && call->found != run->expected &&
        !(call->n == 0 && call->found == run->host.found)) /* the reference's chpgvx leaves M alone then */
        return "M is wrong";
    if (!(fault = untouched_fault(run)) && !(fault = workspace_fault(run)) && call->n > 0 &&
        !(fault = values_fault(run)) && !(fault = factor_fault(run)) && call->jobz == 'V' &&
        !(fault = vectors_fault(run)) && has(call->routine, "range"))
        fault = found_fault(run);
    return fault;
}

const char *eigen_run_failure_fault(const struct eigen_run *run)
{
    if (run->call.info != run->host.info)
        return "INFO is not the host's";
    if (has(run->call.routine, "range") && run->call.found != run->host.found)
        return "M is not the host's";
    return untouched_fault(run);
}
