/* Counters of threads: nothing is lost whether threads run, have ended or are interrupted, and there are no
 * more counters than there were threads at once. Each test's calls are of a symbol of its own. */
#include "interpose/report/stats.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16, CALLS = 100000 };

static void count_call(enum symbol symbol)
{
    struct thread_counters *own = thread_counters_own();
    thread_counters_add(own, &own->forwarded_calls[symbol], 1);
}

static uint64_t counted(enum symbol symbol)
{
    uint64_t sum = 0;
    const struct thread_counters *counters = NULL;
    while ((counters = thread_counters_next(counters)))
        sum += counters->forwarded_calls[symbol];
    return sum;
}

static int number_of_counters(void)
{
    int number = 0;
    const struct thread_counters *counters = NULL;
    while ((counters = thread_counters_next(counters)))
        number++;
    return number;
}

static const struct thread_counters *shared(void)
{
    return thread_counters_next(NULL);
}

static pthread_t begin_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0)
        abort();
    return thread;
}

static void *count_once(void *symbol)
{
    count_call(*(enum symbol *)symbol);
    return thread_counters_own();
}

static void test_before_begin(void)
{
    enum symbol symbol = SYMBOL_dgemm_;
    void *owns;
    pthread_join(begin_thread(count_once, &symbol), &owns);
    count_call(symbol);
    tap_ok(owns == shared() && thread_counters_own() == shared() && counted(symbol) == 2,
           "before it has begun, calls are counted together");
}

static pthread_barrier_t all_counted, all_read;
static void *owns[THREADS];

static void *count_and_stay(void *own)
{
    for (int i = 0; i < CALLS; i++)
        count_call(SYMBOL_daxpy_);
    *(void **)own = thread_counters_own();
    pthread_barrier_wait(&all_counted);
    pthread_barrier_wait(&all_read);
    return NULL;
}

static bool owns_differ(void)
{
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < i; j++)
            if (owns[i] == owns[j] || owns[i] == shared())
                return false;
    return true;
}

static void test_threads_that_run(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = begin_thread(count_and_stay, &owns[i]);
    pthread_barrier_wait(&all_counted);
    tap_ok(counted(SYMBOL_daxpy_) == (uint64_t)THREADS * CALLS,
           "%d threads that run: %d calls of each are counted", THREADS, CALLS);
    tap_ok(owns_differ(), "each by itself");
    pthread_barrier_wait(&all_read);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap_ok(counted(SYMBOL_daxpy_) == (uint64_t)THREADS * CALLS, "and still are when they have ended");
}

static void test_many_short_threads(void)
{
    enum { MANY = 5000 };
    enum symbol symbol = SYMBOL_ddot_;
    const int before = number_of_counters();
    for (int i = 0; i < MANY; i += 2) {
        const pthread_t one = begin_thread(count_once, &symbol), other = begin_thread(count_once, &symbol);
        pthread_join(one, NULL);
        pthread_join(other, NULL);
    }
    tap_ok(counted(symbol) == MANY && number_of_counters() == before,
           "%d short threads take no more counters than there are", MANY);
}

static pthread_key_t late_key;

/* Runs after that of the counters, whose key is older, and again. */
static void count_late(void *rounds_left)
{
    count_call(SYMBOL_dcopy_);
    if (rounds_left != (void *)1)
        pthread_setspecific(late_key, (char *)rounds_left - 1);
}

static void *count_in_destructors(void *unused)
{
    count_call(SYMBOL_dcopy_);
    pthread_setspecific(late_key, (void *)4);
    return unused;
}

static void test_destructors(void)
{
    enum { MANY = 100 };
    const int before = number_of_counters();
    if (pthread_key_create(&late_key, count_late) != 0)
        abort();
    for (int i = 0; i < MANY; i++)
        pthread_join(begin_thread(count_in_destructors, NULL), NULL);
    tap_ok(counted(SYMBOL_dcopy_) == 5 * MANY, "what destructors of threads call is counted: %d",
           (int)counted(SYMBOL_dcopy_));
    tap_ok(number_of_counters() == before, "and takes no counters for good");
}

static volatile sig_atomic_t interruptions;

static void interrupt(int number)
{
    (void)number;
    count_call(SYMBOL_dscal_);
    interruptions++;
}

static void *count_interrupted(void *calls)
{
    while (interruptions < 200) {
        count_call(SYMBOL_dscal_);
        ++*(uint64_t *)calls;
    }
    return NULL;
}

static void test_interrupted(void)
{
    static const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    uint64_t calls = 0;
    signal(SIGALRM, interrupt);
    setitimer(ITIMER_REAL, &often, NULL);
    count_interrupted(&calls);
    setitimer(ITIMER_REAL, &never, NULL);
    tap_ok(counted(SYMBOL_dscal_) == calls + (uint64_t)interruptions,
           "%d signal handlers that call in the middle of %llu calls: all are counted", (int)interruptions,
           (unsigned long long)calls);
}

/* Before the handler's first call the thread has made none. */
static void *be_interrupted_first(void *unused)
{
    raise(SIGALRM);
    count_call(SYMBOL_dscal_);
    return unused;
}

static void test_first_in_handler(void)
{
    const uint64_t before = counted(SYMBOL_dscal_);
    const int counters = number_of_counters();
    pthread_join(begin_thread(be_interrupted_first, NULL), NULL);
    tap_ok(counted(SYMBOL_dscal_) == before + 2 && number_of_counters() == counters,
           "a thread whose first call is a signal handler's");
}

/* True when it counts from zero and has the counters of threads that it did not inherit. */
static bool child_is_right(int counters_before)
{
    enum symbol symbol = SYMBOL_dswap_;
    pthread_t threads[THREADS];
    bool right = counted(SYMBOL_dgemm_) + counted(SYMBOL_daxpy_) + counted(symbol) == 0 &&
                 thread_counters_restarted();
    count_call(symbol);
    for (int i = 0; i < THREADS; i++)
        threads[i] = begin_thread(count_once, &symbol);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return right && counted(symbol) == THREADS + 1 && number_of_counters() == counters_before;
}

__attribute__((unused)) static void test_fork(void) /* not under ThreadSanitizer */
{
    pthread_t threads[THREADS];
    int status = -1;
    for (int i = 0; i < THREADS; i++)
        threads[i] = begin_thread(count_and_stay, &owns[i]);
    pthread_barrier_wait(&all_counted);
    count_call(SYMBOL_dswap_);
    const int counters = number_of_counters();
    const pid_t child = fork();
    if (child == 0)
        _exit(!child_is_right(counters));
    tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
           "a fork's child counts from zero, and its threads take the counters of those that it has not");
    pthread_barrier_wait(&all_read);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap_ok(counted(SYMBOL_daxpy_) == (uint64_t)2 * THREADS * CALLS && counted(SYMBOL_dswap_) == 1 &&
               !thread_counters_restarted(),
           "the parent's are as they were");
}

UNIT_TEST(test_thread_counters)
{
    pthread_barrier_init(&all_counted, NULL, THREADS + 1);
    pthread_barrier_init(&all_read, NULL, THREADS + 1);
    test_before_begin();
    thread_counters_begin();
    count_call(SYMBOL_dasum_);
    test_threads_that_run();
    test_many_short_threads();
    test_destructors();
    test_interrupted();
    test_first_in_handler();
#ifdef __SANITIZE_THREAD__
    tap_skip("fork's children", "ThreadSanitizer ends a child that starts threads");
#else
    test_fork();
#endif
    return tap_done();
}
