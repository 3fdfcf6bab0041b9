/* general [TYPES]: LAPACK's geev as a program calls it: by residuals, and by what may be written. */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

typedef void real_geev(const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *wr,
                       void *wi, void *vl, const int *ldvl, void *vr, const int *ldvr, void *work,
                       const int *lwork, int *info, size_t, size_t);
typedef void complex_geev(const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda,
                          void *w, void *vl, const int *ldvl, void *vr, const int *ldvr, void *work,
                          const int *lwork, void *rwork, int *info, size_t, size_t);
extern real_geev sgeev_, dgeev_;
extern complex_geev cgeev_, zgeev_;

enum { GAP = 2 };
/* How the matrix is made. */
enum kind { PLAIN, BADLY_SCALED, PERMUTED, KINDS };
static const char *const kind_names[] = {"random", "badly scaled", "nearly triangular"};

struct problem {
    char type, jobvl, jobvr;
    int n, info;
    struct matrix a, wr, wi, vl, vr, work, rwork;
};

static void make(struct problem *p, enum kind kind)
{
    const char real = type_is_single(p->type) ? 's' : 'd';
    p->a = matrix_make(p->type, p->n, p->n, GAP);
    p->wr = matrix_make(type_is_complex(p->type) ? p->type : real, p->n, 1, GAP);
    p->wi = matrix_make(real, type_is_complex(p->type) ? 0 : p->n, 1, GAP);
    p->vl = matrix_make(p->type, p->n, p->jobvl == 'V' ? p->n : 0, GAP);
    p->vr = matrix_make(p->type, p->n, p->jobvr == 'V' ? p->n : 0, GAP);
    p->work = matrix_make(p->type, 400 * p->n, 1, 0);
    p->rwork = matrix_make(real, 2 * p->n, 1, 0);
    matrix_fill(&p->a, 'F');
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) {
            if (kind == BADLY_SCALED)
                matrix_set(&p->a, i, j, matrix_get(&p->a, i, j) * ldexp(1, (i - j) % 12));
            if (kind == PERMUTED && i > j && (j < p->n / 4 || i > 3 * p->n / 4))
                matrix_set(&p->a, i, j, 0);
        }
    matrix_remember(&p->a);
}

static void free_all(struct problem *p)
{
    struct matrix *const all[] = {&p->a, &p->wr, &p->wi, &p->vl, &p->vr, &p->work, &p->rwork};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        matrix_free(all[i]);
}

/* What is not referenced is NULL. */
static void call(struct problem *p, void *work, int lwork)
{
    const int ldvl = p->vl.columns ? p->vl.ld : 1, ldvr = p->vr.columns ? p->vr.ld : 1;
    void *const vl = p->vl.columns ? p->vl.memory : NULL, *const vr = p->vr.columns ? p->vr.memory : NULL;
    p->info = -77;
    if (type_is_complex(p->type))
        (p->type == 'c' ? cgeev_ : zgeev_)(&p->jobvl, &p->jobvr, &p->n, p->a.memory, &p->a.ld, p->wr.memory,
                                           vl, &ldvl, vr, &ldvr, work, &lwork, p->rwork.memory, &p->info, 1,
                                           1);
    else
        (p->type == 's' ? sgeev_ : dgeev_)(&p->jobvl, &p->jobvr, &p->n, p->a.memory, &p->a.ld, p->wr.memory,
                                           p->wi.memory, vl, &ldvl, vr, &ldvr, work, &lwork, &p->info, 1, 1);
}

static number value_of(const struct problem *p, int index)
{
    const number real = matrix_get(&p->wr, index, 0);
    return type_is_complex(p->type) ? real : real + matrix_get(&p->wi, index, 0) * I;
}

static number vector_of(const struct problem *p, int row, int column)
{
    const double imaginary = type_is_complex(p->type) ? 0 : cimag(value_of(p, column));
    if (imaginary > 0)
        return matrix_get(&p->vr, row, column) + matrix_get(&p->vr, row, column + 1) * I;
    if (imaginary < 0)
        return matrix_get(&p->vr, row, column - 1) - matrix_get(&p->vr, row, column) * I;
    return matrix_get(&p->vr, row, column);
}

static double largest_modulus(const struct problem *p)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++)
            most = fmax(most, cabs(matrix_before(&p->a, i, j)));
    return most;
}

static double residual(const struct problem *p)
{
    double most = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n; i++) {
            number sum = -value_of(p, j) * vector_of(p, i, j);
            for (int l = 0; l < p->n; l++)
                sum += matrix_before(&p->a, i, l) * vector_of(p, l, j);
            most = fmax(most, cabs(sum));
        }
    return most;
}

/* The trace and that of the square are the values'. */
static double trace_difference(const struct problem *p)
{
    number sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += matrix_before(&p->a, i, i) - value_of(p, i);
    return cabs(sum);
}

static bool pairs_are_exact(const struct problem *p)
{
    for (int i = 0; i < p->n && !type_is_complex(p->type); i++) {
        const number value = value_of(p, i);
        if (cimag(value) == 0)
            continue;
        if (cimag(value) < 0 || i + 1 == p->n || value_of(p, i + 1) != conj(value))
            return false;
        i++;
    }
    return true;
}

static bool vectors_are_normal(const struct problem *p)
{
    for (int j = 0; j < p->n; j++) {
        double sum = 0, most = 0;
        number largest = 0;
        for (int i = 0; i < p->n; i++) {
            const number element = vector_of(p, i, j);
            sum += creal(element * conj(element));
            if (cabs(element) > most) {
                most = cabs(element);
                largest = element;
            }
        }
        if (!(fabs(sqrt(sum) - 1) <= 10 * p->n * type_epsilon(p->type)))
            return false;
        if (cimag(value_of(p, j)) != 0 && !(fabs(cimag(largest)) <= 10 * type_epsilon(p->type)))
            return false;
    }
    return true;
}

static void test_problem(char type, char jobvl, char jobvr, int n, enum kind kind)
{
    struct problem p = {.type = type, .jobvl = jobvl, .jobvr = jobvr, .n = n};
    make(&p, kind);
    const double tolerance = 100 * n * type_epsilon(type) * largest_modulus(&p);
    struct matrix answer = matrix_make(type, 1, 1, 0);
    call(&p, answer.memory, -1);
    const double answered = creal(matrix_get(&answer, 0, 0));
    test(p.info == 0 && matrix_is_untouched(&p.wr, 'N'), "%cgeev %c%c n=%d %s: a query answers", type, jobvl,
         jobvr, n, kind_names[kind]);
    if (answered > p.work.rows)
        abort();
    call(&p, p.work.memory, (int)answered);
    test(p.info == 0 && trace_difference(&p) <= tolerance * sqrt(n), "and the values have A's trace");
    test(pairs_are_exact(&p), "and are exact pairs");
    test(creal(matrix_get(&p.work, 0, 0)) == answered, "and WORK(1) is what the query said");
    if (jobvr == 'V') {
        test(residual(&p) <= tolerance, "and vectors are the values' (%.1e of %.1e)", residual(&p),
             tolerance);
        test(vectors_are_normal(&p), "and are normalised");
    }
    test(matrix_is_untouched(&p.a, 'F') && matrix_is_untouched(&p.wr, 'F') &&
             matrix_is_untouched(&p.wi, 'F') && matrix_is_untouched(&p.vr, 'F') &&
             matrix_is_untouched(&p.vl, 'F'),
         "and nothing else is written");
    matrix_free(&answer);
    free_all(&p);
}

/* What is not finite is the host's, as it has it: newer LAPACK returns at once. */
int main(int count, char **words)
{
    for (const char *type = count > 1 ? words[1] : "sdcz"; *type; type++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int n = 2; n < 120; n += 39) {
                test_problem(*type, 'N', 'V', n, (enum kind)kind);
                test_problem(*type, 'N', 'N', n, (enum kind)kind);
                if (kind == PLAIN)
                    test_problem(*type, 'V', 'V', n, (enum kind)kind);
            }
    return tests_end();
}
