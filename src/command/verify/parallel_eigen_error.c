#include "command/lapack_call.h"
#include "command/verify/dense.h"
#include "command/verify/lapack.h"
#include "command/verify/parallel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The matrices of an eigenproblem, whole, for LAPACK's checks. */
struct whole_pencil {
    struct lapack_arguments before, after;
    struct number *room;
};

static const struct lapack_routine *whole_routine_of(const struct parallel_routine *routine)
{
    for (int i = 0; i < lapack_routine_count(); i++) {
        const struct lapack_routine *const row = lapack_routine_row(i);
        if (row->family == (enum lapack_family)routine->family && row->type == routine->type)
            return row;
    }
    return NULL;
}

static void put_whole(struct parallel_problem *problem, char letter, struct number *room, int64_t ld, void *to)
{
    const struct parallel_array *const array = parallel_problem_array(problem, letter);
    if (!array)
        return;
    parallel_array_gather(array, problem, room);
    for (int64_t j = 0; j < array->columns; j++)
        for (int64_t i = 0; i < array->rows; i++)
            number_put(problem->routine->type, to, i + j * ld, room[i + j * array->rows]);
}

static void take_numbers(const struct parallel_problem *problem, struct lapack_arguments *arguments)
{
    const int64_t n = problem->numbers[WORD_n].integer;
    *arguments = (struct lapack_arguments){
        .jobz = problem->numbers[WORD_jobz].letter, .uplo = problem->numbers[WORD_uplo].letter,
        .itype = parallel_problem_has(problem, WORD_itype) ? problem->numbers[WORD_itype].integer : 0,
        .range = parallel_problem_has(problem, WORD_range) ? problem->numbers[WORD_range].letter : 'A',
        .n = n, .m = parallel_found(problem), .lda = n, .ldb = n, .ldz = n};
}

/* Some of LAPACK's leave the vectors in A. */
static bool make_whole(struct whole_pencil *whole, const struct lapack_routine *routine,
                       struct parallel_problem *ours, struct parallel_problem *before)
{
    const int64_t n = ours->numbers[WORD_n].integer;
    const bool wants_vectors = ours->numbers[WORD_jobz].letter == 'V';
    memset(whole, 0, sizeof *whole);
    take_numbers(before, &whole->before);
    take_numbers(ours, &whole->after);
    whole->before.m = 0;
    whole->room = calloc(PARALLEL_WHOLE_MOST, sizeof *whole->room);
    if (!whole->room || !lapack_arguments_make(&whole->before, routine->type) ||
        !lapack_arguments_make(&whole->after, routine->type))
        return false;
    put_whole(before, 'A', whole->room, n, whole->before.a);
    put_whole(before, 'B', whole->room, n, whole->before.b);
    put_whole(ours, 'B', whole->room, n, whole->after.b);
    if (wants_vectors)
        put_whole(ours, 'Z', whole->room, n,
                  lapack_call_has(routine->family, "z") ? whole->after.z : whole->after.a);
    memcpy(whole->after.w, ours->vectors[WORD_w], (size_t)n * sizeof(double) / (blas_is_single(routine->type) ? 2 : 1));
    return true;
}

static void free_whole(struct whole_pencil *whole)
{
    lapack_arguments_free(&whole->before);
    lapack_arguments_free(&whole->after);
    free(whole->room);
}

/* The eigenvalues are in order. */
static double distance(const struct parallel_problem *ours, const struct parallel_problem *hosts, double norm)
{
    const enum blas_type type = ours->routine->type;
    const int64_t n = ours->numbers[WORD_n].integer, found = parallel_found(ours);
    double worst = found == parallel_found(hosts) ? 0 : (double)INFINITY;
    for (int64_t i = 0; i < found && i < n; i++)
        worst = dense_worse(worst, fabs(number_real(type, ours->vectors[WORD_w], i) -
                                        number_real(type, hosts->vectors[WORD_w], i)));
    return worst / (dense_ulp(type) * (double)n * norm);
}

double parallel_eigen_error(struct parallel_problem *ours, struct parallel_problem *hosts,
                            struct parallel_problem *before)
{
    const struct lapack_routine *const routine = whole_routine_of(ours->routine);
    struct whole_pencil whole;
    double worst = INFINITY;
    if (make_whole(&whole, routine, ours, before)) {
        const double norm = verify_lapack_kind_of(routine->family)->norm(routine, &whole.before, whole.room);
        worst = dense_worse(verify_lapack_ratio(routine, &whole.after, &whole.before), distance(ours, hosts, norm));
    }
    free_whole(&whole);
    return worst;
}
