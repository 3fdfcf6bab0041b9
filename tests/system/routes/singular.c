/* singular [--types sdcz] [--only SGL] [ORDER...]: gesvd and gesdd with every choice of vectors, and geev, geevx, and,
 * where --only says so, gesdd of matrices a hundred times as long as wide, or as wide as long: residuals, orthogonality
 * and values, INFO and WORK(1) as the plain host's, nothing written that LAPACK does not. */
#include "factor_run.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

enum { THRESHOLD = 50 }; /* of LAPACK's own testers, for singular values */

struct context {
    struct factor_run run;
    struct random random;
    char type;
    int variant, calls, wrong;
};

static double tolerance(const struct context *context, int order)
{
    return 20 * (order + 3) * (order + 3) * unit_roundoff(context->type);
}

/* m x n; of rank 3 at most if `deficient`. */
static double *make_matrix(struct context *context, int m, int n, bool deficient)
{
    double *a = dense_make(context->type, m, n);
    dense_randomise(context->type, a, (int64_t)m * n, &context->random);
    const size_t column = (size_t)m * element_bytes(context->type);
    for (int j = 3; j < n && deficient; j++)
        memcpy((char *)a + (size_t)j * column, (char *)a + (size_t)(j % 3) * column, column);
    return a;
}

static void note(struct context *context, const char *fault)
{
    if (fault && context->wrong++ < 5)
        printf("# %s: %s\n", factor_words(&context->run), fault);
    context->calls++;
    factor_end(&context->run);
}

/* The vectors that the call left, closely packed; `here`: in A. */
static double *vectors_of(const struct factor_run *run, const struct fenced *operand, bool here, int rows,
                          int columns)
{
    const struct fenced *from = here ? &run->a : operand;
    return dense_copy(run->call.type, rows, columns, fenced_data(from, false), from->memory.ld);
}

/* U^H U = I, V^H V = I, and A V = U S for those that were asked for: columns of U, rows of VT; 0: none. */
static const char *vectors_fault(const struct context *context, const double *a, int u_columns, int vt_rows)
{
    const struct factor_run *run = &context->run;
    const char type = context->type;
    const int m = run->call.m, n = run->call.n, least = m < n ? m : n;
    const char *fault = NULL;
    double *u = vectors_of(run, &run->u, !run->call.u, m, u_columns);
    double *vt = vectors_of(run, &run->vt, !run->call.vt, vt_rows, n);
    if (u_columns > 0 && !(dense_orthogonality(type, m, u_columns, u) <= THRESHOLD))
        fault = "U is not orthogonal";
    if (vt_rows > 0) {
        double *v = dense_make(type, n, vt_rows), *eye = dense_make(type, n, n);
        for (int i = 0; i < n; i++)
            set_part(type, eye, (int64_t)i * (n + 1), 0, 1);
        dense_multiply(type, 'N', 'C', n, vt_rows, n, 1, eye, n, vt, vt_rows, 0, v, n);
        if (!(dense_orthogonality(type, n, vt_rows, v) <= THRESHOLD))
            fault = "VT is not orthogonal";
        free(v), free(eye);
    }
    if (!fault && u_columns > 0 && vt_rows > 0) {
        double *s = calloc((size_t)least, sizeof *s), *rest = dense_copy(type, m, n, a, m);
        for (int i = 0; i < least; i++)
            s[i] = real_at(type, run->call.s, i);
        dense_scale_columns(type, m, least, u, s);
        dense_multiply(type, 'N', 'N', m, n, least, -1, u, m, vt, vt_rows, 1, rest, m);
        const double most = THRESHOLD * (m > n ? m : n) * unit_roundoff(type) * dense_norm(type, m, n, a);
        if (!(dense_norm(type, m, n, rest) <= most))
            fault = "A is not U S VT";
        free(s), free(rest);
    }
    free(u), free(vt);
    return fault;
}

static const char *values_fault(const struct context *context, int least)
{
    const struct factor_run *run = &context->run;
    const double most = tolerance(context, run->call.m + run->call.n);
    for (int i = 0; i < least; i++) {
        const double value = real_at(context->type, run->call.s, i);
        if (!(fabs(value - real_at(context->type, run->host.s, i)) <= most) || value < 0)
            return "a singular value is not the host's";
        if (i > 0 && value > real_at(context->type, run->call.s, i - 1))
            return "singular values are not descending";
    }
    return NULL;
}

/* How many vectors a job A, S, O, N gives, of a side of the size given. */
static int vectors_asked(char job, int size, int least)
{
    return job == 'A' ? size : job == 'N' ? 0 : least;
}

/* gesdd has one job for both sides; its O overwrites A with the longer side's and gives the other whole. */
static void try_svd(struct context *context, bool divide, char jobu, char jobvt, int m, int n)
{
    struct factor_run *run = &context->run;
    const int least = m < n ? m : n, most = m > n ? m : n;
    double *a = make_matrix(context, m, n, context->variant % 5 == 4);
    run->gap = context->variant++ % 3;
    factor_begin(run, divide ? "gesdd" : "gesvd", context->type);
    run->call.m = m, run->call.n = n;
    run->call.jobu = divide ? 0 : jobu, run->call.jobvt = divide ? 0 : jobvt,
    run->call.jobz = divide ? jobu : 0;
    const bool u_here = jobu == 'O' && (!divide || m >= n), vt_here = jobvt == 'O' && (!divide || m < n);
    const int u_columns = vectors_asked(jobu, m, least), vt_rows = vectors_asked(jobvt, n, least);
    run->call.lda = factor_operand(run, &run->a, a, m, n, 'F', 'F');
    factor_vector(&run->s, real_type(context->type), NULL, least, 'F');
    run->call.ldu = run->call.ldvt = 1;
    if (jobu != 'N' && !u_here)
        run->call.ldu = factor_operand(run, &run->u, NULL, m, u_columns, 'F', 'F');
    if (jobvt != 'N' && !vt_here)
        run->call.ldvt = factor_operand(run, &run->vt, NULL, vt_rows, n, 'F', 'F');
    factor_vector(&run->iwork, 's', NULL, 8 * least, 'F');
    if (is_complex(context->type))
        factor_vector(&run->rwork, real_type(context->type), NULL,
                      7 * least * least + 2 * most * least + 7 * most + 1, 'F');
    factor_perform(run);
    const char *fault = factor_fault(run, -1);
    if (!fault && run->call.info == 0 && least > 0 && !(fault = values_fault(context, least)))
        fault = vectors_fault(context, a, u_columns, vt_rows);
    note(context, fault);
    free(a);
}

static void try_values(struct context *context, int order)
{
    const int shapes[][2] = {
        {order, order}, {order + 11, order}, {order, order + 11}, {2 * order + 20, order}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (const char *job = "ASON"; *job; job++)
            try_svd(context, true, *job, *job, shapes[i][0], shapes[i][1]);
        for (const char *left = "ASON"; *left; left++)
            for (const char *right = "ASON"; *right; right++)
                if (*left != 'O' || *right != 'O')
                    try_svd(context, false, *left, *right, shapes[i][0], shapes[i][1]);
    }
}

static void try_long(struct context *context, int order)
{
    for (const char *job = "SN"; *job; job++) {
        try_svd(context, true, *job, *job, 100 * order, order);
        try_svd(context, true, *job, *job, order, 100 * order);
    }
}

/* Value j of the call's, or the host's. */
static number value_of(const struct lapack_call *call, int j)
{
    if (is_complex(call->type))
        return get(call->type, call->w, j);
    return CMPLXL(real_at(call->type, call->w, j), real_at(call->type, call->wi, j));
}

/* Component i of right vector j: real types keep conjugate pairs in two columns. */
static number component(const struct lapack_call *call, const double *vectors, int i, int j)
{
    const int n = call->n;
    if (is_complex(call->type))
        return get(call->type, vectors, i + (int64_t)j * n);
    const long double sign = cimagl(value_of(call, j));
    const int first = sign < 0 ? j - 1 : j;
    const long double real = creall(get(call->type, vectors, i + (int64_t)first * n));
    if (sign == 0)
        return real;
    const long double imaginary = creall(get(call->type, vectors, i + (int64_t)(first + 1) * n));
    return CMPLXL(real, sign < 0 ? -imaginary : imaginary);
}

/* Its norm is 1, and its largest component real. */
static bool is_normal(const struct lapack_call *call, const double *vectors, int j, double most)
{
    long double length = 0;
    number largest = 0;
    for (int i = 0; i < call->n; i++) {
        const number element = component(call, vectors, i, j);
        length += powl(cabsl(element), 2);
        if (cabsl(element) > cabsl(largest))
            largest = element;
    }
    return fabsl(length - 1) <= most && fabsl(cimagl(largest)) <= most;
}

static const char *right_fault(const struct context *context, const double *a)
{
    const struct lapack_call *call = &context->run.call;
    const int n = call->n;
    const double most = tolerance(context, n), norm = fmax(1, dense_norm(call->type, n, n, a));
    double *vectors = dense_copy(call->type, n, n, call->right, call->ldvr);
    const char *fault = NULL;
    for (int j = 0; j < n && !fault; j++) {
        for (int i = 0; i < n; i++) {
            number sum = -value_of(call, j) * component(call, vectors, i, j);
            for (int l = 0; l < n; l++)
                sum += get(call->type, a, i + (int64_t)l * n) * component(call, vectors, l, j);
            if (!(magnitude(sum) <= most * norm))
                fault = "the residual is too large";
        }
        if (!is_normal(call, vectors, j, most))
            fault = "a vector is not normal";
    }
    free(vectors);
    return fault;
}

/* Every value has one of the host's beside it; pairs are adjacent, exactly conjugate, the positive one first.
 */
static const char *pairs_fault(const struct context *context, const double *a)
{
    const struct lapack_call *call = &context->run.call, *host = &context->run.host;
    const double most =
        100 * tolerance(context, call->n) * fmax(1, dense_norm(call->type, call->n, call->n, a));
    for (int j = 0; j < call->n; j++) {
        long double nearest = INFINITY;
        for (int l = 0; l < call->n; l++)
            nearest = fminl(nearest, cabsl(value_of(call, j) - value_of(host, l)));
        if (!(nearest <= most))
            return "a value is not the host's";
        if (is_complex(call->type) || cimagl(value_of(call, j)) == 0)
            continue;
        if (cimagl(value_of(call, j)) < 0 || j + 1 == call->n ||
            value_of(call, j + 1) != conjl(value_of(call, j)))
            return "a value's conjugate is not behind it";
        j++;
    }
    return NULL;
}

/* How a matrix is balanced. */
enum kind { PLAIN, BADLY_SCALED, NEARLY_TRIANGULAR, KINDS };

static void unbalance(char type, double *a, int n, enum kind kind)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const int64_t at = i + (int64_t)j * n;
            const number value = get(type, a, at);
            const bool is_zero = kind == NEARLY_TRIANGULAR && i > j && (j < n / 4 || i > 3 * n / 4);
            const double factor = is_zero ? 0 : kind == BADLY_SCALED ? ldexp(1, (i - j) % 12) : 1;
            set_part(type, a, at, 0, factor * (double)creall(value));
            if (is_complex(type))
                set_part(type, a, at, 1, factor * (double)cimagl(value));
        }
}

/* Balancing, as geevx tells of it. */
static const char *balance_fault(const struct context *context)
{
    const struct factor_run *run = &context->run;
    const double norm = real_at(run->call.type, &run->call.rcond, 0),
                 host = real_at(run->call.type, &run->host.rcond, 0);
    if (run->call.il != run->host.il || run->call.iu != run->host.iu)
        return "ILO or IHI is not the host's";
    if (!fenced_agrees(&run->s, 0))
        return "SCALE is not the host's";
    return fabs(norm - host) <= run->call.n * unit_roundoff(run->call.type) * host ? NULL : "ABNRM is not the host's";
}

/* geevx's operands beside geev's. */
static void add_expert(struct factor_run *run, char balance, char sense, int n)
{
    const char real = real_type(run->call.type);
    run->call.balanc = balance, run->call.sense = sense;
    factor_vector(&run->s, real, NULL, n, 'F');
    if (sense == 'N')
        return;
    factor_vector(&run->d, real, NULL, n, 'F'), factor_vector(&run->e, real, NULL, n, 'F');
    if (!is_complex(run->call.type))
        factor_vector(&run->iwork, 's', NULL, n > 1 ? 2 * n - 2 : 1, 'F');
}

/* LWORK's minimum, for each of N. */
static int least_of_general(const struct context *context, char balance, char sense, bool vectors)
{
    const bool conditions = balance && (sense == 'V' || sense == 'B');
    if (is_complex(context->type))
        return conditions ? context->run.call.n + 2 : 2;
    return conditions ? context->run.call.n + 6 : 2 + vectors + !balance;
}

/* BALANC 0: geev. */
static void try_general(struct context *context, char balance, char sense, char left, char right, int n,
                        enum kind kind)
{
    struct factor_run *run = &context->run;
    double *a = make_matrix(context, n, n, kind == PLAIN && context->variant % 5 == 4);
    unbalance(context->type, a, n, kind);
    run->gap = context->variant++ % 3;
    factor_begin(run, balance ? "geevx" : "geev", context->type);
    run->call.n = n, run->call.jobvl = left, run->call.jobvr = right;
    run->for_host = left == 'V' || (balance && right == 'V');
    if (balance)
        add_expert(run, balance, sense, n);
    run->call.lda = factor_operand(run, &run->a, a, n, n, 'F', 'F');
    factor_vector(&run->w, context->type, NULL, n, 'F');
    if (is_complex(context->type))
        factor_vector(&run->rwork, real_type(context->type), NULL, 2 * n, 'F');
    else
        factor_vector(&run->wi, context->type, NULL, n, 'F');
    run->call.ldvl = run->call.ldvr = 1;
    if (left == 'V')
        run->call.ldvl = factor_operand(run, &run->left, NULL, n, n, 'F', 'F');
    if (right == 'V')
        run->call.ldvr = factor_operand(run, &run->right, NULL, n, n, 'F', 'F');
    const bool vectors = right == 'V' || left == 'V';
    const int least = least_of_general(context, balance, sense, vectors) * n;
    run->least_work = context->variant % 2 ? least > 1 ? least : 1 : 0;
    factor_perform(run);
    const char *fault = factor_fault(run, -1);
    if (!fault && run->call.info == 0 && n > 0 && !(fault = pairs_fault(context, a)) && right == 'V')
        fault = right_fault(context, a);
    if (!fault && balance && n > 0)
        fault = balance_fault(context);
    note(context, fault);
    free(a);
}

static void try_general_values(struct context *context, int order)
{
    for (int way = 0; way < 4 * KINDS; way++)
        try_general(context, 0, 0, "NV"[way % 2], "NV"[way / 2 % 2], order, (enum kind)(way / 4));
    for (int way = 0; way < 4 * KINDS; way++)
        try_general(context, "NPSB"[way % 4], 'N', 'N', way % 5 ? 'N' : 'V', order, (enum kind)(way / 4));
    for (const char *sense = "EVB"; *sense; sense++)
        try_general(context, 'B', *sense, 'V', 'V', order, BADLY_SCALED);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(struct context *, int);
    } families[] = {{"gesdd and gesvd", try_values}, {"geev and geevx", try_general_values}, {"long gesdd", try_long}};
    int orders[64] = {0, 1, 2, 3, 31, 32, 33, 64}, order_count = 8, own = 0;
    const char *types = "sdcz", *only = "SG";
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--types") == 0 && i + 1 < count)
            types = words[++i];
        else if (strcmp(words[i], "--only") == 0 && i + 1 < count)
            only = words[++i];
        else if (own < 64)
            orders[own++] = atoi(words[i]), order_count = own;
    alarm(600);
    printf("# seed 78\n");
    for (const char *type = types; *type; type++)
        for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
            if (!strchr(only, "SGL"[i]))
                continue;
            struct context context = {.type = *type, .random = {78}};
            for (int j = 0; j < order_count; j++)
                families[i].run(&context, orders[j]);
            tap_ok(context.wrong == 0, "%c, %s: %d of %d calls wrong", *type, families[i].name, context.wrong,
                   context.calls);
        }
    factor_tell_calls();
    return tap_done();
}
