/* Calls through a service, with results that are looked at: a product of a matrix and a vector, one of two matrices, and
 * eigenvectors in place. Prints "right", or what is wrong. Arguments: the order, the rounds, and what happens in
 * between:
 *   plain     nothing
 *   jump      a handler jumps out of calls
 *   close     all descriptors are closed, and their numbers used for a socket of the program's
 *   fork      a child calls, too
 *   exec      the program begins anew as another process image, plain
 *   timer     a timer's handler runs every 0.2 ms
 *   handler   a handler ends the process with status 7 amid a call
 *   devices   the program has asked CUDA for the devices, before the first call
 *   context   and has a context of its own */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
             const int *, int *);

static int order;
static double *a, *b, *c, *x, *y, *values, *work;
static int *integers;
static const int one = 1;

static void *make(size_t bytes)
{
    void *const memory = calloc(1, bytes);
    if (!memory)
        exit(2);
    return memory;
}

static void make_all(void)
{
    const size_t n = (size_t)order;
    a = make(n * n * sizeof *a);
    b = make(n * n * sizeof *b);
    c = make(n * n * sizeof *c);
    x = make(n * sizeof *x);
    y = make(n * sizeof *y);
    values = make(n * sizeof *values);
    work = make((1 + 6 * n + 2 * n * n) * sizeof *work);
    integers = make((3 + 5 * n) * sizeof *integers);
}

static double element(int i, int j, int round)
{
    return (double)(((i + j) * 7919 + i * j * 31 + round * 13) % 1013) * 0.001 - 0.5;
}

static void fill(int round)
{
    for (int j = 0; j < order; j++) {
        x[j] = 1.0 / (j + 1 + round);
        for (int i = 0; i < order; i++)
            a[i + j * order] = element(i, j, round); /* symmetric */
    }
}

static void check(double error, const char *routine)
{
    if (error < 1e-9 * order)
        return;
    printf("%s is wrong by %g\n", routine, error);
    exit(1);
}

static void multiply_vector(int round)
{
    const double alpha = 1.5, beta = 0;
    double worst = 0;
    memset(y, 0xff, (size_t)order * sizeof *y);
    dgemv_("T", &order, &order, &alpha, a, &order, x, &one, &beta, y, &one);
    for (int j = 0; j < order; j++) {
        double sum = 0;
        for (int i = 0; i < order; i++)
            sum += element(i, j, round) * x[i];
        worst = fmax(worst, isnan(y[j]) ? INFINITY : fabs(y[j] - 1.5 * sum));
    }
    check(worst, "dgemv");
}

/* C is read and written. */
static void multiply_matrix(int round)
{
    const double alpha = 1, beta = -1;
    double worst = 0;
    for (int i = 0; i < order * order; i++)
        c[i] = i % 17;
    dgemm_("N", "N", &order, &order, &order, &alpha, a, &order, a, &order, &beta, c, &order);
    for (int j = 0; j < order; j += 3)
        for (int i = 0; i < order; i++) {
            double sum = -((i + j * order) % 17);
            for (int k = 0; k < order; k++)
                sum += element(i, k, round) * element(k, j, round);
            worst = fmax(worst, isnan(c[i + j * order]) ? INFINITY : fabs(c[i + j * order] - sum));
        }
    check(worst, "dgemm");
}

static void find_vectors(int round)
{
    const int work_length = 1 + 6 * order + 2 * order * order, integer_length = 3 + 5 * order;
    double worst = 0;
    int info = -1;
    memcpy(b, a, (size_t)order * (size_t)order * sizeof *b);
    dsyevd_("V", "L", &order, b, &order, values, work, &work_length, integers, &integer_length, &info);
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i += 5) {
            double sum = -values[j] * b[i + j * order];
            for (int k = 0; k < order; k++)
                sum += element(i, k, round) * b[k + j * order];
            worst = fmax(worst, isnan(sum) ? INFINITY : fabs(sum));
        }
    check(info ? INFINITY : worst, "dsyevd");
}

static void do_all(int round)
{
    fill(round);
    multiply_vector(round);
    multiply_matrix(round);
    find_vectors(round);
}

static sigjmp_buf target;
static volatile sig_atomic_t may_jump;

static void jump(int signal)
{
    (void)signal;
    if (may_jump)
        siglongjmp(target, 1);
}

static void leave(int signal)
{
    (void)signal;
    exit(7);
}

static void do_nothing(int signal)
{
    (void)signal;
}

static void alarm_often(int microseconds)
{
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &often, NULL);
}

/* So often that slots of answers would run out if they were lost. */
static void jump_out(void)
{
    volatile int jumps = 0;
    signal(SIGALRM, jump);
    alarm_often(7000);
    for (volatile int round = 0; jumps < 100 && round < 3000; round = round + 1) {
        if (sigsetjmp(target, 1)) {
            jumps = jumps + 1;
            continue;
        }
        may_jump = 1;
        do_all(round);
        may_jump = 0;
    }
    alarm_often(0);
    may_jump = 0;
}

/* The program's own socket gets the number that the connection had; nothing of it may be read or closed. */
static int close_all(int ends[2])
{
    char text[8] = "";
    for (int file = 3; file < 256; file++)
        close(file);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 1;
    for (int file = 3; file < 128; file++)
        if (file != ends[0] && file != ends[1])
            dup2(ends[0], file);
    (void)text;
    return send(ends[1], "own", 4, 0) != 4;
}

static int is_untouched(int ends[2])
{
    char text[8] = "";
    return recv(ends[0], text, sizeof text, MSG_DONTWAIT) == 4 && strcmp(text, "own") == 0 &&
           send(ends[0], "end", 4, 0) == 4 && recv(ends[1], text, sizeof text, MSG_DONTWAIT) == 4;
}

static void fork_child(int round)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        do_all(round);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        printf("the child failed (%d)\n", status);
        exit(1);
    }
}

/* The name is not among the constants: mublas would find it there. */
static int use_cuda(int makes_context)
{
    char name[20];
    void *context;
    int devices = 0;
    snprintf(name, sizeof name, "%s.so.1", "libcuda");
    void *const driver = dlopen(name, RTLD_NOW);
    int (*const begin)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    int (*const ask)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDeviceGetCount") : NULL;
    int (*const retain)(void **, int) =
        driver ? (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain") : NULL;
    return !begin || !ask || !retain || begin(0) != 0 || ask(&devices) != 0 || devices < 1 ||
           (makes_context && retain(&context, 0) != 0);
}

int main(int count, char **arguments)
{
    const char *const what = count > 3 ? arguments[3] : "plain";
    const int rounds = count > 2 ? atoi(arguments[2]) : 1;
    int ends[2] = {-1, -1};
    order = count > 1 ? atoi(arguments[1]) : 90;
    make_all();
    if (strcmp(what, "handler") == 0) {
        signal(SIGALRM, leave);
        alarm_often(20000 + getpid() % 7 * 3000);
    }
    if (strcmp(what, "timer") == 0) {
        const struct sigaction nothing = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
        sigaction(SIGALRM, &nothing, NULL);
        alarm_often(200);
    }
    if ((strcmp(what, "devices") == 0 || strcmp(what, "context") == 0) && use_cuda(*what == 'c') != 0)
        return 3;
    for (int round = 0; round < rounds; round++) {
        do_all(round);
        if (strcmp(what, "jump") == 0)
            jump_out();
        else if (strcmp(what, "close") == 0 && round == 0 && close_all(ends) != 0)
            return 2;
        else if (strcmp(what, "fork") == 0)
            fork_child(round);
        else if (strcmp(what, "exec") == 0)
            return execl(arguments[0], arguments[0], arguments[1], arguments[2], (char *)NULL);
    }
    if (ends[0] >= 0 && !is_untouched(ends)) {
        puts("the program's own socket was touched");
        return 1;
    }
    puts("right");
    return 0;
}
