/* Functions that a kernel calls: who am I, barriers and exchanges.
 *
 * Under ThreadSanitizer this file is compiled without it; see processor.c. */
#include "emulated_driver/processor_state.h"

#include <sched.h>
#include <unistd.h>

const struct emulated_thread *emulated_self(void)
{
    return &running_processor->current->self;
}

bool emulated_barrier_any(bool mine)
{
    struct processor *processor = running_processor;
    /* Two tokens by turns: a thread late to leave must not see the next barrier's arrivals. */
    const unsigned turn = processor->barriers % 2;
    char *token = &processor->barrier_tokens[turn];
    fiber_release(token);
    processor->any[turn] |= mine;
    if (++processor->at_barrier == processor->launch->threads) {
        processor->at_barrier = 0;
        processor->barriers++;
        processor->any[1 - turn] = false;
        processor_release(processor, 0, processor->launch->threads);
        processor_yield(processor);
    } else {
        processor_wait(processor, AT_BARRIER);
    }
    fiber_acquire(token);
    return processor->any[turn];
}

void emulated_barrier(void)
{
    emulated_barrier_any(false);
}

void emulated_copy_begin(void *to, const void *from)
{
    struct processor *processor = running_processor;
    const struct emulated_thread *self = &processor->current->self;
    unsigned *count = &processor->copy_counts[self->thread];
    if (*count == COPIES_MAX)
        emulated_abort("kernel %s, block %u: thread %u has more than %d copies under way",
                       processor->launch->kernel->name, self->block, self->thread, (int)COPIES_MAX);
    processor->copies[self->thread][(*count)++] = (struct emulated_copy){to, from};
}

bool emulated_copy_end(struct emulated_copy *copy)
{
    struct processor *processor = running_processor;
    const unsigned thread = processor->current->self.thread;
    unsigned *count = &processor->copy_counts[thread];
    if (*count == 0)
        return false;
    *copy = processor->copies[thread][--*count];
    return true;
}

void copies_end(const struct processor *processor)
{
    const struct emulated_thread *self = &processor->current->self;
    if (processor->copy_counts[self->thread])
        emulated_abort("kernel %s, block %u: thread %u ends without waiting for its copies",
                       processor->launch->kernel->name, self->block, self->thread);
}

static struct cluster *running_cluster(void)
{
    const struct launch *launch = running_processor->launch;
    if (!launch->cluster)
        emulated_abort("kernel %s: it was not launched as a cluster", launch->kernel->name);
    return launch->cluster;
}

unsigned *emulated_cluster_words(void)
{
    return running_cluster()->words;
}

void *emulated_shared_of(unsigned block)
{
    const struct launch *launch = running_processor->launch;
    struct cluster *cluster = running_cluster();
    unsigned char *shared =
        block < launch->blocks ? __atomic_load_n(&cluster->shared[block], __ATOMIC_SEQ_CST) : NULL;
    if (!shared)
        emulated_abort("kernel %s, block %u of %u: it reaches for the shared memory of block %u, which does "
                       "not run",
                       launch->kernel->name, running_processor->current->self.block, launch->blocks, block);
    return shared;
}

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

void emulated_spin(unsigned turn)
{
    enum { TURNS_BETWEEN_CLOCKS = 256, TURNS_LONG = 1 << 13, TURNS_BETWEEN_NAPS = 16 };
    struct processor *processor = running_processor;
    const struct emulated_thread *self = &processor->current->self;
    if (turn == 0)
        processor->spins_since = seconds_now();
    else if (turn % TURNS_BETWEEN_CLOCKS == 0 && seconds_now() - processor->spins_since > options()->patience)
        emulated_abort("kernel %s, block %u of %u: thread %u has waited for other blocks for more than %ld "
                       "seconds",
                       processor->launch->kernel->name, self->block, self->blocks, self->thread,
                       options()->patience);
    if (turn % 2 == 0 && processor_pass(processor))
        return;
    if (turn > TURNS_LONG && turn % TURNS_BETWEEN_NAPS == 1)
        usleep(1000); /* most likely a block is missing, and the host will end the wait */
    else if (!turns_pass() || turn % TURNS_BETWEEN_CLOCKS == TURNS_BETWEEN_CLOCKS - 1)
        sched_yield(); /* to other blocks, or to a host that is to end the wait */
}

static struct exchange_result *take_result(struct processor *processor, unsigned references)
{
    struct exchange_result *result = processor->free_results;
    if (result)
        processor->free_results = result->next;
    else
        result = &processor->results[processor->results_used++];
    result->references = references;
    return result;
}

static void drop_result(struct processor *processor, struct exchange_result *result)
{
    if (!result || --result->references > 0)
        return;
    result->next = processor->free_results;
    processor->free_results = result;
}

static void check_width(const struct processor *processor, size_t bytes, unsigned width)
{
    const struct emulated_thread *self = &processor->current->self;
    if (width == 0 || width > EMULATED_WIDTH_MAX || (width & (width - 1)) || bytes > EMULATED_EXCHANGE_MAX ||
        (self->thread & ~(width - 1)) + width > self->threads)
        emulated_abort("kernel %s, block %u, thread %u: exchange of %zu bytes, width %u is not allowed",
                       processor->launch->kernel->name, self->block, self->thread, bytes, width);
}

static void check_group(const struct processor *processor, const struct group *group, size_t bytes,
                        unsigned width)
{
    const struct emulated_thread *self = &processor->current->self;
    if (group->arrived && group->bytes != bytes)
        emulated_abort("kernel %s, block %u, thread %u: exchange of %zu bytes, width %u meets one of %zu "
                       "bytes",
                       processor->launch->kernel->name, self->block, self->thread, bytes, width,
                       group->bytes);
}

/* memcpy, whose interceptor would tell ThreadSanitizer. */
static void copy_quietly(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        if (bytes - i >= sizeof(uint32_t))
            __builtin_memcpy(to + i, from + i, sizeof(uint32_t));
        else
            for (size_t k = i; k < bytes; k++)
                *(volatile unsigned char *)(to + k) = from[k];
    }
}

/* All are here: gather, hand out, make everybody ready. */
static void complete_exchange(struct processor *processor, unsigned first, unsigned width, size_t bytes)
{
    struct exchange_result *result = take_result(processor, width);
    for (unsigned i = 0; i < width; i++) {
        struct thread *member = &processor->threads[first + i];
        copy_quietly(result->bytes + i * bytes, member->mine, bytes);
        drop_result(processor, member->held[1]);
        member->held[1] = member->held[0];
        member->held[0] = result;
    }
    processor_release(processor, first, width);
}

const void *emulated_exchange(const void *mine, size_t bytes, unsigned width)
{
    struct processor *processor = running_processor;
    struct thread *thread = processor->current;
    unsigned first = thread->self.thread & ~(width - 1);
    check_width(processor, bytes, width);
    struct group *group = &processor->groups[__builtin_ctz(width)][first];
    check_group(processor, group, bytes, width);
    processor->exchanged = true;
    thread->mine = mine;
    group->bytes = bytes;
    if (++group->arrived < width) {
        processor_wait(processor, AT_EXCHANGE);
    } else {
        group->arrived = 0;
        group->rounds++;
        complete_exchange(processor, first, width, bytes);
        processor_yield(processor);
    }
    return thread->held[0]->bytes;
}

void emulated_part_barrier(unsigned width)
{
    struct processor *processor = running_processor;
    const unsigned first = processor->current->self.thread & ~(width - 1);
    struct group *group = &processor->groups[__builtin_ctz(width)][first];
    char *token = &group->tokens[group->rounds % 2]; /* two, as for the block's barrier */
    const char none = 0;
    fiber_release(token);
    emulated_exchange(&none, sizeof none, width);
    fiber_acquire(token);
}

void exchanges_end(struct processor *processor)
{
    if (!processor->exchanged)
        return;
    processor->exchanged = false;
    for (unsigned i = 0; i < processor->launch->threads; i++) {
        struct thread *thread = &processor->threads[i];
        for (int which = 0; which < HELD; which++) {
            drop_result(processor, thread->held[which]);
            thread->held[which] = NULL;
        }
        for (int width = 0; width < WIDTHS; width++)
            if (processor->groups[width][i].arrived)
                emulated_abort("kernel %s, block %u: an exchange was left unfinished",
                               processor->launch->kernel->name, thread->self.block);
    }
}
