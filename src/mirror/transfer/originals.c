/* Operands that results will overwrite are kept in private memory, for a device that another process has (transfer.h). */
#include "common/own_thread.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { KEPT_BYTES_MOST = 64 << 20, MATRICES_MOST = 8 };

/* The transfers' `device` is where their packed rows lie. Helpers have it in their own memory (own_thread.h). */
struct copying {
    struct numbered_pieces numbered;
    struct piece_queue queue;
};
_Static_assert(sizeof(struct copying) <= JOB_CONTEXT_BYTES, "too large for helpers");

struct originals {
    struct blas_matrix matrices[MATRICES_MOST];
    unsigned matrix_count;
    bool is_too_much, is_under_way, is_kept;
    struct copying copying;
    struct job_crew *crew;
};

static struct originals *originals_of(struct lane *lane)
{
    if (!lane->originals.notes)
        lane->originals.notes = calloc(1, sizeof *lane->originals.notes);
    return lane->originals.notes;
}

void originals_note(struct lane *lane, const struct blas_matrix *matrix, size_t element_bytes, bool is_alone)
{
    struct originals *const originals = driver_is_provided() ? originals_of(lane) : NULL;
    struct transfer transfers[TRANSFERS_OF_PART];
    struct clip clips[TRANSFERS_OF_PART];
    if (!originals)
        return;
    const unsigned count = transfers_of_part(lane, matrix, 0, matrix->rows, element_bytes, transfers, clips);
    if (is_alone && count == 1 && transfers->width * transfers->height <= STAGING_PIECE_BYTES)
        return;
    originals->is_too_much = originals->is_too_much || originals->matrix_count == MATRICES_MOST ||
                             !numbered_pieces_add(&originals->copying.numbered, transfers, count);
    if (!originals->is_too_much)
        originals->matrices[originals->matrix_count++] = *matrix;
}

static void give_back(struct original_memory *memory)
{
    if (memory->memory)
        munmap(memory->memory, memory->bytes);
    memory->memory = NULL;
    memory->bytes = 0;
}

/* Large pages, where the system gives them, are filled and returned in a fraction of the time. */
static bool reserve(struct original_memory *memory, size_t bytes)
{
    if (bytes <= memory->bytes)
        return true;
    give_back(memory);
    if (bytes > memory_available() / 2 || bytes > memory_room_in_groups() / 2)
        return false;
    void *const pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return false;
    madvise(pages, bytes, MADV_HUGEPAGE);
    memory->memory = pages;
    memory->bytes = bytes;
    return true;
}

/* Places for the packed rows of all, one behind the other. */
static bool deal(struct original_memory *memory)
{
    struct numbered_pieces *const numbered = &memory->notes->copying.numbered;
    size_t bytes = 0;
    for (unsigned i = 0; i < numbered->count; i++)
        bytes += device_aligned(numbered->transfers[i].width * numbered->transfers[i].height);
    if (bytes == 0 || !reserve(memory, bytes))
        return false;
    unsigned char *rows = memory->memory;
    for (unsigned i = 0; i < numbered->count; i++) {
        struct transfer *const transfer = &numbered->transfers[i];
        transfer->device = (uintptr_t)rows;
        transfer->device_pitch = transfer->width;
        rows += device_aligned(transfer->width * transfer->height);
    }
    return true;
}

static unsigned char *packed_of(const struct transfer *transfer, const struct piece *piece)
{
    return (unsigned char *)device_pointer(transfer->device) + piece->row * transfer->device_pitch + piece->column;
}

static void pack(struct copying *copying, unsigned index)
{
    struct piece piece;
    const struct transfer transfer = numbered_pieces_find(&copying->numbered, index, &piece);
    piece_pack(packed_of(&transfer, &piece), &transfer, &piece);
    piece_queue_finish(&copying->queue, index);
}

/* Until there are no more pieces, or one is for the calling thread alone. */
static void help(void *context, unsigned unused)
{
    struct copying *const copying = context;
    unsigned index;
    (void)unused;
    while (piece_queue_take(&copying->queue, &index)) {
        struct piece piece;
        const struct transfer transfer = numbered_pieces_find(&copying->numbered, index, &piece);
        if (!piece_is_reachable(&transfer, &piece, true)) {
            piece_queue_refuse(&copying->queue, index);
            break;
        }
        pack(copying, index);
    }
}

static void stop(void *context)
{
    struct copying *const copying = context;
    piece_queue_close(&copying->queue);
}

void originals_begin(struct lane *lane)
{
    struct originals *const originals = lane->originals.notes;
    unsigned pieces;
    if (!originals || originals->matrix_count == 0)
        return;
    struct copying *const copying = &originals->copying;
    struct numbered_pieces *const numbered = &copying->numbered;
    if (originals->is_too_much || !transfers_are_reachable(numbered->transfers, numbered->count, true) ||
        !deal(&lane->originals) || !numbered_pieces_count(numbered, &pieces)) {
        originals_forget(lane);
        return;
    }
    copying->queue = (struct piece_queue){.pieces = pieces};
    piece_queue_allow(&copying->queue, pieces);
    const int helpers = shared_transfer_helpers(numbered->transfers, numbered->count);
    const struct job job = {.work = help, .may = job_helpers_touch_nothing /* by the piece */, .stop = stop,
                            .context = copying, .context_bytes = sizeof *copying, .parts = (unsigned)helpers};
    originals->is_under_way = true;
    originals->crew = job_helpers_begin(&job, helpers);
}

static void pack_what_is_left(struct copying *copying)
{
    unsigned index;
    while (piece_queue_take_refused(&copying->queue, &index) || piece_queue_take(&copying->queue, &index))
        pack(copying, index);
}

/* A crew is lost by a jump amid the call, or in a child of fork: then the first copy of the queue has all pieces. */
static void end_crew(struct originals *originals, bool does_own_part)
{
    if (originals->crew && job_helpers_are_at(originals->crew)) {
        struct copying *const shared = job_helpers_context(originals->crew);
        if (does_own_part)
            pack_what_is_left(shared);
        piece_queue_close(&shared->queue);
        job_helpers_end(originals->crew, &originals->copying);
    }
    originals->crew = NULL;
    originals->is_under_way = false;
}

void originals_await(struct lane *lane)
{
    struct originals *const originals = lane->originals.notes;
    if (!originals || !originals->is_under_way)
        return;
    end_crew(originals, true);
    pack_what_is_left(&originals->copying);
    originals->is_kept = true;
}

static bool is_same(const struct blas_matrix *one, const struct blas_matrix *other)
{
    return one->pointer == other->pointer && one->rows == other->rows && one->columns == other->columns &&
           one->ld == other->ld && one->part == other->part;
}

bool originals_have(const struct lane *lane, const struct blas_matrix *matrix)
{
    const struct originals *const originals = lane->originals.notes;
    for (unsigned i = 0; originals && i < originals->matrix_count; i++)
        if (is_same(&originals->matrices[i], matrix))
            return originals->is_under_way || originals->is_kept;
    return false;
}

bool originals_restore(struct lane *lane)
{
    struct originals *const originals = lane->originals.notes;
    if (!originals || !originals->is_kept)
        return false;
    const struct numbered_pieces *const numbered = &originals->copying.numbered;
    if (!transfers_are_reachable(numbered->transfers, numbered->count, false))
        return false;
    for (unsigned index = 0; index < originals->copying.queue.pieces; index++) {
        struct piece piece;
        const struct transfer transfer = numbered_pieces_find(numbered, index, &piece);
        piece_unpack(&transfer, &piece, packed_of(&transfer, &piece));
    }
    return true;
}

void originals_forget(struct lane *lane)
{
    struct originals *const originals = lane->originals.notes;
    if (!originals || originals->matrix_count == 0)
        return;
    end_crew(originals, false);
    originals->copying.numbered.count = originals->matrix_count = 0;
    originals->is_too_much = originals->is_kept = false;
    if (lane->originals.bytes > KEPT_BYTES_MOST)
        give_back(&lane->originals);
}
