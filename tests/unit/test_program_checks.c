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
    EXPECT_SENSITIVE("product", b[17], check_product(&square, x, b));
    multiply(M, tall, x, b);
    right = matrix_dense(M, SIDES, b);
    EXPECT_SENSITIVE("least squares", x[N], check_least_squares(&problem, &solution, &right));
}

/* What is made by rule column by column is what is written. */
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
    test_solutions();
    test_rules();
    return tap_done();
}
