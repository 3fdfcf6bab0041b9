/* bidiagonal [--types sdcz] [ORDER...]: the reduction to bidiagonal form, the matrices Q and P' of one, and products
 * with Q and P: results are those of the plain host within rounding, INFO and WORK(1) its own, and nothing is
 * written or read that LAPACK does not (fenced.h). */
#include "factor_run.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

enum { OTHERS = 4 };

struct context {
    struct factor_run run;
    struct random random;
    char type;
    int order, variant, calls, wrong;
};

static double *random_matrix(struct context *context, int m, int n)
{
    double *a = dense_make(context->type, m, n);
    dense_randomise(context->type, a, (int64_t)m * n, &context->random);
    return a;
}

static struct factor_run *begin(struct context *context, const char *real, const char *in_two, int m, int n)
{
    context->run.gap = context->variant++ % 3 * 2;
    factor_begin(&context->run, is_complex(context->type) ? in_two : real, context->type);
    context->run.call.m = m, context->run.call.n = n;
    return &context->run;
}

static void end(struct context *context, double tolerance)
{
    struct factor_run *const run = &context->run;
    const int order = context->order + 10;
    factor_perform(run);
    const char *const fault = factor_fault(run, 300 * order * order * unit_roundoff(context->type) * tolerance);
    if (fault && context->wrong++ < 5)
        printf("# %s: %s\n", factor_words(run), fault);
    context->calls++;
    factor_end(run);
}

static int least(int a, int b) { return a < b ? a : b; }

/* TAUQ has the place of TAU, TAUP that of W. */
static void try_gebrd(struct context *context, int m, int n, bool finite)
{
    const int k = least(m, n);
    double *const a = random_matrix(context, m, n);
    struct factor_run *const run = begin(context, "gebrd", "gebrd", m, n);
    if (!finite)
        set_part(context->type, a, (int64_t)(m / 2) + (int64_t)(n / 2) * m, 0, NAN);
    run->for_host = !finite;
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    factor_vector(&run->d, real_type(context->type), NULL, k, 'F');
    factor_vector(&run->e, real_type(context->type), NULL, k - 1, 'F');
    factor_vector(&run->tau, context->type, NULL, k, 'F');
    factor_vector(&run->w, context->type, NULL, k, 'F');
    run->least_work = context->variant % 2 ? (m > n ? m : n) : 0;
    end(context, finite ? 1 : -1);
    free(a);
}

/* A matrix m x n that the host has reduced, Q (or P') whole or in part, and products of it; closely packed. */
struct reduced {
    int m, n;
    double *a, *tauq, *taup;
};

static struct reduced reduce(struct context *context, int m, int n)
{
    const int k = least(m, n);
    struct reduced reduced = {m, n, random_matrix(context, m, n), dense_make(context->type, k, 1),
                              dense_make(context->type, k, 1)};
    double *const d = dense_make(real_type(context->type), k, 1), *const e = dense_make(real_type(context->type), k, 1);
    struct lapack_call host = {.type = context->type, .m = m, .n = n, .lda = m, .a = reduced.a, .d = d, .e = e,
                               .tau = reduced.tauq, .w = reduced.taup};
    factor_host(&host, "gebrd");
    free(d), free(e);
    return reduced;
}

/* `few` of the longer side's vectors, or all of them. */
static void try_orgbr(struct context *context, const struct reduced *reduced, char vect, bool few)
{
    const int m = reduced->m, n = reduced->n, k = vect == 'Q' ? n : m, order = vect == 'Q' ? m : n,
              other = few ? least(order, k) : order;
    double *const a = dense_make(context->type, order, order);
    const size_t element = element_bytes(context->type);
    struct factor_run *const run = vect == 'Q' ? begin(context, "orgbr", "ungbr", order, other)
                                               : begin(context, "orgbr", "ungbr", other, order);
    /* Q's reflectors in its first columns, P's in its first rows. */
    for (int j = 0; j < least(n, run->call.n); j++)
        memcpy((char *)a + (size_t)(j * run->call.m) * element, (const char *)reduced->a + (size_t)(j * m) * element,
               (size_t)least(m, run->call.m) * element);
    run->call.vect = vect, run->call.k = k;
    run->call.lda = factor_operand(run, &run->a, a, run->call.m, run->call.n, 'F', 'F');
    factor_vector(&run->tau, context->type, vect == 'Q' ? reduced->tauq : reduced->taup, least(m, n), 'N');
    run->least_work = context->variant % 2 ? least(run->call.m, run->call.n) : 0;
    end(context, 1);
    free(a);
}

static void try_ormbr(struct context *context, const struct reduced *reduced, char vect, char side, bool turned)
{
    const int order = vect == 'Q' ? reduced->m : reduced->n, k = vect == 'Q' ? reduced->n : reduced->m,
              rows = side == 'L' ? order : OTHERS, columns = side == 'L' ? OTHERS : order;
    double *const c = random_matrix(context, rows, columns);
    struct factor_run *const run = begin(context, "ormbr", "unmbr", rows, columns);
    run->call.vect = vect, run->call.side = side, run->call.k = k;
    run->call.trans = !turned ? 'N' : is_complex(context->type) ? 'C' : 'T';
    run->for_host = k < 2; /* too small */
    run->call.lda = factor_operand(run, &run->a, reduced->a, reduced->m, reduced->n, 'F', 'N');
    factor_vector(&run->tau, context->type, vect == 'Q' ? reduced->tauq : reduced->taup, least(order, k), 'N');
    run->call.ldc = factor_operand(run, &run->c, c, rows, columns, 'F', 'F');
    run->least_work = context->variant % 2 ? (side == 'L' ? columns : rows) : 0;
    end(context, 1);
    free(c);
}

static void try_order(struct context *context, int m, int n)
{
    try_gebrd(context, m, n, true);
    if (m < 1 || n < 1)
        return;
    try_gebrd(context, m, n, false);
    struct reduced reduced = reduce(context, m, n);
    for (int of_p = 0; of_p < 2; of_p++) {
        const char vect = of_p ? 'P' : 'Q';
        for (int few = 0; few < 2; few++)
            try_orgbr(context, &reduced, vect, few);
        for (int way = 0; way < 4; way++)
            try_ormbr(context, &reduced, vect, way & 1 ? 'R' : 'L', way & 2);
    }
    free(reduced.a), free(reduced.tauq), free(reduced.taup);
}

int main(int count, char **words)
{
    int orders[64] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65}, order_count = 10, own = 0;
    const char *types = "sdcz";
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            types = words[++i];
        else if (own < 64)
            orders[own++] = atoi(words[i]), order_count = own;
    alarm(600);
    for (const char *type = types; *type; type++) {
        struct context context = {.type = *type, .random = {78}};
        for (int j = 0; j < order_count; j++) {
            const int n = context.order = orders[j];
            try_order(&context, n, n);
            if (n > 1) {
                try_order(&context, n, n / 2);
                try_order(&context, n - n / 3, n);
            }
        }
        tap_ok(context.wrong == 0, "%c, gebrd and what uses it: %d of %d calls wrong", *type, context.wrong,
               context.calls);
    }
    factor_tell_calls();
    return tap_done();
}
