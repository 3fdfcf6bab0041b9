/* verify_bidiagonal of lapack.h: the reduction to bidiagonal form, the matrices Q and P' of one, and products with
 * Q and P. Reflectors that are read are made by chance; every fourth is the identity. */
#include "command/verify/lapack.h"
#include "common/whole_number.h"

enum { SHAPES = 3, WAYS = 2, OTHERS = 7 };

enum work { REDUCES, MAKES, APPLIES };
static enum work work_of(const struct lapack_routine *routine)
{
    return lapack_call_has(routine->family, "tauq") ? REDUCES
           : lapack_call_has(routine->family, "side") ? APPLIES
                                                      : MAKES;
}

static bool is_of_p(const struct lapack_arguments *arguments) { return arguments->jobz == 'P'; }

/* Reflectors of Q or P; number i begins with its one in row i + from. */
struct bidiagonal_vectors {
    bool of_p;
    int64_t order, count, from;
};

/* The matrix that was reduced is m x n. */
static struct bidiagonal_vectors vectors_of(bool of_p, int64_t m, int64_t n)
{
    const bool whole = (m >= n) != of_p;
    const int64_t order = of_p ? n : m;
    return (struct bidiagonal_vectors){of_p, order, whole ? smaller(m, n) : order - 1, whole ? 0 : 1};
}

static struct bidiagonal_vectors vectors_read(const struct lapack_routine *routine,
                                         const struct lapack_arguments *arguments)
{
    const bool of_p = is_of_p(arguments), applies = work_of(routine) == APPLIES;
    const int64_t order = applies ? (arguments->side == 'L' ? arguments->m : arguments->n)
                          : of_p  ? arguments->n
                                  : arguments->m;
    return of_p ? vectors_of(true, arguments->k, order) : vectors_of(false, order, arguments->k);
}

/* Orders that are larger, equal and smaller than the other size. */
static bool choose_call(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const enum work work = work_of(routine);
    const int shape = verify_digit(&number, SHAPES), of_p = work == REDUCES ? 0 : verify_digit(&number, WAYS),
              right = work == APPLIES ? verify_digit(&number, WAYS) : 0,
              adjoint = work == APPLIES ? verify_digit(&number, WAYS) : 0;
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number], less = n - n / 3;
    *arguments = (struct lapack_arguments){.jobz = "QP"[of_p], .side = "LR"[right],
                                           .trans = !adjoint                           ? 'N'
                                                    : blas_is_complex(routine->type) ? 'C'
                                                                                       : 'T',
                                           .m = shape == 2 ? less : n, .n = shape == 1 ? less : n};
    if (work == MAKES) { /* a few vectors, all of them, and all of fewer reflectors than their length */
        const int other = shape == 0 ? less : n;
        *arguments = (struct lapack_arguments){.jobz = "QP"[of_p], .m = of_p ? other : n, .n = of_p ? n : other,
                                               .k = shape == 2 ? n + 3 : other};
    } else if (work == APPLIES) {
        arguments->m = right ? OTHERS : n, arguments->n = right ? n : OTHERS;
        arguments->k = shape == 0 ? n : shape == 1 ? less : n + 3;
    }
    arguments->lda = n + 5, arguments->ldb = n + OTHERS + 2, arguments->ldz = n + 4;
    return true;
}

static int64_t place(const struct bidiagonal_vectors *all, const struct lapack_arguments *arguments, int64_t number,
                     int64_t row)
{
    return all->of_p ? number + row * arguments->lda : row + number * arguments->lda;
}

static void fill_arrays(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                        struct lapack_arguments *arguments)
{
    const enum blas_type type = routine->type;
    (void)poisoned;
    if (work_of(routine) == REDUCES) {
        verify_fill_random(type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
        return;
    }
    const struct bidiagonal_vectors all = vectors_read(routine, arguments);
    const int64_t other = work_of(routine) == APPLIES ? smaller(all.order, arguments->k)
                          : all.of_p                  ? arguments->m
                                                      : arguments->n;
    verify_fill_random(type, all.of_p ? other : all.order, all.of_p ? all.order : other, arguments->a,
                       arguments->lda, seed);
    for (int64_t i = 0; i < all.count; i++) {
        double square = 1;
        for (int64_t row = i + all.from + 1; row < all.order; row++) {
            const int64_t at = place(&all, arguments, i, row);
            number_put(type, arguments->a, at, verify_random(seed));
            const struct number value = number_get(type, arguments->a, at);
            square += value.re * value.re + value.im * value.im;
        }
        /* (1 - w) / |v|^2 with a w of modulus 1 */
        const double angle = blas_is_complex(type) ? (double)i : acos(-1.0);
        const struct number tau = {i % 4 == 3 ? 0 : (1 - cos(angle)) / square,
                                   i % 4 == 3 || !blas_is_complex(type) ? 0 : -sin(angle) / square};
        number_put(type, arguments->tau, i, tau);
    }
    if (work_of(routine) == APPLIES)
        verify_fill_random(type, arguments->m, arguments->n, arguments->b, arguments->ldb, seed);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    const int64_t m = after->m, n = after->n, k = smaller(m, n);
    if (work_of(routine) == APPLIES) {
        parts->of[ARRAY_B] = (struct verify_part){.rows = m, .columns = n};
        return;
    }
    parts->of[ARRAY_A] = (struct verify_part){.rows = m, .columns = n};
    if (work_of(routine) == MAKES)
        return;
    parts->of[ARRAY_W] = (struct verify_part){.rows = k, .columns = 1};
    parts->of[ARRAY_E] = (struct verify_part){.rows = k - 1, .columns = 1};
    parts->of[ARRAY_TAU] = parts->of[ARRAY_Z] = (struct verify_part){.rows = k, .columns = 1};
}

static struct number vector_at(const struct lapack_routine *routine, const struct lapack_arguments *arguments,
                               const struct bidiagonal_vectors *all, int64_t number, int64_t row)
{
    if (row == number + all->from)
        return (struct number){1, 0};
    const struct number value = number_get(routine->type, arguments->a, place(all, arguments, number, row));
    return (struct number){value.re, all->of_p ? -value.im : value.im};
}

static struct number times(struct number a, struct number b)
{
    return (struct number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static struct number conjugate(struct number a) { return (struct number){a.re, -a.im}; }

/* H C of one reflector; C has `columns` columns. */
static void reflect(const struct lapack_routine *routine, const struct lapack_arguments *arguments,
                    const void *taus, const struct bidiagonal_vectors *all, int64_t number, int64_t columns,
                    struct number *c)
{
    const struct number tau = number_get(routine->type, taus, number);
    for (int64_t j = 0; j < columns; j++) {
        struct number sum = {0, 0}, *const column = c + j * all->order;
        for (int64_t row = number + all->from; row < all->order; row++) {
            const struct number term =
                times(conjugate(vector_at(routine, arguments, all, number, row)), column[row]);
            sum.re += term.re, sum.im += term.im;
        }
        sum = times(tau, sum);
        for (int64_t row = number + all->from; row < all->order; row++) {
            const struct number term = times(sum, vector_at(routine, arguments, all, number, row));
            column[row].re -= term.re, column[row].im -= term.im;
        }
    }
}

/* The first columns of Q or P. */
static void form(const struct lapack_routine *routine, const struct lapack_arguments *arguments,
                 const void *taus, const struct bidiagonal_vectors *all, int64_t columns, struct number *q)
{
    dense_set_identity(all->order, columns, q);
    for (int64_t i = all->count - 1; i >= 0; i--)
        reflect(routine, arguments, taus, all, i, columns, q);
}

/* to = from's adjoint; from has `rows` rows. */
static void turn(int64_t rows, int64_t columns, const struct number *from, struct number *to)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[j + i * columns] = conjugate(from[i + j * rows]);
}

/* How far B in A is from d and e; and the scalar that belongs to no reflector. */
static double stored_error(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    const int64_t m = after->m, n = after->n, k = smaller(m, n), beside = m >= n ? after->lda : 1;
    double worst = 0;
    for (int64_t i = 0; i < k; i++) {
        const int64_t at = i + i * after->lda;
        struct number value = number_get(routine->type, after->a, at);
        value.re -= number_real(routine->type, after->w, i);
        worst = dense_worse(worst, number_size(value));
        if (i + 1 == k)
            break;
        value = number_get(routine->type, after->a, at + beside);
        value.re -= number_real(routine->type, after->e, i);
        worst = dense_worse(worst, number_size(value));
    }
    for (int of_p = 0; of_p < 2; of_p++)
        if (vectors_of(of_p, m, n).count < k)
            worst = dense_worse(worst, number_size(number_get(routine->type, of_p ? after->z : after->tau, k - 1)));
    return worst;
}

/* A - Q B P' over A's norm, and the orthogonality of Q and P. */
static double reduction_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                              const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t m = after->m, n = after->n, k = smaller(m, n);
    struct number *const q = scratch[0], *const p = scratch[1], *const turned = scratch[2],
                  *const a = scratch[3], *const product = scratch[4];
    const struct bidiagonal_vectors of_q = vectors_of(false, m, n), of_p = vectors_of(true, m, n);
    form(routine, after, after->tau, &of_q, k, q);
    form(routine, after, after->z, &of_p, k, p);
    const double worst = dense_worse(dense_worse(dense_orthogonality(m, k, q, product),
                                                 dense_orthogonality(n, k, p, product)),
                                     stored_error(routine, after));
    turn(n, k, p, turned);
    /* Q B, whose column j has d_j of column j of Q, and e of its neighbour. */
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t other = m >= n ? j - 1 : j + 1, e = m >= n ? j - 1 : j;
            const double d = number_real(routine->type, after->w, j);
            struct number value = {d * q[i + j * m].re, d * q[i + j * m].im};
            if (other >= 0 && other < k) {
                const double beside = number_real(routine->type, after->e, e);
                value.re += beside * q[i + other * m].re, value.im += beside * q[i + other * m].im;
            }
            product[i + j * m] = value;
        }
    dense_multiply(false, k, m, n, product, turned, q);
    dense_take(routine->type, 'F', false, m, n, before->a, before->lda, a);
    dense_subtract(q, a, NULL, m, n);
    return dense_worse(worst, dense_norm(m, n, q) / dense_norm(m, n, a));
}

/* The first columns of Q, or rows of P', less the result. */
static double matrix_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const struct bidiagonal_vectors all = vectors_read(routine, before);
    const int64_t m = before->m, n = before->n;
    struct number *wanted = scratch[0];
    form(routine, before, before->tau, &all, all.of_p ? m : n, wanted);
    if (all.of_p) {
        turn(n, m, scratch[0], scratch[1]);
        wanted = scratch[1];
    }
    dense_take(routine->type, 'F', false, m, n, after->a, after->lda, scratch[2]);
    dense_subtract(wanted, scratch[2], NULL, m, n);
    return dense_norm(m, n, wanted);
}

/* op(Q) C or C op(Q) less the result, over C's norm. */
static double product_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                            const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const struct bidiagonal_vectors all = vectors_read(routine, before);
    const int64_t m = before->m, n = before->n;
    struct number *const q = scratch[0], *const c = scratch[1], *const product = scratch[2];
    form(routine, before, before->tau, &all, all.order, q);
    if (before->trans != 'N')
        dense_transpose(true, all.order, q);
    dense_take(routine->type, 'F', false, m, n, before->b, before->ldb, c);
    const double size = dense_norm(m, n, c);
    dense_multiply(false, all.order, m, n, before->side == 'L' ? q : c, before->side == 'L' ? c : q, product);
    dense_take(routine->type, 'F', false, m, n, after->b, after->ldb, c);
    dense_subtract(product, c, NULL, m, n);
    return dense_norm(m, n, product) / size;
}

static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    static double (*const errors[])(const struct lapack_routine *, const struct lapack_arguments *,
                                    const struct lapack_arguments *, struct number *const[VERIFY_SCRATCH]) = {
        [REDUCES] = reduction_error, [MAKES] = matrix_error, [APPLIES] = product_error};
    return errors[work_of(routine)](routine, after, before, scratch);
}

const struct verify_lapack_kind verify_bidiagonal = {choose_call, fill_arrays, results, error, NULL, NULL};
