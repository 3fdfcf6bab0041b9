/* A call whose result takes the place of what it reads, and comes home in several copies. Prints a hash of
 * all results. Argument: dgemm, dsyevd or dgesv. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);

/* More than one staged copy of 2 MiB; of dgesv each of two results is one. */
enum { ORDER = 540, INNER = 8, SOLVED = 300, SIDES = 5 };

static double *filled(int rows, int columns, int diagonal)
{
    double *const matrix = malloc((size_t)rows * (size_t)columns * sizeof *matrix);
    if (!matrix)
        exit(2);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            matrix[i + j * rows] =
                (double)(((i + j) * 7919 + i * j * 31) % 1013) * 0.001 - 0.5 + (i == j) * diagonal;
    return matrix;
}

static uint64_t hash = UINT64_C(14695981039346656037);

static void add(const void *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)memory)[i]) * UINT64_C(1099511628211);
}

static void multiply(void)
{
    const int order = ORDER, inner = INNER;
    const double one = 1;
    double *const a = filled(ORDER, INNER, 0), *const b = filled(INNER, ORDER, 0),
                  *const c = filled(ORDER, ORDER, 0);
    dgemm_("N", "N", &order, &order, &inner, &one, a, &order, b, &inner, &one, c, &order);
    add(c, sizeof *c * ORDER * ORDER);
}

static void find_vectors(void)
{
    const int order = ORDER, length = 1 + 6 * ORDER + 2 * ORDER * ORDER, integers = 3 + 5 * ORDER;
    double *const a = filled(ORDER, ORDER, 0), *const work = malloc(sizeof *work * (size_t)length);
    double values[ORDER];
    int *const integer_work = malloc(sizeof *integer_work * (size_t)integers), info = -1;
    dsyevd_("V", "L", &order, a, &order, values, work, &length, integer_work, &integers, &info);
    add(a, sizeof *a * ORDER * ORDER);
    add(values, sizeof values);
    add(&info, sizeof info);
}

static void solve(void)
{
    const int order = SOLVED, sides = SIDES;
    double *const a = filled(SOLVED, SOLVED, 10), *const b = filled(SOLVED, SIDES, 0);
    int pivots[SOLVED], info = -1;
    dgesv_(&order, &sides, a, &order, pivots, b, &order, &info);
    add(a, sizeof *a * SOLVED * SOLVED);
    add(b, sizeof *b * SOLVED * SIDES);
    add(pivots, sizeof pivots);
    add(&info, sizeof info);
}

int main(int count, char **arguments)
{
    const char *const what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "dgemm") == 0)
        multiply();
    else if (strcmp(what, "dsyevd") == 0)
        find_vectors();
    else if (strcmp(what, "dgesv") == 0)
        solve();
    else
        return 2;
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
