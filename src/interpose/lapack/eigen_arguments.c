/* eigen_methods: the eigensolvers' arguments and results. */
#include "interpose/entries/pack.h"
#include "interpose/lapack/methods.h"

#include <stdlib.h>

/* The places of a routine's arguments, from 1; 0: nowhere. */
struct layout {
    unsigned char itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w, z, ldz, isuppz, work,
        lwork, rwork, lrwork, iwork, liwork, ifail, info;
};

/* The layout of the real types comes first, then that of the complex ones. */
static const struct layout layouts[LAPACK_FAMILY_COUNT][2] = {
    [LAPACK_SYEV] = {{.jobz = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .w = 6, .work = 7, .lwork = 8,
                      .info = 9},
                     {.jobz = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .w = 6, .work = 7, .lwork = 8,
                      .rwork = 9, .info = 10}},
    [LAPACK_SYEVD] = {{.jobz = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .w = 6, .work = 7, .lwork = 8,
                       .iwork = 9, .liwork = 10, .info = 11},
                      {.jobz = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .w = 6, .work = 7, .lwork = 8,
                       .rwork = 9, .lrwork = 10, .iwork = 11, .liwork = 12, .info = 13}},
    [LAPACK_SYEVR] = {{.jobz = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .vl = 7, .vu = 8,
                       .il = 9, .iu = 10, .m = 12, .w = 13, .z = 14, .ldz = 15, .isuppz = 16, .work = 17,
                       .lwork = 18, .iwork = 19, .liwork = 20, .info = 21},
                      {.jobz = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .vl = 7, .vu = 8,
                       .il = 9, .iu = 10, .m = 12, .w = 13, .z = 14, .ldz = 15, .isuppz = 16, .work = 17,
                       .lwork = 18, .rwork = 19, .lrwork = 20, .iwork = 21, .liwork = 22, .info = 23}},
    [LAPACK_SYEVX] = {{.jobz = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .vl = 7, .vu = 8,
                       .il = 9, .iu = 10, .m = 12, .w = 13, .z = 14, .ldz = 15, .work = 16, .lwork = 17,
                       .ifail = 19, .info = 20},
                      {.jobz = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .vl = 7, .vu = 8,
                       .il = 9, .iu = 10, .m = 12, .w = 13, .z = 14, .ldz = 15, .work = 16, .lwork = 17,
                       .rwork = 18, .ifail = 20, .info = 21}},
    [LAPACK_SYGV] = {{.itype = 1, .jobz = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .w = 9,
                      .work = 10, .lwork = 11, .info = 12},
                     {.itype = 1, .jobz = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .w = 9,
                      .work = 10, .lwork = 11, .rwork = 12, .info = 13}},
    [LAPACK_SYGVD] = {{.itype = 1, .jobz = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .w = 9,
                       .work = 10, .lwork = 11, .iwork = 12, .liwork = 13, .info = 14},
                      {.itype = 1, .jobz = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .w = 9,
                       .work = 10, .lwork = 11, .rwork = 12, .lrwork = 13, .iwork = 14, .liwork = 15,
                       .info = 16}},
    [LAPACK_SYGVX] = {{.itype = 1, .jobz = 2, .range = 3, .uplo = 4, .n = 5, .a = 6, .lda = 7, .b = 8,
                       .ldb = 9, .vl = 10, .vu = 11, .il = 12, .iu = 13, .m = 15, .w = 16, .z = 17,
                       .ldz = 18, .work = 19, .lwork = 20, .ifail = 22, .info = 23},
                      {.itype = 1, .jobz = 2, .range = 3, .uplo = 4, .n = 5, .a = 6, .lda = 7, .b = 8,
                       .ldb = 9, .vl = 10, .vu = 11, .il = 12, .iu = 13, .m = 15, .w = 16, .z = 17,
                       .ldz = 18, .work = 19, .lwork = 20, .rwork = 21, .ifail = 23, .info = 24}},
};

static bool is_complex(const struct lapack_call *call)
{
    return blas_scalar_parts(call->routine->type) == 2;
}

static const struct layout *layout_of(const struct lapack_call *call)
{
    return &layouts[call->routine->family][is_complex(call)];
}

static bool asks(const struct lapack_call *call, int number)
{
    return number && lapack_integer(call, number) == -1;
}

/* The least workspaces of LAPACK 3.12's documentation, in elements. */
struct workspaces {
    int64_t lwork, lrwork, liwork;
};

static struct workspaces least_workspaces(const struct lapack_call *call, const struct eigenproblem *problem)
{
    const int64_t n = problem->n;
    const bool vectors = problem->vectors;
    switch (call->routine->family) {
    case LAPACK_SYEV:
    case LAPACK_SYGV: return (struct workspaces){.lwork = is_complex(call) ? 2 * n - 1 : 3 * n - 1};
    case LAPACK_SYEVD:
    case LAPACK_SYGVD:
        if (is_complex(call))
            return (struct workspaces){vectors ? 2 * n + n * n : n + 1, vectors ? 1 + 5 * n + 2 * n * n : n,
                                       vectors ? 3 + 5 * n : 1};
        return (struct workspaces){vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1, 0, vectors ? 3 + 5 * n : 1};
    case LAPACK_SYEVR:
        if (is_complex(call))
            return (struct workspaces){2 * n, 24 * n, 10 * n};
        return (struct workspaces){26 * n, 0, 10 * n};
    case LAPACK_SYEVX:
    case LAPACK_SYGVX: return (struct workspaces){.lwork = is_complex(call) ? 2 * n : 8 * n};
    default: break;
    }
    return (struct workspaces){0};
}

static bool workspaces_suffice(const struct lapack_call *call, const struct layout *layout,
                               const struct eigenproblem *problem)
{
    const struct workspaces least = least_workspaces(call, problem);
    return lapack_integer(call, layout->lwork) >= least.lwork &&
           (!layout->lrwork || lapack_integer(call, layout->lrwork) >= least.lrwork) &&
           (!layout->liwork || lapack_integer(call, layout->liwork) >= least.liwork);
}

/* Order 1 leaves nothing to compute, and LAPACK's routines treat it in ways of their own. */
static bool read_flags(const struct lapack_call *call, const struct layout *layout,
                       struct eigenproblem *problem)
{
    const char jobz = lapack_letter(call, layout->jobz), uplo = lapack_letter(call, layout->uplo);
    problem->itype = layout->itype ? (int)lapack_integer(call, layout->itype) : 0;
    problem->vectors = jobz == 'V';
    problem->uplo = uplo == 'U' ? UPLO_UPPER : UPLO_LOWER;
    problem->n = lapack_integer(call, layout->n);
    return (jobz == 'V' || jobz == 'N') && (uplo == 'U' || uplo == 'L') && problem->n > 1 &&
           (!layout->itype || (problem->itype >= 1 && problem->itype <= 3));
}

static bool read_interval(const struct lapack_call *call, const struct layout *layout,
                          struct eigenproblem *problem)
{
    problem->above = lapack_real(call, layout->vl);
    problem->up_to = lapack_real(call, layout->vu);
    return problem->up_to > problem->above; /* not for NaN */
}

static bool read_indices(const struct lapack_call *call, const struct layout *layout,
                         struct eigenproblem *problem)
{
    problem->first = lapack_integer(call, layout->il);
    problem->last = lapack_integer(call, layout->iu);
    return problem->first >= 1 && problem->first <= problem->last && problem->last <= problem->n;
}

static bool read_range(const struct lapack_call *call, const struct layout *layout,
                       struct eigenproblem *problem)
{
    problem->range = EIGEN_ALL;
    if (!layout->range)
        return true;
    switch (lapack_letter(call, layout->range)) {
    case 'A': return true;
    case 'V': problem->range = EIGEN_INTERVAL; return read_interval(call, layout, problem);
    case 'I': problem->range = EIGEN_INDICES; return read_indices(call, layout, problem);
    default: return false;
    }
}

static bool read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t n,
                        enum blas_part part, struct blas_matrix *matrix)
{
    *matrix = (struct blas_matrix){.pointer = lapack_address(call, number), .rows = n, .columns = n,
                                   .ld = lapack_integer(call, ld_number), .part = part};
    return matrix->ld >= n && matrix->pointer;
}

/* At most so many values and columns are written. */
static int64_t most_found(const struct eigenproblem *problem)
{
    return problem->range == EIGEN_INDICES ? problem->last - problem->first + 1 : problem->n;
}

static bool read_matrices(const struct lapack_call *call, const struct layout *layout,
                          struct eigenproblem *problem)
{
    const enum blas_part part = problem->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER;
    if (!read_matrix(call, layout->a, layout->lda, problem->n, part, &problem->a))
        return false;
    if (layout->b && !read_matrix(call, layout->b, layout->ldb, problem->n, part, &problem->b))
        return false;
    if (!layout->z)
        return true;
    if (!problem->vectors)
        return lapack_integer(call, layout->ldz) >= 1;
    if (!read_matrix(call, layout->z, layout->ldz, problem->n, PART_FULL, &problem->z))
        return false;
    problem->z.columns = most_found(problem);
    return true;
}

/* Fortran forbids it, and the host's result is what the program knows. Programs give W no more room than the
 * indices name, and have Z begin behind it. */
static bool overlaps(const struct lapack_call *call, const struct layout *layout,
                     const struct eigenproblem *problem)
{
    const size_t element = blas_element_bytes(problem->type);
    const size_t real = blas_is_single(problem->type) ? sizeof(float) : sizeof(double);
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b, &problem->z};
    struct operand_extents operands = {.count = 0};
    for (int i = 0; i < 3; i++)
        if (matrices[i]->pointer)
            operand_extents_add_matrix(&operands, matrices[i], element);
    operand_extents_add_array(&operands, lapack_address(call, layout->w), most_found(problem), real);
    return operand_extents_meet(&operands);
}

static uint64_t triangle_bytes(const struct blas_matrix *matrix, enum blas_type type)
{
    const uint64_t n = (uint64_t)matrix->columns;
    return matrix->pointer ? n * (n + 1) / 2 * blas_element_bytes(type) : 0;
}

static struct route_shape shape_of(const struct lapack_call *call, const struct eigenproblem *problem)
{
    struct route_shape shape = {.family = call->routine->family, .type = problem->type,
                                .vectors = problem->vectors, .m = problem->n, .n = problem->n,
                                .k = most_found(problem), .solvers_alone = problem->itype > 1};
    shape.bytes_up = triangle_bytes(&problem->a, problem->type) + triangle_bytes(&problem->b, problem->type);
    shape.bytes_down = triangle_bytes(&problem->b, problem->type);
    if (problem->vectors)
        shape.bytes_down += (uint64_t)problem->n * (uint64_t)shape.k * blas_element_bytes(problem->type);
    return shape;
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct layout *const layout = layout_of(call);
    struct eigenproblem *const problem = &any->eigen;
    problem->type = call->routine->type;
    any->is_query = asks(call, layout->lwork) || asks(call, layout->lrwork) || asks(call, layout->liwork);
    if (any->is_query)
        return false;
    if (!read_flags(call, layout, problem) || !read_range(call, layout, problem) ||
        !read_matrices(call, layout, problem) || !workspaces_suffice(call, layout, problem) ||
        overlaps(call, layout, problem))
        return false;
    any->shape = shape_of(call, problem);
    return true;
}

static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    (void)call;
    any->memory = any->eigen.values = malloc((size_t)any->eigen.n * (sizeof(double) + sizeof(int64_t)));
    if (!any->memory)
        return false;
    any->eigen.order = (int64_t *)any->memory + any->eigen.n;
    eigen_describe(&any->eigen, route);
    return true;
}

static void write_values(const struct lapack_call *call, const struct layout *layout,
                         const struct eigenproblem *problem)
{
    const size_t bytes = blas_is_single(problem->type) ? sizeof(float) : sizeof(double);
    memcpy(lapack_address(call, layout->w),
           (const char *)problem->values + (size_t)problem->found_first * bytes,
           (size_t)problem->found * bytes);
}

/* LAPACK's MRRR alone knows supports, and is used for all values only. */
static void write_supports(const struct lapack_call *call, const struct layout *layout,
                           const struct eigenproblem *problem)
{
    const bool all =
        problem->range == EIGEN_ALL || (problem->range == EIGEN_INDICES && most_found(problem) == problem->n);
    for (int64_t i = 0; all && problem->vectors && i < problem->found; i++) {
        lapack_put_integer(call, layout->isuppz, 2 * i, 1);
        lapack_put_integer(call, layout->isuppz, 2 * i + 1, problem->n);
    }
}

static void write_workspaces(const struct lapack_call *call, const struct layout *layout)
{
    const struct workspace_layout layout_of_workspaces = {.query = {{layout->work, layout->lwork},
                                                                    {layout->rwork, layout->lrwork},
                                                                    {layout->iwork, layout->liwork}},
                                                          .info = layout->info};
    workspace_answers_write(call, &layout_of_workspaces);
}

static void write(const struct lapack_call *call, const struct lapack_problem *any, const struct route *route)
{
    const struct layout *const layout = layout_of(call);
    const struct eigenproblem *const problem = &any->eigen;
    (void)route;
    write_values(call, layout, problem);
    if (layout->m)
        lapack_put_integer(call, layout->m, 0, problem->found);
    if (layout->isuppz)
        write_supports(call, layout, problem);
    for (int64_t i = 0; layout->ifail && problem->vectors && i < problem->found; i++)
        lapack_put_integer(call, layout->ifail, i, 0);
    write_workspaces(call, layout);
    lapack_put_integer(call, layout->info, 0, 0);
}

const struct lapack_methods eigen_methods = {read, describe, write};
