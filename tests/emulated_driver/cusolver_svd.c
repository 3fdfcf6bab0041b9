/* The emulated cuSOLVER's singular values: gesvd and gesvdp, both over gesvd. */
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
        LAPACK(call->type, "gesvd", &call->jobu, &call->jobvt, &m, &n, of[A].address, &lda, of[S].address, u, &ldu,
               vt, &ldvt, s.work, &s.lwork, s.rwork, &info);
    else
        LAPACK(call->type, "gesvd", &call->jobu, &call->jobvt, &m, &n, of[A].address, &lda, of[S].address, u, &ldu,
               vt, &ldvt, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

static int run_gesvd(struct solver_call *call)
{
    const struct factors found = find_factors(call);
    const struct operand *a = &call->operands[A];
    const int64_t least = call->m < call->n ? call->m : call->n;
    const size_t bytes = solver_element_bytes(call->type);
    const int info = decompose(call, found.u ? found.u->address : NULL, found.u ? (int)found.u->ld : 1,
                               found.v ? found.v->address : NULL, found.v ? (int)found.v->ld : 1);
    call->defined[A] = call->jobu == 'O' ? least : call->jobvt == 'O' ? call->n : 0;
    for (int64_t column = 0; call->jobvt == 'O' && column < call->n; column++)
        solver_poison((char *)a->address + (size_t)(least + column * a->ld) * bytes, a->type,
                      (size_t)(a->rows - least));
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
    const int info = decompose(call, found.u ? found.u->address : NULL, found.u ? (int)found.u->ld : 1, vt, ldvt);
    if (info == 0 && found.v)
        turn(found.v, vt, ldvt);
    free(vt);
    *call->error_sigma = solver_sigma_error();
    return info;
}

static const struct solver_routine gesvd = {run_gesvd, {1, 3}, 32, 64, false};
static const struct solver_routine gesvdp = {run_gesvdp, {2, 4}, 32, 64, false};

/* What is common: A, destroyed, and S. */
static struct solver_call make_call(const char *function, const struct solver_routine *routine, int64_t m, int64_t n,
                                    int type_a, void *a, int64_t lda, int type_s, void *s, const int *others)
{
    const char type = solver_type(function, type_a);
    const int64_t least = m < n ? m : n;
    solver_match(function, type, type_s, true);
    for (int i = 0; i < 3; i++)
        solver_match(function, type, others[i], false);
    return (struct solver_call){.function = function, .routine = routine, .type = type, .m = m, .n = n, .k = 1,
                                .operands = {{"A", a, type, m, n, lda, WHOLE, NOTHING, true, 0},
                                             {"S", s, solver_real(type), least, 1, least, NOTHING, WHOLE, true, 0}}};
}

static void add_factor(struct solver_call *call, const char *name, void *address, int64_t rows, int64_t columns,
                       int64_t ld)
{
    const int i = call->operands[S + 1].name ? S + 2 : S + 1;
    call->operands[i] = (struct operand){name, address, call->type, rows, columns, ld, NOTHING, WHOLE, true, 0};
    call->vectors = true;
}

static struct solver_call gesvd_call(const char *function, signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                     int type_a, void *a, int64_t lda, int type_s, void *s, void *u, int64_t ldu,
                                     void *vt, int64_t ldvt, const int *others)
{
    struct solver_call call = make_call(function, &gesvd, m, n, type_a, a, lda, type_s, s, others);
    const int64_t least = m < n ? m : n;
    if (!jobu || !strchr("ASON", jobu) || !jobvt || !strchr("ASON", jobvt) || (jobu == 'O' && jobvt == 'O'))
        solver_abort("%s: jobu is '%c', jobvt '%c'", function, jobu, jobvt);
    call.jobu = (char)jobu, call.jobvt = (char)jobvt;
    if (jobu == 'O' || jobvt == 'O')
        call.operands[A].after = WHOLE, call.vectors = true;
    if (jobu == 'A' || jobu == 'S')
        add_factor(&call, "U", u, m, jobu == 'A' ? m : least, ldu);
    if (jobvt == 'A' || jobvt == 'S')
        add_factor(&call, "VT", vt, jobvt == 'A' ? n : least, n, ldvt);
    return call;
}

static struct solver_call gesvdp_call(const char *function, int jobz, int econ, int64_t m, int64_t n, int type_a,
                                      void *a, int64_t lda, int type_s, void *s, void *u, int64_t ldu, void *v,
                                      int64_t ldv, const int *others)
{
    struct solver_call call = make_call(function, &gesvdp, m, n, type_a, a, lda, type_s, s, others);
    const int64_t least = m < n ? m : n;
    const bool vectors = solver_jobz(function, jobz) == 'V';
    call.jobu = call.jobvt = !vectors ? 'N' : econ ? 'S' : 'A';
    if (vectors) {
        add_factor(&call, "U", u, m, econ ? least : m, ldu);
        add_factor(&call, "V", v, n, econ ? least : n, ldv);
    }
    return call;
}

int cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                signed char jobvt, int64_t m, int64_t n, int type_a, const void *a, int64_t lda,
                                int type_s, const void *s, int type_u, const void *u, int64_t ldu, int type_vt,
                                const void *vt, int64_t ldvt, int type_compute, size_t *device_bytes,
                                size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    if (m < n)
        return CUSOLVER_STATUS_INVALID_VALUE;
    const struct solver_call call =
        gesvd_call(__func__, jobu, jobvt, m, n, type_a, (void *)a, lda, type_s, (void *)s, (void *)u, ldu, (void *)vt,
                   ldvt, (int[]){type_u, type_vt, type_compute});
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt,
                     int64_t m, int64_t n, int type_a, void *a, int64_t lda, int type_s, void *s, int type_u,
                     void *u, int64_t ldu, int type_vt, void *vt, int64_t ldvt, int type_compute,
                     void *device_buffer, size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    if (m < n)
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct solver_call call = gesvd_call(__func__, jobu, jobvt, m, n, type_a, a, lda, type_s, s, u, ldu, vt, ldvt,
                                         (int[]){type_u, type_vt, type_compute});
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}

int cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ, int64_t m,
                                 int64_t n, int type_a, const void *a, int64_t lda, int type_s, const void *s,
                                 int type_u, const void *u, int64_t ldu, int type_v, const void *v, int64_t ldv,
                                 int type_compute, size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    const struct solver_call call =
        gesvdp_call(__func__, jobz, econ, m, n, type_a, (void *)a, lda, type_s, (void *)s, (void *)u, ldu, (void *)v,
                    ldv, (int[]){type_u, type_v, type_compute});
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobz, int econ, int64_t m, int64_t n,
                      int type_a, void *a, int64_t lda, int type_s, void *s, int type_u, void *u, int64_t ldu,
                      int type_v, void *v, int64_t ldv, int type_compute, void *device_buffer, size_t device_bytes,
                      void *host_buffer, size_t host_bytes, int *info, double *error_sigma)
{
    ENTER_WITH(handle, params);
    struct solver_call call = gesvdp_call(__func__, jobz, econ, m, n, type_a, a, lda, type_s, s, u, ldu, v, ldv,
                                          (int[]){type_u, type_v, type_compute});
    if (!(call.error_sigma = error_sigma) || emulated_is_accessible((CUdeviceptr)(uintptr_t)error_sigma, 1))
        solver_abort("%s: the error is not on the host", __func__);
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
