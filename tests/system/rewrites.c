/* A program that changes a few elements of a matrix between calls, or none, and one
 * whose columns lie apart, with pages between them that nobody may read. */
#include "blas_program.h"
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

static const char *const names[ROUTINES_UNDER_TEST] = {"dsymv", "dgemv N", "dgemv T", "dtrmv", "ssymv"};
static const double scalars[] = {0.5, 1.5};

static void set(enum routine_under_test routine, void *a, size_t at, double value)
{
    if (routine == SSYMV)
        ((float *)a)[at] = (float)value;
    else
        ((double *)a)[at] = value;
}

/* How many of the calls were wrong. Every third call finds the matrix as the last did. */
static int wrong_calls(enum routine_under_test routine, void *a, int n, double alpha, double beta)
{
    int wrong = 0;
    for (int i = 0; i < n * n; i++)
        set(routine, a, (size_t)i, (double)(i * 31 % 63 - 31) / 16);
    for (int number = 0; number < 12; number++) {
        for (int change = 0; change < number % 3; change++) {
            int i = (number * 17 + change * 71) % n, j = (number * 5 + change * 43) % n;
            int low = i > j ? i : j, high = i > j ? j : i;
            bool upper = routine == DTRMV; /* in the part that is read */
            set(routine, a, (size_t)(upper ? high : low) + (size_t)(upper ? low : high) * (size_t)n,
                40 + number);
        }
        wrong += !call_is_right(routine, a, n, n, n, alpha, beta, number);
    }
    return wrong;
}

static void test_memory(void *a, const char *where)
{
    for (int routine = 0; routine < ROUTINES_UNDER_TEST; routine++)
        for (int i = 0; i < 4; i++) {
            double alpha = scalars[i / 2], beta = scalars[i % 2];
            int wrong = wrong_calls((enum routine_under_test)routine, a, 150, alpha, beta);
            tap_ok(wrong == 0, "%s, %s, alpha %g, beta %g: %d of 12 calls wrong", names[routine], where,
                   alpha, beta, wrong);
        }
}

/* Columns of a page each, two pages between them: what happens to those is nobody's business. */
static void test_gaps(bool unmapped)
{
    enum { COLUMNS = 5 };
    const char *how = unmapped ? "unmapped" : "not accessible";
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 3 * page * COLUMNS;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int rows = (int)(page / 8), ld = 3 * rows;
    bool good = memory != MAP_FAILED && rows <= 2048;
    for (size_t i = 0; good && i < bytes / 8; i++)
        ((double *)memory)[i] = (double)(i % 61) / 32;
    tap_ok(good && call_is_right(DGEMV_N, memory, rows, COLUMNS, ld, 1.5, 0.5, 1),
           "columns with pages between them");
    for (int j = 0; j < COLUMNS && good; j++) {
        char *gap = memory + (size_t)j * 3 * page + page;
        good = unmapped ? munmap(gap, 2 * page) == 0 : mprotect(gap, 2 * page, PROT_NONE) == 0;
        ((double *)(memory + (size_t)j * 3 * page))[3] = 9 + j;
    }
    tap_ok(good && call_is_right(DGEMV_N, memory, rows, COLUMNS, ld, 1.5, 0.5, 2), "these pages %s, dgemv N",
           how);
    ((double *)memory)[7] = 5;
    tap_ok(good && call_is_right(DGEMV_T, memory, rows, COLUMNS, ld, 1.5, 0.5, 3), "these pages %s, dgemv T",
           how);
    munmap(memory, bytes);
}

int main(void)
{
    const size_t bytes = 150 * 150 * sizeof(double);
    void *heap = malloc(bytes);
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!heap || pages == MAP_FAILED)
        abort();
    test_memory(heap, "malloc");
    test_memory(pages, "mmap");
    test_gaps(false);
    test_gaps(true);
    free(heap);
    return tap_done();
}
