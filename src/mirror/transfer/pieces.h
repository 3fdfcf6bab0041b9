/* pieces.h - a transfer cut into what one copy moves: some whole rows, or a part of one long row. In
 * staging a piece's rows follow each other without gaps. */
#ifndef MUBLAS_PIECES_H
#define MUBLAS_PIECES_H

#include "mirror/transfer/transfer.h"

struct piece {
    size_t row, rows;
    size_t column, width; /* bytes */
};

/* Rows that follow each other without gaps on both sides become one long row. */
void transfer_join_rows(struct transfer *transfer);

/* Advance to the next piece, of at most STAGING_PIECE_BYTES; all zero stands before the first. */
bool piece_next(const struct transfer *transfer, struct piece *piece);

/* The same transfer in pieces of about equal length, at most `most` bytes, that can be had in any order:
 * how many there are, and that of an index below. */
size_t pieces_count(const struct transfer *transfer, size_t most);
struct piece piece_at(const struct transfer *transfer, size_t most, size_t index);

/* A piece in slices of about `most` bytes: advance to the next, as piece_next. Where it lies in the
 * piece's staging. */
bool piece_next_slice(const struct piece *piece, size_t most, struct piece *slice);
size_t piece_slice_offset(const struct piece *piece, const struct piece *slice);

/* Between program memory and staging: by any thread. Of program memory only what the clip leaves is
 * touched. The second is for threads that the program does not know of: nothing that stands in for its
 * memcpy sees them. */
void piece_pack(unsigned char *packed, const struct transfer *transfer, const struct piece *piece);
void piece_unpack(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed);
void piece_unpack_unseen(const struct transfer *transfer, const struct piece *piece,
                         const unsigned char *packed);

/* May a thread of mublas' own pack the piece, or unpack it (memory_reach.h)? */
bool piece_is_reachable(const struct transfer *transfer, const struct piece *piece, bool up);

/* Queue the copy between staging and the device: by the thread that is inside the device. */
enum status piece_send(const struct transfer *transfer, const struct piece *piece,
                       const unsigned char *packed);
enum status piece_fetch(const struct transfer *transfer, const struct piece *piece, unsigned char *packed);

#endif
