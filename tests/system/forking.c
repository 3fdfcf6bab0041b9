/* forking WAY: processes that fork while the device is in use. Each prints one line for
 * everything that is wrong; the exit status tells.
 *   storm    forks while other threads are in the middle of calls; every child calls BLAS
 *   early    one fork while other threads make the first calls of the process
 *   threads  a child that starts threads, which call BLAS
 *   handlers fork handlers and an atexit handler that call BLAS, a child that leaves by exit
 *   spawn    the same program anew by fork and exec, vfork and exec, posix_spawn
 *   daemon   daemon(3), then calls
 *   call     what spawn starts: a few calls */
#include "blas_program.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIZE = 96, CALLERS = 3, CHILDREN = 30, PATIENCE = 60 };

static double matrix[SIZE * SIZE];
static atomic_bool stop;
static int wrong;

static void check(bool good, const char *what)
{
    if (good)
        return;
    printf("wrong: %s\n", what);
    wrong++;
}

static double *new_matrix(void)
{
    double *memory = mmap(NULL, sizeof matrix, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    for (int i = 0; i < SIZE * SIZE; i++)
        memory[i] = (double)(i * 37 % 63) / 32 - 1;
    return memory;
}

static bool calls_are_right(const double *a, int number)
{
    bool good = true;
    for (int routine = 0; routine < SSYMV; routine++)
        good = call_is_right((enum routine_under_test)routine, a, SIZE, SIZE, SIZE, 1.5, 0.5, number) && good;
    return good;
}

static bool update_is_right(const double *a)
{
    const int n = SIZE, k = 1;
    const double alpha = 1, beta = 0;
    double *c = new_matrix();
    bool good = true;
    dsyr2k_("L", "N", &n, &k, &alpha, a, &n, a, &n, &beta, c, &n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            good = good && c[i + j * n] == 2 * a[i] * a[j];
    munmap(c, sizeof matrix);
    return good;
}

/* Ends with status 0, and by itself? If not, a line says how it ended. */
static bool ends_well(pid_t child)
{
    int status;
    if (child <= 0 || waitpid(child, &status, 0) != child)
        printf("no child\n");
    else if (WIFSIGNALED(status))
        printf("child %d was ended by signal %d (%s)\n", (int)child, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        printf("child %d ended with status %d\n", (int)child, WEXITSTATUS(status));
    else
        return true;
    return false;
}

/* SIGALRM in a child that hangs: where, then the default end. */
static void tell_where(int signal_number)
{
    void *frames[64];
    signal(signal_number, SIG_DFL);
    alarm(PATIENCE); /* what tells may hang as well */
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    raise(signal_number);
}

/* In a child: a lock that another thread of the parent held at the fork must not hold it up for ever. */
static void be_patient(void)
{
    signal(SIGALRM, tell_where);
    alarm(PATIENCE);
}

/* New memory for every call: each looks for it, makes and drops mirrors, sends pages. */
static void *call_until_stopped(void *unused)
{
    (void)unused;
    bool good = true;
    for (int number = 0; !stop; number++) {
        double *mine = new_matrix();
        good = calls_are_right(mine, number) && good;
        good = update_is_right(mine) && good;
        munmap(mine, sizeof matrix);
    }
    return good ? &stop : NULL;
}

/* A child calls BLAS while other threads of its parent do; true when it ended well. */
static bool fork_amid_calls(int number)
{
    pid_t child = fork();
    if (child == 0) {
        be_patient();
        double *mine = new_matrix();
        matrix[number] = 40; /* its own business */
        _exit(calls_are_right(matrix, number) && calls_are_right(mine, number) && update_is_right(matrix)
                  ? 0
                  : 1);
    }
    return ends_well(child);
}

static void storm(int children)
{
    pthread_t threads[CALLERS];
    int good = 0;
    if (children > 1) /* a child allocates nothing then, which sanitizers could not do in it */
        check(calls_are_right(matrix, 0) && update_is_right(matrix), "calls before the threads start");
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, call_until_stopped, NULL) != 0)
            abort();
    for (int i = 0; i < children; i++) {
        usleep(i % 7 * 500);
        good += fork_amid_calls(i);
        check(calls_are_right(matrix, i), "a call of the parent between forks");
        matrix[i] += 1; /* copied on write while a child had the page */
        check(calls_are_right(matrix, i), "a call of the parent after a write");
    }
    stop = true;
    for (int i = 0; i < CALLERS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        check(result != NULL, "a call of another thread of the parent");
    }
    check(good == children, "children");
}

static void *call_once(void *number)
{
    return calls_are_right(matrix, *(int *)number) ? number : NULL;
}

static bool threads_are_right(void)
{
    static int numbers[CALLERS];
    pthread_t threads[CALLERS];
    bool good = true;
    for (int i = 0; i < CALLERS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, call_once, &numbers[i]) != 0)
            return false;
    }
    for (int i = 0; i < CALLERS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        good = good && result;
    }
    return good;
}

static void fork_threads(void)
{
    check(threads_are_right(), "threads of the parent");
    pid_t child = fork();
    if (child == 0) {
        be_patient();
        pid_t grandchild = threads_are_right() ? fork() : -1;
        if (grandchild == 0)
            _exit(threads_are_right() ? 0 : 1);
        _exit(ends_well(grandchild) ? 0 : 1);
    }
    check(ends_well(child), "threads of the child, or of its child");
    check(threads_are_right(), "threads of the parent after the fork");
}

static int handled;

static void call_in_handler(void)
{
    handled += calls_are_right(matrix, handled);
}

static void call_at_exit(void)
{
    if (!calls_are_right(matrix, 5))
        _exit(9);
}

static void handlers(void)
{
    check(calls_are_right(matrix, 1), "a call before the fork");
    pthread_atfork(call_in_handler, call_in_handler, call_in_handler);
    atexit(call_at_exit);
    pid_t child = fork();
    if (child == 0) {
        be_patient();
        exit(handled == 2 ? 0 : 1);
    }
    check(ends_well(child), "the child's handlers");
    check(handled == 2, "the parent's handlers");
}

static __attribute__((noinline)) pid_t start_by_vfork(char **arguments)
{
    pid_t child = vfork();
    if (child == 0) {
        execv(arguments[0], arguments);
        _exit(1);
    }
    return child;
}

static void spawn(const char *program)
{
    char *arguments[] = {(char *)program, (char *)"call", NULL};
    check(calls_are_right(matrix, 1), "a call before");
    pid_t child = fork();
    if (child == 0) {
        bool good = calls_are_right(matrix, 2);
        execv(good ? program : "", arguments);
        _exit(1);
    }
    check(ends_well(child), "fork and exec");
    check(ends_well(start_by_vfork(arguments)), "vfork and exec");
    check(posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0 && ends_well(child),
          "posix_spawn");
    check(calls_are_right(matrix, 3), "a call after");
}

/* The daemon's results come by a pipe to the process that stays. */
static void become_daemon(void)
{
    int ends[2];
    char answer = 0;
    check(calls_are_right(matrix, 1) && pipe(ends) == 0, "a call before");
    pid_t child = fork();
    if (child == 0) {
        be_patient();
        if (daemon(1, 1) != 0)
            _exit(1);
        answer = calls_are_right(matrix, 2) && update_is_right(matrix) ? 'y' : 'n';
        _exit(write(ends[1], &answer, 1) != 1);
    }
    close(ends[1]);
    check(ends_well(child), "the process that daemon(3) leaves");
    check(read(ends[0], &answer, 1) == 1 && answer == 'y', "calls of the daemon");
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    double *values = new_matrix();
    memcpy(matrix, values, sizeof matrix);
    alarm(5 * PATIENCE);
    backtrace((void *[1]){NULL}, 1); /* loads what tell_where needs */
    if (strcmp(way, "storm") == 0)
        storm(CHILDREN);
    else if (strcmp(way, "early") == 0)
        storm(1);
    else if (strcmp(way, "threads") == 0)
        fork_threads();
    else if (strcmp(way, "handlers") == 0)
        handlers();
    else if (strcmp(way, "spawn") == 0)
        spawn(arguments[0]);
    else if (strcmp(way, "daemon") == 0)
        become_daemon();
    else if (strcmp(way, "call") == 0)
        check(calls_are_right(matrix, 4), "a call of the program that was started");
    else
        return 2;
    return wrong != 0;
}
