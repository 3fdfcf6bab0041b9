/* tridiagonal [TYPES]: LAPACK's sytrd, orgtr, ormtr and sygst as a program calls them: by residuals, and by
 * what may be written. */
#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void sytrd(const char *uplo, const int *n, void *a, const int *lda, void *d, void *e, void *tau,
                   void *work, const int *lwork, int *info, size_t);
typedef void orgtr(const char *uplo, const int *n, void *a, const int *lda, const void *tau, void *work,
                   const int *lwork, int *info, size_t);
typedef void ormtr(const char *side, const char *uplo, const char *trans, const int *m, const int *n,
                   const void *a, const int *lda, const void *tau, void *c, const int *ldc, void *work,
                   const int *lwork, int *info, size_t, size_t, size_t);
typedef void sygst(const int *itype, const char *uplo, const int *n, void *a, const int *lda, const void *b,
                   const int *ldb, int *info, size_t);
extern sytrd ssytrd_, dsytrd_, chetrd_, zhetrd_;
extern orgtr sorgtr_, dorgtr_, cungtr_, zungtr_;
extern ormtr sormtr_, dormtr_, cunmtr_, zunmtr_;
extern sygst ssygst_, dsygst_, chegst_, zhegst_;

static const struct {
    char type;
    sytrd *sytrd;
    orgtr *orgtr;
    ormtr *ormtr;
    sygst *sygst;
} routines[] = {{'s', ssytrd_, sorgtr_, sormtr_, ssygst_},
                {'d', dsytrd_, dorgtr_, dormtr_, dsygst_},
                {'c', chetrd_, cungtr_, cunmtr_, chegst_},
                {'z', zhetrd_, zungtr_, zunmtr_, zhegst_}};

enum { ORDER = 33, GAP = 3, OTHER = 21 };

/* One problem, reduced. */
struct reduction {
    int r; /* of routines */
    char type, uplo;
    int n;
    double tolerance;
    struct matrix a, q, d, e, tau;
};

static struct matrix work_make(char type, int elements)
{
    return matrix_make(type, elements, 1, 0);
}

static char real_type(char type)
{
    return type_is_single(type) ? 's' : 'd';
}

/* Imaginary parts on the diagonal are nobody's. */
static void fill_hermitian(struct matrix *a, char uplo)
{
    matrix_fill(a, uplo);
    for (int i = 0; i < a->rows; i++)
        matrix_set(a, i, i, creal(matrix_get(a, i, i)) + (type_is_complex(a->type) ? 0.375 * I : 0));
    matrix_remember(a);
}

static void reduce(struct reduction *p, int lwork, const char *how)
{
    struct matrix query = work_make(p->type, 1), work = work_make(p->type, lwork > 0 ? lwork : 64 * p->n);
    const int ask = -1;
    int info = -77;
    routines[p->r].sytrd(&p->uplo, &p->n, p->a.memory, &p->a.ld, NULL, NULL, NULL, query.memory, &ask, &info,
                         1);
    test(info == 0 && creal(matrix_get(&query, 0, 0)) >= 1, "%csytrd %c: a query answers", p->type, p->uplo);
    info = -77;
    if (lwork == 0)
        lwork = 64 * p->n;
    routines[p->r].sytrd(&p->uplo, &p->n, p->a.memory, &p->a.ld, p->d.memory, p->e.memory, p->tau.memory,
                         work.memory, &lwork, &info, 1);
    test(info == 0, "%csytrd %c n=%d %s: INFO is 0", p->type, p->uplo, p->n, how);
    test(matrix_get(&work, 0, 0) == matrix_get(&query, 0, 0), "and WORK(1) is what the query said");
    test(matrix_is_untouched(&p->a, p->uplo) && matrix_is_untouched(&p->d, 'F') &&
             matrix_is_untouched(&p->e, 'F') && matrix_is_untouched(&p->tau, 'F'),
         "and the triangle, D, E, TAU alone are written");
    bool same = true;
    for (int i = 0; i < p->n; i++)
        same = same && creal(matrix_get(&p->a, i, i)) ==
                           creal(matrix_get(&p->d, i, 0)); /* zhetrd leaves imaginary parts */
    for (int i = 0; i + 1 < p->n; i++)
        same = same && hermitian_get(&p->a, p->uplo, false, i, i + 1) == matrix_get(&p->e, i, 0);
    test(same, "and A has D and E");
    matrix_free(&query);
    matrix_free(&work);
}

/* Element of the tridiagonal matrix. */
static double tridiagonal(const struct reduction *p, int row, int column)
{
    const int least = row < column ? row : column;
    if (row == column)
        return creal(matrix_get(&p->d, row, 0));
    return abs(row - column) == 1 ? creal(matrix_get(&p->e, least, 0)) : 0;
}

static double residual(const struct reduction *p)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) {
            number aq = 0, qt = 0;
            for (int l = 0; l < p->n; l++) {
                aq += hermitian_get(&p->a, p->uplo, true, i, l) * matrix_get(&p->q, l, j);
                qt += matrix_get(&p->q, i, l) * tridiagonal(p, l, j);
            }
            most = fmax(most, cabs(aq - qt));
        }
    return most;
}

static double disorder(const struct matrix *q)
{
    double most = 0;
    for (int j = 0; j < q->columns; j++)
        for (int i = 0; i < q->columns; i++) {
            number sum = i == j ? -1 : 0;
            for (int l = 0; l < q->rows; l++)
                sum += conj(matrix_get(q, l, i)) * matrix_get(q, l, j);
            most = fmax(most, cabs(sum));
        }
    return most;
}

static void make_q(struct reduction *p)
{
    const int lwork = p->n - 1 > 0 ? p->n - 1 : 1;
    struct matrix work = work_make(p->type, lwork);
    int info = -77;
    memcpy(p->q.memory, p->a.memory, (size_t)p->a.ld * (size_t)p->n * type_bytes(p->type));
    matrix_remember(&p->q);
    routines[p->r].orgtr(&p->uplo, &p->n, p->q.memory, &p->q.ld, p->tau.memory, work.memory, &lwork, &info,
                         1);
    test(info == 0 && matrix_is_untouched(&p->q, 'F'), "%corgtr %c n=%d: INFO is 0, and Q alone is written",
         p->type, p->uplo, p->n);
    test(disorder(&p->q) <= p->tolerance, "and Q is unitary");
    test(residual(p) <= p->tolerance, "and A Q = Q T");
    matrix_free(&work);
}

static number q_of(const struct reduction *p, bool turned, int row, int column)
{
    return turned ? conj(matrix_get(&p->q, column, row)) : matrix_get(&p->q, row, column);
}

static double product_difference(const struct reduction *p, const struct matrix *c, bool left, bool turned)
{
    double most = 0;
    for (int j = 0; j < c->columns; j++)
        for (int i = 0; i < c->rows; i++) {
            number sum = -matrix_get(c, i, j);
            for (int l = 0; l < p->n; l++)
                sum += left ? q_of(p, turned, i, l) * matrix_before(c, l, j)
                            : matrix_before(c, i, l) * q_of(p, turned, l, j);
            most = fmax(most, cabs(sum));
        }
    return most;
}

static void multiply(struct reduction *p, char side, char trans)
{
    const bool left = side == 'L';
    const int m = left ? p->n : OTHER, n = left ? OTHER : p->n, lwork = OTHER;
    struct matrix c = matrix_make(p->type, m, n, GAP), work = work_make(p->type, lwork);
    int info = -77;
    matrix_fill(&c, 'F');
    matrix_remember(&c);
    unsigned char *const reflectors = malloc((size_t)p->a.ld * (size_t)p->n * type_bytes(p->type));
    memcpy(reflectors, p->a.memory, (size_t)p->a.ld * (size_t)p->n * type_bytes(p->type));
    routines[p->r].ormtr(&side, &p->uplo, &trans, &m, &n, p->a.memory, &p->a.ld, p->tau.memory, c.memory,
                         &c.ld, work.memory, &lwork, &info, 1, 1, 1);
    test(info == 0 && matrix_is_untouched(&c, 'F') &&
             memcmp(reflectors, p->a.memory, (size_t)p->a.ld * (size_t)p->n * type_bytes(p->type)) == 0,
         "%cormtr %c%c%c n=%d: INFO is 0, and C alone is written", p->type, side, p->uplo, trans, p->n);
    test(product_difference(p, &c, left, trans != 'N') <= p->tolerance, "and C is the product");
    free(reflectors);
    matrix_free(&c);
    matrix_free(&work);
}

static void test_tridiagonal(int r, char uplo, int n, int lwork)
{
    struct reduction p = {.r = r, .type = routines[r].type, .uplo = uplo, .n = n};
    p.tolerance = 30 * n * type_epsilon(p.type);
    p.a = matrix_make(p.type, n, n, GAP);
    p.q = matrix_make(p.type, n, n, GAP);
    p.d = matrix_make(real_type(p.type), n, 1, GAP);
    p.e = matrix_make(real_type(p.type), n - 1, 1, GAP);
    p.tau = matrix_make(p.type, n - 1, 1, GAP);
    fill_hermitian(&p.a, uplo);
    reduce(&p, lwork, lwork ? "with the least workspace" : "with much workspace");
    make_q(&p);
    for (int i = 0; i < 4; i++)
        multiply(&p, i & 1 ? 'R' : 'L', i & 2 ? type_is_complex(p.type) ? 'C' : 'T' : 'N');
    matrix_free(&p.a);
    matrix_free(&p.q);
    matrix_free(&p.d);
    matrix_free(&p.e);
    matrix_free(&p.tau);
}

/* The factor, with zeros in the other triangle. */
static number factor_get(const struct matrix *b, char uplo, bool turned, int row, int column)
{
    const int i = turned ? column : row, j = turned ? row : column;
    if ((uplo == 'U' && i > j) || (uplo == 'L' && i < j))
        return 0;
    return turned ? conj(matrix_get(b, i, j)) : matrix_get(b, i, j);
}

/* The largest element of P X P' - Y, where P is the factor, conjugated or not. */
static double congruence_difference(const struct matrix *a, const struct matrix *b, char uplo, bool turned,
                                    bool forth)
{
    const int n = a->rows;
    number *const half = malloc((size_t)(n * n) * sizeof *half);
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            half[i + j * n] = 0;
            for (int l = 0; l < n; l++)
                half[i + j * n] += factor_get(b, uplo, turned, i, l) * hermitian_get(a, uplo, forth, l, j);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            number sum = -hermitian_get(a, uplo, !forth, i, j);
            for (int l = 0; l < n; l++)
                sum += half[i + l * n] * factor_get(b, uplo, !turned, l, j);
            most = fmax(most, cabs(sum));
        }
    free(half);
    return most;
}

/* B = U'U or L L'. 1: P C P' = A with P = U' or L; 2 and 3: C = P A P' with P = U or L'. */
static void test_standard(int r, int itype, char uplo, int n)
{
    const char type = routines[r].type;
    struct matrix a = matrix_make(type, n, n, GAP), b = matrix_make(type, n, n, 1);
    int info = -77;
    fill_hermitian(&a, uplo);
    matrix_fill(&b, uplo);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j || (uplo == 'U') == (i < j))
                matrix_set(&b, i, j, i == j ? 2 + (double)i / n : matrix_get(&b, i, j) / n);
    matrix_remember(&b);
    routines[r].sygst(&itype, &uplo, &n, a.memory, &a.ld, b.memory, &b.ld, &info, 1);
    test(info == 0 && matrix_is_untouched(&a, uplo) && matrix_is_untouched(&b, 'N'),
         "%csygst %d%c n=%d: INFO is 0, and A's triangle alone is written", type, itype, uplo, n);
    bool real = true;
    for (int i = 0; i < n; i++)
        real = real && cimag(matrix_get(&a, i, i)) == 0;
    test(real, "and its diagonal is real");
    const double difference = itype == 1 ? congruence_difference(&a, &b, uplo, uplo == 'U', false)
                                         : congruence_difference(&a, &b, uplo, uplo == 'L', true);
    test(difference <= 100 * n * type_epsilon(type), "and it is the standard problem's (%.1e)", difference);
    matrix_free(&a);
    matrix_free(&b);
}

/* What is the host's: nothing to do, a factor that is singular, NaN. */
static void test_refusals(int r)
{
    const int nothing = 0, one = 1, itype = 1, n = ORDER;
    const char uplo = 'L', type = routines[r].type;
    struct matrix work = work_make(type, 64), a = matrix_make(type, n, n, 0), b = matrix_make(type, n, n, 0);
    int info = -77;
    routines[r].sytrd(&uplo, &nothing, NULL, &one, NULL, NULL, NULL, work.memory, &one, &info, 1);
    test(info == 0, "%csytrd of order 0 touches nothing", type);
    info = -77;
    matrix_fill(&a, 'L');
    matrix_fill(&b, 'L');
    matrix_set(&b, n / 2, n / 2, 0);
    routines[r].sygst(&itype, &uplo, &n, a.memory, &n, b.memory, &n, &info, 1);
    bool finite = true;
    for (int i = 0; i < n; i++)
        finite = finite && isfinite(creal(matrix_get(&a, i, i)));
    test(info == 0 && !finite, "%csygst of a singular factor is as the host has it", type);
    matrix_free(&work);
    matrix_free(&a);
    matrix_free(&b);
}

int main(int count, char **words)
{
    for (int r = 0; r < 4; r++) {
        if (count > 1 && !strchr(words[1], routines[r].type))
            continue;
        for (int i = 0; i < 2; i++) {
            const char uplo = i ? 'U' : 'L';
            test_tridiagonal(r, uplo, ORDER, 1);
            test_tridiagonal(r, uplo, ORDER + 67, 0);
            test_tridiagonal(r, uplo, 2, 0);
            for (int itype = 1; itype <= 3; itype++)
                test_standard(r, itype, uplo, ORDER + itype);
        }
        test_refusals(r);
    }
    return tests_end();
}
