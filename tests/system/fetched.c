/* fetched: memory that a program takes away by mprotect, and gives back in its handler of SIGSEGV: filled
 * anew when it is read for the first time (software shared memory, lazy loaders), or noted when it is written
 * (incremental checkpoints). Each routine's results, and what the handler was told, are compared with what is
 * right; every other call is on memory that can be accessed. One line for each kind of operand. */
#define _GNU_SOURCE
#include "tap.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

enum { N = 256, PAGE = 4096, PAGES = N * N * 8 / PAGE, ROUNDS = 4 };

static double *memory;        /* of which access is taken away; N by N */
static double fresh;          /* what comes when it is read */
static bool is_fetched;       /* filled in at an access; else left as it is */
static volatile int faults;

static void give_back(int signal, siginfo_t *info, void *context)
{
    double *page = (double *)((size_t)info->si_addr / PAGE * PAGE);
    (void)signal, (void)context;
    if (page < memory || page >= memory + N * N)
        _exit(9);
    faults++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < PAGE / sizeof *page && is_fetched; i++)
        page[i] = fresh;
}

static double *new_matrix(double value)
{
    double *matrix = mmap(NULL, sizeof(double) * N * N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                          -1, 0);
    if (matrix == MAP_FAILED)
        abort();
    for (int i = 0; i < N * N; i++)
        matrix[i] = value;
    return matrix;
}

static bool all_are(const double *values, int count, double value)
{
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && values[i] == value;
    return good;
}

enum way { READ_BY_GEMV, READ_BY_SYMV, FIRST_FACTOR, SECOND_FACTOR, UPDATED, OVERWRITTEN, WAYS };

static const char *const names[WAYS] = {"the matrix of dgemv",       "the triangle of dsymv",
                                        "the first factor of dgemm", "the second factor of dgemm",
                                        "what dgemm updates",        "what dgemm overwrites"};

/* A call whose matrix is `memory`, all of it `value`; others are 1. Its results, as they should be. */
static bool call_is_right(enum way way, double *ones, double value)
{
    static double x[N], y[N];
    const double alpha = 1, beta = way == UPDATED ? 1 : 0;
    const int n = N, one = 1;
    double *product = way < UPDATED ? new_matrix(0) : memory;
    bool good;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    if (way == READ_BY_GEMV)
        dgemv_("N", &n, &n, &alpha, memory, &n, x, &one, &beta, y, &one, 1);
    else if (way == READ_BY_SYMV)
        dsymv_("U", &n, &alpha, memory, &n, x, &one, &beta, y, &one, 1);
    else
        dgemm_("N", "N", &n, &n, &n, &alpha, way == FIRST_FACTOR ? memory : ones, &n,
               way == SECOND_FACTOR ? memory : ones, &n, &beta, product, &n, 1, 1);
    if (way <= READ_BY_SYMV)
        good = all_are(y, N, value * N);
    else
        good = all_are(product, N * N, way == UPDATED ? value + N : way == OVERWRITTEN ? N : value * N);
    if (product != memory)
        munmap(product, sizeof(double) * N * N);
    return good;
}

/* Each page of a triangle has an element but those below it; of other operands each. */
static bool faults_are_right(enum way way)
{
    return way == READ_BY_SYMV ? faults > PAGES / 2 && faults <= PAGES : faults == PAGES;
}

static void test(enum way way, bool at_first, int protection)
{
    double *ones = new_matrix(1), value = 1;
    const bool is_result = way >= UPDATED;
    bool right = true, told = true;
    memory = new_matrix(1);
    is_fetched = protection == PROT_NONE && way != OVERWRITTEN;
    for (int round = !at_first; round < 2 * ROUNDS; round++) {
        faults = 0;
        if (round % 2 == 0) {
            if (mprotect(memory, sizeof(double) * N * N, protection) != 0)
                abort();
            fresh = round + 3;
            value = is_fetched ? fresh : value;
        }
        right = call_is_right(way, ones, value) && right;
        told = (round % 2 || (protection == PROT_READ && !is_result) ? faults == 0 : faults_are_right(way)) &&
               told;
        if (protection == PROT_READ && !is_result &&
            mprotect(memory, sizeof(double) * N * N, PROT_READ | PROT_WRITE) != 0)
            abort();
        value = way == UPDATED ? value + N : way == OVERWRITTEN ? N : value;
    }
    tap_ok(right && told, "%s%s, %s%s%s", names[way], at_first ? " at its first use" : "",
           protection == PROT_NONE ? "unreadable" : "read-only", right ? "" : ": wrong results",
           told ? "" : ": the handler was not told");
    munmap(memory, sizeof(double) * N * N);
    munmap(ones, sizeof(double) * N * N);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = give_back, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    for (int way = 0; way < WAYS; way++)
        for (int at_first = 0; at_first < 2; at_first++) {
            test((enum way)way, at_first, PROT_NONE);
            test((enum way)way, at_first, PROT_READ);
        }
    return tap_done();
}
