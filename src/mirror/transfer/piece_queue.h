/* piece_queue.h - which pieces of a transfer are taken, by the thread that has it and by its helpers, and
 * which are finished.
 *
 * Pieces count from 0 on and are taken in order. A piece may be taken once the owner, who alone calls the
 * driver, has allowed it: its slot is free (upload) or it has landed (download). A slot is a piece's from
 * then until the owner allows the piece that comes LANE_SLOTS later. Nothing here blocks but the awaits,
 * which sleep. */
#ifndef MUBLAS_PIECE_QUEUE_H
#define MUBLAS_PIECE_QUEUE_H

#include "common/threads/job_helpers.h"
#include "gpu/lane.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Each helper refuses one, and no helper takes one afterwards. */
enum { PIECES_REFUSED_MOST = JOB_HELPERS_MOST };

struct piece_queue {
    unsigned pieces;
    atomic_uint allowed, taken, finished;     /* how many */
    atomic_uint finished_in_slot[LANE_SLOTS]; /* one more than the last piece's index; 0: none */
    atomic_uint refused[PIECES_REFUSED_MOST]; /* one more than the piece's index; 0: none */
    atomic_uint refused_count;
    unsigned taken_back;                      /* of them, by the owner */
    atomic_uint events;                       /* finished or refused, for an owner that sleeps */
    atomic_uint news, listeners;              /* of the owner's, for helpers that sleep */
    atomic_bool closed, owner_sleeps;
};

/* All zero but the number of pieces is a new queue. */

/* By anyone: take the next allowed piece; false: there is none now. */
bool piece_queue_take(struct piece_queue *queue, unsigned *piece);
void piece_queue_finish(struct piece_queue *queue, unsigned piece);

/* A helper gives back a piece that it has taken: the owner is to do it, who alone may touch its memory. */
void piece_queue_refuse(struct piece_queue *queue, unsigned piece);
bool piece_queue_take_refused(struct piece_queue *queue, unsigned *piece);

/* By helpers: false: all are taken, or the queue is closed. */
bool piece_queue_await(struct piece_queue *queue, unsigned *piece);

/* By the owner: pieces below `allowed` may be taken; no more pieces may be taken; has it been finished?
 * All that finished it is seen then. The last waits for a piece that somebody has taken, or for one to be
 * refused. */
void piece_queue_allow(struct piece_queue *queue, unsigned allowed);
void piece_queue_close(struct piece_queue *queue);
bool piece_queue_is_finished(const struct piece_queue *queue, unsigned piece);
void piece_queue_await_finish(struct piece_queue *queue, unsigned piece);

#endif
