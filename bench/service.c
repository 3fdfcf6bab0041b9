/* An ordinary program that shows what a service is for. bench/service.sh runs it on the host, with a context of its own
 * and through a service.
 *
 *   service first ROUTINE ORDER       dgemv, dsymv, dspmv, strmv, dgemm, dsyevd, dgesv: ms from main to the end of the
 *                                     first call, with the making of its matrices left out
 *   service again ROUTINE ORDER COUNT us of the median of so many calls that follow ten; dgemv's, dsymv's, dspmv's
 *                                     and strmv's matrices and dgemm's factors stay
 *   service rewritten ORDER COUNT     us of the mean dgemm whose matrices the program writes before each
 *   service upload ORDER COUNT        GB/s at which the matrix of a dgemv goes up that the program has rewritten, median
 *   service hold ORDER                one dgemm, then a line "ready", then waits for a line of its input
 *
 * Exit status: 0, or 1 where memory is short or a routine fails. */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *, const int *,
            const double *, double *, const int *);
void dspmv_(const char *, const int *, const double *, const double *, const double *, const int *, const double *,
            double *, const int *);
void strmv_(const char *, const char *, const char *, const int *, const float *, const int *, float *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
             const int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);

static int n;
static size_t elements;
static double *a, *b, *c, *x, *y;

static void *make(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (!memory)
        exit(1);
    memset(memory, 0, bytes);
    return memory;
}

static void fill(double *matrix, double shift)
{
    for (size_t i = 0; i < elements; i++)
        matrix[i] = (double)(i * 7919 % 1013) * 1e-3 + shift;
}

static void make_matrix(int order)
{
    n = order;
    elements = (size_t)n * (size_t)n;
    a = make(elements * sizeof *a);
    x = make((size_t)n * sizeof *x);
    y = make((size_t)n * sizeof *y);
    fill(a, 0);
    for (int i = 0; i < n; i++) {
        a[i + (size_t)i * (size_t)n] += n;
        x[i] = i;
    }
}

static void make_products(void)
{
    b = make(elements * sizeof *b);
    c = make(elements * sizeof *c);
    fill(b, 1);
}

static void run_dgemv(void)
{
    static const double one = 1, zero = 0;
    static const int step = 1;
    dgemv_("T", &n, &n, &one, a, &n, x, &step, &zero, y, &step);
}

static void run_dsymv(void)
{
    static const double one = 1, zero = 0;
    static const int step = 1;
    dsymv_("L", &n, &one, a, &n, x, &step, &zero, y, &step);
}

static void run_dspmv(void)
{
    static const double one = 1, zero = 0;
    static const int step = 1;
    dspmv_("L", &n, &one, a, x, &step, &zero, y, &step);
}

/* The triangle has zeros below its ones, so that no repetition lets the vector grow. */
static void run_strmv(void)
{
    static const int step = 1;
    static float *triangle;
    if (!triangle)
        triangle = make(elements * sizeof *triangle);
    strmv_("L", "N", "U", &n, triangle, &n, (float *)y, &step);
}

static void run_dgemm(void)
{
    static const double one = 1, zero = 0;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
}

static double *work;
static int *integers, work_length, integers_length;

static void make_work(void)
{
    work_length = 1 + 6 * n + 2 * n * n;
    integers_length = 3 + 5 * n;
    work = make((size_t)work_length * sizeof *work);
    integers = make((size_t)integers_length * sizeof *integers);
}

static void run_dsyevd(void)
{
    int info;
    memcpy(c, a, elements * sizeof *c);
    dsyevd_("V", "L", &n, c, &n, y, work, &work_length, integers, &integers_length, &info);
    if (info != 0)
        exit(1);
}

static void run_dgesv(void)
{
    static const int one = 1;
    int info;
    memcpy(c, a, elements * sizeof *c);
    dgesv_(&n, &one, c, &n, integers, x, &n, &info);
    if (info != 0)
        exit(1);
}

typedef void routine(void);

static routine *find(const char *name)
{
    static const struct {
        const char *name;
        routine *run;
    } routines[] = {{"dgemv", run_dgemv}, {"dsymv", run_dsymv}, {"dspmv", run_dspmv}, {"strmv", run_strmv},
                    {"dgemm", run_dgemm}, {"dsyevd", run_dsyevd}, {"dgesv", run_dgesv}};
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return routines[i].run;
    fprintf(stderr, "service: there is no routine %s\n", name);
    exit(1);
}

static double seconds_of(routine *run)
{
    const double begun = seconds_now();
    run();
    return seconds_now() - begun;
}

static double again(routine *run, int count)
{
    double *const seconds = make((size_t)count * sizeof *seconds);
    for (int i = 0; i < 10; i++)
        run();
    for (int i = 0; i < count; i++)
        seconds[i] = seconds_of(run);
    const double middle = median(seconds, (size_t)count);
    free(seconds);
    return middle;
}

static double rewritten(int count)
{
    double all = 0;
    for (int i = 0; i < 10 + count; i++) {
        fill(a, i);
        fill(b, -i);
        const double seconds = seconds_of(run_dgemm);
        all += i < 10 ? 0 : seconds;
    }
    return all / count;
}

/* A call takes so much longer after its matrix was written. */
static double upload(int count)
{
    double *const rates = make((size_t)count * sizeof *rates);
    const double resident = again(run_dgemv, 20), bytes = (double)(elements * sizeof *a);
    for (int i = 0; i < count; i++) {
        fill(a, i);
        rates[i] = bytes / (seconds_of(run_dgemv) - resident);
    }
    const double middle = median(rates, (size_t)count);
    free(rates);
    return middle;
}

int main(int count, char **arguments)
{
    const char *const mode = count > 2 ? arguments[1] : "";
    const int is_routine = strcmp(mode, "first") == 0 || strcmp(mode, "again") == 0;
    const int order = count > 2 + is_routine ? atoi(arguments[2 + is_routine]) : 0;
    const int times = count > 3 + is_routine ? atoi(arguments[3 + is_routine]) : 0;
    if (order < 1 || (strcmp(mode, "first") != 0 && strcmp(mode, "hold") != 0 && times < 1)) {
        fputs("usage: service first|again ROUTINE ORDER [COUNT], rewritten|upload ORDER COUNT, hold ORDER\n", stderr);
        return 2;
    }
    make_matrix(order);
    if (!is_routine || strstr(arguments[2], "mv") == NULL) {
        make_products();
        make_work();
    }
    if (strcmp(mode, "first") == 0)
        printf("%.2f\n", 1e3 * seconds_of(find(arguments[2])));
    else if (strcmp(mode, "again") == 0)
        printf("%.3f\n", 1e6 * again(find(arguments[2]), times));
    else if (strcmp(mode, "rewritten") == 0)
        printf("%.0f\n", 1e6 * rewritten(times));
    else if (strcmp(mode, "upload") == 0)
        printf("%.1f\n", 1e-9 * upload(times));
    else {
        run_dgemm();
        puts("ready");
        fflush(stdout);
        getchar();
    }
    return 0;
}
