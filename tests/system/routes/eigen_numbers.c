/* Values on an interval's ends, numbers that are not finite, B that is not definite. */
#include "eigen_run.h"
#include "eigen_sections.h"

#include <stdio.h>
#include <string.h>

static struct eigen_run run_of(const struct eigen_problem *problem, const struct lapack_routine *routine,
                               int flags)
{
    return (struct eigen_run){
        .problem = problem, .expected = problem->n,
        .call = {.routine = routine, .type = problem->type, .range = 'A', .jobz = "NV"[flags / 2 % 2],
                 .uplo = "UL"[flags % 2], .abstol = lapack_real_of(problem->type, 0)}};
}

static int count_between(const struct eigen_problem *problem, double lower, double upper)
{
    int count = 0;
    for (int i = 0; i < problem->n; i++)
        count += problem->values[i] > lower && problem->values[i] <= upper;
    return count;
}

void eigen_half_open(const struct lapack_routine *routine, char type, struct random *random)
{
    struct eigen_problem problem = {.type = type, .n = 37, .spectrum = SPECTRUM_DIAGONAL};
    int calls = 0, wrong = 0;
    char name[16];
    lapack_name(routine, type, name);
    eigen_problem_make(&problem, random);
    for (int first = 0; first < problem.n; first += 5)
        for (int flags = 0; flags < 4; flags++) {
            struct eigen_run run = run_of(&problem, routine, flags);
            const double lower = problem.values[first], upper = lower + 4;
            run.call.range = 'V';
            run.call.vl = lapack_real_of(type, lower), run.call.vu = lapack_real_of(type, upper);
            run.expected = count_between(&problem, lower, upper);
            eigen_run_make(&run);
            eigen_run_perform(&run);
            const char *fault = eigen_run_fault(&run);
            if (fault && wrong++ < 3)
                printf("# %s: %s (m %d, host %d, expected %d)\n", eigen_run_words(&run), fault,
                       run.call.found, run.host.found, run.expected);
            calls++;
            eigen_run_free(&run);
        }
    eigen_problem_free(&problem);
    eigen_line(name, wrong, calls, "intervals wrong that end at values");
}

/* Element (i, i) or beside it in the triangle, of both copies. */
static void set_element(struct eigen_run *run, int i, bool beside, double value)
{
    const int row = beside && run->call.uplo == 'L' ? i + 1 : i,
              column = beside && run->call.uplo == 'U' ? i + 1 : i;
    const int64_t n = run->call.n, j = column;
    const int64_t place = has(run->call.routine, "lda")  ? row + j * run->call.lda
                          : run->call.uplo == 'U' ? row + j * (j + 1) / 2
                                                  : row + j * (2 * n - j - 1) / 2;
    for (int twin = 0; twin < 2; twin++)
        set_part(run->call.type, fenced_data(&run->a, twin), place, 0, value);
}

void eigen_not_finite(const struct lapack_routine *routine, char type, struct random *random)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    const bool generalised = has(routine, "itype");
    int calls = 0, wrong = 0;
    char name[16];
    lapack_name(routine, type, name);
    for (int order = 1; order <= 70; order = order * 4 + 1)
        for (int way = 0; way < 24; way++) {
            struct eigen_problem problem = {.type = type, .n = order, .itype = generalised ? 1 : 0};
            eigen_problem_make(&problem, random);
            struct eigen_run run = run_of(&problem, routine, way);
            eigen_run_make(&run);
            set_element(&run, (int)random_below(random, (size_t)order - (order > 1)),
                        way / 4 % 2 && order > 1, values[way / 8]);
            eigen_run_perform(&run);
            const char *fault = eigen_run_failure_fault(&run);
            if (!fault && run.call.info == 0 && !fenced_agrees(&run.w, INFINITY))
                fault = "W is NaN elsewhere than the host's";
            if (fault && wrong++ < 3)
                printf("# %s with %g: %s (info %d, host %d)\n", eigen_run_words(&run), values[way / 8], fault,
                       run.call.info, run.host.info);
            calls++;
            eigen_run_free(&run);
            eigen_problem_free(&problem);
        }
    eigen_line(name, wrong, calls, "calls wrong with NaN or infinity");
}

/* Minor number `minor` is the first that is not positive. */
static bool indefinite_is_right(struct eigen_problem *problem, const struct lapack_routine *routine,
                                int flags, int minor)
{
    struct eigen_run run = run_of(problem, routine, flags);
    run.gap = flags % 3;
    set_part(problem->type, problem->b, (int64_t)(minor - 1) * (problem->n + 1), 0, -1);
    eigen_run_make(&run);
    eigen_run_perform(&run);
    const double most = 100 * (problem->n + 1) * unit_roundoff(problem->type) * problem->norm_b;
    const char *fault = eigen_run_failure_fault(&run);
    if (!fault && run.call.info != problem->n + minor)
        fault = "INFO is not N + i";
    if (!fault && (!fenced_agrees(&run.a, 0) || !fenced_agrees(&run.b, most)))
        fault = "A or B is not what the host leaves";
    if (fault)
        printf("# %s, minor %d: %s (info %d, host %d)\n", eigen_run_words(&run), minor, fault, run.call.info,
               run.host.info);
    eigen_run_free(&run);
    return !fault;
}

void eigen_indefinite(const struct lapack_routine *routine, char type, struct random *random)
{
    static const int orders[] = {1, 2, 33, 65, 130};
    int calls = 0, wrong = 0;
    char name[16];
    lapack_name(routine, type, name);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int way = 0; way < 12; way++) {
            const int n = orders[i];
            struct eigen_problem problem = {.type = type, .n = n, .itype = way % 3 + 1};
            eigen_problem_make(&problem, random);
            const int minor = way < 4 ? 1 : way < 8 ? n : 1 + (int)random_below(random, (size_t)n);
            wrong += !indefinite_is_right(&problem, routine, way, minor);
            calls++;
            eigen_problem_free(&problem);
        }
    eigen_line(name, wrong, calls, "calls wrong with an indefinite B");
}
