/* factor [--types sdcz] [--only CLQR] [ORDER...]: Cholesky, LU and QR factorisations, what solves and inverts with
 * them, and the reductions of eigenproblems: results are those of the plain host within rounding, INFO,
 * pivots and WORK(1) its own, and nothing is written or read that LAPACK does not (fenced.h). */
#include "factor_run.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

enum { RIGHT_SIDES = 5 };

struct context {
    struct factor_run run;
    struct random random;
    char type;
    int n, variant, calls, wrong;
    const double *given; /* the matrix that hetrd reduces */
};

/* A matrix's flaw, in its middle. */
enum flaw { SOUND, NOT_FINITE, FLAWED, FLAWS }; /* FLAWED: singular or indefinite */

/* General with a diagonal of about `diagonal`, m x n. */
static double *general(struct context *context, int m, int n, double diagonal)
{
    double *a = dense_make(context->type, m, n);
    dense_randomise(context->type, a, (int64_t)m * n, &context->random);
    for (int i = 0; i < m && i < n; i++) {
        const int64_t at = i + (int64_t)i * m;
        set_part(context->type, a, at, 0, (double)creall(get(context->type, a, at)) + diagonal);
    }
    return a;
}

/* Hermitian; positive definite with a diagonal as large as n. */
static double *hermitian(struct context *context, double diagonal)
{
    const int n = context->n;
    double *a = general(context, n, n, diagonal);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            const number value = get(context->type, a, i + (int64_t)j * n);
            set_part(context->type, a, j + (int64_t)i * n, 0, (double)creall(value));
            for (int part = 0; part < 2 && is_complex(context->type); part++)
                set_part(context->type, a, part ? i + (int64_t)j * n : j + (int64_t)i * n, 1,
                         i == j ? 0 : part ? (double)cimagl(value) : -(double)cimagl(value));
        }
    return a;
}

/* A NaN, or a column of zeros. */
static void spoil(const struct context *context, double *a, int m, int n, enum flaw flaw)
{
    const int middle = (m < n ? m : n) / 2;
    if (flaw == NOT_FINITE)
        set_part(context->type, a, middle + (int64_t)middle * m, 0, NAN);
    if (flaw == FLAWED)
        memset((char *)a + (size_t)middle * (size_t)m * element_bytes(context->type), 0,
               (size_t)m * element_bytes(context->type));
}

/* An order without elements has nothing to spoil. */
static enum flaw flaws_of(const struct context *context, enum flaw end)
{
    return context->n > 0 ? end : SOUND + 1;
}

static struct factor_run *begin(struct context *context, const char *real, const char *in_two)
{
    context->run.gap = context->variant++ % 3 * 2;
    factor_begin(&context->run, is_complex(context->type) ? in_two : real, context->type);
    context->run.call.n = context->n;
    return &context->run;
}

/* hetrd: A Q = Q T, and Q unitary, Q made by the host of what the call left. */
static const char *reduction_fault(const struct context *context)
{
    const struct factor_run *run = &context->run;
    const char type = context->type;
    const int n = context->n;
    const char *fault = NULL;
    double *q = dense_copy(type, n, n, run->call.a, run->call.lda), *t = dense_make(type, n, n);
    double *rest = dense_make(type, n, n);
    struct lapack_call host = {
        .type = type, .uplo = run->call.uplo, .n = n, .lda = n, .a = q, .tau = run->call.tau};
    factor_host(&host, is_complex(type) ? "ungtr" : "orgtr");
    for (int i = 0; i < n; i++) {
        set_part(type, t, (int64_t)i * (n + 1), 0, real_at(type, run->call.d, i));
        for (int upper = 0; upper < 2 && i + 1 < n; upper++)
            set_part(type, t, (int64_t)i * (n + 1) + (upper ? n : 1), 0, real_at(type, run->call.e, i));
    }
    dense_multiply(type, 'N', 'N', n, n, n, 1, q, n, t, n, 0, rest, n);
    dense_multiply(type, 'N', 'N', n, n, n, 1, context->given, n, q, n, -1, rest, n);
    const double norm = dense_norm(type, n, n, context->given);
    if (!(dense_norm(type, n, n, rest) <= 30 * n * unit_roundoff(type) * norm))
        fault = "A Q is not Q T";
    else if (!(dense_orthogonality(type, n, n, q) <= 30))
        fault = "Q is not unitary";
    free(q), free(t), free(rest);
    return fault;
}

static void end(struct context *context, double tolerance)
{
    struct factor_run *run = &context->run;
    const double most = 300 * (context->n + 10) * (context->n + 10) * unit_roundoff(context->type) *
                        tolerance;
    factor_perform(run);
    const char *fault = factor_fault(run, most);
    if (!fault && context->given && context->n > 0)
        fault = reduction_fault(context);
    if (fault && context->wrong++ < 5)
        printf("# %s: %s\n", factor_words(run), fault);
    context->calls++;
    factor_end(run);
}

static void try_potrf(struct context *context, const char *routine, char uplo, enum flaw flaw)
{
    const int n = context->n;
    const bool solve = strstr(routine, "sv");
    double *a = hermitian(context, n + 1), *b = general(context, n, RIGHT_SIDES, 0);
    if (flaw)
        set_part(context->type, a, (int64_t)(n / 2) * (n + 1), 0, flaw == FLAWED ? -1 : NAN);
    struct factor_run *run = begin(context, routine, routine);
    run->call.uplo = uplo, run->for_host = flaw == NOT_FINITE;
    run->call.lda = factor_triangle(run, &run->a, a, n, uplo, uplo);
    if (solve) {
        run->call.nrhs = RIGHT_SIDES;
        run->call.ldb = factor_operand(run, &run->b, b, n, RIGHT_SIDES, 'F', 'F');
    }
    end(context, 1);
    free(a), free(b);
}

/* Routines that take a Cholesky factor, or any triangle: potri, trtri, potrs, trtrs, pptri, pptrs. */
static void try_factored(struct context *context, const char *routine, char uplo, char diag, bool singular)
{
    const int n = context->n;
    double *a = hermitian(context, n + 1), *b = general(context, n, RIGHT_SIDES, 0);
    struct lapack_call host = {.type = context->type, .uplo = uplo, .n = n, .lda = n > 1 ? n : 1, .a = a};
    const bool solve = strcmp(routine + 3, "rs") == 0;
    factor_host(&host, "potrf");
    for (int i = 0; i < n && diag == 'U'; i++) /* not referenced; elsewhere elements small beside 1 */
        set_part(context->type, a, (int64_t)i * (n + 1), 0, NAN);
    if (singular)
        for (int part = 0; part <= is_complex(context->type); part++)
            set_part(context->type, a, (int64_t)(n / 2) * (n + 1), part, 0);
    struct factor_run *run = begin(context, routine, routine);
    run->call.uplo = uplo, run->call.diag = diag, run->call.trans = "NTC"[context->calls % 3];
    run->call.lda = factor_triangle(run, &run->a, a, n, uplo, solve ? 'N' : uplo);
    if (solve) {
        run->call.nrhs = RIGHT_SIDES;
        run->call.ldb = factor_operand(run, &run->b, b, n, RIGHT_SIDES, 'F', 'F');
    }
    end(context, 1);
    free(a), free(b);
}

static void try_cholesky(struct context *context)
{
    for (const char *uplo = "UL"; *uplo; uplo++) {
        static const char *const routines[] = {"potrf", "posv", "pptrf", "ppsv"};
        for (int i = 0; i < 4; i++)
            for (enum flaw flaw = SOUND; flaw < flaws_of(context, FLAWS); flaw++)
                try_potrf(context, routines[i], *uplo, flaw);
        try_factored(context, "potrs", *uplo, 0, false), try_factored(context, "pptrs", *uplo, 0, false);
        for (int singular = 0; singular < 1 + (context->n > 0); singular++) {
            try_factored(context, "potri", *uplo, 0, singular), try_factored(context, "pptri", *uplo, 0, singular);
            try_factored(context, "trtri", *uplo, 'N', singular);
            for (int trans = 0; trans < 3; trans++)
                try_factored(context, "trtrs", *uplo, 'N', singular);
        }
        try_factored(context, "trtri", *uplo, 'U', false), try_factored(context, "trtrs", *uplo, 'U', false);
    }
}

static void try_getrf(struct context *context, int m, int n, enum flaw flaw)
{
    double *a = general(context, m, n, 0);
    spoil(context, a, m, n, flaw);
    struct factor_run *run = begin(context, "getrf", "getrf");
    run->for_host = flaw == NOT_FINITE, run->call.m = m, run->call.n = n;
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    factor_vector(&run->ipiv, 's', NULL, m < n ? m : n, 'F');
    end(context, 1);
    free(a);
}

/* gesv, getrs, getri: the last two on the host's factors. */
static void try_general(struct context *context, const char *routine, char trans, enum flaw flaw)
{
    const int n = context->n;
    const bool whole = strcmp(routine, "gesv") == 0, inverse = strcmp(routine, "getri") == 0;
    double *a = general(context, n, n, 4), *b = general(context, n, RIGHT_SIDES, 0),
           *pivots = dense_make('s', n, 1);
    struct lapack_call host = {.type = context->type, .m = n, .n = n, .lda = n > 1 ? n : 1, .a = a,
                               .ipiv = (int *)(void *)pivots};
    spoil(context, a, n, n, flaw);
    if (!whole)
        factor_host(&host, "getrf");
    struct factor_run *run = begin(context, routine, routine);
    run->for_host = flaw == NOT_FINITE;
    run->call.trans = trans, run->call.nrhs = RIGHT_SIDES;
    run->call.lda = factor_operand(run, &run->a, a, n, n, 'F', whole || inverse ? 'F' : 'N');
    factor_vector(&run->ipiv, 's', whole ? NULL : pivots, n, whole ? 'F' : 'N');
    if (!inverse)
        run->call.ldb = factor_operand(run, &run->b, b, n, RIGHT_SIDES, 'F', 'F');
    run->least_work = context->variant % 2 ? n > 1 ? n : 1 : 0;
    end(context, 10);
    free(a), free(b), free(pivots);
}

static void try_lu(struct context *context)
{
    const int n = context->n;
    try_getrf(context, n + 9, n, SOUND), try_getrf(context, n, n + 9, SOUND);
    for (enum flaw flaw = SOUND; flaw < flaws_of(context, FLAWS); flaw++) {
        try_getrf(context, n, n, flaw);
        try_general(context, "gesv", 0, flaw);
        try_general(context, "getri", 0, flaw);
    }
    for (const char *trans = "NTC"; *trans; trans++)
        try_general(context, "getrs", *trans, SOUND);
}

static void try_geqrf(struct context *context, int m, int n, enum flaw flaw)
{
    double *a = general(context, m, n, 2);
    spoil(context, a, m, n, flaw);
    struct factor_run *run = begin(context, "geqrf", "geqrf");
    run->for_host = flaw == NOT_FINITE, run->call.m = m, run->call.n = n;
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    factor_vector(&run->tau, context->type, NULL, m < n ? m : n, 'F');
    run->least_work = context->variant % 2 ? n > 1 ? n : 1 : 0;
    end(context, 1);
    free(a);
}

/* orgqr (side 0) and ormqr, on reflectors of the host's. */
static void try_reflectors(struct context *context, char side, char trans)
{
    const int n = context->n, m = n + 7, k = n;
    double *a = general(context, m, n, 2), *tau = dense_make(context->type, k, 1);
    double *c = general(context, m, m, 0);
    struct lapack_call host = {.type = context->type, .m = m, .n = n, .lda = m, .a = a, .tau = tau};
    factor_host(&host, "geqrf");
    struct factor_run *run = begin(context, side ? "ormqr" : "orgqr", side ? "unmqr" : "ungqr");
    const int rows = side == 'R' ? RIGHT_SIDES : m, columns = side == 'L' ? RIGHT_SIDES : side ? m : n;
    run->call.side = side, run->call.trans = trans;
    run->call.m = rows, run->call.n = columns, run->call.k = k;
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', side ? 'N' : 'F');
    factor_vector(&run->tau, context->type, tau, k, 'N');
    if (side)
        run->call.ldc = factor_operand(run, &run->c, c, rows, columns, 'F', 'F');
    const int least = side == 'R' ? rows : columns;
    run->least_work = context->variant % 2 ? least > 1 ? least : 1 : 0;
    end(context, 1);
    free(a), free(tau), free(c);
}

static void try_gels(struct context *context, int m, int n, char trans, enum flaw flaw)
{
    double *a = general(context, m, n, 4);
    spoil(context, a, m, n, flaw);
    const int most = m > n ? m : n, least = m < n ? m : n;
    double *b = general(context, most, RIGHT_SIDES, 0);
    struct factor_run *run = begin(context, "gels", "gels");
    run->for_host = flaw == NOT_FINITE || m < n || trans != 'N';
    run->call.trans = trans, run->call.m = m, run->call.n = n, run->call.nrhs = RIGHT_SIDES;
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    run->call.ldb = factor_operand(run, &run->b, b, most, RIGHT_SIDES, 'F', 'F');
    run->least_work = context->variant % 2 ? least + (least > RIGHT_SIDES ? least : RIGHT_SIDES) : 0;
    end(context, 10);
    free(a), free(b);
}

static void try_qr(struct context *context)
{
    const int n = context->n;
    const char adjoint = is_complex(context->type) ? 'C' : 'T';
    for (enum flaw flaw = SOUND; flaw < flaws_of(context, FLAWED); flaw++)
        try_geqrf(context, n, n, flaw);
    try_geqrf(context, n + 9, n, SOUND), try_geqrf(context, n, n + 9, SOUND);
    try_reflectors(context, 0, 0);
    for (const char *side = "LR"; *side; side++)
        try_reflectors(context, *side, 'N'), try_reflectors(context, *side, adjoint);
    for (enum flaw flaw = SOUND; flaw < flaws_of(context, FLAWS); flaw++)
        try_gels(context, n + 12, n, 'N', flaw);
    try_gels(context, n + 12, n, adjoint, SOUND);
    try_gels(context, n, n + 12, 'N', SOUND), try_gels(context, n, n + 12, adjoint, SOUND);
}

static void try_sygst(struct context *context, int itype, char uplo, bool singular)
{
    const int n = context->n;
    double *a = hermitian(context, 0), *b = hermitian(context, n + 1);
    struct lapack_call host = {.type = context->type, .uplo = uplo, .n = n, .lda = n > 1 ? n : 1, .a = b};
    factor_host(&host, "potrf");
    for (int part = 0; part <= is_complex(context->type) && singular; part++)
        set_part(context->type, b, (int64_t)(n / 2) * (n + 1), part, 0);
    struct factor_run *run = begin(context, "sygst", "hegst");
    run->for_host = singular;
    run->call.itype = itype, run->call.uplo = uplo;
    run->call.lda = factor_operand(run, &run->a, a, n, n, uplo, uplo);
    run->call.ldb = factor_operand(run, &run->b, b, n, n, uplo, 'N');
    end(context, itype == 1 ? 1 : n + 1);
    free(a), free(b);
}

/* Its results are not determined to rounding: they are judged by themselves. */
static void try_sytrd(struct context *context, char uplo)
{
    const int n = context->n;
    double *a = hermitian(context, 0);
    struct factor_run *run = begin(context, "sytrd", "hetrd");
    run->call.uplo = uplo;
    run->call.lda = factor_operand(run, &run->a, a, n, n, uplo, uplo);
    factor_vector(&run->d, real_type(context->type), NULL, n, 'F');
    factor_vector(&run->e, real_type(context->type), NULL, n - 1, 'F');
    factor_vector(&run->tau, context->type, NULL, n - 1, 'F');
    run->least_work = context->variant % 2 ? 1 : 0;
    context->given = a;
    end(context, -1);
    context->given = NULL;
    free(a);
}

/* orgtr (side 0) and ormtr, on reflectors of the host's. */
static void try_tridiagonal(struct context *context, char uplo, char side, char trans)
{
    const int n = context->n, most = n > RIGHT_SIDES ? n : RIGHT_SIDES;
    const char real = real_type(context->type);
    double *a = hermitian(context, 0), *tau = dense_make(context->type, n, 1), *d = dense_make(real, n, 1),
           *e = dense_make(real, n, 1), *c = general(context, most, most, 0);
    struct lapack_call host = {.type = context->type, .uplo = uplo, .n = n, .lda = n > 1 ? n : 1, .a = a,
                               .d = d, .e = e, .tau = tau};
    factor_host(&host, is_complex(context->type) ? "hetrd" : "sytrd");
    struct factor_run *run = begin(context, side ? "ormtr" : "orgtr", side ? "unmtr" : "ungtr");
    const int rows = side == 'R' ? RIGHT_SIDES : n, columns = side == 'L' ? RIGHT_SIDES : n;
    run->call.uplo = uplo, run->call.side = side, run->call.trans = trans;
    run->call.m = rows, run->call.n = columns;
    run->call.lda = factor_operand(run, &run->a, a, n, n, uplo, side ? 'N' : 'F');
    factor_vector(&run->tau, context->type, tau, n - 1, 'N');
    if (side)
        run->call.ldc = factor_operand(run, &run->c, c, rows, columns, 'F', 'F');
    end(context, 1);
    free(a), free(tau), free(d), free(e), free(c);
}

static void try_reductions(struct context *context)
{
    for (const char *uplo = "UL"; *uplo; uplo++) {
        for (int itype = 1; itype <= 3; itype++)
            try_sygst(context, itype, *uplo, false);
        if (context->n > 1)
            try_sygst(context, 1, *uplo, true);
        try_sytrd(context, *uplo);
        try_tridiagonal(context, *uplo, 0, 0);
        for (const char *side = "LR"; *side; side++) {
            try_tridiagonal(context, *uplo, *side, 'N');
            try_tridiagonal(context, *uplo, *side, is_complex(context->type) ? 'C' : 'T');
        }
    }
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(struct context *);
    } families[] = {{"potrf and what uses it", try_cholesky}, {"getrf and what uses it", try_lu},
                    {"geqrf and what uses it", try_qr}, {"reductions of eigenproblems", try_reductions}};
    int orders[64] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65}, order_count = 10, own = 0;
    const char *types = "sdcz", *only = "CLQR";
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            types = words[++i];
        else if (strcmp(words[i], "--only") == 0 && i + 1 < count)
            only = words[++i];
        else if (own < 64)
            orders[own++] = atoi(words[i]), order_count = own;
    alarm(600);
    printf("# seed 77\n");
    for (const char *type = types; *type; type++)
        for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
            if (!strchr(only, "CLQR"[i]))
                continue;
            struct context context = {.type = *type, .random = {77}};
            for (int j = 0; j < order_count; j++) {
                context.n = orders[j];
                families[i].run(&context);
            }
            tap_ok(context.wrong == 0, "%c, %s: %d of %d calls wrong", *type, families[i].name, context.wrong,
                   context.calls);
        }
    factor_tell_calls();
    return tap_done();
}
