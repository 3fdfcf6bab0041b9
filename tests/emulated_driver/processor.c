/* One block: its threads as fibers, and the collectives that suspend them.
 *
 * Under ThreadSanitizer this file is compiled without it (its own data is shared by
 * unordered fibers), and says by tokens what is ordered for a kernel's memory: barriers
 * are, exchanges are not, as with shuffles on a device. */
#include "emulated_driver/processor_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RED = 0xa5, RED_ZONE = 256 }; /* behind the shared memory of a block */
enum { SWITCHES_AHEAD = 2 };

_Thread_local struct processor *running_processor __attribute__((tls_model("initial-exec")));

static void push_ready(struct processor *processor, struct thread *thread)
{
    thread->waiting = RUNNING;
    processor->ready[(processor->ready_head + processor->ready_count++) % THREADS_MAX] = thread;
}

/* A switch to a fiber waits for the top of its stack: ask for that a few switches before. */
static void fetch_stack(const struct thread *thread)
{
    enum { LINE = 64, LINES = 4 };
    const char *const top = thread && thread->worker ? thread->worker->fiber.stack_pointer : NULL;
    for (int i = 0; top && i < LINES; i++)
        __builtin_prefetch(top + i * LINE);
}

static struct thread *pop_ready(struct processor *processor)
{
    struct thread *thread = processor->ready[processor->ready_head];
    processor->ready_head = (processor->ready_head + 1) % THREADS_MAX;
    processor->ready_count--;
    fetch_stack(processor->ready[(processor->ready_head + SWITCHES_AHEAD) % THREADS_MAX]);
    return thread;
}

static __attribute__((noreturn)) void report_deadlock(const struct processor *processor)
{
    static const char *const where[] = {"running", "not started", "at a barrier", "at an exchange",
                                        "finished"};
    const struct launch *launch = processor->launch;
    unsigned counts[5] = {0}, first[5] = {0};
    for (unsigned i = launch->threads; i-- > 0;) {
        counts[processor->threads[i].waiting]++;
        first[processor->threads[i].waiting] = i;
    }
    enum waiting stuck = counts[AT_EXCHANGE] ? AT_EXCHANGE : AT_BARRIER;
    emulated_abort("deadlock in kernel %s, block %u: thread %u waits %s; of %u threads %u are at a barrier, "
                   "%u at an exchange, %u finished (first: %u)",
                   launch->kernel->name, processor->threads[0].self.block, first[stuck], where[stuck],
                   launch->threads, counts[AT_BARRIER], counts[AT_EXCHANGE], counts[FINISHED],
                   first[FINISHED]);
}

static void worker_main(void *argument);

static struct worker *create_worker(struct processor *processor)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        emulated_abort("out of host memory");
    worker->processor = processor;
    fiber_create(&worker->fiber, processor->worker_count, processor->is_one_of_many, worker_main, worker);
    processor->workers[processor->worker_count++] = worker;
    return worker;
}

static struct worker *take_worker(struct processor *processor)
{
    return processor->parked_count ? processor->parked[--processor->parked_count] : create_worker(processor);
}

static bool may_start(const struct processor *processor)
{
    return processor->started < processor->launch->threads;
}

/* The thread to run next; a not started one has no worker yet. NULL: all finished. */
static struct thread *choose(struct processor *processor)
{
    if (processor->ready_count && (processor->ready_first || !may_start(processor)))
        return pop_ready(processor);
    if (may_start(processor))
        return &processor->threads[processor->order[processor->started++]];
    if (processor->finished < processor->launch->threads)
        report_deadlock(processor);
    return NULL;
}

/* Leave the fiber `from` for the thread (NULL: for the caller). */
static void leave_for(struct processor *processor, struct fiber *from, struct thread *thread)
{
    struct fiber *to = processor->caller;
    if (thread) {
        if (!thread->worker) {
            thread->worker = take_worker(processor);
            thread->worker->thread = thread;
        }
        to = &thread->worker->fiber;
    }
    processor->current = thread;
    fiber_switch(from, to);
}

static void worker_main(void *argument)
{
    struct worker *worker = argument;
    struct processor *processor = worker->processor;
    fiber_entered(NULL);
    for (;;) {
        struct thread *thread = worker->thread;
        thread->waiting = RUNNING;
        fiber_acquire(&processor->begin_token);
        processor->launch->kernel->run(processor->launch->arguments);
        copies_end(processor);
        fiber_release(&processor->end_token);
        thread->waiting = FINISHED;
        processor->finished++;
        struct thread *next = choose(processor);
        if (next && !next->worker && !processor->watched) { /* go on with a new thread on this very stack */
            next->worker = worker;
            worker->thread = next;
            processor->current = next;
            continue;
        }
        if (!processor->watched)
            processor->parked[processor->parked_count++] = worker;
        leave_for(processor, &worker->fiber, next);
    }
}

void processor_wait(struct processor *processor, enum waiting waiting)
{
    struct thread *thread = processor->current;
    thread->waiting = waiting;
    struct thread *next = choose(processor);
    if (next != thread)
        leave_for(processor, &thread->worker->fiber, next);
}

/* In an order drawn at random: a rotation, and for powers of two (all groups) also an odd
 * stride. */
void processor_release(struct processor *processor, unsigned first, unsigned count)
{
    unsigned draw = (unsigned)random_next(&processor->random);
    struct thread *threads = &processor->threads[first];
    if (count & (count - 1)) {
        for (unsigned i = 0, at = draw % count; i < count; i++, at = at + 1 == count ? 0 : at + 1)
            push_ready(processor, &threads[at]);
    } else {
        for (unsigned i = 0, at = draw >> 16, stride = draw | 1; i < count; i++, at += stride)
            push_ready(processor, &threads[at & (count - 1)]);
    }
}

void processor_yield(struct processor *processor)
{
    struct thread *thread = processor->current, *next = pop_ready(processor);
    if (next != thread)
        leave_for(processor, &thread->worker->fiber, next);
}

bool processor_pass(struct processor *processor)
{
    struct thread *thread = processor->current;
    if (!processor->ready_count && !may_start(processor))
        return false;
    push_ready(processor, thread);
    struct thread *next = choose(processor);
    if (next != thread)
        leave_for(processor, &thread->worker->fiber, next);
    return true;
}

struct processor *processor_create(uint64_t seed, bool is_one_of_many)
{
    struct processor *processor = calloc(1, sizeof *processor);
    if (!processor || !(processor->shared = aligned_alloc(64, SHARED_BYTES + RED_ZONE)))
        emulated_abort("out of host memory");
    processor->results = mmap(NULL, RESULTS_MAX * sizeof *processor->results, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (processor->results == MAP_FAILED)
        emulated_abort("out of host memory");
    processor->random = seed;
    processor->is_one_of_many = is_one_of_many;
    processor->watched = fibers_are_watched();
    return processor;
}

/* The other blocks of its cluster may reach the block's shared memory from now on, or no longer. */
static void show_shared(struct processor *processor, unsigned block, bool is_running)
{
    struct cluster *cluster = processor->launch->cluster;
    if (cluster)
        __atomic_store_n(&cluster->shared[block], is_running ? processor->shared : NULL, __ATOMIC_SEQ_CST);
}

/* All workers are free for the next block. A watched thread that created another's worker
 * would come before it: create them here. */
static void park_all(struct processor *processor, unsigned threads)
{
    while (processor->watched && processor->worker_count < threads)
        create_worker(processor);
    processor->parked_count = processor->worker_count;
    memcpy(processor->parked, processor->workers, processor->worker_count * sizeof *processor->workers);
}

static void prepare(struct processor *processor, const struct launch *launch, unsigned block)
{
    park_all(processor, launch->threads);
    processor->launch = launch;
    processor->started = processor->finished = processor->at_barrier = processor->barriers = 0;
    memset(processor->any, 0, sizeof processor->any);
    processor->ready_first = random_next(&processor->random) & 1;
    for (unsigned i = 0; i < launch->threads; i++) {
        struct thread *thread = &processor->threads[i];
        thread->self = (struct emulated_thread){i, launch->threads, block, launch->blocks, processor->shared};
        thread->worker = NULL;
        thread->waiting = NOT_STARTED;
        unsigned other = (unsigned)((random_next(&processor->random) >> 32) * (i + 1) >> 32);
        processor->order[i] = processor->order[other];
        processor->order[other] = i;
    }
    if (options()->poison)
        memset(processor->shared, POISON, launch->shared_bytes);
    memset(processor->shared + launch->shared_bytes, RED, RED_ZONE);
    show_shared(processor, block, true);
}

static void check_red_zone(const struct processor *processor)
{
    const struct launch *launch = processor->launch;
    for (int i = 0; i < RED_ZONE; i++)
        if (processor->shared[launch->shared_bytes + (size_t)i] != RED)
            emulated_abort("kernel %s, block %u: something was written behind its %zu bytes of shared memory",
                           launch->kernel->name, processor->threads[0].self.block, launch->shared_bytes);
}

void processor_run(struct processor *processor, const struct launch *launch, unsigned block)
{
    fiber_adopt_thread(&processor->thread);
    processor_run_from(processor, launch, block, &processor->thread);
}

void processor_run_from(struct processor *processor, const struct launch *launch, unsigned block,
                        struct fiber *caller)
{
    prepare(processor, launch, block);
    running_processor = processor;
    processor->caller = caller;
    fiber_release(&processor->begin_token);
    leave_for(processor, caller, choose(processor));
    fiber_acquire(&processor->end_token);
    show_shared(processor, block, false);
    check_red_zone(processor);
    running_processor = NULL;
    exchanges_end(processor);
    slots_end(processor);
}
