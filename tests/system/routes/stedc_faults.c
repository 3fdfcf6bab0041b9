/* Faults of a call's results. */
#include "host_answer.h"
#include "stedc_run.h"

#include <stdlib.h>

enum { THRESHOLD = 30 }; /* LAPACK's testers' */

const char *stedc_run_fault(const struct stedc_run *run)
{
    return run->call.info != run->host.info             ? "INFO is not the host's"
           : !fenced_is_clean(&run->d)                  ? "D is written outside"
           : !fenced_is_clean(&run->e)                  ? "E is written where it must not be"
           : !fenced_is_clean(&run->z)                  ? "Z is written outside"
           : !fenced_is_clean(&run->work) || !fenced_is_clean(&run->rwork) || !fenced_is_clean(&run->iwork)
               ? "a workspace is overrun"
           : !host_answer_is(&run->call, &run->host) ? "WORK(1), RWORK(1) or IWORK(1) is not the host's"
                                                     : NULL;
}

/* A real diagonal and what is beside it, as a matrix of the type. */
static double *make_tridiagonal(const struct stedc_run *run)
{
    const int n = run->call.n;
    double *t = dense_make(run->call.type, n, n);
    for (int i = 0; i < n; i++)
        set_part(run->call.type, t, (int64_t)i * (n + 1), 0, real_at(run->call.type, run->diagonal, i));
    for (int i = 0; i + 1 < n; i++)
        for (int upper = 0; upper < 2; upper++)
            set_part(run->call.type, t, (int64_t)i * (n + 1) + (upper ? n : 1), 0,
                     real_at(run->call.type, run->beside, i));
    return t;
}

/* T, or the product of T with the given matrix from both sides. */
static double *make_whole(const struct stedc_run *run)
{
    const char type = run->call.type;
    const int n = run->call.n;
    double *t = make_tridiagonal(run), *half;
    if (!run->given)
        return t;
    half = dense_make(type, n, n);
    dense_multiply(type, 'N', 'N', n, n, n, 1, run->given, n, t, n, 0, half, n);
    dense_multiply(type, 'N', 'C', n, n, n, 1, half, n, run->given, n, 0, t, n);
    free(half);
    return t;
}

static bool is_real(char type, int64_t elements, const double *matrix)
{
    for (int64_t i = 0; i < elements; i++)
        if (cimagl(get(type, matrix, i)) != 0)
            return false;
    return true;
}

static const char *vectors_fault(const struct stedc_run *run)
{
    const char type = run->call.type;
    const int n = run->call.n;
    double *a = make_whole(run), *z = dense_copy(type, n, n, run->call.z, run->call.ldz);
    double *rest = dense_copy(type, n, n, z, n), *w = calloc((size_t)n + 1, sizeof *w);
    const char *fault = run->given || is_real(type, (int64_t)n * n, z) ? NULL : "Z is not real";
    for (int i = 0; i < n; i++)
        w[i] = real_at(type, run->call.d, i);
    dense_scale_columns(type, n, n, rest, w);
    dense_multiply(type, 'N', 'N', n, n, n, 1, a, n, z, n, -1, rest, n);
    if (!(dense_norm(type, n, n, rest) <= THRESHOLD * n * unit_roundoff(type) * dense_norm(type, n, n, a)))
        fault = "A Z is not Z D";
    else if (!(dense_orthogonality(type, n, n, z) <= THRESHOLD))
        fault = "Z is not unitary";
    free(a), free(z), free(rest), free(w);
    return fault;
}

static const char *values_fault(const struct stedc_run *run)
{
    const char type = run->call.type;
    const int n = run->call.n;
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(real_at(type, run->host.d, i)));
    for (int i = 0; i < n; i++) {
        const double value = real_at(type, run->call.d, i), host = real_at(type, run->host.d, i);
        const double norm = run->small > 0 && fabs(host) < 0x1p-15 ? run->small : most;
        if (!(fabs(value - host) <= THRESHOLD * n * unit_roundoff(type) * norm))
            return "a value is not the host's";
        if (i > 0 && value < real_at(type, run->call.d, i - 1))
            return "values are not ascending";
    }
    return NULL;
}

const char *stedc_run_result_fault(const struct stedc_run *run)
{
    const char *const fault = values_fault(run);
    return fault || run->call.compz == 'N' || run->call.n == 0 ? fault : vectors_fault(run);
}
