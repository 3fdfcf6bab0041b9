/* The emulated cuSOLVER's routines of Householder reflectors. */
#include "emulated_driver/cusolver_reflectors.h"

enum { A, TAU, C, D = 1, E = 2, TRIDIAGONAL_TAU = 3 }; /* operands */

static int run_sytrd(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const int n = (int)call->n, lda = (int)of[A].ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    LAPACK(call->type, "sytrd", &call->uplo, &n, of[A].address, &lda, of[D].address, of[E].address,
           of[TRIDIAGONAL_TAU].address, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

static int run_orgtr(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const int n = (int)call->n, lda = (int)of[A].ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    LAPACK(call->type, "orgtr", &call->uplo, &n, of[A].address, &lda, of[TAU].address, s.work, &s.lwork,
           &info);
    scratch_free(&s);
    return info;
}

static int run_geqrf(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const int m = (int)call->m, n = (int)call->n, lda = (int)of[A].ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    LAPACK(call->type, "geqrf", &m, &n, of[A].address, &lda, of[TAU].address, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

static int run_orgqr(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const int m = (int)call->m, n = (int)call->n, k = (int)call->k, lda = (int)of[A].ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    LAPACK(call->type, "orgqr", &m, &n, &k, of[A].address, &lda, of[TAU].address, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

static int run_ormqr(struct solver_call *call)
{
    const struct operand *of = call->operands;
    const int m = (int)call->m, n = (int)call->n, k = (int)call->k, lda = (int)of[A].ld, ldc = (int)of[C].ld;
    struct scratch s = scratch_take(call->type, call->side == 'L' ? n : m);
    int info = 0;
    LAPACK(call->type, "ormqr", &call->side, &call->trans, &m, &n, &k, of[A].address, &lda, of[TAU].address,
           of[C].address, &ldc, s.work, &s.lwork, &info);
    scratch_free(&s);
    return info;
}

static const struct solver_routine sytrd = {run_sytrd, {0, 0}, 64, 0, false};
static const struct solver_routine orgtr = {run_orgtr, {0, 0}, 32, 0, false};
static const struct solver_routine geqrf = {run_geqrf, {0, 0}, 32, 0, false};
static const struct solver_routine orgqr = {run_orgqr, {0, 0}, 32, 0, false};
static const struct solver_routine ormqr = {run_ormqr, {0, 0}, 32, 0, false};

/* LAPACK has no conjugate transpose of real reflectors by that name, nor a plain one of complex ones. */
static char reflector_trans(const char *function, char type, int trans)
{
    const char letter = solver_trans(function, trans);
    if (letter == (solver_is_complex(type) ? 'T' : 'C'))
        solver_abort("%s: trans is %d", function, trans);
    return letter;
}

struct solver_call solver_sytrd_call(const char *function, char type, int uplo, int n, void *a, int lda,
                                     void *d, void *e, void *tau)
{
    const char real = solver_real(type), letter = solver_uplo(function, uplo);
    const enum part triangle = solver_triangle(uplo);
    return (struct solver_call){
        .function = function, .routine = &sytrd, .type = type, .uplo = letter, .m = 1, .n = n, .k = 1,
        .operands = {{"A", a, type, n, n, lda, triangle, triangle, true, 0},
                     {"D", d, real, n, 1, n, NOTHING, WHOLE, true, 0},
                     {"E", e, real, n - 1, 1, n, NOTHING, WHOLE, true, 0},
                     {"TAU", tau, type, n - 1, 1, n, NOTHING, WHOLE, true, 0}}};
}

struct solver_call solver_orgtr_call(const char *function, char type, int uplo, int n, void *a, int lda,
                                     void *tau)
{
    const char letter = solver_uplo(function, uplo);
    return (struct solver_call){
        .function = function, .routine = &orgtr, .type = type, .uplo = letter, .m = 1, .n = n, .k = 1,
        .operands = {{"A", a, type, n, n, lda, solver_strict(solver_triangle(uplo)), WHOLE, true, 0},
                     {"TAU", tau, type, n - 1, 1, n, WHOLE, WHOLE, false, 0}}};
}

struct solver_call solver_geqrf_call(const char *function, char type, int64_t m, int64_t n, void *a,
                                     int64_t lda, void *tau)
{
    const int64_t least = m < n ? m : n;
    return (struct solver_call){.function = function, .routine = &geqrf, .type = type, .m = m, .n = n, .k = 1,
                                .operands = {{"A", a, type, m, n, lda, WHOLE, WHOLE, true, 0},
                                             {"TAU", tau, type, least, 1, least, NOTHING, WHOLE, true, 0}}};
}

struct solver_call solver_orgqr_call(const char *function, char type, int m, int n, int k, void *a, int lda,
                                     void *tau)
{
    if (m < n || n < k)
        solver_abort("%s: dimensions %d, %d, %d", function, m, n, k);
    return (struct solver_call){.function = function, .routine = &orgqr, .type = type, .m = m, .n = n, .k = k,
                                .operands = {{"A", a, type, m, n, lda, STRICTLY_LOWER, WHOLE, true, k},
                                             {"TAU", tau, type, k, 1, k, WHOLE, WHOLE, false, 0}}};
}

struct solver_call solver_ormqr_call(const char *function, char type, int side, int trans, int m, int n,
                                     int k, void *a, int lda, void *tau, void *c, int ldc)
{
    const int order = side == 0 ? m : n;
    if (order < k)
        solver_abort("%s: dimensions %d, %d, %d", function, m, n, k);
    return (struct solver_call){
        .function = function, .routine = &ormqr, .type = type, .side = solver_side(function, side),
        .trans = reflector_trans(function, type, trans), .m = m, .n = n, .k = k,
        .operands = {{"A", a, type, order, k, lda, STRICTLY_LOWER, WHOLE, false, 0},
                     {"TAU", tau, type, k, 1, k, WHOLE, WHOLE, false, 0},
                     {"C", c, type, m, n, ldc, WHOLE, WHOLE, true, 0}}};
}
