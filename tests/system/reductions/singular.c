/* singular [TYPES]: LAPACK's gesdd and gesvd as a program calls them: by residuals, and by what may be
 * written. Fortran's argument lists of complex types have one array more. */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void real_gesdd(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s,
                        void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,
                        int *iwork, int *info, size_t);
typedef void complex_gesdd(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s,
                           void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,
                           void *rwork, int *iwork, int *info, size_t);
typedef void real_gesvd(const char *jobu, const char *jobvt, const int *m, const int *n, void *a,
                        const int *lda, void *s, void *u, const int *ldu, void *vt, const int *ldvt,
                        void *work, const int *lwork, int *info, size_t, size_t);
typedef void complex_gesvd(const char *jobu, const char *jobvt, const int *m, const int *n, void *a,
                           const int *lda, void *s, void *u, const int *ldu, void *vt, const int *ldvt,
                           void *work, const int *lwork, void *rwork, int *info, size_t, size_t);
extern real_gesdd sgesdd_, dgesdd_;
extern complex_gesdd cgesdd_, zgesdd_;
extern real_gesvd sgesvd_, dgesvd_;
extern complex_gesvd cgesvd_, zgesvd_;

enum { GAP = 2 };

/* jobvt 0: gesdd with JOBZ = jobu. */
struct decomposition {
    char type, jobu, jobvt;
    int m, n, info;
    struct matrix a, s, u, vt, work, rwork;
    int *iwork;
};

static int least_of(const struct decomposition *p)
{
    return p->m < p->n ? p->m : p->n;
}

static void call_gesdd(struct decomposition *p, void *u, int ldu, void *vt, int ldvt, void *work, int lwork)
{
    p->info = -77;
    if (type_is_complex(p->type))
        (p->type == 'c' ? cgesdd_ : zgesdd_)(&p->jobu, &p->m, &p->n, p->a.memory, &p->a.ld, p->s.memory, u,
                                             &ldu, vt, &ldvt, work, &lwork, p->rwork.memory, p->iwork,
                                             &p->info, 1);
    else
        (p->type == 's' ? sgesdd_ : dgesdd_)(&p->jobu, &p->m, &p->n, p->a.memory, &p->a.ld, p->s.memory, u,
                                             &ldu, vt, &ldvt, work, &lwork, p->iwork, &p->info, 1);
}

static void call_gesvd(struct decomposition *p, void *u, int ldu, void *vt, int ldvt, void *work, int lwork)
{
    p->info = -77;
    if (type_is_complex(p->type))
        (p->type == 'c' ? cgesvd_ : zgesvd_)(&p->jobu, &p->jobvt, &p->m, &p->n, p->a.memory, &p->a.ld,
                                             p->s.memory, u, &ldu, vt, &ldvt, work, &lwork, p->rwork.memory,
                                             &p->info, 1, 1);
    else
        (p->type == 's' ? sgesvd_ : dgesvd_)(&p->jobu, &p->jobvt, &p->m, &p->n, p->a.memory, &p->a.ld,
                                             p->s.memory, u, &ldu, vt, &ldvt, work, &lwork, &p->info, 1, 1);
}

/* What is not referenced is NULL. */
static void call(struct decomposition *p, void *work, int lwork)
{
    (p->jobvt ? call_gesvd : call_gesdd)(p, p->u.columns ? p->u.memory : NULL, p->u.columns ? p->u.ld : 1,
                                         p->vt.columns ? p->vt.memory : NULL, p->vt.columns ? p->vt.ld : 1,
                                         work, lwork);
}

/* N, S, A or O for each. */
static char job_of(const struct decomposition *p, bool left)
{
    if (p->jobvt)
        return left ? p->jobu : p->jobvt;
    return p->jobu != 'O' ? p->jobu : left == (p->m >= p->n) ? 'O' : 'A';
}

static void make(struct decomposition *p)
{
    const int least = least_of(p), most = p->m + p->n - least;
    const char u = job_of(p, true), vt = job_of(p, false);
    p->a = matrix_make(p->type, p->m, p->n, GAP);
    p->s = matrix_make(type_is_single(p->type) ? 's' : 'd', least, 1, GAP);
    p->u = matrix_make(p->type, p->m, u == 'A' ? p->m : u == 'S' ? least : 0, 1);
    p->vt = matrix_make(p->type, vt == 'A' ? p->n : least, vt == 'A' || vt == 'S' ? p->n : 0, 1);
    p->work = matrix_make(p->type, 10 * most * most + 100 * most, 1, 0);
    p->rwork = matrix_make(p->s.type, 10 * most * most + 100 * most, 1, 0);
    p->iwork = malloc((size_t)(8 * least) * sizeof *p->iwork);
    matrix_fill(&p->a, 'F');
    matrix_remember(&p->a);
}

static void free_all(struct decomposition *p)
{
    struct matrix *const all[] = {&p->a, &p->s, &p->u, &p->vt, &p->work, &p->rwork};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        matrix_free(all[i]);
    free(p->iwork);
}

static number u_of(const struct decomposition *p, int row, int column)
{
    return matrix_get(job_of(p, true) == 'O' ? &p->a : &p->u, row, column);
}

static number vt_of(const struct decomposition *p, int row, int column)
{
    return matrix_get(job_of(p, false) == 'O' ? &p->a : &p->vt, row, column);
}

/* The largest element of A - U S V'. */
static double residual(const struct decomposition *p)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            number sum = -matrix_before(&p->a, i, j);
            for (int l = 0; l < least_of(p); l++)
                sum += u_of(p, i, l) * real_get(p->type, p->s.memory, l) * vt_of(p, l, j);
            most = fmax(most, cabs(sum));
        }
    return most;
}

/* One factor alone: the largest difference of its products with A from the value's square. */
static double half_residual(const struct decomposition *p, bool left)
{
    double most = 0;
    const int length = left ? p->m : p->n, other = left ? p->n : p->m;
    for (int l = 0; l < least_of(p); l++) {
        double sum = 0;
        for (int j = 0; j < other; j++) {
            number product = 0;
            for (int i = 0; i < length; i++)
                product += left ? conj(u_of(p, i, l)) * matrix_before(&p->a, i, j)
                                : matrix_before(&p->a, j, i) * conj(vt_of(p, l, i));
            sum += creal(product * conj(product));
        }
        const double value = real_get(p->type, p->s.memory, l);
        most = fmax(most, fabs(sum - value * value));
    }
    return most;
}

/* Columns of U and rows of V' that are not orthonormal. */
static double disorder(const struct decomposition *p, bool left)
{
    const char job = job_of(p, left);
    const int length = left ? p->m : p->n, count = job == 'A' ? length : least_of(p);
    double most = 0;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++) {
            number sum = i == j ? -1 : 0;
            for (int l = 0; l < length; l++)
                sum += left ? conj(u_of(p, l, i)) * u_of(p, l, j) : vt_of(p, i, l) * conj(vt_of(p, j, l));
            most = fmax(most, cabs(sum));
        }
    return most;
}

/* Sum of squares, which is the values' too. In long double: the sum's own rounding is no error of theirs. */
static double square_difference(const struct decomposition *p)
{
    long double sum = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++)
            sum += (long double)creal(matrix_before(&p->a, i, j) * conj(matrix_before(&p->a, i, j)));
    for (int l = 0; l < least_of(p); l++)
        sum -= (long double)real_get(p->type, p->s.memory, l) * real_get(p->type, p->s.memory, l);
    return (double)fabsl(sum);
}

static bool is_descending(const struct decomposition *p)
{
    for (int l = 1; l < least_of(p); l++)
        if (!(real_get(p->type, p->s.memory, l) <= real_get(p->type, p->s.memory, l - 1)))
            return false;
    return real_get(p->type, p->s.memory, least_of(p) - 1) >= 0;
}

static void check_factors(const struct decomposition *p, double tolerance)
{
    const bool left = job_of(p, true) != 'N', right = job_of(p, false) != 'N';
    if (left && right)
        test(residual(p) <= tolerance, "and A is the product");
    else if (left || right)
        test(half_residual(p, left) <= 30 * tolerance, "and its vectors are the values'");
    if (left)
        test(disorder(p, true) <= tolerance, "and U's columns are orthonormal");
    if (right)
        test(disorder(p, false) <= tolerance, "and V's columns are orthonormal");
    test(matrix_is_untouched(&p->u, 'F') && matrix_is_untouched(&p->vt, 'F') &&
             matrix_is_untouched(&p->a, 'F') && matrix_is_untouched(&p->s, 'F'),
         "and nothing else is written");
}

static void test_decomposition(char type, char jobu, char jobvt, int m, int n)
{
    struct decomposition p = {.type = type, .jobu = jobu, .jobvt = jobvt, .m = m, .n = n};
    const double tolerance = 50 * (m + n) * type_epsilon(type);
    make(&p);
    struct matrix answer = matrix_make(type, 1, 1, 0);
    call(&p, answer.memory, -1);
    test(p.info == 0 && matrix_is_untouched(&p.s, 'N'), "%c%s %c%c %dx%d: a query answers", type,
         jobvt ? "gesvd" : "gesdd", jobu, jobvt ? jobvt : ' ', m, n);
    call(&p, p.work.memory, (int)creal(matrix_get(&answer, 0, 0)));
    test(p.info == 0 && is_descending(&p) && square_difference(&p) <= 30 * tolerance,
         "and the values are A's");
    test(matrix_get(&p.work, 0, 0) == matrix_get(&answer, 0, 0), "and WORK(1) is what the query said");
    check_factors(&p, tolerance);
    matrix_free(&answer);
    free_all(&p);
}

int main(int count, char **words)
{
    static const int sizes[][2] = {{31, 31}, {40, 23}, {23, 40}, {100, 20}, {2, 11}, {150, 130}};
    static const char jobs[] = "NSAO";
    for (const char *type = count > 1 ? words[1] : "sdcz"; *type; type++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (int u = 0; u < 4; u++) {
                test_decomposition(*type, jobs[u], 0, sizes[size][0], sizes[size][1]);
                for (int vt = 0; vt < 4; vt++)
                    if ((u < 3 || vt < 3) && size < 3)
                        test_decomposition(*type, jobs[u], jobs[vt], sizes[size][0], sizes[size][1]);
            }
    return tests_end();
}
