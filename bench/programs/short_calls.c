/* short_calls.c - a whole short process: CALLS calls of one routine, each on operands that were written anew.
 *
 *     short_calls dsyevd|dgesv|dgemm N CALLS
 *
 * prints one line, `routine,n,calls,first_seconds,calls_seconds`: the first call and all calls together, without
 * what is around them. The last result is looked at in one place, which costs nothing. Exit status: 0, 1 when a
 * routine fails or a result is wrong, 2 for bad arguments. short.py times the process from outside. */
#include "../timing.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <math.h>
#include <stdio.h>

struct task {
    int n;
    struct matrix problem;
    double *origin, *matrix; /* `matrix` is written from `origin` before each call */
    double *second, *result; /* a call's other operand, and its result beside the matrix; by routine */
    double *work;
    int *integers, length, integer_length;
};

struct routine {
    const char *name;
    void (*prepare)(struct task *task);
    void (*call)(struct task *task);
    double (*error)(const struct task *task); /* of the last result, over what is right */
};

static void dsyevd_prepare(struct task *task)
{
    const int query = -1;
    int info;
    double wanted;
    task->result = allocate((size_t)task->n);
    dsyevd_("V", "L", &task->n, task->matrix, &task->n, task->result, &wanted, &query, &task->integer_length,
            &query, &info, 1, 1);
    task->length = (int)wanted;
    task->work = allocate((size_t)task->length);
    task->integers = allocate_integers((size_t)task->integer_length);
}

static void dsyevd_call(struct task *task)
{
    int info;
    dsyevd_("V", "L", &task->n, task->matrix, &task->n, task->result, task->work, &task->length,
            task->integers, &task->integer_length, &info, 1, 1);
    expect_success("dsyevd", info);
}

/* The eigenvalues' sum is the trace. */
static double dsyevd_error(const struct task *task)
{
    double sum = 0, size = 0;
    for (int i = 0; i < task->n; i++) {
        sum += task->result[i] - task->origin[(size_t)i * (size_t)task->n + (size_t)i];
        size += fabs(task->result[i]);
    }
    return fabs(sum) / size;
}

static void dgesv_prepare(struct task *task)
{
    const struct matrix sides = problem_right_hand_sides(task->n);
    task->second = allocate(matrix_size(&sides));
    task->result = allocate(matrix_size(&sides));
    task->integers = allocate_integers((size_t)task->n);
    matrix_fill(&sides, task->second);
}

static void dgesv_call(struct task *task)
{
    const int sides = RIGHT_HAND_SIDES;
    int info;
    memcpy(task->result, task->second, (size_t)task->n * RIGHT_HAND_SIDES * sizeof *task->result);
    dgesv_(&task->n, &sides, task->matrix, &task->n, task->integers, task->result, &task->n, &info);
    expect_success("dgesv", info);
}

/* A's first row times the first solution. */
static double first_row(const struct task *task, const double *column, double *size)
{
    double sum = 0;
    for (int j = 0; j < task->n; j++) {
        const double term = task->origin[(size_t)j * (size_t)task->n] * column[j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static double dgesv_error(const struct task *task)
{
    double size = 0;
    const double sum = first_row(task, task->result, &size);
    return fabs(sum - task->second[0]) / size;
}

static void dgemm_prepare(struct task *task)
{
    task->second = allocate(matrix_size(&task->problem));
    task->result = allocate(matrix_size(&task->problem));
    memcpy(task->second, task->origin, matrix_size(&task->problem) * sizeof *task->second);
}

static void dgemm_call(struct task *task)
{
    const double one = 1, zero = 0;
    dgemm_("N", "N", &task->n, &task->n, &task->n, &one, task->matrix, &task->n, task->second, &task->n, &zero,
           task->result, &task->n, 1, 1);
}

static double dgemm_error(const struct task *task)
{
    double size = 0;
    const double sum = first_row(task, task->second, &size);
    return fabs(sum - task->result[0]) / size;
}

static const struct routine routines[] = {
    {"dsyevd", dsyevd_prepare, dsyevd_call, dsyevd_error},
    {"dgesv", dgesv_prepare, dgesv_call, dgesv_error},
    {"dgemm", dgemm_prepare, dgemm_call, dgemm_error},
};

static int run(const struct routine *routine, int n, int calls)
{
    struct task task = {.n = n, .problem = problem_symmetric(n)};
    const size_t size = matrix_size(&task.problem);
    double first = 0, all = 0;
    task.origin = allocate(size);
    task.matrix = allocate(size);
    matrix_fill(&task.problem, task.origin);
    memcpy(task.matrix, task.origin, size * sizeof *task.matrix);
    routine->prepare(&task);
    for (int call = 0; call < calls; call++) {
        memcpy(task.matrix, task.origin, size * sizeof *task.matrix);
        const double start = seconds_now();
        routine->call(&task);
        all += seconds_now() - start;
        first = call == 0 ? all : first;
    }
    printf("%s,%d,%d,%.6f,%.6f\n", routine->name, n, calls, first, all);
    if (routine->error(&task) < 1e-9)
        return 0;
    fprintf(stderr, "short_calls: %s of order %d is wrong by %g\n", routine->name, n, routine->error(&task));
    return 1;
}

int main(int count, char **arguments)
{
    const int n = count == 4 ? atoi(arguments[2]) : 0, calls = count == 4 ? atoi(arguments[3]) : 0;
    for (size_t i = 0; i < sizeof routines / sizeof *routines && n > 0 && calls > 0; i++)
        if (strcmp(arguments[1], routines[i].name) == 0)
            return run(&routines[i], n, calls);
    fprintf(stderr, "usage: short_calls dsyevd|dgesv|dgemm N CALLS\n");
    return 2;
}
