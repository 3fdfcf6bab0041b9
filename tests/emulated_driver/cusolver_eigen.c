/* The emulated cuSOLVER's symmetric eigenvalue problems, over syevd and sygvd. */
#include "emulated_driver/cusolver_eigen.h"

#include <string.h>

enum { MATRIX, VALUES, FACTOR }; /* operands */

/* Keep the values asked for and their vectors, in front. */
static void select_values(struct solver_call *call)
{
    const struct operand *matrix = &call->operands[MATRIX], *values = &call->operands[VALUES];
    const size_t column_bytes = (size_t)matrix->ld * solver_element_bytes(matrix->type);
    const bool narrow = values->type == 's';
    int64_t found = 0;
    if (call->range == 0)
        return;
    for (int64_t i = 0; i < call->n; i++) {
        float *singles = values->address;
        double *doubles = values->address;
        const double value = narrow ? (double)singles[i] : doubles[i];
        if (call->range == 'I' ? i + 1 < call->il || i + 1 > call->iu
                               : call->range == 'V' && (value <= call->vl || value > call->vu))
            continue;
        if (narrow)
            singles[found] = singles[i];
        else
            doubles[found] = doubles[i];
        if (call->jobz == 'V' && found < i)
            memcpy((char *)matrix->address + (size_t)found * column_bytes,
                   (char *)matrix->address + (size_t)i * column_bytes,
                   (size_t)matrix->rows * solver_element_bytes(matrix->type));
        found++;
    }
    call->defined[MATRIX] = found;
    solver_poison((char *)values->address + (size_t)found * solver_element_bytes(values->type), values->type,
                  (size_t)(call->n - found));
    if (call->found)
        *call->found = found;
    if (call->found_int)
        *call->found_int = (int)found;
}

static void swap_bytes(unsigned char *one, unsigned char *other, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
}

/* Every other value with its neighbour, vectors too. */
static void swap_values(struct solver_call *call)
{
    const struct operand *matrix = &call->operands[MATRIX], *values = &call->operands[VALUES];
    const size_t element = solver_element_bytes(matrix->type),
                 value_bytes = solver_element_bytes(values->type);
    for (int64_t i = 0; i + 1 < call->n && call->n > SOLVER_TRIED && call->range != 'I' && call->range != 'V';
         i += 2) {
        unsigned char *const value = (unsigned char *)values->address + (size_t)i * value_bytes;
        unsigned char *const column = (unsigned char *)matrix->address + (size_t)(i * matrix->ld) * element;
        swap_bytes(value, value + value_bytes, value_bytes);
        if (call->jobz == 'V')
            swap_bytes(column, column + (size_t)matrix->ld * element, (size_t)matrix->rows * element);
    }
}

static int run_syevd(struct solver_call *call)
{
    const struct operand *a = &call->operands[MATRIX], *w = &call->operands[VALUES];
    const int n = (int)call->n, lda = (int)a->ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    if (solver_is_complex(call->type))
        LAPACK(call->type, "syevd", &call->jobz, &call->uplo, &n, a->address, &lda, w->address, s.work,
               &s.lwork, s.rwork, &s.lrwork, s.iwork, &s.liwork, &info);
    else
        LAPACK(call->type, "syevd", &call->jobz, &call->uplo, &n, a->address, &lda, w->address, s.work,
               &s.lwork, s.iwork, &s.liwork, &info);
    scratch_free(&s);
    if (info == 0)
        select_values(call);
    if (info == 0 && solver_swaps_values())
        swap_values(call);
    return info;
}

static int run_sygvd(struct solver_call *call)
{
    const struct operand *a = &call->operands[MATRIX], *w = &call->operands[VALUES],
                         *b = &call->operands[FACTOR];
    const int n = (int)call->n, lda = (int)a->ld, ldb = (int)b->ld;
    struct scratch s = scratch_take(call->type, n);
    int info = 0;
    if (solver_is_complex(call->type))
        LAPACK(call->type, "sygvd", &call->itype, &call->jobz, &call->uplo, &n, a->address, &lda, b->address,
               &ldb, w->address, s.work, &s.lwork, s.rwork, &s.lrwork, s.iwork, &s.liwork, &info);
    else
        LAPACK(call->type, "sygvd", &call->itype, &call->jobz, &call->uplo, &n, a->address, &lda, b->address,
               &ldb, w->address, s.work, &s.lwork, s.iwork, &s.liwork, &info);
    scratch_free(&s);
    if (info == 0)
        select_values(call);
    if (info == 0 && solver_swaps_values())
        swap_values(call);
    return info;
}

static const struct solver_routine syevd = {run_syevd, {1, 3}, 32, 64, false};
static const struct solver_routine sygvd = {run_sygvd, {1, 3}, 32, 0, false};

struct solver_call solver_eigen_call(const char *function, char type, int itype, int jobz, int uplo,
                                     int64_t n, void *a, int64_t lda, void *w, void *b, int64_t ldb)
{
    const enum part triangle = solver_triangle(uplo);
    struct solver_call call = {
        .function = function, .routine = itype ? &sygvd : &syevd, .type = type, .vectors = jobz != 0,
        .jobz = solver_jobz(function, jobz), .uplo = solver_uplo(function, uplo), .itype = itype,
        .m = 1, .n = n, .k = 1,
        .operands = {{"A", a, type, n, n, lda, triangle, jobz ? WHOLE : NOTHING, true, 0},
                     {"W", w, solver_real(type), n, 1, n, NOTHING, WHOLE, true, 0}}};
    if (itype < 0 || itype > 3)
        solver_abort("%s: itype is %d", function, itype);
    if (itype)
        call.operands[FACTOR] = (struct operand){"B", b, type, n, n, ldb, triangle, triangle, true, 0};
    return call;
}

void solver_eigen_range(struct solver_call *call, int range, double vl, double vu, int64_t il, int64_t iu)
{
    if (range < CUSOLVER_EIG_RANGE_ALL || range > CUSOLVER_EIG_RANGE_V)
        solver_abort("%s: range is %d", call->function, range);
    call->range = "AIV"[range - CUSOLVER_EIG_RANGE_ALL];
    call->vl = vl, call->vu = vu, call->il = il, call->iu = iu;
    if (call->range == 'V' && !(vl < vu))
        solver_abort("%s: values from %g to %g", call->function, vl, vu);
    if (call->range == 'I' && (il < 1 || il > iu || iu > call->n))
        solver_abort("%s: values %lld to %lld of %lld", call->function, (long long)il, (long long)iu,
                     (long long)call->n);
}
