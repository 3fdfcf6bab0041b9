#include "common/own_thread.h"
#include "common/interruption.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { TEXT_BYTES = 8192 };

/* The beginning of a file of /proc or /sys; false: it cannot be read. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, TEXT_BYTES - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

size_t memory_available(void)
{
    char text[TEXT_BYTES];
    const char *const line = read_text("/proc/meminfo", text) ? strstr(text, "MemAvailable:") : NULL;
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) << 10 : SIZE_MAX;
}

/* A number in a file of a control group; "max" and what is not there: no limit. */
static size_t number_in(const char *group, const char *name, size_t otherwise)
{
    char path[640], text[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return read_text(path, text) && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : otherwise;
}

/* Pages of files that nobody has used for long, which the group gives up for who wants memory. */
static size_t idle_pages_in(const char *group)
{
    static const char name[] = "\ninactive_file ";
    char path[640], text[TEXT_BYTES];
    snprintf(path, sizeof path, "%s/memory.stat", group);
    const char *const line = read_text(path, text) ? strstr(text, name) : NULL;
    return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

/* How the two versions of control groups tell. */
struct group_kind {
    const char *line, *folder, *most, *used;
};

/* The least room in the group of that kind and in those around it. */
static size_t room_in(const char *groups, const struct group_kind *kind)
{
    char path[512];
    const char *const line = strstr(groups, kind->line),
               *const group = line ? line + strlen(kind->line) : NULL;
    size_t room = SIZE_MAX;
    if (!group)
        return room;
    const size_t root = strlen(kind->folder);
    snprintf(path, sizeof path, "%s%.*s", kind->folder, (int)strcspn(group, "\n"), group);
    for (char *last = path; last; last = strlen(path) > root ? strrchr(path, '/') : NULL) {
        if (last != path)
            *last = 0;
        const size_t most = number_in(path, kind->most, SIZE_MAX), used = number_in(path, kind->used, 0);
        const size_t idle = most == SIZE_MAX ? 0 : idle_pages_in(path), kept = used > idle ? used - idle : 0;
        const size_t here = most > kept ? most - kept : 0;
        room = here < room ? here : room;
    }
    return room;
}

size_t memory_room_in_groups(void)
{
    static const struct group_kind kinds[] = {
        {"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
        {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}};
    char text[TEXT_BYTES];
    size_t room = SIZE_MAX;
    if (!read_text("/proc/self/cgroup", text))
        return room;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t here = room_in(text, &kinds[i]);
        room = here < room ? here : room;
    }
    return room;
}
