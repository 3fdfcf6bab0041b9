/* factor_loop.c - EXTRA iterations of an interior-point method's kind on one matrix in one place: the program makes
 * its lower triangle anew, factors it, solves by the factor, inverts that, solves by it again, and multiplies by the
 * block below its diagonal. The making is not measured. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 16, SOLVES = 8, PRODUCTS = 8 };

struct loop {
    int n;
    struct matrix a, b;
    double *factor, *sides, *product;
};

static struct loop loop_create(int n)
{
    const size_t size = (size_t)n * (size_t)n;
    struct loop loop = {.n = n, .a = problem_definite(n), .b = problem_right_hand_sides(n), .factor = allocate(size),
                        .sides = allocate((size_t)n * RIGHT_HAND_SIDES), .product = allocate((size_t)n)};
    memset(loop.factor, 0, size * sizeof *loop.factor);
    memset(loop.product, 0, (size_t)n * sizeof *loop.product);
    return loop;
}

static double element(const struct loop *loop, int row, int column, int iteration)
{
    const double step = 1.0 / (1 + row - column + iteration);
    return row == column ? loop->n + iteration : step;
}

/* No more of the matrix than dpotrf reads. The first one can be checked. */
static void renew(struct loop *loop, int iteration)
{
    const int n = loop->n;
    if (iteration == 0) {
        matrix_fill(&loop->a, loop->factor);
        return;
    }
    for (int column = 0; column < n; column++)
        for (int row = column; row < n; row++)
            loop->factor[row + (size_t)column * (size_t)n] = element(loop, row, column, iteration);
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
    const int one = 1, columns = loop->n / 2, rows = loop->n - columns;
    run_call_begins(run);
    dgemv_("N", &rows, &columns, &plus, loop->factor + columns, &loop->n, loop->sides, &one, &zero, loop->product, &one,
           1);
    run_call_ends(run);
}

static void factorise(struct loop *loop, struct run *run)
{
    int info;
    run_call_begins(run);
    dpotrf_("L", &loop->n, loop->factor, &loop->n, &info, 1);
    run_call_ends(run);
    expect_success("dpotrf", info);
}

static void invert(struct loop *loop, struct run *run)
{
    int info;
    run_call_begins(run);
    dtrtri_("L", "N", &loop->n, loop->factor, &loop->n, &info, 1, 1);
    run_call_ends(run);
    expect_success("dtrtri", info);
}

static void check(struct loop *loop, struct run *run)
{
    const struct matrix x = matrix_dense((size_t)loop->n, RIGHT_HAND_SIDES, loop->sides);
    run_stop(run);
    run_checked(run, check_solution(&loop->a, &x, &loop->b), -1);
    run_start(run);
}

static void iterate(struct loop *loop, struct run *run, int iteration)
{
    renew(loop, iteration);
    run_start(run);
    factorise(loop, run);
    solve(loop, run);
    if (iteration == 0)
        check(loop, run);
    for (int i = 1; i < SOLVES; i++)
        solve(loop, run);
    run_digest(run, loop->sides, (size_t)loop->n);
    invert(loop, run);
    for (int i = 0; i < SOLVES; i++)
        solve(loop, run);
    for (int i = 0; i < PRODUCTS; i++)
        multiply(loop, run);
    run_stop(run);
    run_digest(run, loop->sides, (size_t)loop->n);
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
