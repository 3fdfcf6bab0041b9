/* factor_methods: arguments and results of factorisations and what follows from them. */
#include "common/whole_number.h"
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"

#include <stdlib.h>

/* The places of the routines' arguments, and what these are. Numbers of arguments from 1, the same for
 * all types; 0: nowhere. */
struct layout {
    unsigned char uplo, side, trans, diag, m, n, k, a, lda, ipiv, tau, b, ldb, work, lwork, info;
    bool reads_pivots;        /* IPIV is an input */
    bool reads_tau;           /* TAU is an input */
    bool reads_a_only;        /* A is no output */
    const char *trans_real, *trans_complex; /* letters that are served; others are illegal, or the host's */
};

static const struct layout layouts[LAPACK_FAMILY_COUNT] = {
    [LAPACK_POTRF] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .info = 5},
    [LAPACK_POTRS] = {.uplo = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .info = 8,
                      .reads_a_only = true},
    [LAPACK_POSV] = {.uplo = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .info = 8},
    [LAPACK_POTRI] = {.uplo = 1, .n = 2, .a = 3, .lda = 4, .info = 5},
    [LAPACK_GETRF] = {.m = 1, .n = 2, .a = 3, .lda = 4, .ipiv = 5, .info = 6},
    [LAPACK_GETRS] = {.trans = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .ipiv = 6, .b = 7, .ldb = 8, .info = 9,
                      .reads_pivots = true, .reads_a_only = true, .trans_real = "NTC",
                      .trans_complex = "NTC"},
    [LAPACK_GESV] = {.n = 1, .k = 2, .a = 3, .lda = 4, .ipiv = 5, .b = 6, .ldb = 7, .info = 8},
    [LAPACK_GETRI] = {.n = 1, .a = 2, .lda = 3, .ipiv = 4, .work = 5, .lwork = 6, .info = 7,
                      .reads_pivots = true},
    [LAPACK_GEQRF] = {.m = 1, .n = 2, .a = 3, .lda = 4, .tau = 5, .work = 6, .lwork = 7, .info = 8},
    [LAPACK_ORGQR] = {.m = 1, .n = 2, .k = 3, .a = 4, .lda = 5, .tau = 6, .work = 7, .lwork = 8, .info = 9,
                      .reads_tau = true},
    [LAPACK_ORMQR] = {.side = 1, .trans = 2, .m = 3, .n = 4, .k = 5, .a = 6, .lda = 7, .tau = 8, .b = 9,
                      .ldb = 10, .work = 11, .lwork = 12, .info = 13, .reads_tau = true,
                      .reads_a_only = true, .trans_real = "NT", .trans_complex = "NC"},
    [LAPACK_GELS] = {.trans = 1, .m = 2, .n = 3, .k = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .work = 9,
                     .lwork = 10, .info = 11, .trans_real = "N", .trans_complex = "N"},
    [LAPACK_TRTRI] = {.uplo = 1, .diag = 2, .n = 3, .a = 4, .lda = 5, .info = 6},
};

static bool is_complex(const struct factor_problem *problem)
{
    return blas_scalar_parts(problem->type) == 2;
}

/* One of two letters; 0: another. */
static char letter_of(const struct lapack_call *call, int number, char one, char other)
{
    const char letter = lapack_letter(call, number);
    return letter == one || letter == other ? letter : 0;
}

static bool read_trans(const struct lapack_call *call, const struct layout *layout,
                       struct factor_problem *problem)
{
    const char letter = lapack_letter(call, layout->trans);
    const char *const served = is_complex(problem) ? layout->trans_complex : layout->trans_real;
    problem->trans = letter == 'N' ? TRANS_NONE : letter == 'T' ? TRANS_TRANSPOSE : TRANS_CONJUGATE;
    return letter && strchr(served, letter);
}

static bool read_flags(const struct lapack_call *call, const struct layout *layout,
                       struct factor_problem *problem)
{
    const char uplo = layout->uplo ? letter_of(call, layout->uplo, 'U', 'L') : 'L';
    const char side = layout->side ? letter_of(call, layout->side, 'L', 'R') : 'L';
    const char diag = layout->diag ? letter_of(call, layout->diag, 'U', 'N') : 'N';
    problem->uplo = uplo == 'U' ? UPLO_UPPER : UPLO_LOWER;
    problem->side = side == 'R' ? SIDE_RIGHT : SIDE_LEFT;
    problem->diag = diag == 'U' ? DIAG_UNIT : DIAG_NON_UNIT;
    return uplo && side && diag && (!layout->trans || read_trans(call, layout, problem));
}

/* Order 1 leaves nothing to compute. */
static bool read_sizes(const struct lapack_call *call, const struct layout *layout,
                       struct factor_problem *problem)
{
    problem->n = lapack_integer(call, layout->n);
    problem->m = layout->m ? lapack_integer(call, layout->m) : problem->n;
    problem->k = layout->k ? lapack_integer(call, layout->k) : 0;
    if (problem->m < 2 || problem->n < (layout->m ? 1 : 2) || (layout->k && problem->k < 1))
        return false;
    const enum lapack_family family = call->routine->family;
    if (family == LAPACK_GELS)
        return problem->m >= problem->n;
    if (family == LAPACK_ORGQR)
        return problem->m >= problem->n && problem->n >= problem->k;
    return family != LAPACK_ORMQR || problem->k <= (problem->side == SIDE_LEFT ? problem->m : problem->n);
}

static bool read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t ld_least,
                        struct blas_matrix *matrix)
{
    matrix->pointer = lapack_address(call, number);
    matrix->ld = lapack_integer(call, ld_number);
    return matrix->ld >= ld_least && matrix->pointer;
}

/* Reflectors stand in as many columns as there are. */
static bool read_a(const struct lapack_call *call, const struct layout *layout,
                   struct factor_problem *problem)
{
    const bool is_applied = call->routine->family == LAPACK_ORMQR;
    const int64_t rows = is_applied && problem->side == SIDE_RIGHT ? problem->n : problem->m;
    problem->a = (struct blas_matrix){.rows = rows, .columns = is_applied ? problem->k : problem->n,
                                      .part = PART_FULL};
    if (layout->uplo)
        problem->a.part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    return read_matrix(call, layout->a, layout->lda, rows, &problem->a);
}

static bool read_b(const struct lapack_call *call, const struct layout *layout,
                   struct factor_problem *problem)
{
    if (!layout->b)
        return true;
    problem->b =
        (struct blas_matrix){.rows = problem->m,
                             .columns = call->routine->family == LAPACK_ORMQR ? problem->n : problem->k,
                             .part = PART_FULL};
    return read_matrix(call, layout->b, layout->ldb, problem->m, &problem->b);
}

static bool read_vectors(const struct lapack_call *call, const struct layout *layout,
                         struct factor_problem *problem)
{
    problem->tau_up = layout->tau && layout->reads_tau ? lapack_address(call, layout->tau) : NULL;
    problem->pivots_up = layout->ipiv && layout->reads_pivots;
    if ((layout->tau && !lapack_address(call, layout->tau)) ||
        (layout->ipiv && !lapack_address(call, layout->ipiv)))
        return false;
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++) {
        const int64_t pivot = lapack_element(call, layout->ipiv, i);
        if (pivot < 1 || pivot > problem->n)
            return false;
    }
    return true;
}

/* The least workspaces of LAPACK 3.12's documentation, in elements. */
static bool workspace_suffices(const struct lapack_call *call, const struct layout *layout,
                               const struct factor_problem *problem)
{
    const int64_t least = smaller(problem->m, problem->n);
    if (!layout->lwork)
        return true;
    const int64_t lwork = lapack_integer(call, layout->lwork);
    if (call->routine->family == LAPACK_GELS)
        return lwork >= least + larger(least, problem->k);
    const bool is_right = call->routine->family == LAPACK_ORMQR && problem->side == SIDE_RIGHT;
    return lwork >= (is_right ? problem->m : problem->n);
}

/* So many elements are in IPIV or TAU. */
static int64_t vector_length(const struct layout *layout, const struct factor_problem *problem)
{
    return layout->reads_tau ? problem->k : smaller(problem->m, problem->n);
}

/* Fortran forbids it, and the host's result is what the program knows. */
static bool overlaps(const struct lapack_call *call, const struct layout *layout,
                     const struct factor_problem *problem)
{
    const size_t element = blas_element_bytes(problem->type);
    const int vector_number = layout->ipiv ? layout->ipiv : layout->tau;
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b};
    struct operand_extents operands = {.count = 0};
    for (int i = 0; i < 2; i++)
        if (matrices[i]->pointer)
            operand_extents_add_matrix(&operands, matrices[i], element);
    if (vector_number)
        operand_extents_add_array(&operands, lapack_address(call, vector_number),
                                  vector_length(layout, problem),
                                  layout->ipiv ? (size_t)call->width / 8 : element);
    return operand_extents_meet(&operands);
}

static struct route_shape shape_of(const struct lapack_call *call, const struct layout *layout,
                                   const struct factor_problem *problem)
{
    const uint64_t a = blas_part_bytes(&problem->a, problem->type),
                   b = blas_part_bytes(&problem->b, problem->type);
    return (struct route_shape){.family = call->routine->family,
                                .type = problem->type, .is_right = problem->side == SIDE_RIGHT,
                                .m = problem->m, .n = problem->n, .k = problem->k, .bytes_up = a + b,
                                .bytes_down = (layout->reads_a_only ? 0 : a) + b,
                                .bytes_kept = layout->reads_a_only ? a : 0};
}

/* gels' least-squares problems alone are served. */
static const char *variant_of(const struct lapack_call *call, const struct layout *layout)
{
    if (call->routine->family != LAPACK_GELS || lapack_integer(call, layout->m) < 2 ||
        lapack_integer(call, layout->n) < 1)
        return NULL;
    switch (lapack_letter(call, layout->trans)) {
    case 'T': return "TRANS='T'";
    case 'C': return "TRANS='C'";
    default: return lapack_integer(call, layout->m) < lapack_integer(call, layout->n) ? "M < N" : NULL;
    }
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct layout *const layout = &layouts[call->routine->family];
    struct factor_problem *const problem = &any->factor;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    any->is_query = layout->lwork && lapack_integer(call, layout->lwork) == -1;
    if (any->is_query)
        return false;
    any->variant = variant_of(call, layout);
    if (!read_flags(call, layout, problem) || !read_sizes(call, layout, problem) ||
        !read_a(call, layout, problem) || !read_b(call, layout, problem) ||
        !workspace_suffices(call, layout, problem) || !read_vectors(call, layout, problem) ||
        overlaps(call, layout, problem))
        return false;
    any->shape = shape_of(call, layout, problem);
    if (layout->reads_a_only)
        any->kept = problem->a;
    return true;
}

/* Two pieces: for pivots or TAU, and for what belongs to them. */
static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    const struct layout *const layout = &layouts[call->routine->family];
    struct factor_problem *const problem = &any->factor;
    const size_t bytes = (size_t)larger(problem->m, problem->n) * blas_element_bytes(TYPE_Z);
    any->memory = malloc(2 * bytes);
    if (!any->memory)
        return false;
    problem->pivots = problem->tau = any->memory;
    problem->order = problem->diagonal = (char *)any->memory + bytes;
    for (int64_t i = 0; problem->pivots_up && i < problem->n; i++)
        problem->pivots[i] = lapack_element(call, layout->ipiv, i);
    factor_describe(problem, route);
    return true;
}

static void write_workspace(const struct lapack_call *call, const struct layout *layout)
{
    const struct workspace_layout layout_of_workspace = {
        .query = {{layout->work, layout->lwork}}, .info = layout->info,
        .sizes = {layout->n, layout->m ? layout->m : layout->k, layout->m ? layout->k : 0}};
    workspace_answers_write(call, &layout_of_workspace);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct layout *const layout = &layouts[call->routine->family];
    const struct factor_problem *const problem = &any->factor;
    const int64_t length = vector_length(layout, problem);
    (void)route;
    for (int64_t i = 0; layout->ipiv && !layout->reads_pivots && i < length; i++)
        lapack_put_integer(call, layout->ipiv, i, problem->pivots[i]);
    if (layout->tau && !layout->reads_tau)
        memcpy(lapack_address(call, layout->tau), problem->tau,
               (size_t)length * blas_element_bytes(problem->type));
    if (layout->lwork)
        write_workspace(call, layout);
    lapack_put_integer(call, layout->info, 0, 0);
}

const struct lapack_methods factor_methods = {read, describe, write};
