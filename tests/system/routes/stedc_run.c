#include "stedc_run.h"
#include "host_lapack.h"

#include <stdlib.h>

static int logarithm_of(int n)
{
    int steps = 0;
    while (1 << steps < n)
        steps++;
    return steps;
}

/* Up to SMLSIZ, 25, it takes another way. */
struct stedc_workspaces stedc_least(char type, char compz, int n)
{
    const bool small = n <= 25, in_two = is_complex(type);
    const int steps = logarithm_of(n);
    if (n <= 1 || compz == 'N')
        return (struct stedc_workspaces){1, 1, 1};
    if (small)
        return (struct stedc_workspaces){in_two ? 1 : 2 * (n - 1), 2 * (n - 1), 1};
    if (compz == 'V') {
        const int reals = 1 + 3 * n + 2 * n * steps + 4 * n * n;
        return (struct stedc_workspaces){in_two ? n * n : reals, reals, 6 + 6 * n + 5 * n * steps};
    }
    return (struct stedc_workspaces){in_two ? 1 : 1 + 4 * n + n * n, 1 + 4 * n + 2 * n * n, 3 + 5 * n};
}

/* The orthogonal factor of a random matrix, by the host. */
static double *make_unitary(char type, int n, struct random *random)
{
    double *z = dense_make(type, n, n), *tau = dense_make(type, n, 1), *work = dense_make(type, 64 * n, 1);
    struct lapack_call call = {.type = type, .m = n, .n = n, .k = n, .lda = n > 1 ? n : 1, .a = z, .tau = tau,
                               .work = work, .lwork = 64 * n > 1 ? 64 * n : 1};
    char name[16];
    dense_randomise(type, z, (int64_t)n * n, random);
    for (int step = 0; step < 2; step++) {
        call.routine = lapack_routine(step == 0 ? "geqrf" : is_complex(type) ? "ungqr" : "orgqr", type);
        lapack_name(call.routine, type, name);
        lapack_perform(&call, host_function(name));
    }
    free(tau), free(work);
    return z;
}

static void make_vector(struct fenced *operand, char type, const double *values, int elements, char written)
{
    fenced_make(operand, type, 1, elements, 1);
    if (values)
        fenced_fill(operand, 'F', values);
    fenced_close(operand, written, elements);
}

static void set_memory(struct lapack_call *call, const struct stedc_run *run, bool host)
{
    call->d = fenced_data(&run->d, host), call->e = fenced_data(&run->e, host);
    call->z = fenced_data(&run->z, host), call->work = fenced_data(&run->work, host);
    call->rwork = fenced_data(&run->rwork, host), call->iwork = fenced_data(&run->iwork, host);
}

void stedc_run_make(struct stedc_run *run, char type, char compz, int n, const double *diagonal,
                    const double *beside, bool writes_e, int gap, int more, struct random *random)
{
    const struct stedc_workspaces least = stedc_least(type, compz, n);
    const char real = real_type(type);
    const int ld = (n > 1 ? n : 1) + gap;
    *run = (struct stedc_run){.given = compz == 'V' ? make_unitary(type, n, random) : NULL,
                              .diagonal = dense_copy(real, n, 1, diagonal, n),
                              .beside = dense_copy(real, n - 1, 1, beside, n)};
    make_vector(&run->d, real, diagonal, n, 'F');
    make_vector(&run->e, real, beside, n - 1, writes_e ? 'F' : 'N');
    if (compz != 'N' || gap > 0)
        fenced_make(&run->z, type, n, n, ld);
    if (run->given)
        fenced_fill(&run->z, 'F', run->given);
    fenced_close(&run->z, compz == 'N' ? 'N' : 'F', n);
    make_vector(&run->work, type, NULL, least.work + more, 'F');
    make_vector(&run->rwork, real, NULL, is_complex(type) ? least.rwork + more : 0, 'F');
    make_vector(&run->iwork, 's', NULL, least.iwork + more, 'F');
    run->call = (struct lapack_call){.routine = lapack_routine("stedc", type), .type = type, .compz = compz,
                                     .n = n, .ldz = ld, .lwork = least.work + more, .info = -77,
                                     .lrwork = least.rwork + more, .liwork = least.iwork + more};
    run->host = run->call;
    set_memory(&run->call, run, false);
    set_memory(&run->host, run, true);
}

void stedc_run_free(struct stedc_run *run)
{
    struct fenced *const operands[] = {&run->d, &run->e, &run->z, &run->work, &run->rwork, &run->iwork};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        fenced_free(operands[i]);
    free(run->diagonal), free(run->beside), free(run->given);
}

void stedc_run_set(const struct fenced *operand, int index, double value)
{
    for (int twin = 0; twin < 2; twin++)
        set_part(operand->memory.type, fenced_data(operand, twin), index, 0, value);
}

void stedc_run_perform(struct stedc_run *run)
{
    char name[16];
    lapack_name(run->call.routine, run->call.type, name);
    lapack_perform(&run->host, host_function(name));
    lapack_perform(&run->call, lapack_linked(run->call.routine, run->call.type));
}
