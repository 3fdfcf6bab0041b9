/* piece_board.h - which pieces of a transfer are taken, by the thread that has it and by its helpers, and
 * which are finished.
 *
 * Pieces count from 0 on and are taken in order. A piece may be taken once the owner, who alone calls the
 * driver, has allowed it: its room is free (upload) or it has landed (download). A room is a piece's from
 * then until the owner allows the piece that comes LANE_ROOMS later. Nothing here blocks but the awaits,
 * which sleep. */
#ifndef MUBLAS_PIECE_BOARD_H
#define MUBLAS_PIECE_BOARD_H

#include "gpu/lane.h"

#include <stdatomic.h>
#include <stdbool.h>

struct piece_board {
    unsigned pieces;
    atomic_uint allowed, taken, finished;     /* how many */
    atomic_uint finished_in_room[LANE_ROOMS]; /* one more than the last piece's index; 0: none */
    atomic_uint news, listeners;              /* of the owner's, for helpers that sleep */
    atomic_bool closed, owner_sleeps;
};

/* All zero but the number of pieces is a new board. */

/* By anyone: take the next allowed piece; false: there is none now. */
bool piece_board_take(struct piece_board *board, unsigned *piece);
void piece_board_finish(struct piece_board *board, unsigned piece);

/* By helpers: false: all are taken, or the board is closed. */
bool piece_board_await(struct piece_board *board, unsigned *piece);

/* By the owner: pieces below `allowed` may be taken; no more pieces may be taken; has it been finished?
 * What finished it is seen then. The last waits for a piece that somebody has taken. */
void piece_board_allow(struct piece_board *board, unsigned allowed);
void piece_board_close(struct piece_board *board);
bool piece_board_is_finished(const struct piece_board *board, unsigned piece);
void piece_board_await_finish(struct piece_board *board, unsigned piece);

#endif
