/* emulated.c - the prototype's kernels, run by the emulated device's blocks and threads, against LAPACK.
 *
 * bench/bidiagonal/emulated [M N NB BLOCKS RING]
 *
 * Without arguments: a list of small sizes, blocks and rings. One line for each reduction, in one pass and in
 * two: the largest differences of d, e, tauq, taup and of all of A from dgebrd's, for a matrix of elements
 * below 1; the residual of A - Q B P', relative to A, and how far Q and P are from orthogonal, in units of n
 * eps; whether a second run, its blocks in another order, leaves the same bits. Exit status 1: one of them is
 * too large. Vectors of a matrix whose later columns are rounding errors alone are not compared. */
#include "bidiagonal/reduction.h"
#include "emulated_driver/internal.h"
#include "timing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { TOLERANCE_UNITS = 10, SLOTS_OPEN_MOST = 16384, COPIES_MOST = 8 };
#define TOLERANCE_DIFFERENCE 1e-9

void dgebrd_(const int *m, const int *n, double *a, const int *lda, double *d, double *e, double *tauq,
             double *taup, double *work, const int *lwork, int *info);
void dorgbr_(const char *vect, const int *m, const int *n, const int *k, double *a, const int *lda,
             const double *tau, double *work, const int *lwork, int *info, size_t);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);

#define PANEL_KERNEL(name)                                           \
    void name(const struct bidiagonal_panel_arguments arguments);    \
    static void run_##name(const void *arguments)                    \
    {                                                                \
        name(*(const struct bidiagonal_panel_arguments *)arguments); \
    }
#define BOTH_KERNELS(pairs) \
    PANEL_KERNEL(bidiagonal_panel_##pairs) PANEL_KERNEL(bidiagonal_panel_twice_##pairs)
BOTH_KERNELS(1)
BOTH_KERNELS(2)
BOTH_KERNELS(3)
BOTH_KERNELS(4)
BOTH_KERNELS(5)
BOTH_KERNELS(6)
BOTH_KERNELS(7)
BOTH_KERNELS(8)
void bidiagonal_store(const struct bidiagonal_store_arguments arguments);
static void run_store(const void *arguments)
{
    bidiagonal_store(*(const struct bidiagonal_store_arguments *)arguments);
}

#define KERNEL_OF(name)                                              \
    {                                                                \
#name, run_##name, sizeof(struct bidiagonal_panel_arguments) \
    }
#define KERNELS_OF(pairs)                                                              \
    {                                                                                  \
        KERNEL_OF(bidiagonal_panel_##pairs), KERNEL_OF(bidiagonal_panel_twice_##pairs) \
    }
static const struct kernel panel_kernels[][2] = {KERNELS_OF(1), KERNELS_OF(2), KERNELS_OF(3), KERNELS_OF(4),
                                                 KERNELS_OF(5), KERNELS_OF(6), KERNELS_OF(7), KERNELS_OF(8)};
static const struct kernel store_kernel = {"bidiagonal_store", run_store,
                                           sizeof(struct bidiagonal_store_arguments)};

/* Slots, by the address of their word in shared memory: bytes that are to come, and copies not yet done. */
static struct slot {
    uint64_t *word;
    unsigned phase, expected, copied;
    int copies;
    struct {
        void *to;
        const void *from;
        unsigned bytes;
    } copy[COPIES_MOST];
} slots[SLOTS_OPEN_MOST];

static void fail(const char *what)
{
    fprintf(stderr, "emulated: %s\n", what);
    exit(1);
}

static struct slot *slot_of(uint64_t *word)
{
    size_t i = (uintptr_t)word / sizeof *word % SLOTS_OPEN_MOST;
    while (slots[i].word && slots[i].word != word)
        i = (i + 1) % SLOTS_OPEN_MOST;
    slots[i].word = word;
    return &slots[i];
}

/* As panel_ops.h declares them. */
void emulated_slot_open(uint64_t *word);
void emulated_slot_expect(uint64_t *word, unsigned bytes);
void emulated_slot_copy(uint64_t *word, void *to, const void *from, unsigned bytes);
void emulated_slot_await(uint64_t *word, unsigned parity);

void emulated_slot_open(uint64_t *word) { *slot_of(word) = (struct slot){.word = word}; }

void emulated_slot_expect(uint64_t *word, unsigned bytes)
{
    struct slot *const slot = slot_of(word);
    if (slot->expected != 0)
        fail("a slot is requested again before its last copy was waited for");
    slot->expected = bytes;
}

void emulated_slot_copy(uint64_t *word, void *to, const void *from, unsigned bytes)
{
    struct slot *const slot = slot_of(word);
    if (slot->copies == COPIES_MOST || bytes % 16 || (uintptr_t)to % 16 || (uintptr_t)from % 16)
        fail("a copy that is not aligned, or one too many");
    memset(to, 0xff, bytes); /* NaN */
    slot->copy[slot->copies].to = to;
    slot->copy[slot->copies].from = from;
    slot->copy[slot->copies++].bytes = bytes;
    slot->copied += bytes;
}

void emulated_slot_await(uint64_t *word, unsigned parity)
{
    struct slot *const slot = slot_of(word);
    if (slot->phase % 2 == parity) { /* this phase is not over */
        if (slot->expected == 0 || slot->copied != slot->expected)
            fail("a wait for a copy that never ends");
        for (int i = 0; i < slot->copies; i++)
            memcpy(slot->copy[i].to, slot->copy[i].from, slot->copy[i].bytes);
        slot->phase++;
        slot->copies = 0;
        slot->expected = slot->copied = 0;
    }
}

static void *allocate(size_t bytes)
{
    void *const memory = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!memory)
        fail("no memory");
    memset(memory, 0xff, bytes); /* NaN: nothing is read before it is written */
    return memory;
}

static void launch(const struct kernel *kernel, const void *arguments, unsigned blocks, size_t shared_bytes,
                   enum launch_kind kind)
{
    if (grid_run(kernel, arguments, blocks, BIDIAGONAL_THREADS, shared_bytes, kind) != CUDA_SUCCESS)
        fail("a launch failed");
}

static void reduce(const struct bidiagonal_reduction *of, bool twice)
{
    for (int64_t first = 0; first < of->n; first += of->nb) {
        const struct bidiagonal_panel_arguments panel = bidiagonal_panel_of(of, first);
        const struct bidiagonal_store_arguments store = bidiagonal_store_of(of, first);
        memset(of->gate, 0, sizeof *of->gate);
        launch(&panel_kernels[bidiagonal_pairs(panel.rows) - 1][twice], &panel, (unsigned)of->blocks,
               bidiagonal_shared_bytes(of), LAUNCH_COOPERATIVE);
        launch(&store_kernel, &store, 3, 0, LAUNCH_PLAIN);
        if (panel.columns > of->nb) {
            const int m = (int)panel.rows - of->nb, n = (int)panel.columns - of->nb, k = 2 * of->nb;
            const int lda = (int)of->lda, ldv = (int)of->ldv;
            const double minus = -1, one = 1;
            dgemm_("N", "N", &m, &n, &k, &minus, of->vx + of->nb, &ldv, of->yu + (int64_t)of->nb * k, &k,
                   &one, store.a + of->nb * (of->lda + 1), &lda, 1, 1);
        }
    }
}

struct result {
    double *a, *d, *e, *tauq, *taup;
};
static struct result result_of(int64_t lda, int64_t n)
{
    return (struct result){allocate((size_t)(lda * n) * 8), allocate((size_t)n * 8), allocate((size_t)n * 8),
                           allocate((size_t)n * 8), allocate((size_t)n * 8)};
}
static void free_result(const struct result *result)
{
    free(result->a), free(result->d), free(result->e), free(result->tauq), free(result->taup);
}

static double largest_difference(const double *a, const double *b, int64_t rows, int64_t columns, int64_t ld)
{
    double most = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const double difference = fabs(a[i + j * ld] - b[i + j * ld]);
            if (!(difference <= most) && most == most) /* NaN stays */
                most = difference;
        }
    return most;
}

/* ||C' C - I|| (by rows: C C' - I), Frobenius. */
static double not_orthogonal(const double *c, int rows, int columns, int ld, bool by_rows)
{
    const int order = by_rows ? rows : columns, inner = by_rows ? columns : rows;
    const double one = 1, zero = 0;
    double *const product = allocate((size_t)order * (size_t)order * 8);
    double sum = 0;
    dgemm_(by_rows ? "N" : "T", by_rows ? "T" : "N", &order, &order, &inner, &one, c, &ld, c, &ld, &zero,
           product, &order, 1, 1);
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++) {
            const double off = product[i + (int64_t)j * order] - (i == j);
            sum += off * off;
        }
    free(product);
    return sqrt(sum);
}

/* In units of n eps: A - Q B P', Q and P. */
static void check(const double *given, const struct result *result, int m, int n, int lda, double units[3])
{
    const size_t bytes = (size_t)lda * (size_t)n * 8;
    const int work_size = 64 * (m + n);
    double *const q = allocate(bytes), *const p = allocate(bytes),
                  *const work = allocate((size_t)work_size * 8);
    int info;
    memcpy(q, result->a, bytes);
    memcpy(p, result->a, bytes);
    dorgbr_("Q", &m, &n, &n, q, &lda, result->tauq, work, &work_size, &info, 1);
    dorgbr_("P", &n, &n, &m, p, &lda, result->taup, work, &work_size, &info, 1);
    const double eps = DBL_EPSILON * n;
    units[1] = not_orthogonal(q, m, n, lda, false) / eps;
    units[2] = not_orthogonal(p, n, n, lda, true) / eps;
    /* Q B in place: column j is d_j q_j + e_(j-1) q_(j-1). */
    for (int j = n - 1; j >= 0; j--)
        for (int i = 0; i < m; i++)
            q[i + (int64_t)j * lda] = result->d[j] * q[i + (int64_t)j * lda] +
                                      (j > 0 ? result->e[j - 1] * q[i + (int64_t)(j - 1) * lda] : 0);
    double *const rest = allocate(bytes), minus = -1, one = 1;
    memcpy(rest, given, bytes);
    dgemm_("N", "N", &m, &n, &n, &minus, q, &lda, p, &lda, &one, rest, &lda, 1, 1);
    double sum = 0, whole = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            sum += rest[i + (int64_t)j * lda] * rest[i + (int64_t)j * lda];
            whole += given[i + (int64_t)j * lda] * given[i + (int64_t)j * lda];
        }
    units[0] = whole > 0 ? sqrt(sum) / (sqrt(whole) * eps) : sqrt(sum);
    free(q), free(p), free(work), free(rest);
}

enum kind { RANDOM, RANK_ONE, ZERO, GRADED };
static const char *const kind_names[] = {"random", "rank one", "zero", "graded"};

static void fill(double *a, int64_t m, int64_t n, int64_t lda, enum kind kind)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < lda; i++) {
            const double number = entry(1, (size_t)i, (size_t)j);
            a[i + j * lda] = i >= m || kind == ZERO ? 0
                             : kind == RANK_ONE     ? entry(2, (size_t)i, 0) * entry(3, 0, (size_t)j)
                             : kind == GRADED ? number * pow(10, -12.0 * (double)(i + j) / (double)(m + n))
                                              : number;
        }
}

static void run_own(const double *given, const struct result *result, struct bidiagonal_reduction of,
                    bool twice)
{
    double *const workspace = allocate(bidiagonal_workspace(&of, NULL) * 8);
    struct grid_gate gate;
    bidiagonal_workspace(&of, workspace);
    memcpy(result->a, given, (size_t)(of.lda * of.n) * 8);
    of.a = result->a, of.d = result->d, of.e = result->e, of.tauq = result->tauq, of.taup = result->taup;
    of.gate = &gate;
    reduce(&of, twice);
    free(workspace);
}

static bool compare(int64_t m, int64_t n, int nb, int blocks, int ring, enum kind kind, bool twice)
{
    const int64_t lda = (m + 1) / 2 * 2;
    const struct bidiagonal_reduction of =
        {.m = m, .n = n, .lda = lda, .nb = nb, .blocks = blocks, .ring = ring};
    const char *const refusal = bidiagonal_refusal(&of);
    if (refusal)
        fail(refusal);
    const struct result host = result_of(lda, n), own = result_of(lda, n), again = result_of(lda, n);
    double *const given = allocate((size_t)(lda * n) * 8);
    fill(given, m, n, lda, kind);
    memcpy(host.a, given, (size_t)(lda * n) * 8);
    const int m_host = (int)m, n_host = (int)n, lda_host = (int)lda, work_size = 64 * (m_host + n_host);
    double *const work = allocate((size_t)work_size * 8);
    int info;
    dgebrd_(&m_host, &n_host, host.a, &lda_host, host.d, host.e, host.tauq, host.taup, work, &work_size,
            &info);
    run_own(given, &own, of, twice);
    run_own(given, &again, of, twice);
    const bool same =
        memcmp(own.a, again.a, (size_t)(lda * n) * 8) == 0 && memcmp(own.d, again.d, (size_t)n * 8) == 0 &&
        memcmp(own.e, again.e, (size_t)(n - 1) * 8) == 0 &&
        memcmp(own.tauq, again.tauq, (size_t)n * 8) == 0 && memcmp(own.taup, again.taup, (size_t)n * 8) == 0;
    double off[5] = {
        largest_difference(own.d, host.d, n, 1, n), largest_difference(own.e, host.e, n - 1, 1, n),
        largest_difference(own.tauq, host.tauq, n, 1, n), largest_difference(own.taup, host.taup, n, 1, n),
        largest_difference(own.a, host.a, m, n, lda)};
    double units[3];
    check(given, &own, m_host, n_host, lda_host, units);
    bool good = same;
    for (int i = 0; i < 5; i++)
        good = good && (kind == RANK_ONE || kind == GRADED || off[i] <= TOLERANCE_DIFFERENCE);
    for (int i = 0; i < 3; i++)
        good = good && units[i] <= TOLERANCE_UNITS;
    printf("%-8s %5lld %5lld %2d %3d %6d %s  %7.1e %7.1e %7.1e %7.1e %7.1e  %6.3f %6.3f %6.3f  %s %s\n",
           kind_names[kind], (long long)m, (long long)n, nb, blocks, ring, twice ? "two" : "one", off[0],
           off[1], off[2], off[3], off[4], units[0], units[1], units[2], same ? "same" : "DIFFERENT",
           good ? "good" : "BAD");
    fflush(stdout);
    free_result(&host), free_result(&own), free_result(&again);
    free(given), free(work);
    return good;
}

int main(int count, char **arguments)
{
    static const struct {
        int m, n, nb, blocks, ring;
        enum kind kind;
    } cases[] = {
        {1, 1, 32, 3, 2048, RANDOM},      {2, 2, 32, 3, 2048, RANDOM},       {3, 3, 32, 3, 2048, RANDOM},
        {7, 1, 32, 3, 2048, RANDOM},      {9, 2, 2, 3, 2048, RANDOM},        {31, 31, 32, 3, 2048, RANDOM},
        {33, 33, 32, 3, 2048, RANDOM},    {65, 65, 32, 5, 2048, RANDOM},     {65, 65, 64, 5, 2048, RANDOM},
        {100, 100, 32, 4, 4800, RANDOM},  {100, 100, 16, 4, 1600, RANDOM},   {200, 200, 32, 7, 4000, RANDOM},
        {200, 200, 64, 3, 3200, RANDOM},  {257, 257, 32, 5, 4128, RANDOM},   {257, 257, 48, 12, 6192, RANDOM},
        {150, 97, 32, 3, 2400, RANDOM},   {301, 64, 64, 7, 4832, RANDOM},    {257, 33, 32, 140, 4128, RANDOM},
        {100, 100, 32, 4, 4800, ZERO},    {100, 100, 32, 4, 1600, RANK_ONE}, {100, 100, 32, 4, 1600, GRADED},
        {1025, 40, 32, 3, 16384, RANDOM}, {2049, 30, 16, 3, 16384, RANDOM},  {3071, 20, 16, 3, 16384, RANDOM},
        {4097, 14, 8, 2, 16384, RANDOM},  {5121, 12, 8, 3, 16384, RANDOM},   {6145, 9, 8, 2, 16384, RANDOM},
        {7169, 9, 4, 2, 16384, RANDOM},   {8191, 17, 8, 2, 16384, RANDOM},   {8192, 9, 8, 2, 24576, RANDOM},
    };
    bool good = true;
    printf("%-8s %5s %5s %2s %3s %6s     %-39s  %s\n", "matrix", "m", "n", "nb", "G", "ring",
           "difference of d, e, tauq, taup, A", "A - Q B P', Q, P: units of n eps");
    for (int twice = 0; twice < 2; twice++) {
        if (count == 6)
            good = compare(atoi(arguments[1]), atoi(arguments[2]), atoi(arguments[3]), atoi(arguments[4]),
                           atoi(arguments[5]), RANDOM, twice) &&
                   good;
        for (size_t i = 0; count == 1 && i < sizeof cases / sizeof *cases; i++)
            good = compare(cases[i].m, cases[i].n, cases[i].nb, cases[i].blocks, cases[i].ring, cases[i].kind,
                           twice) &&
                   good;
    }
    return good ? 0 : 1;
}
