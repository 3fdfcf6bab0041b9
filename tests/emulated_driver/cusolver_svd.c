/* The emulated cuSOLVER's singular values: gesvdp, over LAPACK's gesvd. */
#include "emulated_driver/cusolver.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

enum { A, S }; /* operands; U and V follow, where they are asked for */

struct factors {
    const struct operand *u, *v;
};

static struct factors find_factors(const struct solver_call *call)
{
    struct factors found = {NULL, NULL};
    for (int i = S + 1; i < OPERANDS_MAX && call->operands[i].name; i++)
        if (call->operands[i].name[0] == 'U')
            found.u = &call->operands[i];
        else
            found.v = &call->operands[i];
    return found;
}

/* gesvd of LAPACK on the operands A and S. */
static int decompose(const struct solver_call *call, void *u, int ldu, void *vt, int ldvt)
{
    const struct operand *of = call->operands;
    const int m = (int)call->m, n = (int)call->n, lda = (int)of[A].ld;
    struct scratch s = scratch_take(call->type, m > n ? m : n);
    int info = 0;
    if (solver_is_complex(call->type))
        LAPACK(call->type, "gesvd", &call->jobu, &call->jobu, &m, &n, of[A].address, &lda, of[S].address, u,
               &ldu, vt, &ldvt, s.work, &s.lwork, s.rwork, &info);
    else
        LAPACK(call->type, "gesvd", &call->jobu, &call->jobu, &m, &n, of[A].address, &lda, of[S].address, u,
               &ldu, vt, &ldvt, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

/* V of V's conjugate transpose. */
static void turn(const struct operand *v, const void *vt, int ldvt)
{
    for (int64_t j = 0; j < v->columns; j++)
        for (int64_t i = 0; i < v->rows; i++) {
            const size_t to = (size_t)(i + j * v->ld), from = (size_t)(j + i * ldvt);
            switch (v->type) {
            case 's': ((float *)v->address)[to] = ((const float *)vt)[from]; break;
            case 'd': ((double *)v->address)[to] = ((const double *)vt)[from]; break;
            case 'c': ((float complex *)v->address)[to] = conjf(((const float complex *)vt)[from]); break;
            case 'z': ((double complex *)v->address)[to] = conj(((const double complex *)vt)[from]); break;
            }
        }
}

static int run_gesvdp(struct solver_call *call)
{
    const struct factors found = find_factors(call);
    const int ldvt = found.v ? (int)found.v->columns : 1;
    void *vt = malloc((size_t)ldvt * (size_t)call->n * solver_element_bytes(call->type));
    if (!vt)
        solver_abort("out of host memory");
    const int info = decompose(call, found.u ? found.u->address : NULL, found.u ? (int)found.u->ld : 1, vt,
                               ldvt);
    if (info == 0 && found.v)
        turn(found.v, vt, ldvt);
    free(vt);
    *call->error_sigma = solver_sigma_error();
    return info;
}

static const struct solver_routine gesvdp = {run_gesvdp, {2, 4}, 32, 64, false};

/* The common part: A, destroyed, and S. */
static struct solver_call make_call(const char *function, const struct solver_routine *routine, int64_t m,
                                    int64_t n, int type_a, void *a, int64_t lda, int type_s, void *s,
                                    const int *others)
{
    const char type = solver_type(function, type_a);
    const int64_t least = m < n ? m : n;
    solver_match(function, type, type_s, true);
    for (int i = 0; i < 3; i++)
        solver_match(function, type, others[i], false);
    return (struct solver_call){
        .function = function,
        .routine = routine,
        .type = type,
        .m = m,
        .n = n,
        .k = 1,
        .operands = {{"A", a, type, m, n, lda, WHOLE, NOTHING, true, 0},
                     {"S", s, solver_real(type), least, 1, least, NOTHING, WHOLE, true, 0}}};
}

static void add_factor(struct solver_call *call, const char *name, void *address, int64_t rows,
                       int64_t columns, int64_t ld)
{
    const int i = call->operands[S + 1].name ? S + 2 : S + 1;
    call->operands[i] = (struct operand){name, address, call->type, rows, columns,
                                         ld,   NOTHING, WHOLE,      true, 0};
    call->vectors = true;
}

static struct solver_call gesvdp_call(const char *function, int jobz, int econ, int64_t m, int64_t n,
                                      int type_a, void *a, int64_t lda, int type_s, void *s, void *u,
                                      int64_t ldu, void *v, int64_t ldv, const int *others)
{
    struct solver_call call = make_call(function, &gesvdp, m, n, type_a, a, lda, type_s, s, others);
    const int64_t least = m < n ? m : n;
    const bool vectors = solver_jobz(function, jobz) == 'V';
    call.jobu = !vectors ? 'N' : econ ? 'S' : 'A';
    if (vectors) {
        add_factor(&call, "U", u, m, econ ? least : m, ldu);
        add_factor(&call, "V", v, n, econ ? least : n, ldv);
    }
    return call;
}

int cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ,
                                 int64_t m, int64_t n, int type_a, const void *a, int64_t lda, int type_s,
                                 const void *s, int type_u, const void *u, int64_t ldu, int type_v,
                                 const void *v, int64_t ldv, int type_compute, size_t *device_bytes,
                                 size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const struct solver_call call = gesvdp_call(__func__, jobz, econ, m, n, type_a, (void *)a, lda, type_s,
                                                (void *)s, (void *)u, ldu, (void *)v, ldv,
                                                (int[]){type_u, type_v, type_compute});
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ, int64_t m,
                      int64_t n, int type_a, void *a, int64_t lda, int type_s, void *s, int type_u, void *u,
                      int64_t ldu, int type_v, void *v, int64_t ldv, int type_compute, void *device_buffer,
                      size_t device_bytes, void *host_buffer, size_t host_bytes, int *info,
                      double *error_sigma)
{
    ENTER_WITH(handle, params);
    struct solver_call call = gesvdp_call(__func__, jobz, econ, m, n, type_a, a, lda, type_s, s, u, ldu, v,
                                          ldv, (int[]){type_u, type_v, type_compute});
    if (!(call.error_sigma = error_sigma) || emulated_is_accessible((CUdeviceptr)(uintptr_t)error_sigma, 1))
        solver_abort("%s: the error is not on the host", __func__);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
