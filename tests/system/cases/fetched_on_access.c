/* Memory whose pages are taken away by mprotect(PROT_NONE) and filled by a SIGSEGV handler at their first
 * access, as software shared memory and lazy loaders do. Right: 512, 768, 1024, each round what the handler
 * brings, and 128 faults more. A copy on the device knows nothing of it: page tables show no write. */
#include "case.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 256, PAGE = 4096 };
static double *matrix, fresh;
static int faults;

static void fetch(int signal, siginfo_t *info, void *context)
{
    double *page = (double *)((size_t)info->si_addr / PAGE * PAGE);
    (void)signal, (void)context;
    if (page < matrix || page >= matrix + N * N)
        _exit(9);
    faults++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < PAGE / sizeof *page; i++)
        page[i] = fresh;
}

int main(void)
{
    const size_t bytes = sizeof(double) * N * N;
    struct sigaction action = {.sa_sigaction = fetch, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int bad = 0;
    sigaction(SIGSEGV, &action, NULL);
    matrix = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < N * N; i++)
        matrix[i] = 1;
    for (int i = 0; i < 2; i++)
        bad += verdict("at first", first_row_sum(matrix, N, N, N), N);
    for (fresh = 2; fresh < 5; fresh++) {
        mprotect(matrix, bytes, PROT_NONE);
        bad += verdict("fetched", first_row_sum(matrix, N, N, N), fresh * N);
        bad += verdict("faults", faults, 128 * (fresh - 1));
    }
    return bad != 0;
}
