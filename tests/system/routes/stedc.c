/* stedc [--types sdcz] [--device] [ORDER...]: LAPACK's stedc of matrices that are hard for divide and
 * conquer: residuals, orthogonality, values as the host's, workspaces' answers, nothing read or written that
 * LAPACK does not (fenced.h); queries, illegal arguments, and numbers that are the host's. With --device a
 * call that is not the host's must leave E as it is, and what is between Z's columns, where the reference's
 * zstedc works. */
#include "stedc_run.h"
#include "stedc_sections.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { RANDOM, DIFFERENCE, WILKINSON, TORN, CLUSTERED, ROWS_APART, PARTS_APART, ZERO, KINDS };

/* PARTS_APART has a part that LAPACK scales by itself. */
static const double small_part = 0x1p-20;

static bool is_torn(enum kind kind, int i, int n)
{
    return kind == PARTS_APART ? i == n / 2 : kind == TORN ? i % 7 == 3 || i % 32 == 31
                                                           : kind == ROWS_APART && (i % 5 == 1 || i % 5 == 2);
}

static void make_matrix(enum kind kind, char type, int n, double *d, double *e, struct random *random)
{
    const char real = real_type(type);
    for (int i = 0; i < n; i++) {
        const double scale = kind == PARTS_APART && i > n / 2 ? small_part : 1, one = random_value(random),
                     other = random_value(random);
        const double alone = i % 5 == 2 ? one * 0x1p-60 : one,
                     tiny = ldexp(1 + i % 5, is_single(type) ? -24 : -53);
        const double diagonal[KINDS] = {one, 2, fabs(i - 0.5 * (n - 1)), one, i % 3, alone, one * scale, 0};
        const double beside[KINDS] = {other, -1, 1, other, tiny, other, other * scale, 0};
        set_part(real, d, i, 0, diagonal[kind]);
        set_part(real, e, i, 0, is_torn(kind, i, n) ? 0 : beside[kind]);
    }
    for (int i = 0; kind == ROWS_APART && i + 1 < n; i++) /* just negligible */
        if (is_torn(kind, i, n))
            set_part(real, e, i, 0,
                     (is_single(type) ? 0x1p-25 : 0x1p-54) *
                         sqrt(fabs(real_at(real, d, i)) * fabs(real_at(real, d, i + 1))));
}

/* Is what is alone in its row a value as it is? */
static bool has_lone_values(char type, int n, const double *d, const double *values)
{
    bool good = true;
    for (int i = 2; i < n; i += 5) {
        double nearest = INFINITY;
        const double lone = real_at(type, d, i);
        for (int j = 0; j < n; j++)
            nearest = fmin(nearest, fabs(real_at(type, values, j) - lone));
        good = good && nearest <= 8 * unit_roundoff(type) * fabs(lone);
    }
    return good;
}

static bool is_hosts(enum kind kind, char compz, int n)
{
    return n <= 2 || compz == 'N' || kind == ZERO || (kind == PARTS_APART && n > 6);
}

struct context {
    struct random random;
    char type;
    bool on_device;
    int calls, wrong;
};

static void solve(struct context *context, enum kind kind, char compz, int n, int variant)
{
    struct stedc_run run;
    double *d = dense_make('d', n, 1), *e = dense_make('d', n, 1);
    const bool hosts = !context->on_device || is_hosts(kind, compz, n);
    const int gap = hosts && is_complex(context->type) ? 0 : variant % 3;
    make_matrix(kind, context->type, n, d, e, &context->random);
    stedc_run_make(&run, context->type, compz, n, d, e, hosts, gap, variant % 2 * 50, &context->random);
    run.small = kind == PARTS_APART && n > 6 ? small_part : 0;
    stedc_run_perform(&run);
    const char *fault = stedc_run_fault(&run);
    if (!fault)
        fault = run.call.info == 0 ? stedc_run_result_fault(&run) : "INFO is not 0";
    if (!fault && kind == ROWS_APART && compz != 'N' &&
        !has_lone_values(context->type, n, run.diagonal, run.call.d))
        fault = "what is alone in its row is not as it was";
    if (fault && context->wrong++ < 5)
        printf("# %cstedc %c n %d, matrix %d, gap %d: %s (info %d)\n", context->type, compz, n, (int)kind,
               gap, fault, run.call.info);
    context->calls++;
    stedc_run_free(&run);
    free(d), free(e);
}

static void solve_all(struct context *context, char compz, const int *orders, int count)
{
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < KINDS; kind++)
            solve(context, (enum kind)kind, compz, orders[i], i + kind);
    tap_ok(context->wrong == 0, "%cstedc %c: %d of %d calls wrong", context->type, compz, context->wrong,
           context->calls);
    context->calls = context->wrong = 0;
}

int main(int count, char **words)
{
    int orders[64] = {0, 1, 2, 3, 24, 25, 26, 33, 65, 100}, order_count = 10, own = 0;
    struct context context = {.random = {20261127u}};
    const char *types = "sdcz";
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            types = words[++i];
        else if (strcmp(words[i], "--device") == 0)
            context.on_device = true;
        else if (own < 64)
            orders[own++] = atoi(words[i]), order_count = own;
    alarm(600);
    for (const char *type = types; *type; type++) {
        context.type = *type;
        for (const char *compz = "IVN"; *compz; compz++)
            solve_all(&context, *compz, orders, order_count);
        tap_ok(stedc_query(*type), "%cstedc: workspace queries", *type);
        tap_ok(stedc_refuse(*type), "%cstedc: illegal arguments", *type);
        tap_ok(stedc_numbers(*type, &context.random), "%cstedc: NaN, infinity, and what LAPACK scales",
               *type);
    }
    return tap_done();
}
