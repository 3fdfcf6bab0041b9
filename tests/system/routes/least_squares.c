/* least_squares [--types sdcz] [ORDER...]: gelsd and gelss of full and of lower rank: X, S, RANK, INFO and WORK(1)
 * as the plain host's, what X lacks below it, and gelss' vectors; nothing written that LAPACK does not. */
#include "factor_run.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

enum { SIDES = 3 };
/* The rank that RCOND sees; of a matrix whose small values lie where gesvdp errs only the host can tell. */
enum kind { FULL, LOWER, LOWER_BY_ROUNDING, ZERO, NOT_FINITE, KINDS };

struct context {
    struct factor_run run;
    struct random random;
    char type;
    int variant, calls, wrong;
};

/* Well conditioned; the second half of the columns repeats the first where the rank is lower. */
static double *make_matrix(struct context *context, int m, int n, enum kind kind)
{
    double *a = dense_make(context->type, m, n);
    const size_t column = (size_t)m * element_bytes(context->type);
    const int rank = (n + 1) / 2;
    if (kind != ZERO)
        dense_randomise(context->type, a, (int64_t)m * n, &context->random);
    for (int i = 0; i < m && i < n && kind != ZERO; i++)
        set_part(context->type, a, (int64_t)i * (m + 1), 0, 4 + sqrt(n));
    for (int j = rank; j < n && (kind == LOWER || kind == LOWER_BY_ROUNDING); j++)
        memcpy((char *)a + (size_t)j * column, (char *)a + (size_t)(j - rank) * column, column);
    if (kind == NOT_FINITE && m > 0 && n > 0)
        set_part(context->type, a, (int64_t)(n / 2) * m, 0, NAN);
    return a;
}

/* Rows of two matrices with a leading dimension agree. */
static bool agree(char type, const double *x, const double *y, int rows, int columns, int ld, double most)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            const int64_t at = i + (int64_t)j * ld;
            if (!(magnitude(get(type, x, at) - get(type, y, at)) <= most))
                return false;
        }
    return true;
}

static double sum_below(char type, const double *b, int n, int m, int column, int ld)
{
    double sum = 0;
    for (int i = n; i < m; i++)
        sum += (double)powl(cabsl(get(type, b, i + (int64_t)column * ld)), 2);
    return sum;
}

/* gelss: rows of A are the right vectors: of length 1, orthogonal, and A makes each as long as its value. */
static const char *vectors_fault(const struct context *context, const double *a)
{
    const struct lapack_call *call = &context->run.call;
    const char type = context->type;
    const int m = call->m, n = call->n;
    double *vt = dense_copy(type, n, n, call->a, call->lda), *product = dense_make(type, m, n);
    double *v = dense_make(type, n, n), *unit = dense_make(type, n, n);
    const char *fault = NULL;
    for (int i = 0; i < n; i++)
        set_part(type, unit, (int64_t)i * (n + 1), 0, 1);
    dense_multiply(type, 'N', 'C', n, n, n, 1, unit, n, vt, n, 0, v, n);
    dense_multiply(type, 'N', 'N', m, n, n, 1, a, m, v, n, 0, product, m);
    if (!(dense_orthogonality(type, n, n, v) <= 50))
        fault = "right vectors are not orthogonal";
    for (int j = 0; j < n && !fault; j++) {
        const double length = sqrt(sum_below(type, product, 0, m, j, m));
        if (!(fabs(length - real_at(type, call->s, j)) <= 50 * (m + n) * unit_roundoff(type) * real_at(type, call->s, 0)))
            fault = "a right vector is not of its value";
    }
    free(vt), free(product), free(v), free(unit);
    return fault;
}

static const char *results_fault(const struct context *context, const double *a, enum kind kind)
{
    const struct factor_run *run = &context->run;
    const struct lapack_call *call = &run->call;
    const char type = context->type;
    const int least = call->m < call->n ? call->m : call->n;
    const double most = 200 * (call->m + call->n + 10) * unit_roundoff(type);
    if (kind != LOWER_BY_ROUNDING && call->rank != run->host.rank)
        return "RANK is not the host's";
    for (int i = 0; i < least; i++)
        if (!(fabs(real_at(type, call->s, i) - real_at(type, run->host.s, i)) <= most * real_at(type, run->host.s, 0)))
            return "S is not the host's";
    if (kind != LOWER_BY_ROUNDING && !agree(type, call->b, run->host.b, call->n, SIDES, call->ldb, most))
        return "X is not the host's";
    for (int j = 0; j < SIDES && kind == FULL && call->m > call->n; j++)
        if (!(fabs(sqrt(sum_below(type, call->b, call->n, call->m, j, call->ldb)) -
                   sqrt(sum_below(type, run->host.b, call->n, call->m, j, call->ldb))) <= most * call->m))
            return "what X lacks is not the host's";
    if (strcmp(call->routine->name, "gelss") == 0 && kind == FULL && call->m >= call->n)
        return vectors_fault(context, a);
    return NULL;
}

static void try_sides(struct context *context, const char *routine, int m, int n, enum kind kind)
{
    struct factor_run *run = &context->run;
    const int least = m < n ? m : n, most = m > n ? m : n;
    double *a = make_matrix(context, m, n, kind), *b = dense_make(context->type, most, SIDES);
    dense_randomise(context->type, b, (int64_t)most * SIDES, &context->random);
    run->gap = context->variant++ % 3;
    factor_begin(run, routine, context->type);
    run->for_host = kind > LOWER || m < n;
    run->call.m = m, run->call.n = n, run->call.nrhs = SIDES;
    run->call.rcond = lapack_real_of(context->type, kind == LOWER ? 1e-3 : -1);
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    run->call.ldb = factor_operand(run, &run->b, b, most, SIDES, 'F', 'F');
    factor_vector(&run->s, real_type(context->type), NULL, least, 'F');
    factor_vector(&run->iwork, 's', NULL, 30 * least + 60, 'F');
    if (is_complex(context->type))
        factor_vector(&run->rwork, real_type(context->type), NULL, 90 * least + 40 * SIDES + 26 * 26 + 3 * 26 * SIDES + 100, 'F');
    factor_perform(run);
    const char *fault = factor_fault(run, -1);
    if (!fault && run->call.info == 0 && least > 0 && kind != NOT_FINITE)
        fault = results_fault(context, a, kind);
    if (fault && context->wrong++ < 5)
        printf("# %s, kind %d: %s\n", factor_words(run), kind, fault);
    context->calls++;
    factor_end(run);
    free(a), free(b);
}

int main(int count, char **words)
{
    int orders[64] = {0, 1, 2, 3, 31, 32, 33, 64}, order_count = 8, own = 0;
    const char *types = "sdcz";
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            types = words[++i];
        else if (own < 64)
            orders[own++] = atoi(words[i]), order_count = own;
    alarm(600);
    for (const char *type = types; *type; type++) {
        struct context context = {.type = *type, .random = {79}};
        for (int i = 0; i < 2 * order_count; i++) {
            const int n = orders[i / 2];
            const int shapes[][2] = {{n, n}, {n + 9, n}, {9 * n + 20, n}, {n, n + 9}};
            /* The host's gelsd does not end with NaN. */
            const enum kind kinds = i % 2 ? KINDS : NOT_FINITE;
            for (int j = 0; j < 4; j++)
                for (enum kind kind = FULL; kind < kinds; kind++)
                    try_sides(&context, i % 2 ? "gelss" : "gelsd", shapes[j][0], shapes[j][1], kind);
        }
        tap_ok(context.wrong == 0, "%c, least squares: %d of %d calls wrong", *type, context.wrong, context.calls);
    }
    factor_tell_calls();
    return tap_done();
}
