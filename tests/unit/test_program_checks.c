/* The checks of bench/programs: small errors for results that are right by construction,
 * large ones as soon as a single element is off by 1e-9, NaN for a NaN. */
#include "../../bench/programs/checks.h"
#include "../../bench/programs/program.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { N = 40, M = 70, SIDES = 3 };

static const double upset = 1e-9;

/* I - 2 u u^T / u^T u for u_i = sin(seed + i): orthogonal and symmetric. */
static void make_orthogonal(double seed, double *v)
{
    long double square = 0;
    for (int i = 0; i < N; i++)
        square += sinl(seed + i) * sinl(seed + i);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            v[i + j * N] = (double)((i == j) - 2 * sinl(seed + i) * sinl(seed + j) / square);
}

/* c = a diag(d) b^T, each N x N. */
static void triple_product(const double *a, const double *d, const double *b, double *c)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            long double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (long double)a[i + k * N] * d[k] * b[j + k * N];
            c[i + j * N] = (double)sum;
        }
}

/* c = a b for a of rows x N, b of N x SIDES. */
static void multiply(int rows, const double *a, const double *b, double *c)
{
    for (int j = 0; j < SIDES; j++)
        for (int i = 0; i < rows; i++) {
            long double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (long double)a[i + k * rows] * b[k + j * N];
            c[i + j * rows] = (double)sum;
        }
}

/* The check is small as things are, large with `element` off, NaN with it NaN. */
#define EXPECT_SENSITIVE(what, element, check)                                                               \
    do {                                                                                                     \
        double fine_ = (check), kept_ = (element), off, not_a_number;                                        \
        (element) += upset;                                                                                  \
        off = (check);                                                                                       \
        (element) = NAN;                                                                                     \
        not_a_number = (check);                                                                              \
        (element) = kept_;                                                                                   \
        tap_ok(fine_ < 20, "%s: %.3g units where all is right", what, fine_);                                \
        tap_ok(off > 1e3 && isnan(not_a_number), "%s: %.3g with an element off, NaN with a NaN", what, off); \
    } while (0)

static double a[N * N], u[N * N], v[N * N], values[N];

static void test_decompositions(void)
{
    make_orthogonal(1, u);
    make_orthogonal(5, v);
    for (int i = 0; i < N; i++)
        values[i] = cos(i) * 3;
    struct matrix problem = matrix_dense(N, N, a), left = matrix_dense(N, N, u),
                  right = matrix_dense(N, N, v);
    triple_product(v, values, v, a);
    EXPECT_SENSITIVE("eigenvectors", v[7 + 11 * N], check_eigenpairs(&problem, values, &right));
    EXPECT_SENSITIVE("eigenvalues", values[N - 1], check_eigenpairs(&problem, values, &right));
    EXPECT_SENSITIVE("orthogonality", v[N * N - 1], check_orthogonality(&right));
    triple_product(u, values, v, a);
    EXPECT_SENSITIVE("left singular vectors", u[3], check_singular(&problem, &left, values, &right, false));
    EXPECT_SENSITIVE("right ones", v[N], check_singular(&problem, &left, values, &right, false));
    v[1] += 0.5; /* no longer symmetric: V and its transpose differ */
    tap_ok(check_singular(&problem, &left, values, &right, true) > 1e3, "V is not taken for its transpose");
}

/* A = V diag V^H with V = phases times a real orthogonal matrix. */
static void test_complex(void)
{
    static double hermitian[2 * N * N], vectors[2 * N * N];
    make_orthogonal(5, v);
    triple_product(v, values, v, a);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double angle = i - 0.3 * i * i, other = j - 0.3 * j * j;
            vectors[2 * (i + j * N)] = cos(angle) * v[i + j * N];
            vectors[2 * (i + j * N) + 1] = sin(angle) * v[i + j * N];
            hermitian[2 * (i + j * N)] = cos(angle - other) * a[i + j * N];
            hermitian[2 * (i + j * N) + 1] = sin(angle - other) * a[i + j * N];
        }
    struct matrix problem = matrix_dense_complex(N, N, hermitian),
                  found = matrix_dense_complex(N, N, vectors);
    EXPECT_SENSITIVE("complex eigenvectors", vectors[77], check_eigenpairs(&problem, values, &found));
    EXPECT_SENSITIVE("their orthogonality", vectors[78], check_orthogonality(&found));
}

/* Q is the product of reflectors whose vectors are e_(j+1) + tails: A = Q T Q^T. */
static void test_tridiagonal(void)
{
    static double reflectors[N * N], q[N * N], t[N * N], middle[N * N], d[N], e[N], tau[N], ones[N];
    for (int j = 0; j < N; j++) {
        d[j] = sin(j), e[j] = cos(2 * j), ones[j] = 1;
        double square = 1;
        for (int i = j + 2; i < N; i++) {
            reflectors[i + j * N] = 0.2 * sin(3 * i + j);
            square += reflectors[i + j * N] * reflectors[i + j * N];
        }
        tau[j] = 2 / square;
        t[j + j * N] = d[j];
        q[j + j * N] = 1;
    }
    for (int j = 0; j + 1 < N; j++)
        t[j + 1 + j * N] = t[j + (j + 1) * N] = e[j];
    for (int step = 0; step + 1 < N; step++) /* q = q (I - tau v v^T) */
        for (int i = 0; i < N; i++) {
            long double sum = q[i + (step + 1) * N];
            for (int k = step + 2; k < N; k++)
                sum += (long double)q[i + k * N] * reflectors[k + step * N];
            q[i + (step + 1) * N] -= (double)(tau[step] * sum);
            for (int k = step + 2; k < N; k++)
                q[i + k * N] -= (double)(tau[step] * sum * reflectors[k + step * N]);
        }
    triple_product(t, ones, q, middle); /* T Q^T */
    static double transposed[N * N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            transposed[j + i * N] = middle[i + j * N];
    triple_product(q, ones, transposed, a);
    struct matrix problem = matrix_dense(N, N, a);
    double orthogonality;
    EXPECT_SENSITIVE("reflectors", reflectors[9 + 4 * N],
                     check_tridiagonal(&problem, reflectors, d, e, tau, &orthogonality));
    EXPECT_SENSITIVE("diagonal", d[N - 1],
                     check_tridiagonal(&problem, reflectors, d, e, tau, &orthogonality));
    EXPECT_SENSITIVE("off-diagonal", e[N - 2],
                     check_tridiagonal(&problem, reflectors, d, e, tau, &orthogonality));
    EXPECT_SENSITIVE("orthogonality of reflectors", tau[3],
                     (check_tridiagonal(&problem, reflectors, d, e, tau, &orthogonality), orthogonality));
}

/* A V = W T for A = V' T V'^T, whose first columns are the Lanczos basis of T's leading part. */
static void test_recurrence(void)
{
    enum { STEPS = 10 };
    static double t[N * N], ones[N], middle[N * N], transposed[N * N], d[N], e[N];
    make_orthogonal(5, v);
    for (int j = 0; j < N; j++) {
        d[j] = sin(j), e[j] = 1.5 + cos(2 * j), ones[j] = 1;
        t[j + j * N] = d[j];
    }
    for (int j = 0; j + 1 < N; j++)
        t[j + 1 + j * N] = t[j + (j + 1) * N] = e[j];
    triple_product(t, ones, v, middle);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            transposed[j + i * N] = middle[i + j * N];
    triple_product(v, ones, transposed, a);
    struct matrix problem = matrix_dense(N, N, a), basis = matrix_dense(N, STEPS + 1, v);
    EXPECT_SENSITIVE("recurrence, basis", v[5 * N + 2], check_recurrence(&problem, &basis, d, e));
    EXPECT_SENSITIVE("its diagonal", d[STEPS - 1], check_recurrence(&problem, &basis, d, e));
    EXPECT_SENSITIVE("its last element", e[STEPS - 1], check_recurrence(&problem, &basis, d, e));
}

static void test_solutions(void)
{
    static double tall[M * N], x[N * SIDES], b[M * SIDES];
    for (int i = 0; i < M * N; i++)
        tall[i] = sin(0.7 * i * i) + (i % (M + 1) == 0 ? 5 : 0);
    for (int i = 0; i < N * SIDES; i++)
        x[i] = cos(i);
    memcpy(a, tall, sizeof a);
    struct matrix square = matrix_dense(N, N, a), solution = matrix_dense(N, SIDES, x);
    struct matrix right = matrix_dense(N, SIDES, b), problem = matrix_dense(M, N, tall);
    multiply(N, a, x, b);
    EXPECT_SENSITIVE("solution", x[N * SIDES - 1], check_solution(&square, &solution, &right));
    EXPECT_SENSITIVE("solution of any system", x[N * SIDES - 1], check_backward(&square, &solution, &right));
    EXPECT_SENSITIVE("product", b[17], check_product(&square, x, b));
    multiply(M, tall, x, b);
    right = matrix_dense(M, SIDES, b);
    EXPECT_SENSITIVE("least squares", x[N], check_least_squares(&problem, &solution, &right));
}

/* With X^T B X = I, A = B X D X^T B has the pairs (D, X). */
static void test_generalized(void)
{
    static double b[N * N], x[N * N], bx[N * N], w[N * N], scales[N], ones[N];
    make_orthogonal(1, u);
    make_orthogonal(5, w);
    for (int i = 0; i < N; i++) {
        scales[i] = 2 + sin(i), ones[i] = 1 / sqrt(scales[i]);
        values[i] = cos(i) * 3;
    }
    triple_product(u, scales, u, b);
    triple_product(u, ones, w, x); /* U S^(-1/2) W^T */
    for (int i = 0; i < N; i++)
        ones[i] = sqrt(scales[i]);
    triple_product(u, ones, w, bx); /* B X */
    triple_product(bx, values, bx, a);
    struct matrix problem = matrix_dense(N, N, a), metric = matrix_dense(N, N, b),
                  found = matrix_dense(N, N, x);
    EXPECT_SENSITIVE("generalized eigenvectors", x[5], check_generalized(&problem, &metric, values, &found));
    EXPECT_SENSITIVE("generalized eigenvalues", values[N - 1],
                     check_generalized(&problem, &metric, values, &found));
    EXPECT_SENSITIVE("orthogonality by B", x[N * N - 1], check_orthogonality_by(&metric, &found));
    EXPECT_SENSITIVE("B itself", b[7], check_orthogonality_by(&metric, &found));
}

/* A = V T V^T for V orthogonal; columns of a pair have length sqrt(1/2). */
static void test_general(void)
{
    static double t[N * N], middle[N * N], transposed[N * N], x[N * N], real[N], imaginary[N], ones[N];
    make_orthogonal(5, v);
    for (int j = 0; j < N; j++) {
        bool first = j % 4 == 0, second = j % 4 == 1;
        real[j] = first || second ? cos(j - second) : sin(j);
        imaginary[j] = first ? 2 + sin(j) : second ? -2 - sin(j - 1) : 0;
        t[j + j * N] = real[j], ones[j] = 1;
    }
    for (int j = 0; j < N; j += 4)
        t[j + (j + 1) * N] = imaginary[j], t[j + 1 + j * N] = imaginary[j + 1];
    for (int i = 0; i < N * N; i++)
        x[i] = v[i] * (i / N % 4 < 2 ? sqrt(0.5) : 1);
    triple_product(t, ones, v, middle);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            transposed[j + i * N] = middle[i + j * N];
    triple_product(v, ones, transposed, a);
    struct matrix problem = matrix_dense(N, N, a), found = matrix_dense(N, N, x);
    EXPECT_SENSITIVE("general eigenvectors", x[9],
                     check_general_eigenpairs(&problem, real, imaginary, &found));
    EXPECT_SENSITIVE("real parts", real[3], check_general_eigenpairs(&problem, real, imaginary, &found));
    EXPECT_SENSITIVE("imaginary parts", imaginary[5],
                     check_general_eigenpairs(&problem, real, imaginary, &found));
    EXPECT_SENSITIVE("length of a vector", x[3 * N + 1], check_unit_columns(imaginary, &found));
    EXPECT_SENSITIVE("length of a pair's vector", x[5 * N + 1], check_unit_columns(imaginary, &found));
    memset(x, 0, sizeof x);
    tap_ok(check_unit_columns(imaginary, &found) > 1e3, "vectors of zeros have no length");
}

static double factored[N * N];

/* For two triangles in one square: L and U, or reflectors and R. */
static void make_factors(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            factored[i + j * N] = i > j ? 0.3 * sin(3 * i + j) : i == j ? 2 + cos(i) : cos(i + 2 * j);
}

static void test_lu(void)
{
    static double rows[N * N];
    static int pivots[N];
    make_factors();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            long double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (long double)(k == i ? 1 : factored[i + k * N]) * factored[k + j * N];
            rows[i + j * N] = (double)sum;
        }
    for (int i = 0; i < N; i++)
        pivots[i] = 1 + i + 3 * i % (N - i);
    for (int i = N - 1; i >= 0; i--)
        for (int j = 0; j < N; j++) {
            double kept = rows[i + j * N];
            rows[i + j * N] = rows[pivots[i] - 1 + j * N];
            rows[pivots[i] - 1 + j * N] = kept;
        }
    struct matrix problem = matrix_dense(N, N, rows);
    EXPECT_SENSITIVE("lower factor", factored[N - 1], check_lu(&problem, factored, pivots));
    EXPECT_SENSITIVE("upper factor", factored[(N - 1) * N], check_lu(&problem, factored, pivots));
    pivots[2] = pivots[2] == N ? N - 1 : pivots[2] + 1;
    tap_ok(check_lu(&problem, factored, pivots) > 1e3, "a wrong pivot");
}

static void test_qr(void)
{
    static double q[N * N], tau[N];
    double orthogonality;
    make_factors();
    for (int j = 0; j < N; j++) {
        double square = 1;
        for (int i = j + 1; i < N; i++)
            square += factored[i + j * N] * factored[i + j * N];
        tau[j] = 2 / square;
        for (int i = 0; i < N; i++)
            q[i + j * N] = i <= j ? factored[i + j * N] : 0;
    }
    for (int step = N - 1; step >= 0; step--) /* q = (I - tau v v^T) q */
        for (int j = 0; j < N; j++) {
            long double sum = q[step + j * N];
            for (int k = step + 1; k < N; k++)
                sum += (long double)q[k + j * N] * factored[k + step * N];
            q[step + j * N] -= (double)(tau[step] * sum);
            for (int k = step + 1; k < N; k++)
                q[k + j * N] -= (double)(tau[step] * sum * factored[k + step * N]);
        }
    struct matrix product = matrix_dense(N, N, q);
    EXPECT_SENSITIVE("R", factored[4 * N + 2], check_qr(&product, factored, tau, &orthogonality));
    EXPECT_SENSITIVE("reflectors of QR", factored[4 * N + 9],
                     check_qr(&product, factored, tau, &orthogonality));
    EXPECT_SENSITIVE("their orthogonality", tau[3],
                     (check_qr(&product, factored, tau, &orthogonality), orthogonality));
}

/* The columns made by rule are those that are written. */
static void test_rules(void)
{
    static double written[2 * N * N], x[2 * N], y[2 * N], z[2 * N];
    for (int i = 0; i < 2 * N; i++)
        x[i] = sin(i);
    for (int complex = 0; complex < 2; complex++) {
        struct matrix rule = {
            .rows = N, .columns = N, .complex = complex, .seed = 3, .hermitian = true, .diagonal = 2};
        matrix_fill(&rule, written);
        struct matrix stored = rule;
        stored.values = written;
        matrix_apply(&rule, false, x, y);
        matrix_apply(&stored, true, x, z);
        double largest = 0;
        for (int i = 0; i < N * (1 + complex); i++)
            largest = fmax(largest, fabs(y[i] - z[i]));
        tap_ok(largest < 1e-13, "%s: A x by rule and A^H x in memory differ by %.1g",
               complex ? "Hermitian" : "symmetric", largest);
    }
}

int main(void)
{
    test_decompositions();
    test_complex();
    test_tridiagonal();
    test_recurrence();
    test_generalized();
    test_general();
    test_lu();
    test_qr();
    test_solutions();
    test_rules();
    return tap_done();
}
