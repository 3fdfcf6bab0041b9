/* W has room for the eigenvalues that RANGE = 'I' names and no more; Z begins behind it, as PLINK2 has them.
 * Right: the values of a matrix that is diagonal but for two rows, vectors with small residuals, nothing else
 * written, and the calls are on the device in always mode. */
#include "case.h"

#include <math.h>
#include <string.h>

void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *,
             int *, double *, const int *, int *, const int *, int *, size_t, size_t, size_t);
void dsyevx_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *,
             double *, const int *, int *, int *, int *, size_t, size_t, size_t);
void dsygvx_(const int *, const char *, const char *, const char *, const int *, double *, const int *,
             double *, const int *, const double *, const double *, const int *, const int *, const double *,
             int *, double *, double *, const int *, double *, const int *, int *, int *, int *, size_t,
             size_t, size_t);

enum { N = 160, FIRST = N - 9, FOUND = 10, WORK = 40 * N, GUARD = 77 };
static double a[N * N], b[N * N], c[N * N], work[WORK], room[FOUND + N * FOUND + 1];
static int integers[10 * N], supports[2 * N], failed[N];
static double *const w = room, *const z = room + FOUND;

/* The diagonal counts, and its last two elements are coupled: the last two values are N - 1/2 -+ sqrt(5) / 2. */
static double element(int i, int j)
{
    if (i == j)
        return i + 1;
    return i >= N - 2 && j >= N - 2 ? 1 : 0;
}

static void fill(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            a[i + j * N] = c[i + j * N] = element(i, j);
            b[i + j * N] = i == j ? 1 : 0;
        }
    memset(room, 0xff, sizeof room); /* NaN */
    room[FOUND + N * FOUND] = GUARD;
}

static double value(int k)
{
    return k < FOUND - 2 ? FIRST + k : N - 0.5 + (k == FOUND - 1 ? 0.5 : -0.5) * sqrt(5);
}

/* The largest, of values and in A z - w z. */
static double error(void)
{
    double worst = 0;
    for (int k = 0; k < FOUND; k++) {
        worst = fmax(worst, fabs(w[k] - value(k)));
        for (int i = 0; i < N; i++) {
            double sum = -w[k] * z[i + k * N];
            for (int j = 0; j < N; j++)
                sum += c[i + j * N] * z[j + k * N];
            worst = sum == sum ? fmax(worst, fabs(sum)) : INFINITY;
        }
    }
    return worst;
}

static int right(const char *name, int info, int found)
{
    return verdict(name, info == 0 && found == FOUND && error() < 1e-10 && room[FOUND + N * FOUND] == GUARD, 1);
}

int main(void)
{
    const int n = N, lwork = WORK, liwork = 10 * N, il = FIRST, iu = N, itype = 1;
    const double none = 0;
    int info, found, bad = 0;
    fill();
    bad += verdict("dgemv", first_row_sum(c, N, N, N), 1);
    dsyevr_("V", "I", "L", &n, a, &n, &none, &none, &il, &iu, &none, &found, w, z, &n, supports, work, &lwork,
            integers, &liwork, &info, 1, 1, 1);
    bad += right("dsyevr", info, found);
    fill();
    dsyevx_("V", "I", "U", &n, a, &n, &none, &none, &il, &iu, &none, &found, w, z, &n, work, &lwork, integers,
            failed, &info, 1, 1, 1);
    bad += right("dsyevx", info, found);
    fill();
    dsygvx_(&itype, "V", "I", "U", &n, a, &n, b, &n, &none, &none, &il, &iu, &none, &found, w, z, &n, work,
            &lwork, integers, failed, &info, 1, 1, 1);
    bad += right("dsygvx", info, found);
    return bad != 0;
}
