/* The emulated cuSOLVER's triangular factorisations, and what follows them. */
#include "emulated_driver/cusolver_factor.h"

#include <stdlib.h>

enum { A, B, PIVOTS = 1, LU_B = 2 }; /* operands */

static int run_potrf(struct solver_call *call)
{
    const struct operand *a = &call->operands[A];
    const int n = (int)call->n, lda = (int)a->ld;
    int info = 0;
    LAPACK(call->type, "potrf", &call->uplo, &n, a->address, &lda, &info);
    return info;
}

static int run_potrs(struct solver_call *call)
{
    const struct operand *a = &call->operands[A], *b = &call->operands[B];
    const int n = (int)call->n, nrhs = (int)call->k, lda = (int)a->ld, ldb = (int)b->ld;
    int info = 0;
    LAPACK(call->type, "potrs", &call->uplo, &n, &nrhs, a->address, &lda, b->address, &ldb, &info);
    return info;
}

static int run_potri(struct solver_call *call)
{
    const struct operand *a = &call->operands[A];
    const int n = (int)call->n, lda = (int)a->ld;
    int info = 0;
    LAPACK(call->type, "potri", &call->uplo, &n, a->address, &lda, &info);
    return info;
}

static int run_trtri(struct solver_call *call)
{
    const struct operand *a = &call->operands[A];
    const int n = (int)call->n, lda = (int)a->ld;
    int info = 0;
    LAPACK(call->type, "trtri", &call->uplo, &call->diag, &n, a->address, &lda, &info);
    return info;
}

static int *narrow_pivots(const struct solver_call *call, int64_t count)
{
    const int64_t *wide = call->operands[PIVOTS].address;
    int *pivots = malloc((size_t)count * sizeof *pivots);
    if (!pivots)
        solver_abort("out of host memory");
    for (int64_t i = 0; i < count; i++) {
        if (wide[i] < 1 || wide[i] > call->n)
            solver_abort("%s: a pivot of %lld", call->function, (long long)wide[i]);
        pivots[i] = (int)wide[i];
    }
    return pivots;
}

static int run_getrf(struct solver_call *call)
{
    const struct operand *a = &call->operands[A];
    const int m = (int)call->m, n = (int)call->n, lda = (int)a->ld, least = m < n ? m : n;
    int64_t *wide = call->operands[PIVOTS].address;
    int *pivots = malloc((size_t)least * sizeof *pivots), info = 0;
    if (!pivots)
        solver_abort("out of host memory");
    LAPACK(call->type, "getrf", &m, &n, a->address, &lda, pivots, &info);
    for (int i = 0; i < least; i++)
        wide[i] = pivots[i];
    free(pivots);
    return info;
}

static int run_getrs(struct solver_call *call)
{
    const struct operand *a = &call->operands[A], *b = &call->operands[LU_B];
    const int n = (int)call->n, nrhs = (int)call->k, lda = (int)a->ld, ldb = (int)b->ld;
    int *pivots = narrow_pivots(call, call->n), info = 0;
    LAPACK(call->type, "getrs", &call->trans, &n, &nrhs, a->address, &lda, pivots, b->address, &ldb, &info);
    free(pivots);
    return info;
}

static const struct solver_routine potrf = {run_potrf, {0, 0}, 32, 0, false};
static const struct solver_routine potrs = {run_potrs, {0, 0}, 0, 0, true};
static const struct solver_routine potri = {run_potri, {1, 1}, 0, 0, true};
static const struct solver_routine trtri = {run_trtri, {1, 1}, 0, 0, true};
static const struct solver_routine getrf = {run_getrf, {0, 0}, 32, 0, false};
static const struct solver_routine getrs = {run_getrs, {0, 0}, 0, 0, true};

struct solver_call solver_potrf_call(const char *function, char type, int uplo, int64_t n, void *a,
                                     int64_t lda)
{
    const enum part triangle = solver_triangle(uplo);
    return (struct solver_call){.function = function, .routine = &potrf, .type = type,
                                .uplo = solver_uplo(function, uplo), .m = 1, .n = n, .k = 1,
                                .operands = {{"A", a, type, n, n, lda, triangle, triangle, true, 0}}};
}

struct solver_call solver_potrs_call(const char *function, char type, int uplo, int64_t n, int64_t nrhs,
                                     void *a, int64_t lda, void *b, int64_t ldb)
{
    return (struct solver_call){
        .function = function,
        .routine = &potrs,
        .type = type,
        .uplo = solver_uplo(function, uplo),
        .m = 1,
        .n = n,
        .k = nrhs,
        .operands = {{"A", a, type, n, n, lda, solver_triangle(uplo), WHOLE, false, 0},
                     {"B", b, type, n, nrhs, ldb, WHOLE, WHOLE, true, 0}}};
}

struct solver_call solver_potri_call(const char *function, char type, int uplo, int64_t n, void *a,
                                     int64_t lda)
{
    struct solver_call call = solver_potrf_call(function, type, uplo, n, a, lda);
    call.routine = &potri;
    return call;
}

struct solver_call solver_trtri_call(const char *function, char type, int uplo, int diag, int64_t n, void *a,
                                     int64_t lda)
{
    struct solver_call call = solver_potrf_call(function, type, uplo, n, a, lda);
    call.routine = &trtri;
    call.diag = solver_diag(function, diag);
    if (call.diag == 'U')
        call.operands[A].before = solver_strict(solver_triangle(uplo));
    return call;
}

struct solver_call solver_getrf_call(const char *function, char type, int64_t m, int64_t n, void *a,
                                     int64_t lda, int64_t *pivots)
{
    const int64_t least = m < n ? m : n;
    return (struct solver_call){
        .function = function,
        .routine = &getrf,
        .type = type,
        .m = m,
        .n = n,
        .k = 1,
        .operands = {{"A", a, type, m, n, lda, WHOLE, WHOLE, true, 0},
                     {"IPIV", pivots, 'l', least, 1, least, NOTHING, WHOLE, true, 0}}};
}

struct solver_call solver_getrs_call(const char *function, char type, int trans, int64_t n, int64_t nrhs,
                                     void *a, int64_t lda, const int64_t *pivots, void *b, int64_t ldb)
{
    return (struct solver_call){
        .function = function, .routine = &getrs, .type = type, .trans = solver_trans(function, trans), .m = 1,
        .n = n, .k = nrhs,
        .operands = {{"A", a, type, n, n, lda, WHOLE, WHOLE, false, 0},
                     {"IPIV", (void *)pivots, 'l', n, 1, n, WHOLE, WHOLE, false, 0},
                     {"B", b, type, n, nrhs, ldb, WHOLE, WHOLE, true, 0}}};
}
