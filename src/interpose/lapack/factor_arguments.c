/* factor_methods: arguments and results of factorisations and what follows from them. */
#include "common/whole_number.h"
#include "interpose/lapack/call.h"

#include <stdlib.h>

static bool reads_tau(const struct lapack_places *places)
{
    return places->tau && !places->writes_tau;
}

static bool reads_pivots(const struct lapack_places *places)
{
    return places->ipiv && !places->writes_ipiv;
}

/* One of two letters; 0: another. */
static char letter_of(const struct lapack_call *call, int number, char one, char other)
{
    const char letter = lapack_letter(call, number);
    return letter == one || letter == other ? letter : 0;
}

/* Other letters are illegal, or the host's. */
static bool read_trans(const struct lapack_call *call, const struct lapack_places *places,
                       struct factor_problem *problem)
{
    const char letter = lapack_letter(call, places->trans);
    const char *const adjoint = blas_scalar_parts(problem->type) == 2 ? "NC" : "NT";
    const char *const served = problem->family == LAPACK_GELS    ? "N"
                               : problem->family == LAPACK_ORMQR ? adjoint
                                                                 : "NTC";
    problem->trans = letter == 'N' ? TRANS_NONE : letter == 'T' ? TRANS_TRANSPOSE : TRANS_CONJUGATE;
    return letter && strchr(served, letter);
}

static bool read_flags(const struct lapack_call *call, const struct lapack_places *places,
                       struct factor_problem *problem)
{
    const char uplo = places->uplo ? letter_of(call, places->uplo, 'U', 'L') : 'L';
    const char side = places->side ? letter_of(call, places->side, 'L', 'R') : 'L';
    const char diag = places->diag ? letter_of(call, places->diag, 'U', 'N') : 'N';
    problem->uplo = uplo == 'U' ? UPLO_UPPER : UPLO_LOWER;
    problem->side = side == 'R' ? SIDE_RIGHT : SIDE_LEFT;
    problem->diag = diag == 'U' ? DIAG_UNIT : DIAG_NON_UNIT;
    return uplo && side && diag && (!places->trans || read_trans(call, places, problem));
}

/* Order 1 leaves nothing to compute. */
static bool read_sizes(const struct lapack_call *call, const struct lapack_places *places,
                       struct factor_problem *problem)
{
    problem->n = lapack_integer(call, places->n);
    problem->m = places->m ? lapack_integer(call, places->m) : problem->n;
    const int k = places->nrhs ? places->nrhs : places->k;
    problem->k = k ? lapack_integer(call, k) : 0;
    if (problem->m < 2 || problem->n < (places->m ? 1 : 2) || (k && problem->k < 1))
        return false;
    const enum lapack_family family = call->routine->family;
    if (family == LAPACK_GELS)
        return problem->m >= problem->n;
    if (family == LAPACK_ORGQR)
        return problem->m >= problem->n && problem->n >= problem->k;
    return family != LAPACK_ORMQR || problem->k <= (problem->side == SIDE_LEFT ? problem->m : problem->n);
}

/* Reflectors stand in as many columns as there are. A triangle without a leading dimension is packed. */
static bool read_a(const struct lapack_call *call, const struct lapack_places *places,
                   struct factor_problem *problem)
{
    const bool is_applied = call->routine->family == LAPACK_ORMQR;
    const int64_t rows = is_applied && problem->side == SIDE_RIGHT ? problem->n : problem->m;
    problem->a = (struct blas_matrix){.rows = rows, .columns = is_applied ? problem->k : problem->n,
                                      .part = PART_FULL};
    if (places->uplo)
        problem->a.part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    problem->packed = !places->lda;
    if (problem->packed) {
        problem->a = packed_matrix(lapack_address(call, places->a), problem->n);
        return problem->a.pointer;
    }
    return lapack_read_matrix(call, places->a, places->lda, rows, &problem->a);
}

static bool read_b(const struct lapack_call *call, const struct lapack_places *places,
                   struct factor_problem *problem)
{
    const int b = places->b ? places->b : places->c;
    if (!b)
        return true;
    problem->b =
        (struct blas_matrix){.rows = problem->m,
                             .columns = call->routine->family == LAPACK_ORMQR ? problem->n : problem->k,
                             .part = PART_FULL};
    return lapack_read_matrix(call, b, places->ldb ? places->ldb : places->ldc, problem->m, &problem->b);
}

static bool read_vectors(const struct lapack_call *call, const struct lapack_places *places,
                         struct factor_problem *problem)
{
    problem->tau_up = reads_tau(places) ? lapack_address(call, places->tau) : NULL;
    problem->pivots_up = reads_pivots(places);
    if ((places->tau && !lapack_address(call, places->tau)) ||
        (places->ipiv && !lapack_address(call, places->ipiv)))
        return false;
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++) {
        const int64_t pivot = lapack_element(call, places->ipiv, i);
        if (pivot < 1 || pivot > problem->n)
            return false;
    }
    return true;
}

/* The least workspaces of LAPACK 3.12's documentation, in elements. */
static bool workspace_suffices(const struct lapack_call *call, const struct lapack_places *places,
                               const struct factor_problem *problem)
{
    const int64_t least = smaller(problem->m, problem->n);
    if (!places->lwork)
        return true;
    const int64_t lwork = lapack_integer(call, places->lwork);
    if (call->routine->family == LAPACK_GELS)
        return lwork >= least + larger(least, problem->k);
    const bool is_right = call->routine->family == LAPACK_ORMQR && problem->side == SIDE_RIGHT;
    return lwork >= (is_right ? problem->m : problem->n);
}

/* So many elements are in IPIV or TAU. */
static int64_t vector_length(const struct lapack_places *places, const struct factor_problem *problem)
{
    return reads_tau(places) ? problem->k : smaller(problem->m, problem->n);
}

static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct factor_problem *problem)
{
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b};
    const struct lapack_array vector = {
        places->ipiv ? places->ipiv : places->tau, vector_length(places, problem),
        places->ipiv ? (size_t)call->width / 8 : blas_element_bytes(problem->type)};
    return lapack_operands_meet(call, matrices, 2, &vector, 1);
}

static struct route_shape shape_of(const struct lapack_call *call, const struct lapack_places *places,
                                   const struct factor_problem *problem)
{
    const uint64_t a = blas_part_bytes(&problem->a, problem->type),
                   b = blas_part_bytes(&problem->b, problem->type);
    return (struct route_shape){.family = lapack_full_family(call->routine->family),
                                .type = problem->type, .is_right = problem->side == SIDE_RIGHT,
                                .m = problem->m, .n = problem->n, .k = problem->k, .bytes_up = a + b,
                                .bytes_down = (places->writes_a ? a : 0) + b,
                                .bytes_kept = a};
}

/* gels' least-squares problems alone are served. */
static const char *variant_of(const struct lapack_call *call, const struct lapack_places *places)
{
    if (call->routine->family != LAPACK_GELS || lapack_integer(call, places->m) < 2 ||
        lapack_integer(call, places->n) < 1)
        return NULL;
    switch (lapack_letter(call, places->trans)) {
    case 'T': return "TRANS='T'";
    case 'C': return "TRANS='C'";
    default: return lapack_integer(call, places->m) < lapack_integer(call, places->n) ? "M < N" : NULL;
    }
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct factor_problem *const problem = &any->factor;
    problem->family = lapack_full_family(call->routine->family);
    problem->type = call->routine->type;
    any->variant = variant_of(call, places);
    if (!read_flags(call, places, problem) || !read_sizes(call, places, problem) ||
        !read_a(call, places, problem) || !read_b(call, places, problem) ||
        !workspace_suffices(call, places, problem) || !read_vectors(call, places, problem) ||
        overlaps(call, places, problem))
        return false;
    any->shape = shape_of(call, places, problem);
    any->kept = problem->a;
    any->writes_kept = places->writes_a;
    return true;
}

/* Two pieces: for pivots or TAU, and for what belongs to them. */
static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    const struct lapack_places *const places = &call->routine->places;
    struct factor_problem *const problem = &any->factor;
    const size_t bytes = (size_t)larger(problem->m, problem->n) * blas_element_bytes(TYPE_Z);
    any->memory = malloc(2 * bytes);
    if (!any->memory)
        return false;
    problem->pivots = problem->tau = any->memory;
    problem->order = problem->diagonal = (char *)any->memory + bytes;
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++)
        problem->pivots[i] = lapack_element(call, places->ipiv, i);
    factor_describe(problem, route);
    return true;
}

static void write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct factor_problem *const problem = &any->factor;
    const int64_t length = vector_length(places, problem);
    for (int64_t i = 0; places->writes_ipiv && i < length; i++)
        lapack_put_integer(call, places->ipiv, i, problem->pivots[i]);
    if (places->writes_tau)
        memcpy(lapack_address(call, places->tau), problem->tau,
               (size_t)length * blas_element_bytes(problem->type));
}

const struct lapack_methods factor_methods = {read, describe, write, 3, 3};
