/* A program with much static thread-local storage, which lies on each thread's stack: threads that ask for a small
 * stack cannot be made, or have no room. Right: 1200 each time. So much storage, 2088000 bytes, nearly fills a stack
 * of 2 MiB. */
#include "case.h"

static __thread char storage[2088000];

int main(void)
{
    enum { N = 1200, ROUNDS = 4 };
    double *const a = malloc(sizeof(double) * N * N);
    int bad = 0;
    storage[5] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < N * N; i++)
            a[i] = 1;
        bad += verdict("sum", first_row_sum(a, N, N, N), N);
    }
    return bad + verdict("storage", storage[5], 1) != 0;
}
