/* dsyevd_threads.c - EXTRA threads, each with an eigenproblem of its own, all at once: dsyevd with vectors.
 */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <pthread.h>
#include <stdlib.h>

struct solver {
    pthread_t thread;
    int n, length, integers, info;
    double *vectors, *values, *work;
    int *integer_work;
};

static void make(struct solver *solver, int n)
{
    int query = -1;
    double wanted;
    solver->n = n;
    solver->vectors = allocate((size_t)n * (size_t)n);
    solver->values = allocate((size_t)n);
    dsyevd_("V", "L", &n, solver->vectors, &n, solver->values, &wanted, &query, &solver->integers, &query,
            &solver->info, 1, 1);
    solver->length = (int)wanted;
    solver->work = allocate((size_t)solver->length);
    solver->integer_work = allocate_integers((size_t)solver->integers);
}

static void *solve(void *context)
{
    struct solver *const solver = context;
    dsyevd_("V", "L", &solver->n, solver->vectors, &solver->n, solver->values, solver->work, &solver->length,
            solver->integer_work, &solver->integers, &solver->info, 1, 1);
    return NULL;
}

static void solve_all(struct solver *solvers, int count)
{
    for (int i = 0; i < count; i++)
        if (pthread_create(&solvers[i].thread, NULL, solve, &solvers[i]) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(solvers[i].thread, NULL);
}

int main(int count, char **arguments)
{
    struct run run = run_begin("dsyevd_threads", count, arguments, 8);
    struct matrix a = problem_symmetric(run.n);
    struct solver *const solvers = calloc((size_t)run.extra, sizeof *solvers);
    if (!solvers)
        return 1;
    for (int i = 0; i < run.extra; i++)
        make(&solvers[i], run.n);
    while (run_next(&run)) {
        for (int i = 0; i < run.extra; i++)
            matrix_fill(&a, solvers[i].vectors);
        run_start(&run);
        solve_all(solvers, run.extra);
        run_stop(&run);
        for (int i = 0; i < run.extra; i++) {
            struct matrix v = matrix_dense((size_t)run.n, (size_t)run.n, solvers[i].vectors);
            expect_success("dsyevd", solvers[i].info);
            run_digest(&run, solvers[i].values, (size_t)run.n);
            run_checked(&run, check_eigenpairs(&a, solvers[i].values, &v), check_orthogonality(&v));
        }
    }
    for (int i = 0; i < run.extra; i++) {
        free(solvers[i].integer_work);
        free(solvers[i].work);
        free(solvers[i].values);
        free(solvers[i].vectors);
    }
    free(solvers);
    return run_finish(&run);
}
