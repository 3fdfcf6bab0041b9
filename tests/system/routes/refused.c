/* refused WAY [ORDER [CALLS]]: three dsyevd, or CALLS, that no route takes, whatever it was started for; what
 * they call inside is counted as ever. Prints whether results are the host's. order ORDER  of that order,
 * which a setting or a bound of the test's script refuses nan          with a NaN on the diagonal On one
 * processor: what is predicted is then the same on every machine. */
#include "../one_processor.h"
#include "symmetric.h"
#include "tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { ORDER = 150 };

static bool has_nan(const struct symmetric *problem)
{
    bool found = false;
    for (int i = 0; i < problem->n; i++)
        found = found || isnan(problem->w[i]);
    return found;
}

int main(int count, char **words)
{
    const bool nan = count > 1 && strcmp(words[1], "nan") == 0;
    const int order = count > 2 ? atoi(words[2]) : ORDER, calls = count > 3 ? atoi(words[3]) : 3;
    int right = 0;
    if (count < 2)
        return 2;
    alarm(120);
    use_one_processor();
    for (int i = 0; i < calls; i++) {
        struct symmetric problem = symmetric_make(order, i);
        if (nan)
            problem.given[order / 2 * (order + 1)] = NAN;
        const int info = symmetric_solve(&problem);
        right += nan ? info > 0 || has_nan(&problem) : info == 0 && symmetric_is_right(&problem);
        symmetric_free(&problem);
    }
    tap_ok(right == calls, "%d of %d dsyevd that are refused (%s) are right", right, calls, words[1]);
    return tap_done();
}
