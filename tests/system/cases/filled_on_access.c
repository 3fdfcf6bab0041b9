/* Memory that the program's handler fills as it is read: long vectors, a matrix that goes to a device, one that
 * the host looks at first. Argument: protected (mprotect), guarded (guard regions, which no map shows), or file
 * (a mapping longer than its file). Right: sums as of memory that was filled before, and the handler runs on the
 * thread that calls. */
#define _GNU_SOURCE
#include "case.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *,
            const int *, double *, const int *, double *, const int *, int *, size_t, size_t);

enum { PAGE = 4096, DOUBLES = PAGE / sizeof(double), LONG = 1200000, WIDE = 1100, ORDER = 200 };
enum { GUARD = 102, UNGUARD = 103 }; /* madvise, since Linux 6.13 */

static enum { PROTECTED, GUARDED, IN_FILE } kind;
static double *memory;
static size_t length, file_pages;
static int file = -1;
static pid_t self;
static volatile int faults, foreign;

static double value(size_t i)
{
    return (double)(i % 1021) / 16;
}

/* A file grows with all that comes before the page, which would be zero else. */
static void come_into_being(char *page)
{
    double contents[DOUBLES];
    const size_t number = (size_t)(page - (char *)memory) / PAGE;
    for (; kind == IN_FILE && file_pages <= number; file_pages++) {
        for (size_t i = 0; i < DOUBLES; i++)
            contents[i] = value(file_pages * DOUBLES + i);
        if (write(file, contents, PAGE) != PAGE)
            _exit(8);
    }
    if (kind == IN_FILE)
        return;
    for (size_t i = 0; i < DOUBLES; i++)
        contents[i] = value(number * DOUBLES + i);
    if (kind == PROTECTED)
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    else
        madvise(page, PAGE, UNGUARD);
    memcpy(page, contents, PAGE);
}

static void fill(int signal, siginfo_t *info, void *context)
{
    char *const page = (char *)((size_t)info->si_addr / PAGE * PAGE);
    (void)signal, (void)context;
    if (page < (char *)memory || page >= (char *)memory + length)
        _exit(9);
    faults++;
    foreign += gettid() != self;
    come_into_being(page);
}

static void map(size_t elements)
{
    length = (elements * sizeof(double) + PAGE - 1) / PAGE * PAGE;
    if (kind == IN_FILE) {
        file = memfd_create("case", 0);
        memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    } else {
        memory = mmap(NULL, length, kind == PROTECTED ? PROT_NONE : PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (kind == GUARDED && madvise(memory, length, GUARD) != 0) {
        fprintf(stderr, "no guard regions with this kernel\n");
        exit(2);
    }
    file_pages = 0;
    faults = 0;
}

static int unmap(const char *what)
{
    munmap(memory, length);
    if (file >= 0)
        close(file);
    file = -1;
    return verdict(what, faults > 0 && foreign == 0, 1);
}

static int try_vectors(void)
{
    const int n = LONG, one = 1, rows = 3;
    const double alpha = 1, beta = 0;
    double *const y = calloc(LONG, sizeof *y), *const a = malloc(3 * LONG * sizeof *a), z[3] = {0}, right = 0;
    int bad = 0, same = 1;
    map(LONG);
    daxpy_(&n, &alpha, memory, &one, y, &one);
    for (size_t i = 0; i < LONG; i++) {
        right += value(i);
        same &= y[i] == value(i);
    }
    bad += verdict("daxpy", same, 1) + unmap("its handler");
    for (size_t i = 0; i < 3 * LONG; i++)
        a[i] = 1;
    map(LONG);
    dgemv_("N", &rows, &n, &alpha, a, &rows, memory, &one, &beta, z, &one, 1);
    bad += verdict("a long vector of dgemv", z[2], right) + unmap("its handler");
    free(y);
    free(a);
    return bad;
}

static int try_matrix(void)
{
    double right = 0;
    map(WIDE * WIDE);
    const double sum = first_row_sum(memory, WIDE, WIDE, WIDE);
    for (size_t j = 0; j < WIDE; j++)
        right += value(j * WIDE);
    return verdict("a matrix of dgemv", sum, right) + unmap("its handler");
}

static int try_eigenvalues(void)
{
    const int n = ORDER, lwork = 8 * ORDER, one = 1;
    double w[ORDER], wi[ORDER], v[1], *const work = malloc(lwork * sizeof *work), sum = 0, trace = 0;
    int info = -9;
    map(ORDER * ORDER);
    dgeev_("N", "N", &n, memory, &n, w, wi, v, &one, v, &one, work, &lwork, &info, 1, 1);
    for (size_t i = 0; i < ORDER; i++) {
        sum += w[i];
        trace += value(i * (ORDER + 1));
    }
    free(work);
    return verdict("dgeev", info == 0 && fabs(sum - trace) < 1e-9 * trace, 1) + unmap("its handler");
}

int main(int count, char **arguments)
{
    const struct sigaction action = {.sa_sigaction = fill, .sa_flags = SA_SIGINFO | SA_NODEFER};
    const char *const said = count > 1 ? arguments[1] : "protected";
    kind = strcmp(said, "guarded") == 0 ? GUARDED : strcmp(said, "file") == 0 ? IN_FILE : PROTECTED;
    self = gettid();
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    return try_vectors() + try_matrix() + try_eigenvalues() != 0;
}
