#include "eigen_run.h"
#include "eigen_sections.h"

#include <stdio.h>

enum { INTERVALS = 7, FAULTS_SHOWN = 5 };

struct tally {
    int calls, wrong;
};

/* A number that differs from one variant to the next, and not in step with the flags. */
static int variant_of(const struct tally *tally)
{
    return tally->calls + tally->calls / 8 + tally->calls / 64;
}

/* Sets il and iu, for RANGE='I'. */
static void choose_indices(struct eigen_run *run, int interval)
{
    const int n = run->problem->n, middle = (n + 1) / 2;
    const int bounds[INTERVALS][2] = {{1, n}, {1, 1}, {n, n}, {middle, middle}, {1, middle}, {middle, n},
                                      {n > 2 ? 2 : 1, n > 2 ? n - 1 : n}};
    run->call.il = n > 0 ? bounds[interval][0] : 1;
    run->call.iu = n > 0 ? bounds[interval][1] : 0;
    run->expected = run->call.iu - run->call.il + 1;
}

/* Chooses bounds between values for RANGE='V', and some intervals without any. */
static void choose_bounds(struct eigen_run *run, int interval)
{
    const struct eigen_problem *problem = run->problem;
    const int n = problem->n;
    const int ranks[INTERVALS][2] = {
        {0, n}, {0, n / 3}, {n / 2, n}, {n / 3, (n + 2) / 3}, {n > 0 ? n - 1 : 0, n}, {0, 0}, {n, n}};
    int below, until;
    double lower = eigen_problem_border(problem, ranks[interval][0], &below);
    double upper = eigen_problem_border(problem, ranks[interval][1], &until);
    if (upper <= lower) /* nothing between */
        upper = lower + (below == 0 ? 0.5 : fabs(lower)), until = below;
    if (below > 0 && below < n && until == below)
        upper = lower + eigen_problem_tolerance(problem);
    run->call.vl = lapack_real_of(problem->type, ldexp(lower, problem->exponent));
    run->call.vu = lapack_real_of(problem->type, ldexp(upper, problem->exponent));
    run->expected = until - below;
}

static void try_one(struct eigen_run *run, int interval, struct tally *tally)
{
    if (run->call.range == 'I')
        choose_indices(run, interval);
    else if (run->call.range == 'V')
        choose_bounds(run, interval);
    else
        run->expected = run->problem->n;
    eigen_run_make(run);
    eigen_run_perform(run);
    const char *fault = eigen_run_fault(run);
    if (fault && tally->wrong++ < FAULTS_SHOWN)
        printf("# %s: %s (info %d, host %d; m %d, host %d, expected %d)\n", eigen_run_words(run), fault,
               run->call.info, run->host.info, run->call.found, run->host.found, run->expected);
    eigen_run_free(run);
    tally->calls++;
}

/* LAPACK scales a tiny matrix to about the root of the smallest normal number, and its stebz, which has a part of the
 * values, drops what is smaller than that number in the squares of the off-diagonal: by some of them it finds other
 * values, or more of them, on any host. */
static bool is_exact(const struct eigen_run *run)
{
    return run->problem->exponent >= 0 || lapack_position(run->call.routine, "isuppz");
}

static void try_ranges(struct eigen_run *run, struct tally *tally)
{
    const bool ranged = lapack_position(run->call.routine, "range") && is_exact(run);
    const double tiniest = run->call.type == 's' || run->call.type == 'c' ? 0x1p-125 : 0x1p-1021;
    for (const char *range = ranged ? "AIV" : "A"; *range; range++)
        for (int interval = 0; interval < (*range == 'A' ? 1 : INTERVALS); interval++) {
            const int variant = variant_of(tally);
            run->call.range = *range;
            run->call.abstol = lapack_real_of(run->call.type,
                                              variant % 3 || run->problem->exponent < 0 ? 0 : tiniest);
            run->generous = variant % 2;
            run->gap = variant % 4 ? variant % 5 : 0;
            try_one(run, interval, tally);
        }
}

/* Near the ends of the range of numbers LAPACK's standard solvers scale; the others do not. */
static int choose_exponent(const struct eigen_problem *problem, int variant)
{
    static const int exponents[] = {0, 0, 1, 0, -1, 0, 0};
    if (problem->itype)
        return 0;
    return exponents[variant % 7] * (problem->type == 's' || problem->type == 'c' ? 110 : 1000);
}

static void try_order(const struct lapack_routine *routine, char type, int n,
                      const struct eigen_options *options, struct tally *tally, struct random *random)
{
    const bool generalised = lapack_position(routine, "itype") != 0;
    for (int itype = generalised ? 1 : 0; itype <= (generalised ? 3 : 0); itype++)
        for (int flags = 0; flags < 4; flags++) {
            const int variant = variant_of(tally);
            struct eigen_problem problem = {.type = type, .n = n, .itype = itype,
                                            .spectrum = (enum spectrum)(variant % SPECTRA)};
            struct eigen_run run = {.problem = &problem, .only_found_values = options->only_found_values};
            problem.exponent = choose_exponent(&problem, variant);
            eigen_problem_make(&problem, random);
            run.call = (struct lapack_call){.routine = routine, .type = type, .jobz = "NV"[flags / 2],
                                            .uplo = "UL"[flags % 2]};
            try_ranges(&run, tally);
            eigen_problem_free(&problem);
        }
}

void eigen_solve(const struct lapack_routine *routine, char type, const struct eigen_options *options,
                 struct random *random)
{
    struct tally tally = {0, 0};
    char name[16];
    lapack_name(routine, type, name);
    for (int i = 0; i < options->order_count; i++)
        try_order(routine, type, options->orders[i], options, &tally, random);
    eigen_line(name, tally.wrong, tally.calls, "calls wrong");
}
