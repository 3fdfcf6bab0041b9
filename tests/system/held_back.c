/* held_back WAY [CALLS]: calls that have one reason to stay on the host, for the report's advice.
 *   rewritten  dgemv on a matrix that is rewritten before each call: sending it again takes longer on any host
 *   shared     dsymv on a matrix in shared memory
 *   order      dpotrf of order 100
 *   small      dpotrf of order 50, which is below every floor
 *   variant    dgeev with left vectors
 *   query      asks a routine of each kind for the size of its workspace */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda, const double *x,
            const int *incx, const double *beta, double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau,
             double *work, const int *lwork, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

enum { ORDER = 1024, SMALL = 100 };

static const int one = 1, order = ORDER, small = SMALL;
static const double scale = 1, none = 0;
static double x[ORDER], y[ORDER];

static void multiply(const double *matrix)
{
    dsymv_("L", &order, &scale, matrix, &order, x, &one, &none, y, &one);
}

static void fill(double *matrix, int number)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        matrix[i] = (i * 31 + number * 17) % 64;
}

static void call_rewritten(int calls)
{
    double *matrix = malloc(ORDER * ORDER * sizeof *matrix);
    for (int i = 0; matrix && i < calls; i++) {
        fill(matrix, i);
        dgemv_("N", &order, &order, &scale, matrix, &order, x, &one, &none, y, &one);
    }
    free(matrix);
}

static void call_shared(int calls)
{
    double *matrix = mmap(NULL, ORDER * ORDER * sizeof *matrix, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                          -1, 0);
    if (matrix == MAP_FAILED)
        abort();
    fill(matrix, 0);
    for (int i = 0; i < calls; i++)
        multiply(matrix);
}

/* Diagonally dominant. */
static void make_small(double *matrix)
{
    for (int i = 0; i < SMALL * SMALL; i++)
        matrix[i] = i % (SMALL + 1) == 0 ? 2 * SMALL : 1;
}

static void factor(int calls, int n)
{
    static double matrix[SMALL * SMALL];
    int info;
    for (int i = 0; i < calls; i++) {
        make_small(matrix);
        dpotrf_("L", &n, matrix, &small, &info);
    }
}

static void call_order(int calls)
{
    factor(calls, SMALL);
}

static void call_small(int calls)
{
    factor(calls, SMALL / 2);
}

static void call_variant(int calls)
{
    enum { WORK = 8 * SMALL };
    static double matrix[SMALL * SMALL], left[SMALL * SMALL], work[WORK];
    static const int room = WORK;
    int info;
    for (int i = 0; i < calls; i++) {
        make_small(matrix);
        dgeev_("V", "N", &small, matrix, &small, x, y, left, &small, NULL, &one, work, &room, &info);
    }
}

static void call_query(int calls)
{
    static double matrix[SMALL * SMALL], other[SMALL * SMALL], third[SMALL * SMALL], size[1];
    static const int query = -1;
    static int sizes[8 * SMALL];
    int info;
    for (int i = 0; i < calls; i++) {
        dsyevd_("V", "L", &small, matrix, &small, x, size, &query, sizes, &query, &info);
        dsytrd_("L", &small, matrix, &small, x, y, other, size, &query, &info);
        dgeqrf_(&small, &small, matrix, &small, x, size, &query, &info);
        dgesdd_("S", &small, &small, matrix, &small, x, other, &small, third, &small, size, &query, sizes, &info);
        dgeev_("N", "V", &small, matrix, &small, x, y, NULL, &one, other, &small, size, &query, &info);
    }
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*call)(int calls);
    } ways[] = {
        {"rewritten", call_rewritten}, {"shared", call_shared}, {"order", call_order}, {"small", call_small},
        {"variant", call_variant},     {"query", call_query}};
    for (size_t i = 0; count > 2 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(arguments[1], ways[i].name) == 0)
            return ways[i].call(atoi(arguments[2])), 0;
    return 2;
}
