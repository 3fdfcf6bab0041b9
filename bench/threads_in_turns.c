/* threads_in_turns.c - what the shim and its report cost threads of calls that are far too small to be
 * offloaded.
 *
 *   threads_in_turns SHIM HOST_BLAS [ROUNDS [THREADS...]]
 *
 * Threads that each repeat daxpy with 8 elements of their own on the bare host, through the shim, through the
 * shim with a report asked for, and on the host again, which shows what is noise: four processes, of which
 * one works at a time, for some milliseconds, in turns. Prints of each number of threads the medians of
 * ROUNDS such turns, in nanoseconds of a thread's processor time a call, so that more threads than processors
 * do no harm: threads,host_ns,shim_more_ns,report_more_ns,again_more_ns */
#include "timing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);

enum { ELEMENTS = 8, CALLS = 100000, THREADS_MAX = 1024 };
enum way { HOST, SHIM, REPORT, AGAIN, WAYS };

static void stop(const char *what)
{
    perror(what);
    exit(1);
}

/* The process that is measured. */

static pthread_barrier_t turn_begins, turn_ends;
static double times[THREADS_MAX];

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void make_calls(void)
{
    static const int n = ELEMENTS, one = 1;
    static const double alpha = 1e-3;
    double x[ELEMENTS] = {1}, y[ELEMENTS] = {0};
    for (int i = 0; i < CALLS; i++)
        daxpy_(&n, &alpha, x, &one, y, &one);
}

static void *take_turns(void *time)
{
    for (;;) {
        pthread_barrier_wait(&turn_begins);
        const double start = thread_seconds();
        make_calls();
        *(double *)time = thread_seconds() - start;
        pthread_barrier_wait(&turn_ends);
    }
    return NULL;
}

/* A turn for each byte on standard input; answers with nanoseconds a call. */
static int work(enum way way, int threads)
{
    char word;
    pthread_t thread;
    const bool through_shim = dlsym(RTLD_DEFAULT, "mublas_interposes_blas");
    if (through_shim != (way == SHIM || way == REPORT))
        return 1;
    pthread_barrier_init(&turn_begins, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&turn_ends, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread, NULL, take_turns, &times[i]) != 0)
            return 1;
    while (read(STDIN_FILENO, &word, 1) == 1) {
        double sum = 0;
        pthread_barrier_wait(&turn_begins);
        pthread_barrier_wait(&turn_ends);
        for (int i = 0; i < threads; i++)
            sum += times[i];
        sum *= 1e9 / CALLS / threads;
        if (write(STDOUT_FILENO, &sum, sizeof sum) != sizeof sum)
            return 1;
    }
    return 0;
}

/* The one that measures. */

struct worker {
    pid_t process;
    int words, answers;
};

static void become_worker(enum way way, const char *shim, const char *host, int threads)
{
    char preload[8192], number[16], count[16];
    const int length = way == SHIM || way == REPORT ? snprintf(preload, sizeof preload, "%s:%s", shim, host)
                                                    : snprintf(preload, sizeof preload, "%s", host);
    snprintf(number, sizeof number, "%d", (int)way);
    snprintf(count, sizeof count, "%d", threads);
    setenv("LD_PRELOAD", preload, 1);
    setenv("MUBLAS_REPORT", way == REPORT ? "/dev/null" : "0", 1);
    if (length < (int)sizeof preload)
        execl("/proc/self/exe", "threads_in_turns", "--work", number, count, (char *)NULL);
    _exit(1);
}

static struct worker start(enum way way, const char *shim, const char *host, int threads)
{
    int words[2], answers[2];
    if (pipe(words) != 0 || pipe(answers) != 0)
        stop("pipe");
    fflush(stdout);
    struct worker worker = {fork(), words[1], answers[0]};
    if (worker.process < 0)
        stop("fork");
    if (worker.process == 0) {
        if (dup2(words[0], STDIN_FILENO) < 0 || dup2(answers[1], STDOUT_FILENO) < 0)
            stop("dup2");
        for (int i = 0; i < 2; i++)
            close(words[i]), close(answers[i]);
        become_worker(way, shim, host, threads);
    }
    close(words[0]);
    close(answers[1]);
    return worker;
}

static double take_turn(const struct worker *worker)
{
    double answer;
    if (write(worker->words, "", 1) != 1 || read(worker->answers, &answer, sizeof answer) != sizeof answer) {
        fprintf(stderr, "threads_in_turns: a process does not run as it is to, with or without the shim\n");
        exit(1);
    }
    return answer;
}

static void finish(const struct worker *worker)
{
    int status;
    close(worker->words);
    close(worker->answers);
    if (waitpid(worker->process, &status, 0) < 0 || status != 0)
        fprintf(stderr, "threads_in_turns: a process that was measured failed\n");
}

static void measure(const char *shim, const char *host, int rounds, int threads)
{
    struct worker workers[WAYS];
    double *results[WAYS], middle[WAYS];
    for (int way = WAYS - 1; way >= 0; way--) {
        workers[way] = start((enum way)way, shim, host, threads);
        results[way] = calloc((size_t)rounds, sizeof *results[way]);
        if (!results[way])
            stop("calloc");
        take_turn(&workers[way]); /* which also starts it up */
    }
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < WAYS; turn++) {
            const int way = (turn + round) % WAYS;
            results[way][round] = take_turn(&workers[way]);
        }
    for (int way = 0; way < WAYS; way++) {
        middle[way] = median(results[way], (size_t)rounds);
        free(results[way]);
        finish(&workers[way]);
    }
    printf("%d,%.2f,%.2f,%.2f,%.2f\n", threads, middle[HOST], middle[SHIM] - middle[HOST],
           middle[REPORT] - middle[HOST], middle[AGAIN] - middle[HOST]);
}

int main(int count, char **arguments)
{
    static const int usual[] = {1, 2, 4, 8, 16};
    if (count == 4 && strcmp(arguments[1], "--work") == 0)
        return work((enum way)atoi(arguments[2]), atoi(arguments[3]));
    const int rounds = count > 3 ? atoi(arguments[3]) : 100;
    if (count < 3 || rounds < 1) {
        fprintf(stderr, "usage: threads_in_turns SHIM HOST_BLAS [ROUNDS [THREADS...]]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    puts("threads,host_ns,shim_more_ns,report_more_ns,again_more_ns");
    for (int i = 4; i < count; i++) {
        const int threads = atoi(arguments[i]);
        if (threads < 1 || threads > THREADS_MAX) {
            fprintf(stderr, "threads_in_turns: '%s' is no number of threads up to %d\n", arguments[i],
                    THREADS_MAX);
            return 2;
        }
        measure(arguments[1], arguments[2], rounds, threads);
    }
    for (size_t i = 0; count <= 4 && i < sizeof usual / sizeof *usual; i++)
        measure(arguments[1], arguments[2], rounds, usual[i]);
    return 0;
}
