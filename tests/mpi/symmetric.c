/* A parallel program as its user wrote it: ScaLAPACK's symmetric eigensolver over MPI.
 *   mpirun -n P symmetric N BLOCK ev|evd FILE
 * The first process writes the eigenvalues, one a line, to FILE and prints how well they and the
 * vectors fulfil A Z = Z W and Z' Z = 1, in units of N times the rounding error. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* BLACS and ScaLAPACK as their users' guides declare them; integers of 32 bits. */
void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_exit(int keep);
void Cdgamx2d(int context, const char *scope, const char *topology, int m, int n, double *a, int lda,
              int *rows, int *columns, int flag, int row, int column);
int numroc_(const int *n, const int *block, const int *me, const int *first, const int *count);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *ld, int *info);
void pdsyev_(const char *job, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
             const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz,
             double *work, const int *lwork, int *info);
void pdsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, double *w, double *z, const int *iz, const int *jz, const int *descz,
              double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             const double *b, const int *ib, const int *jb, const int *descb, const double *beta, double *c,
             const int *ic, const int *jc, const int *descc);

static const int zero = 0, one = 1;
static const double no = 0, yes = 1;

static struct {
    int context, me, rows, columns, row, column;
} grid;

static struct {
    int n, block;
    int rows, columns; /* of this process's part */
    int descriptor[9];
} matrix;

static void fail(const char *what, int info)
{
    fprintf(stderr, "symmetric: %s: %d\n", what, info);
    exit(1);
}

static double *allocate(size_t count)
{
    double *memory = calloc(count ? count : 1, sizeof *memory);
    if (!memory)
        fail("out of memory", 0);
    return memory;
}

static double *allocate_part(void)
{
    return allocate((size_t)matrix.rows * (size_t)matrix.columns);
}

static void lay_out(int n, int block)
{
    int count, info;
    Cblacs_pinfo(&grid.me, &count);
    Cblacs_get(-1, 0, &grid.context);
    int rows = count % 2 == 0 && count >= 4 ? 2 : 1;
    Cblacs_gridinit(&grid.context, "Row", rows, count / rows);
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    matrix.n = n;
    matrix.block = block;
    matrix.rows = numroc_(&n, &block, &grid.row, &zero, &grid.rows);
    matrix.columns = numroc_(&n, &block, &grid.column, &zero, &grid.columns);
    int ld = matrix.rows > 1 ? matrix.rows : 1;
    descinit_(matrix.descriptor, &n, &n, &block, &block, &zero, &zero, &grid.context, &ld, &info);
    if (info != 0)
        fail("descinit", info);
}

static int global_index(int local, int mine, int count)
{
    return (local / matrix.block * count + mine) * matrix.block + local % matrix.block;
}

/* Any symmetric function of i and j, between -1 and 1. */
static double element(int i, int j)
{
    uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
    uint64_t z = (low << 32 | high) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ (z >> 31)) / 0x1p63;
}

static void fill(double *part)
{
    for (int j = 0; j < matrix.columns; j++)
        for (int i = 0; i < matrix.rows; i++)
            part[(size_t)j * (size_t)matrix.rows + (size_t)i] =
                element(global_index(i, grid.row, grid.rows), global_index(j, grid.column, grid.columns));
}

static void solve(bool divide, double *a, double *w, double *z)
{
    const int *n = &matrix.n, *of = matrix.descriptor, ask = -1;
    double length;
    int lengths, info;
    int *integers = NULL;
    if (divide)
        pdsyevd_("V", "L", n, a, &one, &one, of, w, z, &one, &one, of, &length, &ask, &lengths, &ask, &info);
    else
        pdsyev_("V", "L", n, a, &one, &one, of, w, z, &one, &one, of, &length, &ask, &info);
    int room = (int)length;
    double *work = allocate((size_t)room);
    if (divide) {
        integers = calloc((size_t)lengths, sizeof *integers);
        pdsyevd_("V", "L", n, a, &one, &one, of, w, z, &one, &one, of, work, &room, integers, &lengths,
                 &info);
    } else {
        pdsyev_("V", "L", n, a, &one, &one, of, w, z, &one, &one, of, work, &room, &info);
    }
    if (info != 0)
        fail("the eigensolver", info);
    free(work);
    free(integers);
}

/* The largest element of `part` less w[j] z, or less the unit matrix where z is NULL; of all processes. */
static double largest(const double *part, const double *w, const double *z)
{
    double most = 0;
    for (int j = 0; j < matrix.columns; j++) {
        int column = global_index(j, grid.column, grid.columns);
        for (int i = 0; i < matrix.rows; i++) {
            size_t at = (size_t)j * (size_t)matrix.rows + (size_t)i;
            double wanted = z ? w[column] * z[at] : global_index(i, grid.row, grid.rows) == column;
            double error = fabs(part[at] - wanted);
            most = error <= most ? most : error; /* NaN stays */
        }
    }
    Cdgamx2d(grid.context, "All", " ", 1, 1, &most, 1, NULL, NULL, -1, -1, -1);
    return most;
}

static void check(const double *w, const double *z)
{
    const int *n = &matrix.n, *of = matrix.descriptor;
    double *a = allocate_part(), *product = allocate_part();
    double unit = matrix.n * DBL_EPSILON, norm = fmax(fabs(w[0]), fabs(w[matrix.n - 1]));
    fill(a);
    pdgemm_("N", "N", n, n, n, &yes, a, &one, &one, of, z, &one, &one, of, &no, product, &one, &one, of);
    double residual = largest(product, w, z) / (norm * unit);
    pdgemm_("T", "N", n, n, n, &yes, z, &one, &one, of, z, &one, &one, of, &no, product, &one, &one, of);
    double orthogonality = largest(product, w, NULL) / unit;
    if (grid.me == 0)
        printf("residual %.4f orthogonality %.4f processes %d x %d\n", residual, orthogonality, grid.rows,
               grid.columns);
    free(a);
    free(product);
}

int main(int argc, char **argv)
{
    if (argc != 5 || (strcmp(argv[3], "ev") != 0 && strcmp(argv[3], "evd") != 0)) {
        fprintf(stderr, "usage: symmetric N BLOCK ev|evd FILE\n");
        return 2;
    }
    lay_out(atoi(argv[1]), atoi(argv[2]));
    double *a = allocate_part(), *z = allocate_part(), *w = allocate((size_t)matrix.n);
    fill(a);
    solve(strcmp(argv[3], "evd") == 0, a, w, z);
    check(w, z);
    FILE *file = grid.me == 0 ? fopen(argv[4], "w") : NULL;
    for (int i = 0; file && i < matrix.n; i++)
        fprintf(file, "%.17g\n", w[i]);
    if (grid.me == 0 && (!file || fclose(file) != 0))
        fail(argv[4], 0);
    free(a);
    free(z);
    free(w);
    Cblacs_exit(0);
    return 0;
}
