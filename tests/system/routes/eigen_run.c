#include "eigen_run.h"

#include "host_lapack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool has(const struct lapack_routine *routine, const char *parameter)
{
    return lapack_position(routine, parameter) != 0;
}

static bool is_packed(const struct lapack_routine *routine)
{
    return !has(routine, "lda");
}

/* The last letter but for v says how much: the reference's documentation. */
struct workspace eigen_least_workspace(const struct lapack_routine *routine, char type, char jobz, int n)
{
    const bool vectors = jobz == 'V', in_two = is_complex(type);
    const int least = n > 1 ? n : 1;
    struct workspace size;
    switch (routine->name[4]) {
    case 'd':
        if (n <= 1)
            size = (struct workspace){1, 1, 1};
        else if (is_packed(routine))
            size = (struct workspace){in_two ? (vectors ? 2 * n : n) : 2 * n, vectors ? 1 + 5 * n + 2 * n * n : n, 0};
        else if (in_two)
            size = (struct workspace){vectors ? 2 * n + n * n : n + 1, vectors ? 1 + 5 * n + 2 * n * n : n,
                                      0};
        else
            size = (struct workspace){vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1, 0, 0};
        if (is_packed(routine) && vectors && !in_two && n > 1)
            size.work = 1 + 6 * n + (has(routine, "itype") ? 2 : 1) * n * n;
        size.iwork = vectors && n > 1 ? 3 + 5 * n : 1;
        break;
    case 'r': size = (struct workspace){in_two ? 2 * least : 26 * least, 24 * least, 10 * least}; break;
    case 'x': size = (struct workspace){(in_two ? 2 : 8) * least, 7 * least, 5 * least}; break;
    default:
        size = (struct workspace){in_two ? 2 * least - 1 : 3 * least - !is_packed(routine),
                                  least > 1 ? 3 * n - 2 : 1, 0};
    }
    if (!in_two)
        size.rwork = 0;
    return size;
}

static int whole(char type, const void *memory)
{
    return (int)real_at(type, memory, 0);
}

/* The answer to the host's query. */
static struct workspace generous_workspace(const struct eigen_run *run, struct workspace least)
{
    double work[2] = {0}, rwork[1] = {0};
    int iwork = 0;
    char name[16];
    struct lapack_call query = run->call;
    query.lwork = query.lrwork = query.liwork = -1;
    query.work = work, query.rwork = rwork, query.iwork = &iwork;
    lapack_name(query.routine, query.type, name);
    lapack_perform(&query, host_function(name));
    least.work = whole(query.type, work);
    if (has(query.routine, "lrwork"))
        least.rwork = whole(query.type, rwork);
    if (has(query.routine, "liwork"))
        least.iwork = iwork;
    return least;
}

static void make_workspaces(struct eigen_run *run)
{
    struct lapack_call *call = &run->call;
    struct workspace size = eigen_least_workspace(call->routine, call->type, call->jobz, call->n);
    if (run->generous && has(call->routine, "lwork"))
        size = generous_workspace(run, size);
    fenced_make(&run->work, call->type, 1, size.work, 1);
    fenced_make(&run->rwork, real_type(call->type), 1, size.rwork, 1);
    fenced_make(&run->iwork, 's', 1, size.iwork, 1);
    call->lwork = size.work, call->lrwork = size.rwork, call->liwork = size.iwork;
    fenced_close(&run->work, 'F', size.work);
    fenced_close(&run->rwork, 'F', size.rwork);
    fenced_close(&run->iwork, 'F', size.iwork);
}

/* The part of A that LAPACK may destroy. */
static char destroyed(const struct lapack_call *call)
{
    return call->jobz == 'V' && !has(call->routine, "z") ? 'F' : call->uplo;
}

/* LAPACK takes the diagonal for real, whatever its imaginary parts are (but zheevr counts them for its
 * scaling). */
static double *program_matrix(const struct eigen_problem *problem, const double *matrix, int exponent)
{
    const int n = problem->n;
    double *copy = dense_copy(problem->type, n, n, matrix, n);
    for (int64_t i = 0; i < (int64_t)n * n; i++)
        for (int part = 0; part <= is_complex(problem->type); part++) {
            const number value = get(problem->type, copy, i);
            const double old = (double)(part ? cimagl(value) : creall(value));
            set_part(problem->type, copy, i, part, ldexp(part && i % (n + 1) == 0 ? 0.375 : old, exponent));
        }
    return copy;
}

static void make_triangle(struct eigen_run *run, struct fenced *operand, const double *matrix, int ld, char written)
{
    const struct lapack_call *const call = &run->call;
    const int n = call->n;
    if (is_packed(call->routine)) {
        fenced_make(operand, call->type, (int64_t)n * (n + 1) / 2, n > 0, (int64_t)n * (n + 1) / 2);
        fenced_fill_packed(operand, call->uplo, n, matrix);
        fenced_close(operand, 'F', 1);
        return;
    }
    fenced_make(operand, call->type, n, n, ld);
    fenced_fill(operand, call->uplo, matrix);
    fenced_close(operand, written, n);
}

static void make_matrices(struct eigen_run *run)
{
    const struct eigen_problem *problem = run->problem;
    struct lapack_call *call = &run->call;
    double *a = program_matrix(problem, problem->a, problem->exponent);
    make_triangle(run, &run->a, a, call->lda, destroyed(call));
    if (problem->b) {
        double *b = program_matrix(problem, problem->b, 0);
        make_triangle(run, &run->b, b, call->ldb, call->uplo);
        free(b);
    }
    free(a);
}

static void make_results(struct eigen_run *run)
{
    struct lapack_call *call = &run->call;
    const bool ranged = has(call->routine, "range"), apart = has(call->routine, "z");
    const int n = call->n, room = ranged && n > 0 && run->expected < 1 ? 1 : run->expected;
    fenced_make(&run->w, real_type(call->type), 1, run->only_found_values ? room : n, 1);
    fenced_close(&run->w, 'F', run->only_found_values ? run->expected : n);
    if (call->jobz == 'V' && apart)
        fenced_make(&run->z, call->type, n, room, call->ldz);
    if (call->jobz == 'V' && ranged)
        fenced_make(&run->found, 's', 1, has(call->routine, "isuppz") ? 2 * room : n, 1);
    fenced_close(&run->z, 'F', room); /* LAPACK uses the first column where nothing is found */
    fenced_close(&run->found, 'F', n * 2);
}

static void set_memory(struct lapack_call *call, const struct eigen_run *run, bool host)
{
    call->a = fenced_data(&run->a, host), call->b = fenced_data(&run->b, host);
    call->w = fenced_data(&run->w, host), call->z = fenced_data(&run->z, host);
    call->work = fenced_data(&run->work, host), call->rwork = fenced_data(&run->rwork, host);
    call->iwork = fenced_data(&run->iwork, host);
    call->isuppz = call->ifail = fenced_data(&run->found, host);
}

void eigen_run_make(struct eigen_run *run)
{
    static const char *const absent[] = {" vl vu il iu ", " il iu ", " vl vu "};
    struct lapack_call *call = &run->call;
    const int least = run->problem->n > 1 ? run->problem->n : 1;
    call->type = run->problem->type;
    call->n = run->problem->n;
    call->itype = run->problem->itype;
    call->lda = least + run->gap;
    call->ldb = least + 2 * run->gap;
    call->ldz = call->jobz == 'V' ? least + 3 * run->gap : 1;
    call->absent = absent[call->range == 'V' ? 1 : call->range == 'I' ? 2 : 0];
    call->info = call->found = -77;
    make_workspaces(run);
    make_matrices(run);
    make_results(run);
    run->host = *call;
    set_memory(call, run, false);
    set_memory(&run->host, run, true);
}

void eigen_run_free(struct eigen_run *run)
{
    struct fenced *const operands[] = {&run->a,    &run->b,     &run->w,     &run->z,
                                       &run->work, &run->rwork, &run->iwork, &run->found};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        fenced_free(operands[i]);
}

void eigen_run_perform(struct eigen_run *run)
{
    char name[16];
    lapack_name(run->call.routine, run->call.type, name);
    lapack_perform(&run->host, host_function(name));
    lapack_perform(&run->call, lapack_linked(run->call.routine, run->call.type));
}

const char *eigen_run_words(const struct eigen_run *run)
{
    static char words[240];
    const struct lapack_call *call = &run->call;
    char name[16], interval[80] = "";
    lapack_name(call->routine, call->type, name);
    if (call->range == 'I')
        snprintf(interval, sizeof interval, " %d..%d", call->il, call->iu);
    else if (call->range == 'V')
        snprintf(interval, sizeof interval, " (%g, %g]", real_at(call->type, &call->vl, 0),
                 real_at(call->type, &call->vu, 0));
    snprintf(words, sizeof words,
             "%s jobz %c range %c%s uplo %c itype %d n %d gap %d, spectrum %d times 2^%d, %s work", name,
             call->jobz, call->range, interval, call->uplo, call->itype, call->n, run->gap,
             (int)run->problem->spectrum, run->problem->exponent, run->generous ? "generous" : "least");
    return words;
}
