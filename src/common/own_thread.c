#include "common/own_thread.h"
#include "common/interruption.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { STACK_BYTES_MOST = 1 << 30, ROOM_BYTES_UNKNOWN = 64 << 10 };

/* The GNU C library's: the stack that a thread needs for thread-local storage and the least of work. */
typedef size_t least_stack(const pthread_attr_t *attributes);
static least_stack *ask_least_stack;

static __thread bool is_own __attribute__((tls_model("initial-exec")));

/* At load, since the look-up takes the loader's lock, which may be held for long by then. */
__attribute__((constructor)) static void look_up_at_load(void)
{
    ask_least_stack = (least_stack *)(uintptr_t)dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
}

/* Each holds a thread's task until it has begun. malloc would give each thread that frees a start memory
 * of its own. */
enum { STARTS_MOST = 32 };
static struct start {
    atomic_bool is_taken;
    void *(*work)(void *);
    void *argument;
} starts[STARTS_MOST];

static struct start *take_start(void)
{
    for (int i = 0;; i = (i + 1) % STARTS_MOST) {
        if (!atomic_exchange(&starts[i].is_taken, true))
            return &starts[i];
        if (i == STARTS_MOST - 1)
            sched_yield();
    }
}

static void *begin(void *argument)
{
    struct start *const start = argument;
    void *(*const work)(void *) = start->work;
    void *const what = start->argument;
    atomic_store(&start->is_taken, false);
    is_own = true;
    held_signals_only(); /* the program's thread may block those that code raises */
    return work(what);
}

static size_t stack_with_storage(size_t bytes, const pthread_attr_t *attributes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 least = ask_least_stack ? ask_least_stack(attributes) : ROOM_BYTES_UNKNOWN;
    return (bytes + least + page - 1) / page * page;
}

/* A stack that is refused is too small, if the C library does not say how much it needs. */
static bool create(pthread_t *thread, size_t stack_bytes, struct start *start)
{
    pthread_attr_t attributes;
    int error = EINVAL;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    for (size_t bytes = stack_with_storage(stack_bytes, &attributes);
         error == EINVAL && bytes <= STACK_BYTES_MOST; bytes *= 2) {
        pthread_attr_setstacksize(&attributes, bytes);
        error = pthread_create(thread, &attributes, begin, start);
    }
    pthread_attr_destroy(&attributes);
    return error == 0;
}

bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument)
{
    struct start *const start = take_start();
    struct held_signals before;
    start->work = work;
    start->argument = argument;
    held_signals_hold(&before);
    const bool started = create(thread, stack_bytes, start);
    held_signals_return(&before);
    if (!started)
        atomic_store(&start->is_taken, false);
    return started;
}

bool own_thread_is_this(void)
{
    return is_own;
}

int processors_usable(void)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 || CPU_COUNT(&processors) < 1)
        return 1;
    return CPU_COUNT(&processors);
}

int processors_online(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int processors_for_blas(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                        "OMP_NUM_THREADS"};
    const int usable = processors_usable();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = secure_getenv(names[i]);
        long threads = value ? strtol(value, NULL, 10) : 0;
        if (threads > 0)
            return threads < usable ? (int)threads : usable;
    }
    return usable;
}

int processors_vector_bytes(void)
{
#ifdef __x86_64__
    /* OpenBLAS takes no wider ones than those of the processor that this names. */
    static const char *const wide[] = {"SKYLAKEX", "COOPERLAKE", "SAPPHIRERAPIDS"};
    const char *const named = secure_getenv("OPENBLAS_CORETYPE");
    bool may_be_wide = !named || !*named;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        may_be_wide = may_be_wide || strcasecmp(named, wide[i]) == 0;
    if (may_be_wide && __builtin_cpu_supports("avx512f"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : 16;
#else
    return 16;
#endif
}

size_t processors_cache_bytes(void)
{
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}
