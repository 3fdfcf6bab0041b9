#include "lapack/reduction.h"

void reduction_describe(struct reduction_problem *problem, struct route *route)
{
    *route = (struct route){.problem = problem, .type = problem->type};
    if (problem->family == LAPACK_SYGST)
        standard_describe(problem, route);
    else
        tridiagonal_describe(problem, route);
}
