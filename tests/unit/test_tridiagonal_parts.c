/* Which tridiagonal matrices fall into parts that LAPACK scales far apart. */
#include "lapack/problems.h"
#include "tap.h"
#include "unit_test.h"

#include <float.h>
#include <math.h>

enum { N = 8 };

/* `first` on and beside the diagonal up to row `rows`, `second` behind, and `between` beside the diagonal
 * where they meet. */
static bool are_alike(bool is_single, double first, double second, int rows, double between)
{
    double d[N], e[N - 1];
    float single_d[N], single_e[N - 1];
    for (int i = 0; i < N; i++)
        single_d[i] = (float)(d[i] = i < rows ? first : second);
    for (int i = 0; i < N - 1; i++)
        single_e[i] = (float)(e[i] = i == rows - 1 ? between : d[i]);
    return is_single ? tridiagonal_parts_are_alike(single_d, single_e, N, TYPE_C)
                     : tridiagonal_parts_are_alike(d, e, N, TYPE_D);
}

/* Is this element between rows of 1 and `little` left out, and no other? */
static bool is_torn(bool is_single, double little, double between)
{
    double d[N], e[N - 1];
    float single_d[N], single_e[N - 1];
    bool torn = true;
    for (int i = 0; i < N; i++)
        single_d[i] = (float)(d[i] = i == N / 2 ? -little : 1);
    for (int i = 0; i < N - 1; i++)
        single_e[i] = (float)(e[i] = i == N / 2 ? between : 0.5);
    if (is_single)
        tridiagonal_parts_tear(single_d, single_e, N, TYPE_C);
    else
        tridiagonal_parts_tear(d, e, N, TYPE_D);
    for (int i = 0; i < N - 1; i++)
        torn = torn && (is_single ? (double)single_e[i] : e[i]) == (i == N / 2 ? 0 : 0.5);
    return torn;
}

UNIT_TEST(test_tridiagonal_parts)
{
    const double little = 0x1p-11, less = 0x1p-9;
    for (int is_single = 0; is_single < 2; is_single++) {
        const double epsilon = (is_single ? FLT_EPSILON : DBL_EPSILON) / 2;
        const char *const type = is_single ? "single" : "double";
        tap_ok(are_alike(is_single, 1, 1, 4, 0) && are_alike(is_single, 1, -less, 4, 0) &&
                   are_alike(is_single, -less, 1, 4, 0),
               "%s: parts of about one size are alike", type);
        tap_ok(!are_alike(is_single, 1, little, 4, 0) && !are_alike(is_single, -little, 1, 4, 0),
               "%s: a small part is not, behind or before", type);
        tap_ok(are_alike(is_single, 1, little, N - 1, 0) && are_alike(is_single, little, 1, 1, 0) &&
                   are_alike(is_single, 1, 0, N - 1, 0),
               "%s: but one row alone is", type);
        const double border = epsilon * sqrt(little);
        tap_ok(!are_alike(is_single, 1, little, 4, 0.99 * border) &&
                   !are_alike(is_single, 1, little, 4, -0.99 * border) &&
                   are_alike(is_single, 1, little, 4, 1.01 * border) &&
                   are_alike(is_single, 1, little, 4, -1.01 * border),
               "%s: what is not negligible joins them", type);
        tap_ok(are_alike(is_single, 0, 0, 4, 0), "%s: zeros are rows alone", type);
        tap_ok(is_torn(is_single, little, 0.99 * border) && is_torn(is_single, little, -0.99 * border) &&
                   !is_torn(is_single, little, 1.01 * border),
               "%s: what is negligible becomes zero, and nothing else", type);
    }
    return tap_done();
}
