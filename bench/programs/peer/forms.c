/* Matrices that cuSOLVER leaves in A, of which its documents say nothing. Dsytrf beside LAPACK's: whether it chooses the same pivots, and which form of L it leaves. LAPACK leaves
 * the columns of L as they were when they were made; the interchanges of later steps may be applied to them as well, so
 * that P A P' = L D L'. Xgeev with vectors: whether A is a Schur form, as LAPACK's geevx leaves it: zero below the
 * subdiagonal, of A's Frobenius norm, and with the values on its diagonal. A line on standard error tells it. */
#include "../checks.h"
#include "peer.h"
#include "../problems.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(i, j) a[(size_t)(i) + (size_t)(j) * (size_t)n]

static void swap(double *one, double *other)
{
    const double kept = *one;
    *one = *other;
    *other = kept;
}

/* The row below the diagonal with the column's largest element; its modulus. */
static double largest_below(int n, const double *a, int column, int first, int *row)
{
    double most = 0;
    for (int i = first; i < n; i++)
        if (fabs(AT(i, column)) > most) {
            most = fabs(AT(i, column));
            *row = i;
        }
    return most;
}

/* By Bunch and Kaufman: *pivot is the row that is interchanged with row k, or with k + 1 where the step has two. */
static int choose_pivot(int n, const double *a, int k, int *pivot)
{
    const double alpha = (1 + sqrt(17.0)) / 8, here = fabs(AT(k, k));
    int row = k, other;
    const double column = largest_below(n, a, k, k + 1, &row);
    *pivot = k;
    if (here >= alpha * column)
        return 1;
    double most = largest_below(n, a, row, row + 1, &other);
    for (int j = k; j < row; j++)
        most = fmax(most, fabs(AT(row, j)));
    if (here >= alpha * column * (column / most))
        return 1;
    *pivot = row;
    return fabs(AT(row, row)) >= alpha * most ? 1 : 2;
}

static void interchange(int n, double *a, int k, int kk, int pivot)
{
    if (pivot == kk)
        return;
    for (int i = pivot + 1; i < n; i++)
        swap(&AT(i, kk), &AT(i, pivot));
    for (int i = kk + 1; i < pivot; i++)
        swap(&AT(i, kk), &AT(pivot, i));
    swap(&AT(kk, kk), &AT(pivot, pivot));
    if (kk > k)
        swap(&AT(kk, k), &AT(pivot, k));
}

static void eliminate_one(int n, double *a, int k)
{
    for (int j = k + 1; j < n; j++)
        for (int i = j; i < n; i++)
            AT(i, j) -= AT(i, k) * (AT(j, k) / AT(k, k));
    for (int i = k + 1; i < n; i++)
        AT(i, k) /= AT(k, k);
}

static void eliminate_two(int n, double *a, int k)
{
    const double off = AT(k + 1, k), one = AT(k + 1, k + 1) / off, two = AT(k, k) / off,
                 factor = 1 / (one * two - 1) / off;
    for (int j = k + 2; j < n; j++) {
        const double w = factor * (one * AT(j, k) - AT(j, k + 1)), v = factor * (two * AT(j, k + 1) - AT(j, k));
        for (int i = j; i < n; i++)
            AT(i, j) -= AT(i, k) * w + AT(i, k + 1) * v;
        AT(j, k) = w;
        AT(j, k + 1) = v;
    }
}

/* dsytf2 of a lower triangle; pivots count from 1, and are negative in pairs. */
static void factorise(int n, double *a, int *pivots)
{
    for (int k = 0, step; k < n; k += step) {
        int pivot;
        step = choose_pivot(n, a, k, &pivot);
        interchange(n, a, k, k + step - 1, pivot);
        if (step == 1)
            eliminate_one(n, a, k);
        else
            eliminate_two(n, a, k);
        pivots[k] = step == 1 ? pivot + 1 : -pivot - 1;
        if (step == 2)
            pivots[k + 1] = pivots[k];
    }
}

/* The interchanges of each step in the columns before it, too. */
static void interchange_all(int n, double *a, const int *pivots)
{
    for (int k = 0; k < n; k++) {
        const int row = pivots[k] < 0 ? ++k : k, pivot = abs(pivots[k]) - 1;
        for (int j = 0; j < (pivots[k] < 0 ? k - 1 : k); j++)
            swap(&AT(row, j), &AT(pivot, j));
    }
}

static double distance(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            most = fmax(most, fabs(AT(i, j) - b[(size_t)i + (size_t)j * (size_t)n]));
            size = fmax(size, fabs(AT(i, j)));
        }
    return most / size / DBL_EPSILON;
}

static void compare(int n, double *a, const double *theirs, const int *their_pivots)
{
    int *const pivots = allocate_integers((size_t)n), differ = 0;
    factorise(n, a, pivots);
    for (int i = 0; i < n; i++)
        differ += pivots[i] != their_pivots[i];
    const double as_lapack = distance(n, a, theirs);
    interchange_all(n, a, pivots);
    fprintf(stderr, "dsytrf of order %d: %d pivots are not LAPACK's; in units of eps cuSOLVER's factor is %.3g from "
                    "LAPACK's form, %.3g from that with all interchanges in L\n",
            n, differ, as_lapack, distance(n, a, theirs));
    free(pivots);
}

void peer_dsytrf(struct run *run)
{
    int n = run->n, length;
    struct matrix a = problem_symmetric(n);
    double *const own = allocate(matrix_size(&a));
    peer_begin(run);
    peer_need("Dsytrf", peer.cuda.sytrf_size && peer.cuda.sytrf);
    struct operand factor = peer_operand(matrix_size(&a)), pivots = peer_operand((size_t)n);
    peer_expect("Dsytrf_bufferSize", peer.cuda.sytrf_size(peer.handle, n, factor.device, n, &length));
    struct work work = peer_work((size_t)length * sizeof(double), 0);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, factor.host);
        memcpy(own, factor.host, matrix_size(&a) * sizeof *own);
        run_start(run);
        peer_up(&factor);
        peer_expect("Dsytrf", peer.cuda.sytrf(peer.handle, CUBLAS_LOWER, n, factor.device, n, pivots.device,
                                              work.device, length, peer.info));
        peer_down(&pivots, (size_t)n);
        peer_down(&factor, factor.count);
        peer_stop(run, "Dsytrf");
        run_digest(run, factor.host, factor.count);
        compare(n, own, factor.host, pivots.host);
    }
    free(own);
}

static double frobenius(int n, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* In units of eps. */
static void tell_schur(int n, const double *a, double norm, const double *values)
{
    double below = 0, apart = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j + 2; i < n; i++)
            below = fmax(below, fabs(AT(i, j)));
        /* LAPACK's pairs have the real part twice on the diagonal. */
        apart = fmax(apart, fabs(AT(j, j) - values[2 * j]));
    }
    fprintf(stderr, "dgeevx of order %d: below the subdiagonal at most %.3g of the norm, norm %.3g eps from A's, diagonal "
                    "%.3g eps of it from the values\n",
            n, below / norm, fabs(frobenius(n, a) - norm) / norm / DBL_EPSILON, apart / norm / DBL_EPSILON);
}

void peer_dgeevx(struct run *run)
{
    int n = run->n, type = CUDA_REAL_64, pairs = CUDA_COMPLEX_64;
    size_t order = (size_t)n, bytes, host_bytes;
    struct matrix a = problem_general(n, n);
    peer_begin(run);
    peer_need("Xgeev", peer.cuda.geev_size && peer.cuda.geev);
    struct operand matrix = peer_operand(matrix_size(&a)), vectors = peer_operand(matrix_size(&a)),
                   values = peer_operand(2 * order);
    peer_expect("Xgeev_bufferSize",
                peer.cuda.geev_size(peer.handle, peer.params, 0, CUSOLVER_VECTORS, n, type, matrix.device, n, pairs,
                                    values.device, type, NULL, n, type, vectors.device, n, type, &bytes, &host_bytes));
    struct work work = peer_work(bytes, host_bytes);
    peer_ready(run);
    while (run_next(run)) {
        matrix_fill(&a, matrix.host);
        const double norm = frobenius(n, matrix.host);
        run_start(run);
        peer_up(&matrix);
        peer_expect("Xgeev", peer.cuda.geev(peer.handle, peer.params, 0, CUSOLVER_VECTORS, n, type, matrix.device, n,
                                            pairs, values.device, type, NULL, n, type, vectors.device, n, type,
                                            work.device, bytes, work.host, host_bytes, peer.info));
        peer_down(&values, values.count);
        peer_down(&matrix, matrix.count);
        peer_stop(run, "Xgeev");
        tell_schur(n, matrix.host, norm, values.host);
        run_digest(run, values.host, values.count);
    }
}
