/* transfer.h - transfers between program memory and the device, and their engine: rows of program memory
 * through a lane's pinned staging, in pieces.
 *
 * One thread packs one piece while another is on its way. Long transfers have helpers (own_thread.h), for
 * one thread packs at a fraction of the link's speed. A piece is some whole rows, or a part of one long
 * row; in staging its rows follow each other without gaps.
 *
 * Short copies fill one half of staging after the other, from its beginning on, with an event behind each
 * half. Transfers by several threads take slots, equal pieces of both halves, one after the other in a
 * ring, with an event behind each copy. Either finds what the other has left on its way. Called by whoever
 * has the lane, inside its device.
 *
 * In a shared transfer all pack pieces into free slots, or unpack pieces that have landed, in any order;
 * the calling thread alone talks to the driver: it queues the copies in the pieces' order, and has a slot
 * used again only when the event behind it is past. On the way down the copies of the next pieces are
 * queued before one is unpacked, and no byte of program memory is written before the event behind its copy,
 * and so everything that was queued before it, has come without error. A piece that a helper may not touch
 * is the calling thread's. After an error no more pieces are taken, those in hand are waited for, and
 * staging is doubtful.
 *
 * A piece_queue says which pieces are taken, by the thread that has the transfer and by its helpers, and
 * which are finished. Pieces count from 0 on and are taken in order. A piece may be taken once the owner,
 * who alone calls the driver, has allowed it: its slot is free (upload) or it has landed (download). A slot
 * is a piece's from then until the owner allows the piece that comes LANE_SLOTS later. Nothing blocks but
 * the awaits, which sleep. */
#ifndef MUBLAS_TRANSFER_H
#define MUBLAS_TRANSFER_H

#include "common/blas_call.h"
#include "common/own_thread.h"
#include "gpu/lane.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Transfers between program memory and the device: through a lane's pinned staging, and
 * directly if the program's memory is pinned or the device uses the host's page tables (direct.c).
 *
 * The direct forms queue and return; the staged forms may wait inside. A staged upload has read all of
 * `source` when it returns; a staged download has written all of `destination` when it returns, and writes
 * exactly the given elements and no byte between them.
 *
 * Write-back must touch exactly the elements a routine writes (another thread may own the rest), by 2-D
 * copies: triangle_cover gives them as few strips. A triangle of order n is a band next to the diagonal,
 * which with a pitch of (ld + 1) elements is one strip, and a rectangle per block of columns; strips may
 * overlap (equal bytes).
 *
 * part_upload and part_download choose the way: by DMA if the program has pinned the matrix
 * (operands_are_pinned_by_program), else by staging. Once the driver has refused such a copy, as of memory
 * pinned in several pieces, all goes by staging. */

/* One staged copy. A download of at most this many bytes reaches host memory whole or,
 * on failure, not at all. */
enum { STAGING_PIECE_BYTES = 2 << 20 };

/* `height` rows of `width` bytes, `pitch` bytes apart (a plain range: height 1). */
struct strip {
    size_t offset; /* bytes from a base address that host and device share */
    size_t width, height, pitch;
};

enum status staging_upload(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                           const void *source, size_t source_pitch, size_t width, size_t height);
enum status staging_download(struct lane *lane, void *destination, size_t destination_pitch,
                             CUdeviceptr source, size_t source_pitch, size_t width, size_t height);

/* The elements of matrix->part only (a triangle part must be square): of host memory nothing else is
 * read or written, since it may be unreadable; on the device an upload leaves the rest of the
 * matrix's rows undefined. *touched (may be NULL) becomes true once host memory has been written. */
enum status staging_upload_part(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                                const struct blas_matrix *matrix, size_t element_bytes);
enum status staging_download_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                                  int64_t source_ld, size_t element_bytes, bool *touched);

/* A device that another process has may go away in the middle of a result's way home, and an operand that was
 * also read would be lost. So what such results take the place of is copied to private memory while the device
 * works, and put back where not all comes home (originals.c). Nothing is done for a device of this process's own,
 * or if there is no room, or on a thread of mublas' own for memory that it may not read. One call of a lane at a
 * time, by its thread. */

/* The elements of a matrix, or of its part, are to be kept. `is_alone`: the call has no other such result, so nothing
 * is done for one that comes whole or not at all. */
void originals_note(struct lane *lane, const struct blas_matrix *matrix, size_t element_bytes, bool is_alone);

/* All that were noted: helpers begin to copy them; the calling thread copies what they have not, before a byte of
 * the program's is written. */
void originals_begin(struct lane *lane);
void originals_await(struct lane *lane);
bool originals_have(const struct lane *lane, const struct blas_matrix *matrix);

/* Puts all back as it was. False: it was not kept, or cannot be written. */
bool originals_restore(struct lane *lane);

/* The call has ended, however: nothing is noted any more. */
void originals_forget(struct lane *lane);

/* The same rectangles by DMA from or to pinned program memory. Rows are queued one by one if a pitch is
 * larger than this, and some of them may be when one is refused. */
enum { STAGING_PITCH_MOST = 0x7fffffff }; /* of a 2-D copy, CU_DEVICE_ATTRIBUTE_MAX_PITCH */
enum status staging_upload_direct(struct lane *lane, CUdeviceptr destination, size_t destination_pitch,
                                  const void *source, size_t source_pitch, size_t width, size_t height);
enum status staging_download_direct(struct lane *lane, void *destination, size_t destination_pitch,
                                    CUdeviceptr source, size_t source_pitch, size_t width, size_t height);

/* A BLAS vector to or from contiguous device memory (increment 1, first element
 * first). Only its elements are read or written. */
enum status staging_upload_vector(struct lane *lane, CUdeviceptr destination,
                                  const struct blas_vector *vector, size_t element_bytes);
enum status staging_download_vector(struct lane *lane, const struct blas_vector *vector, CUdeviceptr source,
                                    size_t element_bytes);

/* The same without a transfer: elements to and from `packed`, the first one first. */
void staging_pack_vector(void *packed, const struct blas_vector *vector, size_t element_bytes);
void staging_unpack_vector(const struct blas_vector *vector, const void *packed, size_t element_bytes);

typedef int strip_visitor(void *context, const struct strip *strip);

/* Call `visit` for strips that together cover exactly the elements of
 * matrix->part; offsets count from element (0, 0). Stops at the first nonzero
 * answer and returns it; else 0. */
int triangle_cover(const struct blas_matrix *matrix, size_t element_bytes, strip_visitor *visit,
                   void *context);

/* As staging_upload_part. Pinned memory is read until the stream has been waited for. */
enum status part_upload(struct lane *lane, CUdeviceptr destination, int64_t destination_ld,
                        const struct blas_matrix *matrix, size_t element_bytes, bool is_pinned);

/* As staging_download_part: all of it is home on return. Not STATUS_OK: pinned memory may be written to until
 * the stream has been waited for. */
enum status part_download(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_pinned, bool *touched);

/* Only the bytes [low + r * low_step, high + r * high_step) of row r are the program's to be read or
 * written: others may lie in memory that cannot even be read. */
struct clip {
    size_t low, low_step, high, high_step;
};

/* `height` rows of `width` bytes between program memory and the device. Rows of a
 * vector with negative increment go backwards on the host, so its pitch is signed. */
struct transfer {
    struct lane *lane;
    CUdeviceptr device;
    size_t device_pitch;
    unsigned char *host;
    ptrdiff_t host_pitch;
    size_t width, height;
    const struct clip *clip; /* NULL: whole rows */
    bool *touched;
};

/* Pack and queue; all of the host's rows have been read on return. The device's bytes that the clip leaves
 * out are undefined. The pitches are changed where rows join. */
enum status transfer_upload(struct transfer *transfer);

/* Complete on return. Waits for everything queued on the stream before. */
enum status transfer_download(struct transfer *transfer);

/* Several of one lane, one after the other or with helpers at once; the first failure ends it. On a thread of
 * mublas' own STATUS_INACCESSIBLE, with nothing done: memory that the program's thread alone may touch. */
enum { TRANSFER_TOGETHER_MOST = 16 };
enum status transfer_upload_all(struct transfer *transfers, unsigned count);
enum status transfer_download_all(struct transfer *transfers, unsigned count);

/* The matrix's part in as many transfers as it takes, not yet joined; clips belong to them. */
enum { TRANSFERS_OF_PART = TRANSFER_TOGETHER_MOST };
unsigned transfers_of_part(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr device,
                           int64_t device_ld, size_t element_bytes,
                           struct transfer transfers[TRANSFERS_OF_PART],
                           struct clip clips[TRANSFERS_OF_PART]);

/* direct.c: these without staging, on a device that uses the host's page tables. False, and nothing was done:
 * it does not, or the rows are narrow or clipped, or all of them are no more than a download delivers whole
 * or not at all, or a byte cannot be reached without a signal, or the program has pinned some, or the driver
 * refuses. True: all is read, or written, or *status says why not. The second: the transfers are the matrix's
 * triangle, in blocks. */
bool direct_run(const struct transfer *transfers, unsigned count, bool up, enum status *status);
bool direct_run_triangle(const struct blas_matrix *matrix, int64_t device_ld, size_t element_bytes,
                         const struct transfer *transfers, unsigned count, bool up, enum status *status);

/* One transfer, by the calling thread alone. */
enum status transfer_upload_alone(struct transfer *transfer);
enum status transfer_download_alone(struct transfer *transfer);

/* All rows to and from memory where they follow each other without gaps; the clip is not looked at. */
void transfer_pack(void *packed, const struct transfer *transfer);
void transfer_unpack(const struct transfer *transfer, const void *packed);

/* A transfer cut into what one copy moves: some whole rows, or a part of one long row. In
 * staging a piece's rows follow each other without gaps. */
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

/* Several transfers in pieces that are numbered through. */
enum { NUMBERED_TRANSFERS_MOST = 2 * TRANSFER_TOGETHER_MOST };
struct numbered_pieces {
    struct transfer transfers[NUMBERED_TRANSFERS_MOST]; /* their clips lie below */
    struct clip clips[NUMBERED_TRANSFERS_MOST];
    unsigned count, ends[NUMBERED_TRANSFERS_MOST]; /* one more than the last piece of each */
};

/* False, and nothing is added: too many. */
bool numbered_pieces_add(struct numbered_pieces *numbered, const struct transfer *transfers, unsigned count);

/* Joins rows and counts the pieces of all; false: too many. */
bool numbered_pieces_count(struct numbered_pieces *numbered, unsigned *pieces);

/* The piece of a number, and the transfer that it belongs to, whose clip belongs to `numbered`. */
struct transfer numbered_pieces_find(const struct numbered_pieces *numbered, unsigned index, struct piece *piece);

/* A piece in slices of about `most` bytes: advance to the next, as piece_next. The second: the slice's place
 * in the piece's staging. */
bool piece_next_slice(const struct piece *piece, size_t most, struct piece *slice);
size_t piece_slice_offset(const struct piece *piece, const struct piece *slice);

/* Between program memory and staging: by any thread. Only the bytes of program memory that the clip leaves
 * are touched. The second is for threads that the program does not know of: nothing that stands in for its
 * memcpy sees them. */
void piece_pack(unsigned char *packed, const struct transfer *transfer, const struct piece *piece);
void piece_unpack(const struct transfer *transfer, const struct piece *piece, const unsigned char *packed);
void piece_unpack_unseen(const struct transfer *transfer, const struct piece *piece,
                         const unsigned char *packed);

/* May a thread of mublas' own pack the piece, or unpack it (mapping.h)? */
bool piece_is_reachable(const struct transfer *transfer, const struct piece *piece, bool up);

/* Queue the copy between staging and the device: by the thread that is inside the device. */
enum status piece_send(const struct transfer *transfer, const struct piece *piece,
                       const unsigned char *packed);
enum status piece_fetch(const struct transfer *transfer, const struct piece *piece, unsigned char *packed);

enum { STAGING_SLOT_BYTES = LANE_STAGING_BYTES / LANE_SLOTS };

/* After a failed transfer copies from or to staging may still be under way: wait for them. */
enum status staging_slots_settle(struct lane *lane, const char *what);

/* May copies that were queued before still use staging? */
bool staging_slots_are_in_use(const struct lane *lane);

/* Rooms from *first on, in the order in which they become free; until staging_slots_end no short copy. */
enum status staging_slots_begin(struct lane *lane, unsigned *first, const char *what);
void staging_slots_end(struct lane *lane, unsigned next);

unsigned char *staging_slot_address(const struct lane *lane, unsigned slot);

/* The copy that was queued last uses the slot. */
enum status staging_slot_use(struct lane *lane, unsigned slot, const char *what);

/* Have what was noted for the slot, or lies in its half, landed? With `wait` they have on STATUS_OK. */
enum status staging_slot_is_free(struct lane *lane, unsigned slot, bool wait, bool *is_free,
                                 const char *what);

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

/* Any thread: take the next allowed piece; false: there is none now. */
bool piece_queue_take(struct piece_queue *queue, unsigned *piece);
void piece_queue_finish(struct piece_queue *queue, unsigned piece);

/* A helper gives back a piece that it has taken: the owner is to do it, who alone may touch its memory. */
void piece_queue_refuse(struct piece_queue *queue, unsigned piece);
bool piece_queue_take_refused(struct piece_queue *queue, unsigned *piece);

/* Helpers take the next piece, or wait for it; false: all are taken, or the queue is closed. */
bool piece_queue_await(struct piece_queue *queue, unsigned *piece);

/* The owner's: pieces below `allowed` may be taken; no more pieces may be taken; has it been finished?
 * All that finished it is seen then. The last waits for a piece that somebody has taken, or for one to be
 * refused. */
void piece_queue_allow(struct piece_queue *queue, unsigned allowed);
void piece_queue_close(struct piece_queue *queue);
bool piece_queue_is_finished(const struct piece_queue *queue, unsigned piece);
void piece_queue_await_finish(struct piece_queue *queue, unsigned piece);

/* How many helpers are worth having for these transfers; 0: one thread does as well. */
int shared_transfer_helpers(const struct transfer *transfers, unsigned count);

/* As transfer_upload_all, or transfer_download_all, of transfers of one lane. False: there are no helpers
 * to be had now, and nothing was done. */
bool shared_transfer_run(const struct transfer *transfers, unsigned count, int helpers, bool up,
                         enum status *status);

/* May the calling thread move all of them? A thread of mublas' own may not touch all memory. */
bool transfers_are_reachable(const struct transfer *transfers, unsigned count, bool up);

#endif
