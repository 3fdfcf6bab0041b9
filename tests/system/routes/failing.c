/* failing [ROUTINE...]: one call each of some routines, or of those named, on a device that fails: results as
 * ever, and nothing written that LAPACK does not write. One line for each that is wrong. */
#include "eigen_run.h"

#include <stdio.h>
#include <string.h>

enum { ORDER = 70 };

static const struct example {
    const char *name;
    char jobz, range;
} examples[] = {{"dsyevd", 'V', 'A'}, {"dsyevd", 'N', 'A'}, {"zheevd", 'V', 'A'}, {"dsyevr", 'V', 'I'},
                {"dsyevx", 'V', 'V'}, {"ssyev", 'V', 'A'},  {"dsygvd", 'V', 'A'}, {"zhegvx", 'V', 'I'},
                {"dspgvd", 'V', 'A'}, {"zhpevx", 'V', 'I'}};

static bool is_right(const struct example *example, struct random *random)
{
    const struct lapack_routine *routine = lapack_routine(example->name + 1, *example->name);
    struct eigen_problem problem = {
        .type = *example->name, .n = ORDER, .itype = has(routine, "itype") ? 1 : 0};
    int below = 0;
    eigen_problem_make(&problem, random);
    const double border = eigen_problem_border(&problem, ORDER / 4, &below);
    struct eigen_run run = {.problem = &problem,
                            .gap = 3,
                            .expected = example->range == 'A'   ? ORDER
                                        : example->range == 'I' ? ORDER / 5
                                                                : ORDER - below,
                            .call = {.routine = routine,
                                     .type = problem.type,
                                     .jobz = example->jobz,
                                     .range = example->range,
                                     .uplo = 'L',
                                     .il = 1,
                                     .iu = ORDER / 5,
                                     .vl = lapack_real_of(problem.type, border),
                                     .vu = lapack_real_of(problem.type, 1e4)}};
    eigen_run_make(&run);
    eigen_run_perform(&run);
    const char *fault = eigen_run_fault(&run);
    if (fault)
        printf("%s: %s\n", eigen_run_words(&run), fault);
    eigen_run_free(&run);
    eigen_problem_free(&problem);
    return !fault;
}

int main(int count, char **words)
{
    struct random random = {31};
    int wrong = 0;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        bool wanted = count == 1;
        for (int j = 1; j < count; j++)
            wanted = wanted || strcmp(words[j], examples[i].name) == 0;
        wrong += wanted && !is_right(&examples[i], &random);
    }
    return wrong != 0;
}
