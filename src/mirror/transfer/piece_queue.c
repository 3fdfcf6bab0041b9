#include "common/own_thread.h"
#include "mirror/transfer/transfer.h"

#include <limits.h>

/* Some microseconds, less than it takes to sleep and be woken. */
enum { SPINS = 100 };

bool piece_queue_take(struct piece_queue *queue, unsigned *piece)
{
    unsigned now = atomic_load(&queue->taken);
    while (now < atomic_load(&queue->allowed) && !atomic_load(&queue->closed))
        if (atomic_compare_exchange_weak(&queue->taken, &now, now + 1)) {
            *piece = now;
            return true;
        }
    return false;
}

static void tell_owner(struct piece_queue *queue)
{
    atomic_fetch_add(&queue->events, 1);
    if (atomic_load(&queue->owner_sleeps))
        futex_wake(&queue->events, 1);
}

void piece_queue_finish(struct piece_queue *queue, unsigned piece)
{
    atomic_store(&queue->finished_in_slot[piece % LANE_SLOTS], piece + 1);
    atomic_fetch_add(&queue->finished, 1);
    tell_owner(queue);
}

void piece_queue_refuse(struct piece_queue *queue, unsigned piece)
{
    atomic_store(&queue->refused[atomic_fetch_add(&queue->refused_count, 1)], piece + 1);
    tell_owner(queue);
}

static bool has_refused(struct piece_queue *queue)
{
    return queue->taken_back < PIECES_REFUSED_MOST && atomic_load(&queue->refused[queue->taken_back]) > 0;
}

bool piece_queue_take_refused(struct piece_queue *queue, unsigned *piece)
{
    if (!has_refused(queue))
        return false;
    *piece = atomic_load(&queue->refused[queue->taken_back++]) - 1;
    return true;
}

static bool is_over(struct piece_queue *queue)
{
    return atomic_load(&queue->closed) || atomic_load(&queue->taken) >= queue->pieces;
}

/* A sleeper is counted before the futex looks at the word; the word changes before the count is looked at. */
bool piece_queue_await(struct piece_queue *queue, unsigned *piece)
{
    for (;;) {
        const unsigned seen = atomic_load(&queue->news);
        for (int i = 0; i < SPINS; i++) {
            if (piece_queue_take(queue, piece))
                return true;
            if (is_over(queue))
                return false;
            pause_spin();
        }
        atomic_fetch_add(&queue->listeners, 1);
        futex_wait(&queue->news, seen, NULL);
        atomic_fetch_sub(&queue->listeners, 1);
    }
}

static void tell_helpers(struct piece_queue *queue, int helpers)
{
    atomic_fetch_add(&queue->news, 1);
    if (atomic_load(&queue->listeners) > 0)
        futex_wake(&queue->news, helpers);
}

void piece_queue_allow(struct piece_queue *queue, unsigned allowed)
{
    const unsigned before = atomic_exchange(&queue->allowed, allowed);
    if (allowed > before)
        tell_helpers(queue, allowed < queue->pieces ? (int)(allowed - before) : INT_MAX);
}

void piece_queue_close(struct piece_queue *queue)
{
    atomic_store(&queue->closed, true);
    tell_helpers(queue, INT_MAX);
}

bool piece_queue_is_finished(const struct piece_queue *queue, unsigned piece)
{
    return atomic_load(&queue->finished_in_slot[piece % LANE_SLOTS]) == piece + 1;
}

static bool is_awaited(struct piece_queue *queue, unsigned piece)
{
    return !piece_queue_is_finished(queue, piece) && !has_refused(queue);
}

void piece_queue_await_finish(struct piece_queue *queue, unsigned piece)
{
    for (int i = 0; i < SPINS && is_awaited(queue, piece); i++)
        pause_spin();
    atomic_store(&queue->owner_sleeps, true);
    for (;;) {
        const unsigned seen = atomic_load(&queue->events);
        if (!is_awaited(queue, piece))
            break;
        futex_wait(&queue->events, seen, NULL);
    }
    atomic_store(&queue->owner_sleeps, false);
}
