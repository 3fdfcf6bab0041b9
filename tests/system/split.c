/* split TYPES, d, z or both: matrix-vector calls on matrices of some 20 MB, each twice and with a write to the
 * matrix between, so that the second finds most of it where the first has put it. Says a digest of all results
 * for each routine; the exit status tells whether all are right. With SPLIT_DIGESTS they are not looked at
 * beside: for runs whose digests are compared with those of right results.
 * split turned: a matrix of 200 MB, as it is and transposed in turn. */
#include "tap.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef double complex number;

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);
void zgemv_(const char *trans, const int *m, const int *n, const number *alpha, const number *a,
            const int *lda, const number *x, const int *incx, const number *beta, number *y, const int *incy);
void zhemv_(const char *uplo, const int *n, const number *alpha, const number *a, const int *lda,
            const number *x, const int *incx, const number *beta, number *y, const int *incy);
void ztrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const number *a,
            const int *lda, number *x, const int *incx);

enum { REAL_ORDER = 1600, COMPLEX_ORDER = 1100 };
enum routine { GEMV, SYMV, TRMV };

static uint64_t state = 1;
static int wrong;
static bool only_digests;

UNWATCHED static double next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(int64_t)state / (double)INT64_MAX;
}

/* All matrices are kept as complex ones as well, for the reference. */
struct problem {
    bool is_complex;
    enum routine routine;
    char uplo, trans;
    int n, incx, incy;
    void *a;
    number *wide_a, *x, *y, *expected;
};

UNWATCHED static number element(const struct problem *problem, int i, int j)
{
    const int n = problem->n;
    const bool stored = (problem->uplo == 'L') == (i > j) || i == j;
    const number plain = problem->wide_a[i + (size_t)j * n], across = problem->wide_a[j + (size_t)i * n];
    if (problem->routine == SYMV) /* Hermitian */
        return i == j ? creal(plain) : stored ? plain : conj(across);
    if (problem->routine == TRMV && problem->trans == 'N')
        return stored ? plain : 0;
    if (problem->routine == TRMV && !((problem->uplo == 'L') == (j > i) || i == j))
        return 0;
    return problem->trans == 'N' ? plain : problem->trans == 'T' ? across : conj(across);
}

static const double alpha = 1.25, beta = -0.5;
static const number wide_alpha = 1.25 - 0.75 * I, wide_beta = -0.5 + 2 * I;

UNWATCHED static void expect(struct problem *problem)
{
    const number scale = problem->routine == TRMV ? 1 : problem->is_complex ? wide_alpha : alpha;
    const number old = problem->routine == TRMV ? 0 : problem->is_complex ? wide_beta : beta;
    for (int i = 0; i < problem->n; i++) {
        number sum = 0;
        for (int j = 0; j < problem->n; j++)
            sum += element(problem, i, j) * problem->x[j];
        problem->expected[i] = scale * sum + old * problem->y[i];
    }
}

static void call_real(const struct problem *problem, double *x, double *y)
{
    const int n = problem->n;
    if (problem->routine == GEMV)
        dgemv_(&problem->trans, &n, &n, &alpha, problem->a, &n, x, &problem->incx, &beta, y, &problem->incy);
    else if (problem->routine == SYMV)
        dsymv_(&problem->uplo, &n, &alpha, problem->a, &n, x, &problem->incx, &beta, y, &problem->incy);
    else
        dtrmv_(&problem->uplo, &problem->trans, "N", &n, problem->a, &n, x, &problem->incx);
}

static void call_complex(const struct problem *problem, number *x, number *y)
{
    const int n = problem->n;
    if (problem->routine == GEMV)
        zgemv_(&problem->trans, &n, &n, &wide_alpha, problem->a, &n, x, &problem->incx, &wide_beta, y,
               &problem->incy);
    else if (problem->routine == SYMV)
        zhemv_(&problem->uplo, &n, &wide_alpha, problem->a, &n, x, &problem->incx, &wide_beta, y,
               &problem->incy);
    else
        ztrmv_(&problem->uplo, &problem->trans, "N", &n, problem->a, &n, x, &problem->incx);
}

static size_t place(int n, int increment, int i)
{
    return (size_t)(increment > 0 ? i * increment : (i - n + 1) * increment);
}

UNWATCHED static void digest(struct problem *problem, number result, int i, uint64_t *all)
{
    const double parts[2] = {creal(result), cimag(result)};
    uint64_t bits[2];
    memcpy(bits, parts, sizeof bits);
    *all = ((*all ^ bits[0]) * UINT64_C(1099511628211) ^ bits[1]) * UINT64_C(1099511628211);
    wrong += !only_digests && !(cabs(result - problem->expected[i]) < 1e-9);
}

static void call(struct problem *problem, uint64_t *all)
{
    enum { ROOM = 3 * REAL_ORDER };
    const int n = problem->n;
    number *const x = calloc(ROOM, sizeof *x), *const y = calloc(ROOM, sizeof *y);
    double *const real_x = (double *)x, *const real_y = (double *)y;
    for (int i = 0; i < n; i++)
        if (problem->is_complex) {
            x[place(n, problem->incx, i)] = problem->x[i];
            y[place(n, problem->incy, i)] = problem->y[i];
        } else {
            real_x[place(n, problem->incx, i)] = creal(problem->x[i]);
            real_y[place(n, problem->incy, i)] = creal(problem->y[i]);
        }
    if (problem->is_complex)
        call_complex(problem, x, y);
    else
        call_real(problem, real_x, real_y);
    for (int i = 0; i < n; i++) {
        const bool in_x = problem->routine == TRMV;
        const size_t at = place(n, in_x ? problem->incx : problem->incy, i);
        digest(problem, problem->is_complex ? in_x ? x[at] : y[at] : in_x ? real_x[at] : real_y[at], i, all);
    }
    free(x);
    free(y);
}

UNWATCHED static void set(struct problem *problem, size_t at)
{
    const double real = next();
    const number value = problem->is_complex ? real + next() * I : real;
    if (!only_digests)
        problem->wide_a[at] = value;
    if (problem->is_complex)
        ((number *)problem->a)[at] = value;
    else
        ((double *)problem->a)[at] = real;
}

static void run(bool is_complex, enum routine routine, char uplo, char trans)
{
    static const char *const names[] = {"gemv", "symv", "trmv"};
    const int n = is_complex ? COMPLEX_ORDER : REAL_ORDER;
    const size_t elements = (size_t)n * (size_t)n;
    struct problem problem = {.is_complex = is_complex,
                              .routine = routine,
                              .uplo = uplo,
                              .trans = trans,
                              .n = n,
                              .incx = 1,
                              .incy = 1,
                              .a = malloc(elements * sizeof(number)),
                              .wide_a = malloc(elements * sizeof(number)),
                              .x = calloc((size_t)n, sizeof(number)),
                              .y = calloc((size_t)n, sizeof(number)),
                              .expected = calloc((size_t)n, sizeof(number))};
    uint64_t all = 14695981039346656037u;
    for (size_t i = 0; i < elements; i++)
        set(&problem, i);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++) {
            problem.x[i] = is_complex ? next() + next() * I : next();
            problem.y[i] = is_complex ? next() + next() * I : next();
        }
        for (int i = 0; i < 3; i++)
            set(&problem, (size_t)(state % elements));
        if (!only_digests)
            expect(&problem);
        call(&problem, &all);
        problem.incx = -2;
        problem.incy = 2;
    }
    printf("%c%s %c%c %016llx\n", is_complex ? 'z' : 'd', names[routine], uplo, trans,
           (unsigned long long)all);
    free(problem.a);
    free(problem.wide_a);
    free(problem.x);
    free(problem.y);
    free(problem.expected);
}

enum { WIDE_ROWS = 512, WIDE_COLUMNS = 3 * 16384 }; /* chains of the numerical contract */

UNWATCHED static uint64_t digest_of(const double *numbers, int count, uint64_t all)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        all = (all ^ bits) * UINT64_C(1099511628211);
    }
    return all;
}

UNWATCHED static void run_turned(void)
{
    const int m = WIDE_ROWS, n = WIDE_COLUMNS, one = 1;
    const double zero = 0;
    double *const a = malloc((size_t)m * n * sizeof *a), *const long_one = calloc((size_t)n, sizeof(double)),
                  *const short_one = calloc((size_t)m, sizeof(double));
    uint64_t all = 14695981039346656037u;
    for (size_t i = 0; i < (size_t)m * n; i++)
        a[i] = next();
    for (int round = 0; round < 3; round++) {
        double expected[WIDE_ROWS] = {0}, across = 0;
        const int column = n / 3 * round + 77;
        for (int j = 0; j < n; j++)
            long_one[j] = next();
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                expected[i] += a[i + (size_t)j * m] * long_one[j];
        dgemv_("N", &m, &n, &alpha, a, &m, long_one, &one, &zero, short_one, &one);
        for (int i = 0; i < m; i++)
            wrong += !(fabs(short_one[i] - alpha * expected[i]) < 1e-9);
        all = digest_of(short_one, m, all);
        dgemv_("T", &m, &n, &alpha, a, &m, short_one, &one, &zero, long_one, &one);
        for (int i = 0; i < m; i++)
            across += a[i + (size_t)column * m] * short_one[i];
        wrong += !(fabs(long_one[column] - alpha * across) < 1e-9);
        all = digest_of(long_one, n, all);
    }
    printf("turned %016llx\nwrong %d\n", (unsigned long long)all, wrong);
    free(a);
    free(long_one);
    free(short_one);
}

int main(int count, char **words)
{
    const char *const types = count > 1 ? words[1] : "dz";
    if (strcmp(types, "turned") == 0) {
        run_turned();
        return wrong > 0;
    }
    only_digests = getenv("SPLIT_DIGESTS") != NULL;
    for (int is_complex = !strchr(types, 'd'); is_complex < 1 + (strchr(types, 'z') != NULL); is_complex++)
        for (const char *trans = is_complex ? "NC" : "NT"; *trans; trans++) {
            run(is_complex, GEMV, 'L', *trans);
            run(is_complex, TRMV, 'L', *trans);
            run(is_complex, TRMV, 'U', *trans);
            if (*trans == 'N') {
                run(is_complex, SYMV, 'L', 'N');
                run(is_complex, SYMV, 'U', 'N');
            }
        }
    printf("wrong %d\n", wrong);
    return wrong > 0;
}
