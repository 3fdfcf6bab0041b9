/* Threads of mublas' own have the stack that they ask for, whatever static thread-local storage lies on it, and block
 * all signals but those that code raises itself. The host's vectors are those of the processor that OpenBLAS is told. */
#include "common/own_thread.h"
#include "tap.h"
#include "unit_test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STORAGE_BYTES = 3 << 20, SPARE_BYTES = 16 << 10 };
static __thread char storage[STORAGE_BYTES];

static size_t stack_bytes;
static sigset_t blocked;
static bool is_own;

static __attribute__((noinline)) int use(size_t bytes)
{
    volatile char *const stack = __builtin_alloca(bytes);
    for (size_t i = 0; i < bytes; i += 512)
        stack[bytes - 1 - i] = 1;
    return stack[bytes - 1];
}

static void *work(void *argument)
{
    storage[STORAGE_BYTES - 1] = (char)use(stack_bytes - SPARE_BYTES);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    is_own = own_thread_is_this();
    return storage[STORAGE_BYTES - 1] == 1 ? argument : NULL;
}

static bool works(size_t bytes)
{
    pthread_t thread;
    void *result = NULL;
    stack_bytes = bytes;
    if (!own_thread_start(&thread, bytes, work, &stack_bytes))
        return false;
    pthread_join(thread, &result);
    return result == &stack_bytes;
}

static bool are_same(const sigset_t *one, const sigset_t *other)
{
    bool same = true;
    for (int signal = 1; signal < NSIG; signal++)
        same = same && sigismember(one, signal) == sigismember(other, signal);
    return same;
}

static int vector_bytes_of(const char *processor)
{
    if (processor)
        setenv("OPENBLAS_CORETYPE", processor, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
    return processors_vector_bytes();
}

static void test_vectors(void)
{
    const char *const named = getenv("OPENBLAS_CORETYPE");
    char *const kept = named ? strdup(named) : NULL;
    const int widest = vector_bytes_of(NULL), older = widest < 32 ? widest : 32;
    tap_ok(widest == 16 || widest == 32 || widest == 64, "a host BLAS has vectors of %d bytes here", widest);
    tap_ok(vector_bytes_of("Haswell") == older && vector_bytes_of("ZEN") == older,
           "one that is told to be an older processor's has no wider ones than that");
    tap_ok(vector_bytes_of("SkylakeX") == widest && vector_bytes_of("") == widest,
           "a newer one's, or none, change nothing");
    vector_bytes_of(kept);
    free(kept);
}

UNIT_TEST(test_own_thread)
{
    sigset_t before, after, faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &faults, NULL); /* in the program's thread */
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    tap_ok(works(512 << 10), "a small stack beside 3 MiB of thread-local storage");
    tap_ok(works(OWN_THREAD_STACK_BYTES), "and the driver's");
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    tap_ok(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGALRM) && sigismember(&blocked, SIGUSR1),
           "signals of others are blocked there");
    tap_ok(!sigismember(&blocked, SIGSEGV) && !sigismember(&blocked, SIGBUS) && !sigismember(&blocked, SIGFPE) &&
               !sigismember(&blocked, SIGSYS),
           "none that code raises");
    tap_ok(are_same(&before, &after), "who starts a thread blocks what he did");
    tap_ok(is_own && !own_thread_is_this(), "a thread knows whose it is");
    test_vectors();
    return tap_done();
}
