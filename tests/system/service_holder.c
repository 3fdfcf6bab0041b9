/* A client of a service that keeps matrices on the device: products of each with the same narrow matrix, all
 * again for each line of its standard input, until that ends. Prints a hash of the results each time. A line "jump" lets
 * a signal's handler jump out of them, and "jumped" is printed.
 * Arguments: the order, the number of matrices. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);

enum { COLUMNS = 4 };
static int order, count;
static double **matrices, *narrow, *product;

static double *make(size_t elements, size_t first)
{
    double *const memory = malloc(elements * sizeof *memory);
    if (!memory)
        exit(2);
    for (size_t i = 0; i < elements; i++)
        memory[i] = (double)((i * 7919 + first * 31) % 1013) * 0.001 - 0.5;
    return memory;
}

static uint64_t multiply_all(void)
{
    const int columns = COLUMNS;
    const double one = 1, zero = 0;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int k = 0; k < count; k++) {
        dgemm_("N", "N", &order, &columns, &order, &one, matrices[k], &order, narrow, &order, &zero, product,
               &order);
        for (size_t i = 0; i < sizeof *product * COLUMNS * (size_t)order; i++)
            hash = (hash ^ ((const unsigned char *)product)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static sigjmp_buf back;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void jump_out(void)
{
    const struct itimerval soon = {.it_value = {0, 5000}};
    signal(SIGALRM, jump);
    if (sigsetjmp(back, 1))
        return;
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        multiply_all();
}

int main(int arguments, char **texts)
{
    char line[16];
    if (arguments != 3)
        return 2;
    order = atoi(texts[1]);
    count = atoi(texts[2]);
    matrices = calloc((size_t)count, sizeof *matrices);
    narrow = make((size_t)order * COLUMNS, 1);
    product = make((size_t)order * COLUMNS, 2);
    for (int k = 0; matrices && k < count; k++)
        matrices[k] = make((size_t)order * (size_t)order, (size_t)k + 3);
    strcpy(line, "\n");
    do {
        if (strcmp(line, "jump\n") == 0) {
            jump_out();
            printf("jumped\n");
        } else {
            printf("%016llx\n", (unsigned long long)multiply_all());
        }
        fflush(stdout);
    } while (fgets(line, sizeof line, stdin));
    return 0;
}
