#include "tuner/nonnegative.h"

#include <math.h>
#include <stdbool.h>

/* Scaled so that the diagonal is 1. */
struct problem {
    int count;
    double s[NONNEGATIVE_MOST][NONNEGATIVE_MOST], r[NONNEGATIVE_MOST], x[NONNEGATIVE_MOST];
    bool in[NONNEGATIVE_MOST], barred[NONNEGATIVE_MOST]; /* free; depends on free ones */
};

static const double SINGULAR = 1e-9, FLAT = 1e-10;

/* The minimum over the free coefficients alone, whatever their signs. The number of one whose column depends
 * on those before; -1: none. */
static int solve_free(const struct problem *problem, double *y)
{
    double l[NONNEGATIVE_MOST][NONNEGATIVE_MOST] = {{0}};
    int of[NONNEGATIVE_MOST], n = 0;
    for (int i = 0; i < problem->count; i++)
        if (problem->in[i])
            of[n++] = i;
    for (int i = 0; i < n; i++) {
        double sum = problem->r[of[i]];
        for (int k = 0; k <= i; k++) {
            double rest = problem->s[of[i]][of[k]];
            for (int j = 0; j < k; j++)
                rest -= l[i][j] * l[k][j];
            if (k == i && rest < SINGULAR)
                return of[i];
            l[i][k] = k == i ? sqrt(rest) : rest / l[k][k];
        }
        for (int k = 0; k < i; k++)
            sum -= l[i][k] * y[of[k]];
        y[of[i]] = sum / l[i][i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++)
            y[of[i]] -= l[k][i] * y[of[k]];
        y[of[i]] /= l[i][i];
    }
    return -1;
}

/* Towards y as far as none is negative; who is at 0 then is held there. True: it was all the way. */
static bool step_to(struct problem *problem, const double *y)
{
    double part = 1;
    for (int i = 0; i < problem->count; i++)
        if (problem->in[i] && y[i] <= 0)
            part = fmin(part, problem->x[i] / (problem->x[i] - y[i]));
    for (int i = 0; i < problem->count; i++)
        if (problem->in[i]) {
            problem->x[i] += part * (y[i] - problem->x[i]);
            if (part < 1 && y[i] <= 0 && problem->x[i] <= FLAT * fabs(y[i])) {
                problem->x[i] = 0;
                problem->in[i] = false;
            }
        }
    return part >= 1;
}

/* Who would gain most by being free; -1: nobody would. */
static int steepest(const struct problem *problem)
{
    double most = FLAT;
    int best = -1;
    for (int i = 0; i < problem->count; i++) {
        double slope = problem->r[i];
        for (int k = 0; k < problem->count; k++)
            slope -= problem->s[i][k] * problem->x[k];
        if (!problem->in[i] && !problem->barred[i] && slope > most * fmax(1, fabs(problem->r[i])))
            most = slope, best = i;
    }
    return best;
}

static struct problem scaled(const double *squares, const double *right, int count, double *scale)
{
    struct problem problem = {.count = count};
    for (int i = 0; i < count; i++)
        scale[i] = squares[i * count + i] > 0 ? 1 / sqrt(squares[i * count + i]) : 0;
    for (int i = 0; i < count; i++) {
        problem.r[i] = right[i] * scale[i];
        problem.barred[i] = scale[i] == 0;
        for (int k = 0; k < count; k++)
            problem.s[i][k] = squares[i * count + k] * scale[i] * scale[k];
    }
    return problem;
}

void nonnegative_solve(const double *squares, const double *right, int count, double *x)
{
    double scale[NONNEGATIVE_MOST], y[NONNEGATIVE_MOST];
    struct problem problem = scaled(squares, right, count, scale);
    const int turns_most = 10 * count;
    int turns = 0;
    for (int next; turns < turns_most && (next = steepest(&problem)) >= 0;) {
        bool done = false;
        problem.in[next] = true;
        for (; !done && turns < turns_most; turns++) {
            const int dependent = solve_free(&problem, y);
            if (dependent >= 0) { /* the one that is new, whichever comes later in the order */
                problem.in[next] = false;
                problem.barred[next] = true;
                break;
            }
            done = step_to(&problem, y);
        }
    }
    for (int i = 0; i < count; i++)
        x[i] = problem.x[i] * scale[i];
}
