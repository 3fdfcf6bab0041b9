/* The blocks of a launch: in order, shuffled, on several threads at once, or each on a thread of its own. */
#include "emulated_driver/processor.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

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
    atomic_uint next; /* relaxed: blocks must synchronise by themselves */
} crew = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, 0, 0, 0};

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
        while ((i = atomic_fetch_add_explicit(&crew.next, 1, memory_order_relaxed)) < launch->blocks)
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

static void run_concurrently(const struct launch *launch, unsigned members)
{
    start_crew(members);
    pthread_mutex_lock(&crew.lock);
    crew.launch = launch;
    crew.active = crew.wanted = members;
    atomic_store_explicit(&crew.next, 0, memory_order_relaxed);
    crew.generation++;
    pthread_cond_broadcast(&crew.begin);
    while (crew.active > 0)
        pthread_cond_wait(&crew.end, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

void grid_run(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads,
              size_t shared_bytes, bool at_once)
{
    const struct launch launch = {kernel, arguments, blocks, threads, shared_bytes};
    if (!main_processor) {
        random_state = options()->seed;
        main_processor = processor_create(options()->seed, false);
    }
    shuffle(blocks);
    const unsigned members = at_once ? blocks : (unsigned)options()->block_threads;
    if (members > 0 && blocks > 1) {
        run_concurrently(&launch, members);
        return;
    }
    for (unsigned i = 0; i < blocks; i++)
        processor_run(main_processor, &launch, order[i]);
}
