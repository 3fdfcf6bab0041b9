/* singular_methods: arguments and results of gesdd and gesvd, and of least squares by gelsd and gelss. */
#include "common/whole_number.h"
#include "interpose/lapack/call.h"

#include <float.h>
#include <stdlib.h>

/* Times of longer ones are not predicted. */
enum { RATIO_MOST = 1000 };

static bool is_complex(const struct lapack_call *call)
{
    return blas_scalar_parts(call->routine->type) == 2;
}

/* The wanted parts of U and V': N, S, A, or O, where A's memory is to have what S means. */
struct jobs {
    char u, vt;
};

static struct jobs read_jobs(const struct lapack_call *call, const struct lapack_places *places,
                             const struct singular_problem *problem)
{
    if (!places->jobz)
        return (struct jobs){lapack_letter(call, places->jobu), lapack_letter(call, places->jobvt)};
    const char jobz = lapack_letter(call, places->jobz);
    if (jobz != 'O')
        return (struct jobs){jobz, jobz};
    return problem->m >= problem->n ? (struct jobs){'O', 'A'} : (struct jobs){'A', 'O'};
}

static bool is_job(char letter)
{
    return letter && strchr("NSAO", letter);
}

static bool read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t rows,
                        int64_t columns, struct blas_matrix *matrix)
{
    *matrix = (struct blas_matrix){.rows = rows, .columns = columns, .part = PART_FULL};
    return lapack_read_matrix(call, number, ld_number, rows, matrix);
}

/* `matrix` has no pointer before. */
static bool read_factor(const struct lapack_call *call, char job, int number, int ld_number, int64_t rows,
                        int64_t columns, const struct blas_matrix *a, struct blas_matrix *matrix)
{
    const int64_t ld = lapack_integer(call, ld_number);
    if (job == 'S' || job == 'A')
        return read_matrix(call, number, ld_number, rows, columns, matrix);
    if (job == 'O')
        *matrix = (struct blas_matrix){.pointer = a->pointer, .rows = rows, .columns = columns, .ld = a->ld,
                                       .part = PART_FULL};
    return ld >= 1;
}

static bool read_matrices(const struct lapack_call *call, const struct lapack_places *places,
                          struct singular_problem *problem)
{
    const struct jobs jobs = read_jobs(call, places, problem);
    const int64_t m = problem->m, n = problem->n, least = smaller(m, n);
    if (!is_job(jobs.u) || !is_job(jobs.vt) || (jobs.u == 'O' && jobs.vt == 'O'))
        return false;
    return read_matrix(call, places->a, places->lda, m, n, &problem->a) &&
           read_factor(call, jobs.u, places->u, places->ldu, m, jobs.u == 'A' ? m : least, &problem->a,
                       &problem->u) &&
           read_factor(call, jobs.vt, places->vt, places->ldvt, jobs.vt == 'A' ? n : least, n, &problem->a,
                       &problem->vt);
}

/* The least workspace by LAPACK 3.12's code, which its own query may answer, and which is less than
 * documented. `n` is the smaller dimension, `m` the larger; of a long matrix LAPACK takes QR first. */
static int64_t least_real_gesdd(char jobz, int64_t m, int64_t n)
{
    const bool is_long = m >= (int64_t)((double)n * 11 / 6);
    const int64_t divide = jobz == 'N' ? 7 * n : 3 * n * n + 4 * n;
    switch (jobz) {
    case 'N': return is_long ? divide + n : 3 * n + larger(m, divide);
    case 'O': return is_long ? divide + 2 * n * n + 3 * n : 3 * n + larger(m, n * n + divide);
    case 'S': return is_long ? divide + n * n + 3 * n : 3 * n + larger(m, divide);
    default: return is_long ? n * n + larger(3 * n + divide, n + m) : 3 * n + larger(m, divide);
    }
}

static int64_t least_complex_gesdd(char jobz, int64_t m, int64_t n)
{
    const bool is_long = m >= (int64_t)((double)n * 17 / 9);
    if (!is_long)
        return 2 * n + m + (jobz == 'O' ? n * n : 0);
    switch (jobz) {
    case 'N': return 3 * n;
    case 'O': return 2 * n * n + 3 * n;
    case 'S': return n * n + 3 * n;
    default: return n * n + larger(3 * n, n + m);
    }
}

/* Long ones need less where the longer side's vectors are not wanted. */
static int64_t least_gesvd(bool complex, bool lacks_longer, int64_t m, int64_t n)
{
    const bool is_long = m >= (int64_t)((float)n * 1.6f);
    if (is_long && lacks_longer)
        return complex ? 3 * n : 5 * n;
    return complex ? 2 * n + m : larger(3 * n + m, 5 * n);
}

static int64_t least_workspace(const struct lapack_call *call, const struct lapack_places *places,
                               const struct singular_problem *problem)
{
    const int64_t n = smaller(problem->m, problem->n), m = larger(problem->m, problem->n);
    const bool complex = is_complex(call);
    if (!places->jobz)
        return least_gesvd(
            complex, lapack_letter(call, problem->m >= problem->n ? places->jobu : places->jobvt) == 'N', m,
            n);
    return (complex ? least_complex_gesdd : least_real_gesdd)(lapack_letter(call, places->jobz), m, n);
}

/* A's memory may be U's or V''s where LAPACK says so. */
static bool overlaps(const struct lapack_call *call, const struct lapack_places *places,
                     const struct singular_problem *problem)
{
    const struct jobs jobs = read_jobs(call, places, problem);
    const struct blas_matrix *const matrices[] = {&problem->a,
                                                  jobs.u == 'S' || jobs.u == 'A' ? &problem->u : NULL,
                                                  jobs.vt == 'S' || jobs.vt == 'A' ? &problem->vt : NULL};
    const struct lapack_array values = {places->s, smaller(problem->m, problem->n),
                                        blas_real_bytes(problem->type)};
    return lapack_operands_meet(call, matrices, 3, &values, 1);
}

static uint64_t matrix_bytes(const struct blas_matrix *matrix, enum blas_type type)
{
    return matrix->pointer ? (uint64_t)matrix->rows * (uint64_t)matrix->columns * blas_element_bytes(type)
                           : 0;
}

/* Least squares: the least workspaces by LAPACK 3.12's code, which takes QR first of a long matrix. gelsd divides
 * down to problems of order 25. */
static int64_t least_of_sides(const struct lapack_call *call, const struct singular_problem *problem)
{
    const int64_t n = problem->n, sides = problem->b.columns, smallest = 25;
    const int64_t rows = problem->m >= (int64_t)((float)n * 1.6f) ? n : problem->m, most = larger(rows, sides);
    if (call->routine->family == LAPACK_GELSS)
        return is_complex(call) ? 2 * n + larger(problem->m, sides) : 3 * n + larger(2 * n, most);
    if (is_complex(call))
        return 2 * n + larger(rows, n * sides);
    int64_t levels = 2 * n > smallest + 1;
    while ((smallest + 1) << levels <= n)
        levels++;
    return larger(12 * n + 2 * n * smallest + 8 * n * levels + n * sides + (smallest + 1) * (smallest + 1),
                  3 * n + most);
}

/* Values of at most so many times the largest count as zero. */
static double least_that_counts(const struct lapack_call *call, double rcond)
{
    const double epsilon = blas_is_single(call->routine->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    if (call->routine->family == LAPACK_GELSS)
        return rcond < 0 ? epsilon : rcond;
    return rcond <= 0 || rcond >= 1 ? epsilon / 2 : rcond;
}

static bool sides_overlap(const struct lapack_call *call, const struct singular_problem *problem)
{
    const struct blas_matrix *const matrices[] = {&problem->a, &problem->b};
    const struct lapack_array values = {call->routine->places.s, problem->n, blas_real_bytes(problem->type)};
    return lapack_operands_meet(call, matrices, 2, &values, 1);
}

/* gelss makes V' of A's first rows. */
static bool read_least_squares(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct singular_problem *const problem = &any->singular;
    const int64_t m = problem->m, n = problem->n, sides = lapack_integer(call, places->nrhs);
    if (m >= 2 && n > m && sides > 0)
        any->variant = "M < N";
    if (n < 2 || m < n || sides < 1 ||
        !read_matrix(call, places->a, places->lda, m, n, &problem->a) ||
        !read_matrix(call, places->b, places->ldb, m, sides, &problem->b) ||
        lapack_integer(call, places->lwork) < least_of_sides(call, problem) || sides_overlap(call, problem))
        return false;
    const double rcond = lapack_real(call, places->rcond);
    if (rcond != rcond)
        return false;
    problem->least = least_that_counts(call, rcond);
    if (call->routine->family == LAPACK_GELSS)
        problem->vt = (struct blas_matrix){.pointer = problem->a.pointer, .rows = n, .columns = n,
                                           .ld = problem->a.ld, .part = PART_FULL};
    any->shape = (struct route_shape){.family = problem->family, .type = problem->type, .m = m, .n = n, .k = n};
    any->shape.bytes_up = matrix_bytes(&problem->a, problem->type) + matrix_bytes(&problem->b, problem->type);
    any->shape.bytes_down = matrix_bytes(&problem->b, problem->type) + matrix_bytes(&problem->vt, problem->type);
    return true;
}

static bool read(const struct lapack_call *call, struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    struct singular_problem *const problem = &any->singular;
    problem->family = call->routine->family;
    problem->type = call->routine->type;
    problem->m = lapack_integer(call, places->m);
    problem->n = lapack_integer(call, places->n);
    if (places->nrhs)
        return read_least_squares(call, any);
    const int64_t least = smaller(problem->m, problem->n), most = larger(problem->m, problem->n);
    if (least >= 2 && most / RATIO_MOST > least)
        any->variant = "one of M and N being far larger than the other";
    if (least < 2 || most / RATIO_MOST > least || !read_matrices(call, places, problem) ||
        lapack_integer(call, places->lwork) < least_workspace(call, places, problem) ||
        overlaps(call, places, problem))
        return false;
    any->shape = (struct route_shape){.family = problem->family, .type = problem->type,
                                      .vectors = problem->u.pointer || problem->vt.pointer, .m = most,
                                      .n = least, .k = least};
    any->shape.bytes_up = matrix_bytes(&problem->a, problem->type);
    any->shape.bytes_down =
        matrix_bytes(&problem->u, problem->type) + matrix_bytes(&problem->vt, problem->type);
    return true;
}

static bool describe(const struct lapack_call *call, struct lapack_problem *any, struct route *route)
{
    (void)call;
    struct singular_problem *const problem = &any->singular;
    const size_t count = (size_t)smaller(problem->m, problem->n);
    any->memory = problem->values = malloc(count * (sizeof(double) + blas_element_bytes(TYPE_Z)));
    if (!any->memory)
        return false;
    problem->reciprocals = (char *)any->memory + count * sizeof(double);
    (problem->b.pointer ? least_squares_describe : singular_describe)(problem, route);
    return true;
}

static void write(const struct lapack_call *call, const struct lapack_problem *any)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct singular_problem *const problem = &any->singular;
    const size_t real = blas_real_bytes(problem->type);
    memcpy(lapack_address(call, places->s), problem->values, (size_t)smaller(problem->m, problem->n) * real);
    if (places->rank)
        lapack_put_integer(call, places->rank, 0, problem->rank);
}

const struct lapack_methods singular_methods = {read, describe, write, 6.5, 3};
