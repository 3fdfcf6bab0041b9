/* unseen WAY [LIBRARY]: a program whose memory is written, between BLAS calls, in ways that leave no
 * mark in its page tables (doc/coherence.md). One line for each wrong result; exit status 77 and the reason
 * when this machine cannot tell. fixed      by an io_uring fixed buffer of its own receive    as RDMA does,
 * once LIBRARY is loaded: by a fixed buffer that counts as another process's alias      shared memory,
 * through a second mapping child      shared memory, by another process dropped    a large matrix, which
 * mublas pins, gets other pages: MADV_DONTNEED, mmap It knows nothing of mublas. */
#define _GNU_SOURCE
#include "unseen.h"
#include "unseen_ring.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

/* Values arrive unseen, all of the matrix or a few columns. Between two calls on what is
 * resident, and once an ordinary store comes between. */
static int write_by_ring(struct ring *ring, double *matrix, double *source)
{
    check_calls(matrix, SIZE, "calls before", 0);
    if (!ring_register(ring, matrix, bytes_of(SIZE)))
        return skip("no fixed buffers here");
    check_calls(matrix, SIZE, "calls after the buffer was registered", 0);
    for (int round = 1; round <= ROUNDS; round++) {
        fill(source, SIZE, round);
        size_t first = round == 2 ? (size_t)SIZE * 40 : 0, length = round == 2 ? SIZE * 10 : SIZE * SIZE;
        if (!ring_write(ring, matrix + first, source + first, length * sizeof *matrix))
            return skip("no reads into fixed buffers here");
        check_calls(matrix, SIZE, "calls on what came through the ring", round);
        matrix[round] += 1;
        check_calls(matrix, SIZE, "calls after an ordinary write", round);
    }
    return wrong != 0;
}

static int fixed(void)
{
    struct ring ring;
    double *matrix = new_matrix(SIZE), *source = new_matrix(SIZE);
    return ring_set_up(&ring) ? write_by_ring(&ring, matrix, source) : skip("no io_uring here");
}

/* The ring is the parent's: its pages do not count as pinned by the child that computes. */
static int receive(const char *library)
{
    struct ring ring;
    int status;
    if (!ring_set_up(&ring))
        return skip("no io_uring here");
    pid_t child = fork();
    if (child == 0) {
        double *matrix = new_matrix(SIZE), *source = new_matrix(SIZE);
        check_calls(matrix, SIZE, "calls before anything is loaded", 0);
        if (library && !dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
            printf("wrong: %s\n", dlerror());
            wrong++;
        }
        exit(write_by_ring(&ring, matrix, source));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int shared(bool by_child)
{
    int file = memfd_create("matrix", MFD_CLOEXEC), status;
    if (file < 0 || ftruncate(file, (off_t)bytes_of(SIZE)) != 0)
        abort();
    double *matrix = map_matrix(SIZE, MAP_SHARED, file), *alias = map_matrix(SIZE, MAP_SHARED, file);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t child = by_child ? fork() : 0;
        if (child == 0)
            fill(alias, SIZE, round);
        if (by_child && child == 0)
            _exit(0);
        if (by_child)
            waitpid(child, &status, 0);
        check_calls(matrix, SIZE, by_child ? "calls on what a child wrote" : "calls on what the alias wrote",
                    round);
    }
    return wrong != 0;
}

/* c := c + a b^T + b a^T in its lower triangle, and back in the host's arithmetic. */
static bool update_is_right(double *c, int n, int number)
{
    enum { K = 3 };
    const double one = 1;
    const int k = K;
    static double a[LARGE * K], b[LARGE * K];
    double *before = malloc(bytes_of(n));
    bool good = before != NULL;
    for (int i = 0; good && i < n * K; i++) { /* sums without rounding */
        a[i] = (i * 7 + number) % 16;
        b[i] = (i * 5 + number) % 16;
    }
    if (good)
        memcpy(before, c, bytes_of(n));
    dsyr2k_("L", "N", &n, &k, &one, a, &n, b, &n, &one, c, &n);
    for (int j = 0; good && j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = before[i + (size_t)j * (size_t)n];
            for (int p = 0; i >= j && p < K; p++)
                sum += a[i + p * n] * b[j + p * n] + b[i + p * n] * a[j + p * n];
            good = good && fabs(c[i + (size_t)j * (size_t)n] - sum) <= 1e-9;
        }
    free(before);
    return good;
}

static void give_other_pages(double *matrix, int n, bool by_mapping)
{
    if (by_mapping && mmap(matrix, bytes_of(n), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)matrix)
        abort();
    if (!by_mapping && madvise(matrix, bytes_of(n), MADV_DONTNEED) != 0)
        abort();
}

static int dropped(void)
{
    double *matrix = new_matrix(LARGE), *result = new_matrix(LARGE);
    for (int round = 0; round < 4; round++) {
        check_calls(matrix, LARGE, "calls on a large matrix", round);
        check(update_is_right(result, LARGE, round), "an update of a large matrix", round);
        give_other_pages(matrix, LARGE, round % 2);
        give_other_pages(result, LARGE, round % 2);
        if (round % 3 != 1) { /* else they read as zero */
            fill(matrix, LARGE, round);
            fill(result, LARGE, round + 1);
        }
    }
    check_calls(matrix, LARGE, "calls at the end", 0);
    return wrong != 0;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    alarm(300);
    if (strcmp(way, "fixed") == 0)
        return fixed();
    if (strcmp(way, "receive") == 0)
        return receive(count > 2 ? arguments[2] : NULL);
    if (strcmp(way, "alias") == 0 || strcmp(way, "child") == 0)
        return shared(strcmp(way, "child") == 0);
    return strcmp(way, "dropped") == 0 ? dropped() : 2;
}
