/* The blocks of a launch: in order, shuffled, on several threads at once, each on a thread of its own, or by
 * turns. */
#include "emulated_driver/fiber.h"
#include "emulated_driver/processor.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct processor *main_processor; /* used under the driver's lock */
static unsigned *order;
static unsigned order_capacity;
static uint64_t random_state;

/* Threads that wait for a launch. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    const struct launch *launch;
    unsigned long generation;
    unsigned started, wanted, active; /* members: there are, for this launch, not done with it */
    unsigned arriving; /* blocks that there will be */
    atomic_uint next; /* relaxed: blocks must synchronise by themselves */
} crew = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, 0, 0, 0, 0};

static long cooperative_launches; /* so far */
static bool is_stuck;

static void shuffle(unsigned blocks)
{
    if (blocks > order_capacity) {
        free(order);
        order = malloc(blocks * sizeof *order);
        if (!order)
            emulated_abort("out of host memory");
        order_capacity = blocks;
    }
    for (unsigned i = 0; i < blocks; i++) {
        unsigned other = options()->shuffle_blocks
                             ? (unsigned)((random_next(&random_state) >> 32) * ((uint64_t)i + 1) >> 32) : i;
        order[i] = order[other];
        order[other] = i;
    }
}

static void *crew_member(void *argument)
{
    const uintptr_t number = (uintptr_t)argument;
    struct processor *processor = processor_create(options()->seed + number, true);
    unsigned long seen = 0;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        pthread_mutex_lock(&crew.lock);
        while (crew.generation == seen)
            pthread_cond_wait(&crew.begin, &crew.lock);
        seen = crew.generation;
        const struct launch *launch = crew.launch;
        const bool is_wanted = number <= crew.wanted;
        pthread_mutex_unlock(&crew.lock);
        if (!is_wanted)
            continue;
        unsigned i;
        while ((i = atomic_fetch_add_explicit(&crew.next, 1, memory_order_relaxed)) < crew.arriving)
            processor_run(processor, launch, order[i]);
        pthread_mutex_lock(&crew.lock);
        if (--crew.active == 0)
            pthread_cond_signal(&crew.end);
        pthread_mutex_unlock(&crew.lock);
    }
    return NULL;
}

static void start_crew(unsigned members)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are none of theirs */
    while (crew.started < members) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, crew_member, (void *)(uintptr_t)(crew.started + 1)) != 0)
            emulated_abort("cannot start a thread for blocks");
        pthread_detach(thread);
        crew.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void begin_concurrently(const struct launch *launch, unsigned members, unsigned arriving)
{
    start_crew(members);
    pthread_mutex_lock(&crew.lock);
    crew.launch = launch;
    crew.arriving = arriving;
    crew.active = crew.wanted = members;
    atomic_store_explicit(&crew.next, 0, memory_order_relaxed);
    crew.generation++;
    pthread_cond_broadcast(&crew.begin);
    pthread_mutex_unlock(&crew.lock);
}

static void end_concurrently(void)
{
    pthread_mutex_lock(&crew.lock);
    while (crew.active > 0)
        pthread_cond_wait(&crew.end, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

bool grid_is_running(void)
{
    pthread_mutex_lock(&crew.lock);
    const bool is_running = is_stuck || crew.active > 0;
    pthread_mutex_unlock(&crew.lock);
    return is_running;
}

/* All blocks but one, which nobody waits for here. */
static CUresult begin_without_one(const struct launch *launch)
{
    static struct launch begun;
    void *arguments = malloc(launch->kernel->argument_bytes);
    if (!arguments)
        emulated_abort("out of host memory");
    begun = *launch;
    begun.arguments = memcpy(arguments, launch->arguments, launch->kernel->argument_bytes);
    begin_concurrently(&begun, launch->blocks - 1, launch->blocks - 1);
    return CUDA_ERROR_NOT_READY;
}

/* As a request has it, of a cooperative launch. */
static CUresult run_as_requested(const struct launch *launch)
{
    cooperative_launches++;
    if (cooperative_launches == options()->stuck)
        is_stuck = true;
    if (is_stuck)
        return CUDA_ERROR_NOT_READY;
    return cooperative_launches == options()->absent && launch->blocks > 1 ? begin_without_one(launch)
                                                                           : CUDA_SUCCESS;
}

CUresult grid_run(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads,
                  size_t shared_bytes, enum launch_kind kind)
{
    struct cluster cluster = {.words = {0}};
    const bool at_once = kind != LAUNCH_PLAIN;
    const struct launch launch = {kernel, arguments, blocks, threads, shared_bytes,
                                  kind == LAUNCH_CLUSTER ? &cluster : NULL};
    if (!main_processor) {
        random_state = options()->seed;
        main_processor = processor_create(options()->seed, false);
    }
    shuffle(blocks);
    const CUresult result = kind == LAUNCH_COOPERATIVE ? run_as_requested(&launch) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    if (at_once && options()->block_threads == 0 && !fibers_are_watched()) {
        turns_run(&launch, order);
        return CUDA_SUCCESS;
    }
    const unsigned members = at_once ? blocks : (unsigned)options()->block_threads;
    if (members > 0 && blocks > 1) {
        begin_concurrently(&launch, members, blocks);
        end_concurrently();
        return CUDA_SUCCESS;
    }
    for (unsigned i = 0; i < blocks; i++)
        processor_run(main_processor, &launch, order[i]);
    return CUDA_SUCCESS;
}
