/* The emulated cuSOLVER's geev: right vectors alone, over geevx without balancing. */
#include "emulated_driver/cusolver.h"

#include <stdlib.h>
#include <string.h>

enum { A, W, VR }; /* operands */

/* geevx of real A gives real and imaginary parts apart; W's are so, or pairs. */
static void store_values(const struct operand *w, const void *parts, int64_t n)
{
    const size_t bytes = solver_element_bytes(solver_real(w->type));
    if (!solver_is_complex(w->type)) {
        memcpy(w->address, parts, 2 * (size_t)n * bytes);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *pair = (char *)w->address + 2 * (size_t)i * bytes;
        memcpy(pair, (const char *)parts + (size_t)i * bytes, bytes);
        memcpy(pair + bytes, (const char *)parts + (size_t)(n + i) * bytes, bytes);
    }
}

static int run_geev(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const char real = solver_real(call->type);
    const size_t bytes = solver_element_bytes(real);
    const int n = (int)call->n, lda = (int)of[A].ld, ldvr = of[VR].name ? (int)of[VR].ld : 1, one = 1;
    struct scratch s = scratch_take(call->type, n);
    char *reals = malloc((size_t)(5 * n + 1) * bytes); /* parts, scale, rconde, rcondv and abnrm */
    void *parts = reals, *scale = reals + 2 * (size_t)n * bytes, *abnrm = reals + 5 * (size_t)n * bytes;
    int info = 0, ilo, ihi;
    if (!reals)
        solver_abort("out of host memory");
    if (solver_is_complex(call->type))
        LAPACK(call->type, "geevx", "N", "N", &call->jobz, "N", &n, of[A].address, &lda, of[W].address,
               s.work, &one, of[VR].address, &ldvr, &ilo, &ihi, scale, abnrm, scale, scale, s.work, &s.lwork,
               s.rwork, &info);
    else
        LAPACK(call->type, "geevx", "N", "N", &call->jobz, "N", &n, of[A].address, &lda, parts,
               reals + (size_t)n * bytes, s.work, &one, of[VR].address, &ldvr, &ilo, &ihi, scale, abnrm,
               scale, scale, s.work, &s.lwork, s.iwork, &info);
    if (!solver_is_complex(call->type))
        store_values(&of[W], parts, n);
    free(reals);
    scratch_free(&s);
    return info;
}

static const struct solver_routine geev = {run_geev, {2, 4}, 64, 128, false};

/* W of real A may be complex; all else is of A's type. */
static struct solver_call make_call(const char *function, int jobvr, int64_t n, int type_a, void *a,
                                    int64_t lda, int type_w, void *w, void *vr, int64_t ldvr,
                                    const int *others)
{
    const char type = solver_type(function, type_a), values = solver_type(function, type_w);
    const int64_t count = solver_is_complex(values) ? n : 2 * n;
    if (solver_real(values) != solver_real(type) || (solver_is_complex(type) && values != type))
        solver_abort("%s: a data type of %d beside A of '%c'", function, type_w, type);
    for (int i = 0; i < 3; i++)
        solver_match(function, type, others[i], false);
    struct solver_call call = {.function = function, .routine = &geev, .type = type, .vectors = jobvr != 0,
                               .jobz = solver_jobz(function, jobvr), .m = 1, .n = n, .k = 1,
                               .operands = {{"A", a, type, n, n, lda, WHOLE, NOTHING, true, 0},
                                            {"W", w, values, count, 1, count, NOTHING, WHOLE, true, 0}}};
    if (jobvr)
        call.operands[VR] = (struct operand){"VR", vr, type, n, n, ldvr, NOTHING, WHOLE, true, 0};
    return call;
}

int cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobvl, int jobvr,
                               int64_t n, int type_a, const void *a, int64_t lda, int type_w, const void *w,
                               int type_vl, const void *vl, int64_t ldvl, int type_vr, const void *vr,
                               int64_t ldvr, int type_compute, size_t *device_bytes, size_t *host_bytes)
{
    ENTER_WITH(handle, params);
    (void)vl, (void)ldvl;
    if (jobvl != 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    const struct solver_call call =
        make_call(__func__, jobvr, n, type_a, (void *)a, lda, type_w, (void *)w, (void *)vr, ldvr,
                  (int[]){type_vl, type_vr, type_compute});
    return solver_query(&call, device_bytes, host_bytes);
}

int cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, int jobvl, int jobvr, int64_t n,
                    int type_a, void *a, int64_t lda, int type_w, void *w, int type_vl, void *vl,
                    int64_t ldvl, int type_vr, void *vr, int64_t ldvr, int type_compute, void *device_buffer,
                    size_t device_bytes, void *host_buffer, size_t host_bytes, int *info)
{
    ENTER_WITH(handle, params);
    (void)vl, (void)ldvl;
    if (jobvl != 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct solver_call call = make_call(__func__, jobvr, n, type_a, a, lda, type_w, w, vr, ldvr,
                                        (int[]){type_vl, type_vr, type_compute});
    SOLVER_BUFFERS(call, device_buffer, device_bytes, host_buffer, host_bytes, info);
    return solver_submit(handle, &call);
}
