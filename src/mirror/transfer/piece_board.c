#include "mirror/transfer/piece_board.h"

#include "common/futex.h"

#include <limits.h>

/* Some microseconds, less than it takes to sleep and be woken. */
enum { SPINS = 100 };

static void relax(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

bool piece_board_take(struct piece_board *board, unsigned *piece)
{
    unsigned now = atomic_load(&board->taken);
    while (now < atomic_load(&board->allowed) && !atomic_load(&board->closed))
        if (atomic_compare_exchange_weak(&board->taken, &now, now + 1)) {
            *piece = now;
            return true;
        }
    return false;
}

void piece_board_finish(struct piece_board *board, unsigned piece)
{
    atomic_store(&board->finished_in_room[piece % LANE_ROOMS], piece + 1);
    atomic_fetch_add(&board->finished, 1);
    if (atomic_load(&board->owner_sleeps))
        futex_wake(&board->finished, 1);
}

static bool is_over(struct piece_board *board)
{
    return atomic_load(&board->closed) || atomic_load(&board->taken) >= board->pieces;
}

/* Who sleeps is counted before the futex looks at the word, and the word changes before those are counted. */
bool piece_board_await(struct piece_board *board, unsigned *piece)
{
    for (;;) {
        const unsigned seen = atomic_load(&board->news);
        for (int i = 0; i < SPINS; i++) {
            if (piece_board_take(board, piece))
                return true;
            if (is_over(board))
                return false;
            relax();
        }
        atomic_fetch_add(&board->listeners, 1);
        futex_wait(&board->news, seen, NULL);
        atomic_fetch_sub(&board->listeners, 1);
    }
}

static void tell(struct piece_board *board, int helpers)
{
    atomic_fetch_add(&board->news, 1);
    if (atomic_load(&board->listeners) > 0)
        futex_wake(&board->news, helpers);
}

void piece_board_allow(struct piece_board *board, unsigned allowed)
{
    const unsigned before = atomic_exchange(&board->allowed, allowed);
    if (allowed > before)
        tell(board, allowed < board->pieces ? (int)(allowed - before) : INT_MAX);
}

void piece_board_close(struct piece_board *board)
{
    atomic_store(&board->closed, true);
    tell(board, INT_MAX);
}

bool piece_board_is_finished(const struct piece_board *board, unsigned piece)
{
    return atomic_load(&board->finished_in_room[piece % LANE_ROOMS]) == piece + 1;
}

void piece_board_await_finish(struct piece_board *board, unsigned piece)
{
    for (int i = 0; i < SPINS && !piece_board_is_finished(board, piece); i++)
        relax();
    atomic_store(&board->owner_sleeps, true);
    for (;;) {
        const unsigned seen = atomic_load(&board->finished);
        if (piece_board_is_finished(board, piece))
            break;
        futex_wait(&board->finished, seen, NULL);
    }
    atomic_store(&board->owner_sleeps, false);
}
