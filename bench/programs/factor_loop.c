/* factor_loop.c - EXTRA iterations as an interior-point method has them: a positive definite matrix is made anew,
 * factored, used for SOLVES systems, its factor inverted, and PRODUCTS vectors multiplied by that. All are one
 * matrix in one place. The making is not measured. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 16, SOLVES = 20, PRODUCTS = 20 };

struct loop {
    int n;
    struct matrix a, b;
    double *factor, *sides, *product;
};

static struct loop loop_create(int n)
{
    return (struct loop){.n = n, .a = problem_definite(n), .b = problem_right_hand_sides(n),
                         .factor = allocate((size_t)n * (size_t)n),
                         .sides = allocate((size_t)n * RIGHT_HAND_SIDES), .product = allocate((size_t)n)};
}

/* Above the diagonal are zeros, as of a triangular matrix. */
static void renew(struct loop *loop, int iteration)
{
    const size_t n = (size_t)loop->n;
    matrix_fill(&loop->a, loop->factor);
    for (size_t j = 0; j < n; j++) {
        memset(loop->factor + j * n, 0, j * sizeof *loop->factor);
        loop->factor[j * (n + 1)] *= 1 + 0.125 * iteration;
    }
}

static void solve(struct loop *loop, struct run *run)
{
    const int sides = RIGHT_HAND_SIDES;
    int info;
    matrix_fill(&loop->b, loop->sides);
    run_call_begins(run);
    dpotrs_("L", &loop->n, &sides, loop->factor, &loop->n, loop->sides, &loop->n, &info, 1);
    run_call_ends(run);
    expect_success("dpotrs", info);
}

static void multiply(struct loop *loop, struct run *run)
{
    const double plus = 1, zero = 0;
    const int one = 1;
    run_call_begins(run);
    dgemv_("N", &loop->n, &loop->n, &plus, loop->factor, &loop->n, loop->sides, &one, &zero, loop->product, &one, 1);
    run_call_ends(run);
}

static void iterate(struct loop *loop, struct run *run, int iteration)
{
    int info;
    renew(loop, iteration);
    run_start(run);
    run_call_begins(run);
    dpotrf_("L", &loop->n, loop->factor, &loop->n, &info, 1);
    run_call_ends(run);
    expect_success("dpotrf", info);
    for (int i = 0; i < SOLVES; i++)
        solve(loop, run);
    if (iteration == 0) {
        struct matrix x = matrix_dense((size_t)loop->n, RIGHT_HAND_SIDES, loop->sides);
        run_stop(run);
        run_checked(run, check_solution(&loop->a, &x, &loop->b), -1);
        run_start(run);
    }
    run_call_begins(run);
    dtrtri_("L", "N", &loop->n, loop->factor, &loop->n, &info, 1, 1);
    run_call_ends(run);
    expect_success("dtrtri", info);
    for (int i = 0; i < PRODUCTS; i++)
        multiply(loop, run);
    run_stop(run);
    run_digest(run, loop->sides, (size_t)loop->n * RIGHT_HAND_SIDES);
    run_digest(run, loop->product, (size_t)loop->n);
}

int main(int count, char **arguments)
{
    struct run run = run_begin("factor_loop", count, arguments, ITERATIONS);
    struct loop loop = loop_create(run.n);
    while (run_next(&run))
        for (int i = 0; i < run.extra; i++)
            iterate(&loop, &run, i);
    free(loop.factor);
    free(loop.sides);
    free(loop.product);
    return run_finish(&run);
}
