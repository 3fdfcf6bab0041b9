/* scalapack.c - one parallel routine as a program of several ranks calls it.
 *   mpirun -n P scalapack ROUTINE N [BLOCK [REPETITIONS]]
 * ROUTINE is pdsyevd, pzheevd, pdsygvx (the lowest tenth of the pairs), pdpotrf or pdgemm. The grid is as square as
 * P allows; a block is 64 unless given. Each repetition makes its matrices anew and times the call from a barrier to
 * a barrier; the first has in it what the job opens once. The first rank prints a line for each,
 *   routine,n,block,ranks,repetition,seconds,error
 * where error is the residual in units of n * eps * norm, of the last repetition alone (else empty). Exit status: 1
 * where a call fails or the error is 30 or more. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* BLACS, ScaLAPACK and PBLAS as their users' guides declare them; integers of 32 bits. */
void Cblacs_pinfo(int *me, int *count);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_barrier(int context, const char *scope);
void Cblacs_exit(int keep);
void Cdgamx2d(int context, const char *scope, const char *topology, int m, int n, double *a, int lda, int *rows,
              int *columns, int flag, int row, int column);
int numroc_(const int *n, const int *block, const int *me, const int *first, const int *count);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *ld, int *info);
#define MATRIX(type, a) type *a, const int *i##a, const int *j##a, const int *desc##a
void pdsyevd_(const char *, const char *, const int *, MATRIX(double, a), double *w, MATRIX(double, z), double *,
              const int *, int *, const int *, int *);
void pzheevd_(const char *, const char *, const int *, MATRIX(double complex, a), double *w,
              MATRIX(double complex, z), double complex *, const int *, double *, const int *, int *, const int *,
              int *);
void pdsygvx_(const int *, const char *, const char *, const char *, const int *, MATRIX(double, a),
              MATRIX(double, b), const double *, const double *, const int *, const int *, const double *, int *,
              int *, double *w, const double *, MATRIX(double, z), double *, const int *, int *, const int *, int *,
              int *, double *, int *);
void pdpotrf_(const char *, const int *, MATRIX(double, a), int *);
void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
             MATRIX(const double, a), MATRIX(const double, b), const double *, MATRIX(double, c));
void pzgemm_(const char *, const char *, const int *, const int *, const int *, const double complex *,
             MATRIX(const double complex, a), MATRIX(const double complex, b), const double complex *,
             MATRIX(double complex, c));
void pdtrmm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
             MATRIX(const double, a), MATRIX(double, b));

static const int zero = 0, one = 1, ask = -1;
static const double no = 0, yes = 1;
static const double complex complex_no = 0, complex_yes = 1;

static struct {
    int context, me, count, rows, columns, row, column;
} grid;

/* An n x n matrix, or so many of its columns, as this rank has it. */
static struct {
    int n, block, rows, columns, descriptor[9];
} layout;

static void fail(const char *what, long value)
{
    fprintf(stderr, "scalapack: %s: %ld\n", what, value);
    exit(1);
}

static void *allocate(size_t count, size_t bytes)
{
    void *const memory = calloc(count ? count : 1, bytes);
    if (!memory)
        fail("out of memory", (long)(count * bytes));
    return memory;
}

static size_t part_elements(void)
{
    return (size_t)layout.rows * (size_t)layout.columns;
}

static void lay_out(int n, int block)
{
    int rows = 1, info;
    Cblacs_pinfo(&grid.me, &grid.count);
    Cblacs_get(-1, 0, &grid.context);
    for (int i = 1; i * i <= grid.count; i++)
        rows = grid.count % i == 0 ? i : rows;
    Cblacs_gridinit(&grid.context, "Row", rows, grid.count / rows);
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    layout.n = n;
    layout.block = block;
    layout.rows = numroc_(&n, &block, &grid.row, &zero, &grid.rows);
    layout.columns = numroc_(&n, &block, &grid.column, &zero, &grid.columns);
    const int ld = layout.rows > 1 ? layout.rows : 1;
    descinit_(layout.descriptor, &n, &n, &block, &block, &zero, &zero, &grid.context, &ld, &info);
    if (info != 0)
        fail("descinit", info);
}

static int global_of(int local, int mine, int count)
{
    return (local / layout.block * count + mine) * layout.block + local % layout.block;
}

/* Between -1 and 1, by place and `salt` alone. */
static double random_at(uint64_t i, uint64_t j, uint64_t salt)
{
    uint64_t z = (i << 32 | j) * 0x9e3779b97f4a7c15u + salt;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ (z >> 31)) / 0x1p63;
}

typedef double complex element_function(int i, int j);

static double complex general(int i, int j)
{
    return random_at((uint64_t)i, (uint64_t)j, 1);
}

static double complex symmetric(int i, int j)
{
    return random_at((uint64_t)(i < j ? i : j), (uint64_t)(i < j ? j : i), 2);
}

static double complex hermitian(int i, int j)
{
    const double imaginary = random_at((uint64_t)(i < j ? i : j), (uint64_t)(i < j ? j : i), 3);
    return symmetric(i, j) + (i == j ? 0 : i < j ? -imaginary : imaginary) * I;
}

/* Close to the identity. */
static double complex definite(int i, int j)
{
    return symmetric(i, j) / layout.n + (i == j ? 2 : 0);
}

static void fill(element_function *element, bool is_complex, void *part)
{
    for (int j = 0; j < layout.columns; j++)
        for (int i = 0; i < layout.rows; i++) {
            const double complex value = element(global_of(i, grid.row, grid.rows),
                                                 global_of(j, grid.column, grid.columns));
            const size_t at = (size_t)j * (size_t)layout.rows + (size_t)i;
            if (is_complex)
                ((double complex *)part)[at] = value;
            else
                ((double *)part)[at] = creal(value);
        }
}

/* The operands of a routine; pointers that it has no use for are NULL. */
struct problem {
    void *a, *b, *c, *z, *work;
    double *w, *rwork, *gap;
    int *iwork, *ifail, *iclustr;
    int lwork, lrwork, liwork, found, info;
};

static void make_pdsyevd(struct problem *p)
{
    double wanted;
    int integers;
    p->a = allocate(part_elements(), sizeof(double));
    p->z = allocate(part_elements(), sizeof(double));
    p->w = allocate((size_t)layout.n, sizeof(double));
    pdsyevd_("V", "L", &layout.n, p->a, &one, &one, layout.descriptor, p->w, p->z, &one, &one, layout.descriptor,
             &wanted, &ask, &integers, &ask, &p->info);
    p->lwork = (int)wanted;
    p->liwork = integers;
    p->work = allocate((size_t)p->lwork, sizeof(double));
    p->iwork = allocate((size_t)p->liwork, sizeof(int));
}

static void fill_pdsyevd(struct problem *p)
{
    fill(symmetric, false, p->a);
}

static void call_pdsyevd(struct problem *p)
{
    pdsyevd_("V", "L", &layout.n, p->a, &one, &one, layout.descriptor, p->w, p->z, &one, &one, layout.descriptor,
             p->work, &p->lwork, p->iwork, &p->liwork, &p->info);
    p->found = layout.n;
}

static void make_pzheevd(struct problem *p)
{
    double complex wanted;
    double reals;
    int integers;
    p->a = allocate(part_elements(), sizeof(double complex));
    p->z = allocate(part_elements(), sizeof(double complex));
    p->w = allocate((size_t)layout.n, sizeof(double));
    pzheevd_("V", "L", &layout.n, p->a, &one, &one, layout.descriptor, p->w, p->z, &one, &one, layout.descriptor,
             &wanted, &ask, &reals, &ask, &integers, &ask, &p->info);
    p->lwork = (int)creal(wanted);
    p->lrwork = (int)reals;
    p->liwork = integers;
    p->work = allocate((size_t)p->lwork, sizeof(double complex));
    p->rwork = allocate((size_t)p->lrwork, sizeof(double));
    p->iwork = allocate((size_t)p->liwork, sizeof(int));
}

static void fill_pzheevd(struct problem *p)
{
    fill(hermitian, true, p->a);
}

static void call_pzheevd(struct problem *p)
{
    pzheevd_("V", "L", &layout.n, p->a, &one, &one, layout.descriptor, p->w, p->z, &one, &one, layout.descriptor,
             p->work, &p->lwork, p->rwork, &p->lrwork, p->iwork, &p->liwork, &p->info);
    p->found = layout.n;
}

static void lowest_tenth(struct problem *p, double *work, const int *lwork, int *iwork, const int *liwork)
{
    const double abstol = 2 * DBL_MIN, orfac = -1;
    const int last = layout.n / 10 > 0 ? layout.n / 10 : 1;
    int vectors;
    pdsygvx_(&one, "V", "I", "L", &layout.n, p->a, &one, &one, layout.descriptor, p->b, &one, &one,
             layout.descriptor, &no, &no, &one, &last, &abstol, &p->found, &vectors, p->w, &orfac, p->z, &one, &one,
             layout.descriptor, work, lwork, iwork, liwork, p->ifail, p->iclustr, p->gap, &p->info);
}

static void fill_pdsygvx(struct problem *p)
{
    fill(symmetric, false, p->a);
    fill(definite, false, p->b);
}

/* Its query writes to three elements of WORK. */
static void make_pdsygvx(struct problem *p)
{
    double wanted[3];
    int integers;
    p->a = allocate(part_elements(), sizeof(double));
    p->b = allocate(part_elements(), sizeof(double));
    p->z = allocate(part_elements(), sizeof(double));
    p->w = allocate((size_t)layout.n, sizeof(double));
    p->ifail = allocate((size_t)layout.n, sizeof(int));
    p->iclustr = allocate(2 * (size_t)grid.count, sizeof(int));
    p->gap = allocate((size_t)grid.count, sizeof(double));
    lowest_tenth(p, wanted, &ask, &integers, &ask);
    p->lwork = (int)wanted[0] + 10 * layout.n;
    p->liwork = integers;
    p->work = allocate((size_t)p->lwork, sizeof(double));
    p->iwork = allocate((size_t)p->liwork, sizeof(int));
}

static void call_pdsygvx(struct problem *p)
{
    lowest_tenth(p, p->work, &p->lwork, p->iwork, &p->liwork);
}

static void make_pdpotrf(struct problem *p)
{
    p->a = allocate(part_elements(), sizeof(double));
}

static void fill_pdpotrf(struct problem *p)
{
    fill(definite, false, p->a);
}

static void call_pdpotrf(struct problem *p)
{
    pdpotrf_("L", &layout.n, p->a, &one, &one, layout.descriptor, &p->info);
}

static void multiply(const void *a, const void *b, void *c, int columns)
{
    pdgemm_("N", "N", &layout.n, &columns, &layout.n, &yes, a, &one, &one, layout.descriptor, b, &one, &one,
            layout.descriptor, &no, c, &one, &one, layout.descriptor);
}

static void make_pdgemm(struct problem *p)
{
    p->a = allocate(part_elements(), sizeof(double));
    p->b = allocate(part_elements(), sizeof(double));
    p->c = allocate(part_elements(), sizeof(double));
}

static void fill_pdgemm(struct problem *p)
{
    fill(general, false, p->a);
    fill(symmetric, false, p->b);
}

static void call_pdgemm(struct problem *p)
{
    multiply(p->a, p->b, p->c, layout.n);
}

/* The largest of all ranks; NaN is infinity. */
static double largest(double number)
{
    double most = number == number ? number : INFINITY;
    Cdgamx2d(grid.context, "All", " ", 1, 1, &most, 1, NULL, NULL, -1, -1, -1);
    return most;
}

/* one - other * w[column], in the first columns. */
static double apart(const struct problem *p, const void *product, const void *other, bool is_complex, int columns)
{
    double most = 0;
    for (int j = 0; j < layout.columns; j++) {
        const int column = global_of(j, grid.column, grid.columns);
        for (int i = 0; i < layout.rows && column < columns; i++) {
            const size_t at = (size_t)j * (size_t)layout.rows + (size_t)i;
            const double error = is_complex ? cabs(((const double complex *)product)[at] -
                                                   p->w[column] * ((const double complex *)other)[at])
                                            : fabs(((const double *)product)[at] -
                                                   p->w[column] * ((const double *)other)[at]);
            most = error <= most ? most : error;
        }
    }
    return largest(most);
}

static double scale_of(const struct problem *p)
{
    return layout.n * DBL_EPSILON * fmax(fabs(p->w[0]), fabs(p->w[p->found - 1]));
}

/* A Z - Z W; the matrix is made anew. */
static double error_pdsyevd(struct problem *p)
{
    double *const product = allocate(part_elements(), sizeof *product);
    fill(symmetric, false, p->a);
    multiply(p->a, p->z, product, layout.n);
    const double error = apart(p, product, p->z, false, layout.n) / scale_of(p);
    free(product);
    return error;
}

static double error_pzheevd(struct problem *p)
{
    double complex *const product = allocate(part_elements(), sizeof *product);
    fill(hermitian, true, p->a);
    pzgemm_("N", "N", &layout.n, &layout.n, &layout.n, &complex_yes, p->a, &one, &one, layout.descriptor, p->z, &one,
            &one, layout.descriptor, &complex_no, product, &one, &one, layout.descriptor);
    const double error = apart(p, product, p->z, true, layout.n) / scale_of(p);
    free(product);
    return error;
}

/* A Z - B Z W. */
static double error_pdsygvx(struct problem *p)
{
    double *const product = allocate(2 * part_elements(), sizeof *product), *const other = product + part_elements();
    fill_pdsygvx(p);
    multiply(p->a, p->z, product, p->found);
    multiply(p->b, p->z, other, p->found);
    const double error = apart(p, product, other, false, p->found) / scale_of(p);
    free(product);
    return p->found == (layout.n / 10 > 0 ? layout.n / 10 : 1) ? error : INFINITY;
}

static double difference(const double *one_part, const double *other, int columns)
{
    double most = 0;
    for (int j = 0; j < layout.columns; j++)
        for (int i = 0; i < layout.rows && global_of(j, grid.column, grid.columns) < columns; i++) {
            const size_t at = (size_t)j * (size_t)layout.rows + (size_t)i;
            const double error = fabs(one_part[at] - other[at]);
            most = error <= most ? most : error;
        }
    return largest(most);
}

/* L L' X - A X, for some columns. */
static double error_pdpotrf(struct problem *p)
{
    enum { COLUMNS = 8 };
    const int columns = COLUMNS < layout.n ? COLUMNS : layout.n;
    double *const x = allocate(3 * part_elements(), sizeof *x), *const a = x + part_elements(),
                 *const wanted = a + part_elements();
    fill(general, false, x);
    fill(definite, false, a);
    multiply(a, x, wanted, columns);
    pdtrmm_("L", "L", "T", "N", &layout.n, &columns, &yes, p->a, &one, &one, layout.descriptor, x, &one, &one,
            layout.descriptor);
    pdtrmm_("L", "L", "N", "N", &layout.n, &columns, &yes, p->a, &one, &one, layout.descriptor, x, &one, &one,
            layout.descriptor);
    const double error = difference(x, wanted, columns) / (layout.n * DBL_EPSILON * 2);
    free(x);
    return error;
}

/* C X - A (B X), for some columns. */
static double error_pdgemm(struct problem *p)
{
    enum { COLUMNS = 8 };
    const int columns = COLUMNS < layout.n ? COLUMNS : layout.n;
    double *const x = allocate(4 * part_elements(), sizeof *x), *const inner = x + part_elements(),
                 *const wanted = inner + part_elements(), *const found = wanted + part_elements();
    fill(definite, false, x);
    multiply(p->b, x, inner, columns);
    multiply(p->a, inner, wanted, columns);
    multiply(p->c, x, found, columns);
    const double error = difference(found, wanted, columns) / (layout.n * DBL_EPSILON * sqrt(layout.n));
    free(x);
    return error;
}

#define ROUTINE(name) {#name, make_##name, fill_##name, call_##name, error_##name}
static const struct routine {
    const char *name;
    void (*make)(struct problem *), (*fill)(struct problem *), (*call)(struct problem *);
    double (*error)(struct problem *);
} routines[] = {ROUTINE(pdsyevd), ROUTINE(pzheevd), ROUTINE(pdsygvx), ROUTINE(pdpotrf), ROUTINE(pdgemm)};

static const struct routine *routine_named(const char *name)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    return NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double timed(const struct routine *routine, struct problem *problem)
{
    routine->fill(problem);
    Cblacs_barrier(grid.context, "All");
    const double begun = seconds_now();
    routine->call(problem);
    Cblacs_barrier(grid.context, "All");
    const double seconds = seconds_now() - begun;
    if (problem->info != 0)
        fail(routine->name, problem->info);
    return seconds;
}

int main(int count, char **arguments)
{
    const struct routine *const routine = count > 2 ? routine_named(arguments[1]) : NULL;
    struct problem problem = {.info = 0};
    double error = 0;
    if (!routine || count > 5 || atoi(arguments[2]) < 2) {
        fputs("usage: scalapack pdsyevd|pzheevd|pdsygvx|pdpotrf|pdgemm N [BLOCK [REPETITIONS]]\n", stderr);
        return 2;
    }
    const int repetitions = count > 4 ? atoi(arguments[4]) : 3;
    lay_out(atoi(arguments[2]), count > 3 ? atoi(arguments[3]) : 64);
    routine->make(&problem);
    for (int i = 0; i < repetitions; i++) {
        const double seconds = timed(routine, &problem);
        const bool is_last = i == repetitions - 1;
        error = is_last ? routine->error(&problem) : 0;
        if (grid.me == 0)
            printf("%s,%d,%d,%d,%d,%.6f,", routine->name, layout.n, layout.block, grid.count, i, seconds);
        if (grid.me == 0)
            printf(is_last ? "%.4f\n" : "\n", error);
        fflush(stdout);
    }
    Cblacs_exit(0);
    return !(error < 30);
}
