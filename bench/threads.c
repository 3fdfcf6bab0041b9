/* threads.c - do threads that call at once hinder each other? Each repeats dgemv on a square
 * matrix of its own, all out of one allocation.
 *
 *   threads [--order=N] [--threads=T,T...] [--seconds=S] [--warm-up=S] [--pages=small|huge] [--offset=BYTES]
 *           [--rewritten]
 *
 * Prints a line for each number of threads:
 *   case,n,threads,calls,median_us,gigabytes_per_second,digest
 * where the bytes are the matrices', read once a call, and the digest is of the sums of the results of the
 * last calls. --rewritten: each thread writes to one page in sixteen of its matrix before each call, so that
 * residency never pays; the time of the writing is not counted. --offset: where the first matrix begins
 * behind a page's beginning, so that neighbours share pages. An ordinary program: run it with and without the
 * shim, the host BLAS on one thread. */
#include "timing.h"

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t trans_length);

enum { HUGE_PAGE = 2 << 20, THREADS_MAX = 64, CALLS_MAX = 1 << 20, PAGE_DOUBLES = 512, CALLS_AT_FIRST = 3 };

static struct {
    int n;
    size_t offset;
    double seconds, warm_up;
    bool huge, rewritten;
} options = {.n = 4096, .seconds = 1, .warm_up = 3};

struct worker {
    pthread_t thread;
    double *a, *x, *y, *times;
    int calls;
    double call_seconds;
};

static pthread_barrier_t begin;

static size_t matrix_doubles(void)
{
    return (size_t)options.n * (size_t)options.n;
}

static double call_once(struct worker *worker)
{
    const double alpha = 1.0 / options.n, beta = 0;
    const int n = options.n, one = 1;
    if (options.rewritten)
        for (size_t i = 0; i < matrix_doubles(); i += 16 * PAGE_DOUBLES)
            worker->a[i] += 1e-6;
    worker->x[worker->calls % n] += 1e-3;
    const double started = seconds_now();
    dgemv_("N", &n, &n, &alpha, worker->a, &n, worker->x, &one, &beta, worker->y, &one, 1);
    return seconds_now() - started;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    const double started = seconds_now();
    while (seconds_now() - started < options.warm_up || worker->calls < CALLS_AT_FIRST) {
        call_once(worker);
        worker->calls++;
    }
    worker->calls = 0;
    pthread_barrier_wait(&begin);
    const double end = seconds_now() + options.seconds;
    for (double took; seconds_now() < end && worker->calls < CALLS_MAX; worker->calls++) {
        took = call_once(worker);
        worker->times[worker->calls] = took;
        worker->call_seconds += took;
    }
    return NULL;
}

static void prepare(struct worker *worker, double *a)
{
    const size_t n = (size_t)options.n;
    worker->a = a;
    worker->x = malloc(n * sizeof *worker->x);
    worker->y = calloc(n, sizeof *worker->y);
    worker->times = malloc(CALLS_MAX * sizeof *worker->times);
    if (!worker->x || !worker->y || !worker->times)
        exit(1);
    for (size_t i = 0; i < n; i++)
        worker->x[i] = entry(2, i, 0);
}

/* Bytes a second of time spent in calls: the threads' rates add up. */
static void report(struct worker *workers, int threads)
{
    static double all[CALLS_MAX];
    size_t count = 0;
    double rate = 0, sum = 0;
    long calls = 0;
    for (int i = 0; i < threads; i++) {
        struct worker *worker = &workers[i];
        rate += (double)matrix_doubles() * sizeof(double) * worker->calls / worker->call_seconds;
        calls += worker->calls;
        for (int j = 0; j < worker->calls && count < CALLS_MAX; j++)
            all[count++] = worker->times[j];
        for (int j = 0; j < options.n; j++)
            sum += worker->y[j];
    }
    printf("dgemv on %s%s,%d,%d,%ld,%.1f,%.1f,%016llx\n", options.huge ? "huge pages" : "4 KiB pages",
           options.rewritten ? " rewritten" : "", options.n, threads, calls, 1e6 * median(all, count),
           rate / 1e9, (unsigned long long)digest_of(&sum, 1));
    fflush(stdout);
}

static void run(double *memory, int threads)
{
    struct worker workers[THREADS_MAX] = {{0}};
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        prepare(&workers[i], memory + (size_t)i * matrix_doubles());
    for (int i = 0; i < threads; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(1);
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    report(workers, threads);
    for (int i = 0; i < threads; i++) {
        free(workers[i].x);
        free(workers[i].y);
        free(workers[i].times);
    }
    pthread_barrier_destroy(&begin);
}

static double *map_matrices(int most)
{
    const size_t bytes = (size_t)most * matrix_doubles() * sizeof(double);
    char *memory = mmap(NULL, bytes + 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    if (memory == MAP_FAILED) {
        perror("threads: mmap");
        exit(1);
    }
    memory += -(uintptr_t)memory % HUGE_PAGE;
    madvise(memory, bytes + options.offset, options.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    double *a = (double *)(memory + options.offset);
    for (size_t i = 0; i < (size_t)most * matrix_doubles(); i++)
        a[i] = (double)(int64_t)(i * 0x9e3779b97f4a7c15u) * 0x1p-63;
    return a;
}

static _Noreturn void usage(void)
{
    fprintf(stderr,
            "usage: threads [--order=N] [--threads=T,T...] [--seconds=S] [--warm-up=S] [--pages=small|huge]\n"
            "               [--offset=BYTES] [--rewritten]\n");
    exit(2);
}

int main(int count, char **arguments)
{
    static const struct option known[] = {{"order", 1, NULL, 'n'},     {"threads", 1, NULL, 't'},
                                          {"seconds", 1, NULL, 's'},   {"pages", 1, NULL, 'p'},
                                          {"rewritten", 0, NULL, 'r'}, {"offset", 1, NULL, 'o'},
                                          {"warm-up", 1, NULL, 'w'},   {0}};
    char every[256] = "1,4,8";
    int most = 0;
    for (int letter; (letter = getopt_long(count, arguments, "", known, NULL)) != -1;)
        switch (letter) {
        case 'n': options.n = atoi(optarg); break;
        case 't': snprintf(every, sizeof every, "%s", optarg); break;
        case 's': options.seconds = atof(optarg); break;
        case 'p': options.huge = strcmp(optarg, "huge") == 0; break;
        case 'r': options.rewritten = true; break;
        case 'o': options.offset = (size_t)atoi(optarg) / sizeof(double) * sizeof(double); break;
        case 'w': options.warm_up = atof(optarg); break;
        default: usage();
        }
    char again[sizeof every];
    memcpy(again, every, sizeof again);
    for (char *rest = again, *word; (word = strsep(&rest, ","));)
        most = atoi(word) > most ? atoi(word) : most;
    if (options.n < 1 || options.seconds <= 0 || most < 1 || most > THREADS_MAX ||
        options.offset > HUGE_PAGE || optind != count)
        usage();
    double *memory = map_matrices(most);
    for (char *rest = every, *word; (word = strsep(&rest, ","));)
        if (atoi(word) > 0)
            run(memory, atoi(word));
    return 0;
}
