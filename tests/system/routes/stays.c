/* stays WAY: a factor that routes leave on the device, and what the program does to it in between. All that reads it is
 * compared, bit for bit, with the same call on a fresh copy of what host memory holds.
 *
 * writes    elements of the factor, of the other triangle and of the gaps; memory that is replaced, given back and
 *           moved; a fork
 * beside    another thread writes the other triangle while routes write theirs; two threads with factors that share a page
 * loop N    dpotrf, dpotrs, dtrsm, dtrtri and dpotri of N matrices in one place, for the report to tell what goes up
 * products N  six dgemv with each of N matrices in one place, likewise */
#include "tap.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
extern void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *, const int *, int *,
                    size_t);
extern void dpotri_(const char *, const int *, double *, const int *, int *, size_t);
extern void dtrtri_(const char *, const char *, const int *, double *, const int *, int *, size_t, size_t);
extern void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
                   const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
                   const double *, const int *, const double *, double *, const int *, size_t);

enum { N = 230, GAP = 5, LD = N + GAP, SIDES = 3, MANY_SIDES = 60, ROUNDS = 3, STEP = 83 };
static const int n = N, ld = LD, sides = SIDES, one = 1;
static const double unit = 1, zero = 0;
static const size_t bytes = (size_t)LD * N * sizeof(double);

static double number(size_t i, size_t j, int seed)
{
    return (double)((i * 37 + j * 101 + (size_t)seed * 13 + i * j % 17) % 1000) / 1000 - 0.5;
}

static void fill(double *a, int seed)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < LD; i++)
            a[i + j * LD] = number(i < j || i >= N ? i : j, i < j || i >= N ? j : i, seed) + (i == j ? N : 0);
}

static double *map(size_t length)
{
    void *const memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* The calls' findings in the matrix. */
struct answers {
    double solved[N * SIDES], divided[N * SIDES], product[LD];
};

static void ask(const char *uplo, const double *a, struct answers *answers)
{
    double x[N];
    int info;
    for (size_t i = 0; i < N * SIDES; i++)
        answers->solved[i] = answers->divided[i] = number(i, 2, 3);
    for (size_t i = 0; i < N; i++)
        x[i] = number(i, 5, 7);
    dpotrs_(uplo, &n, &sides, a, &ld, answers->solved, &n, &info, 1);
    dtrsm_("L", uplo, "N", "N", &n, &sides, &unit, a, &ld, answers->divided, &n, 1, 1, 1, 1);
    memset(answers->product, 0, sizeof answers->product);
    dgemv_("N", &ld, &n, &unit, a, &ld, x, &one, &zero, answers->product, &one, 1);
}

/* The copy is its own, for the calls to know nothing of. */
static int is_as_host_has_it(const char *uplo, const double *a)
{
    struct answers *const both = malloc(2 * sizeof *both);
    double *const copy = map(bytes);
    memcpy(copy, a, bytes);
    ask(uplo, a, &both[0]);
    ask(uplo, copy, &both[1]);
    const int same = memcmp(&both[0], &both[1], sizeof *both) == 0;
    munmap(copy, bytes);
    free(both);
    return same;
}

static void factorise(const char *uplo, double *a, int seed)
{
    int info;
    fill(a, seed);
    dpotrf_(uplo, &n, a, &ld, &info, 1);
    if (info != 0)
        abort();
}

/* The element below or, of the upper triangle, above the diagonal; or the other way round. */
static double *element(const char *uplo, double *a, size_t far, size_t near, int is_other)
{
    return (*uplo == 'L') == !is_other ? &a[far + near * LD] : &a[near + far * LD];
}

static int writes_are_seen(const char *uplo, double *a)
{
    int right = 0;
    factorise(uplo, a, 1);
    right += is_as_host_has_it(uplo, a);
    for (size_t i = 0; i < N; i += STEP) {
        *element(uplo, a, N - 1, i, i % 2) *= 1.25; /* beside the factor's, and in it */
        right += is_as_host_has_it(uplo, a);
        a[i * (LD + 1)] += 1;
        right += is_as_host_has_it(uplo, a);
        a[N + 1 + i * LD] = 17;
        right += is_as_host_has_it(uplo, a);
    }
    return right == 1 + 3 * ((N + STEP - 1) / STEP);
}

/* Results over results, with writes between them, also beside the part that they write. */
static int results_are_seen(const char *uplo, double *a)
{
    int right = 0, info;
    for (int round = 0; round < ROUNDS; round++) {
        factorise(uplo, a, round);
        if (round % 2)
            *element(uplo, a, N - 2, (size_t)round, 1) = 5;
        if (round % 3)
            right += is_as_host_has_it(uplo, a);
        else
            right++;
        if (round == 1)
            a[7 * (LD + 1)] *= 2;
        dtrtri_(uplo, "N", &n, a, &ld, &info, 1, 1);
        right += info == 0 && is_as_host_has_it(uplo, a);
        *element(uplo, a, N - 1, 0, 1) += 1;
        dpotri_(uplo, &n, a, &ld, &info, 1);
        right += info == 0 && is_as_host_has_it(uplo, a);
    }
    return right == 3 * ROUNDS;
}

static int memory_is_seen(const char *uplo)
{
    double *a = map(bytes);
    int right = 0, ends[2];
    factorise(uplo, a, 1);
    right += is_as_host_has_it(uplo, a);
    if (mmap(a, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != a)
        abort();
    fill(a, 2); /* other memory, and no factor any more: but one that may be solved by */
    right += is_as_host_has_it(uplo, a);
    factorise(uplo, a, 3);
    right += is_as_host_has_it(uplo, a);
    madvise((char *)a + 8192, 4096, MADV_DONTNEED);
    for (size_t i = 0; i < N; i++)
        a[i * (LD + 1)] += a[i * (LD + 1)] == 0;
    right += is_as_host_has_it(uplo, a);
    factorise(uplo, a, 4);
    a = mremap(a, bytes, bytes + (1 << 16), MREMAP_MAYMOVE);
    right += a != MAP_FAILED && is_as_host_has_it(uplo, a);
    factorise(uplo, a, 5);
    const double written[] = {3, 4};
    if (pipe(ends) != 0 || write(ends[1], written, sizeof written) != (ssize_t)sizeof written ||
        read(ends[0], &a[N / 2 * (LD + 1)], sizeof written) != (ssize_t)sizeof written)
        abort();
    right += is_as_host_has_it(uplo, a);
    munmap(a, bytes + (1 << 16));
    for (int i = 0; i < 2; i++) { /* most likely in the same place */
        double *const block = malloc(bytes);
        factorise(uplo, block, 6 + i);
        right += is_as_host_has_it(uplo, block);
        free(block);
    }
    return right == 8;
}

static int fork_is_seen(const char *uplo, double *a)
{
    int status = 1, right;
    factorise(uplo, a, 8);
    const pid_t child = fork();
    if (child == 0) {
        a[3 * (LD + 1)] *= 3;
        _exit(!is_as_host_has_it(uplo, a));
    }
    a[5 * (LD + 1)] *= 2;
    right = is_as_host_has_it(uplo, a);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 0;
    *element(uplo, a, N - 1, 3, 0) *= 2;
    return right && is_as_host_has_it(uplo, a);
}

static void test_writes(void)
{
    static const char *const triangles[] = {"L", "U"};
    for (int i = 0; i < 2; i++) {
        double *const a = map(bytes);
        tap_ok(writes_are_seen(triangles[i], a), "%s: the program's writes to it and beside it", triangles[i]);
        tap_ok(results_are_seen(triangles[i], a), "%s: results over results", triangles[i]);
        tap_ok(memory_is_seen(triangles[i]), "%s: memory that is replaced, given back, moved, read into", triangles[i]);
        tap_ok(fork_is_seen(triangles[i], a), "%s: a fork", triangles[i]);
        munmap(a, bytes);
    }
}

struct scribbler {
    const char *uplo;
    double *a;
    atomic_bool over;
};

/* All over the other triangle, which no route of this one may touch. */
static void *scribble(void *context)
{
    struct scribbler *const of = context;
    for (unsigned state = 1; !atomic_load(&of->over); state = state * 1664525 + 1013904223) {
        const size_t far = 1 + (state >> 8) % (N - 1), near = (state >> 16) % far;
        *element(of->uplo, of->a, far, near, 1) = state;
    }
    return NULL;
}

static int scribbling_is_seen(const char *uplo, double *a)
{
    int right = 0, info;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        struct scribbler scribbler = {uplo, a, false};
        pthread_t thread;
        fill(a, round);
        if (pthread_create(&thread, NULL, scribble, &scribbler) != 0)
            abort();
        dpotrf_(uplo, &n, a, &ld, &info, 1);
        if (round % 2)
            dtrtri_(uplo, "N", &n, a, &ld, &info, 1, 1);
        atomic_store(&scribbler.over, true);
        pthread_join(thread, NULL);
        right += info == 0 && is_as_host_has_it(uplo, a);
    }
    return right == 2 * ROUNDS;
}

static void *work_beside(void *context)
{
    double *const a = context;
    int info;
    intptr_t right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        factorise("L", a, round);
        right += is_as_host_has_it("L", a);
        *element("L", a, N - 1, 1, 1) += 1;
        dtrtri_("L", "N", &n, a, &ld, &info, 1, 1);
        right += is_as_host_has_it("L", a);
    }
    return (void *)right;
}

static void test_beside(void)
{
    double *const memory = map(2 * bytes);
    pthread_t threads[2];
    intptr_t right = 0;
    tap_ok(scribbling_is_seen("L", memory), "another thread writes the upper triangle meanwhile");
    tap_ok(scribbling_is_seen("U", memory), "or the lower one");
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work_beside, memory + i * LD * N) != 0)
            abort();
    for (int i = 0; i < 2; i++) {
        void *of_thread;
        pthread_join(threads[i], &of_thread);
        right += (intptr_t)of_thread;
    }
    tap_ok(right == 4 * ROUNDS, "two threads' factors share a page");
    munmap(memory, 2 * bytes);
}

static void test_loop(int loops)
{
    const int many = MANY_SIDES;
    double *const a = map(bytes), *const b = map(sizeof(double) * N * MANY_SIDES);
    int info, good = 1;
    for (int i = 0; i < loops; i++) {
        factorise("L", a, i);
        for (int k = 0; k < N * MANY_SIDES; k++)
            b[k] = 1;
        for (int k = 0; k < 3; k++) {
            dpotrs_("L", &n, &many, a, &ld, b, &n, &info, 1);
            dtrsm_("L", "L", "N", "N", &n, &sides, &unit, a, &ld, b, &n, 1, 1, 1, 1);
        }
        dtrtri_("L", "N", &n, a, &ld, &info, 1, 1);
        good = good && info == 0;
        dpotrs_("L", &n, &many, a, &ld, b, &n, &info, 1);
        dpotri_("L", &n, a, &ld, &info, 1);
        good = good && info == 0;
    }
    tap_ok(good, "%d times the same calls", loops);
}

/* All calls find the device as the host has it, or the host. */
static void test_products(int loops)
{
    double *const a = map(bytes), x[N], y[LD], other[LD];
    int good = 1;
    for (size_t i = 0; i < N; i++)
        x[i] = number(i, 5, 7);
    for (int i = 0; i < loops; i++) {
        fill(a, i);
        for (int k = 0; k < 6; k++) {
            dgemv_("N", &n, &n, &unit, a, &ld, x, &one, &zero, y, &one, 1);
            memset(other, 0, sizeof other);
            for (size_t j = 0; j < N; j++)
                for (size_t row = 0; row < N; row++)
                    other[row] += a[row + j * LD] * x[j];
            for (size_t row = 0; row < N; row++)
                good = good && fabs(other[row] - y[row]) < 1e-9;
        }
    }
    tap_ok(good, "%d matrices, each used six times", loops);
}

int main(int count, char **words)
{
    alarm(120);
    if (count == 2 && strcmp(words[1], "writes") == 0)
        test_writes();
    else if (count == 2 && strcmp(words[1], "beside") == 0)
        test_beside();
    else if (count == 3 && strcmp(words[1], "loop") == 0)
        test_loop(atoi(words[2]));
    else if (count == 3 && strcmp(words[1], "products") == 0)
        test_products(atoi(words[2]));
    else
        return 2;
    return tap_done();
}
