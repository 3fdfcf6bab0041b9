/* processor_state.h - a block while it runs: shared by processor.c, which schedules its
 * threads, and collectives.c, which suspends them. */
#ifndef MUBLAS_EMULATED_PROCESSOR_STATE_H
#define MUBLAS_EMULATED_PROCESSOR_STATE_H

#include "emulated_driver/fiber.h"
#include "emulated_driver/processor.h"
#include "emulated_driver/threads.h"

#include <time.h>

enum { THREADS_MAX = 1024, HELD = 2, RESULTS_MAX = HELD * THREADS_MAX + 1, COPIES_MAX = 64 };

/* An exchange's gift to its group; freed at the last member's second-next exchange. */
struct exchange_result {
    struct exchange_result *next;
    unsigned references;
    _Alignas(64) unsigned char bytes[EMULATED_WIDTH_MAX * EMULATED_EXCHANGE_MAX];
};

/* A fiber runs threads one after another; between them it is parked. */
struct worker {
    struct fiber fiber;
    struct processor *processor;
    struct thread *thread;
};

enum waiting { RUNNING, NOT_STARTED, AT_BARRIER, AT_EXCHANGE, FINISHED };

struct thread {
    struct emulated_thread self;
    struct worker *worker;
    enum waiting waiting;
    const void *mine;
    struct exchange_result *held[HELD]; /* newest first */
};

enum { WIDTHS = 6 }; /* 1, 2, ... EMULATED_WIDTH_MAX */

/* The rendezvous of a group, kept at its first thread, for each width by itself: some
 * groups of 8 may be done when others of their 32 are not. */
struct group {
    unsigned arrived;
    size_t bytes;
    unsigned rounds; /* rendezvous that are over */
    char tokens[2];  /* of part barriers, by turns */
};

/* Copies into shared memory that all threads of a block wait for (slots.c). */
struct slot {
    uint64_t *word; /* NULL: not opened, as all behind it */
    bool is_requested;
    unsigned phase, expected, copied, copies;
    struct {
        void *to;
        const void *from;
        unsigned bytes;
    } copy[EMULATED_SLOT_COPIES];
    char token;
};

struct processor {
    struct fiber *caller, thread; /* what ran the block: a fiber, or a thread, for which this one stands */
    const struct launch *launch;
    struct thread *current;
    struct thread threads[THREADS_MAX];
    struct group groups[WIDTHS][THREADS_MAX];
    unsigned order[THREADS_MAX], started, finished, at_barrier;
    struct thread *ready[THREADS_MAX]; /* ring */
    unsigned ready_head, ready_count;
    struct worker *workers[THREADS_MAX], *parked[THREADS_MAX];
    unsigned worker_count, parked_count;
    struct exchange_result *results, *free_results; /* all, and those given back */
    unsigned results_used;
    bool exchanged; /* in this block */
    uint64_t random;
    bool ready_first;
    unsigned char *shared;
    unsigned barriers; /* completed, in this block */
    bool any[2]; /* of the threads at the barrier, by turns as the tokens */
    time_t spins_since;
    bool watched; /* fibers_are_watched() */
    bool is_one_of_many; /* others run beside it */
    bool takes_turns;    /* with others on its thread */
    char begin_token, end_token, barrier_tokens[2];
    unsigned copy_counts[THREADS_MAX];
    struct emulated_copy copies[THREADS_MAX][COPIES_MAX]; /* under way */
    struct slot slots[EMULATED_SLOTS_MAX];
};

/* The calling operating-system thread's; NULL outside of processor_run. */
extern _Thread_local struct processor *running_processor __attribute__((tls_model("initial-exec")));

/* As processor_run, out of a fiber. */
void processor_run_from(struct processor *processor, const struct launch *launch, unsigned block,
                        struct fiber *caller);
/* turns.c: let the next block that has not ended go on. False: the running one takes no turns. */
bool turns_pass(void);

/* Suspend the running thread until another one makes it ready. */
void processor_wait(struct processor *processor, enum waiting waiting);
/* Make `count` threads from `first` on ready; the running one must be among them. */
void processor_release(struct processor *processor, unsigned first, unsigned count);
/* Let another thread run; the running one is ready. */
void processor_yield(struct processor *processor);
/* The same for one that looks for what others are to do. False: all others wait. */
bool processor_pass(struct processor *processor);

/* Abort when the running thread has copies under way. */
void copies_end(const struct processor *processor);

/* Forget the block's slots; abort when one has copies under way. */
void slots_end(struct processor *processor);

/* Forget what the threads hold of finished exchanges; abort when one is unfinished. */
void exchanges_end(struct processor *processor);

#endif
