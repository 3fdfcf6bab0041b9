/* Results in private memory, on their way from a device that another process has (transfer.h). */
#include "common/own_thread.h"
#include "mirror/transfer/transfer.h"

#include <stdlib.h>

enum { KEPT_BYTES_MOST = 64 << 20 };

/* The head of a result in private memory, its packed rows behind it; aligned as parts of device
 * memory are. */
struct fetched {
    struct blas_matrix matrix;
    size_t bytes; /* with this head */
};

static size_t rows_at(void)
{
    return device_aligned(sizeof(struct fetched));
}

static bool reserve(struct result_memory *results, size_t bytes)
{
    const size_t wanted = results->used + bytes, more = wanted > results->bytes ? wanted - results->bytes : 0;
    if (more == 0)
        return true;
    if (more > memory_available() / 2 || more > memory_room_in_groups() / 2)
        return false;
    unsigned char *const grown = realloc(results->memory, wanted);
    if (!grown)
        return false;
    results->memory = grown;
    results->bytes = wanted;
    return true;
}

static size_t bytes_of(const struct transfer *transfers, unsigned count)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += transfers[i].width * transfers[i].height;
    return bytes;
}

enum status results_fetch(struct lane *lane, const struct blas_matrix *matrix, CUdeviceptr source,
                          int64_t source_ld, size_t element_bytes, bool is_alone)
{
    struct result_memory *const results = &lane->results;
    struct transfer transfers[TRANSFERS_OF_PART];
    struct clip clips[TRANSFERS_OF_PART];
    if (!driver_is_provided())
        return STATUS_OK;
    const unsigned count =
        transfers_of_part(lane, matrix, source, source_ld, element_bytes, transfers, clips);
    const size_t bytes = bytes_of(transfers, count), all = rows_at() + device_aligned(bytes);
    if (bytes == 0 || (is_alone && count == 1 && bytes <= STAGING_PIECE_BYTES) || !reserve(results, all))
        return STATUS_OK;
    struct fetched *const head = (struct fetched *)(results->memory + results->used);
    unsigned char *rows = results->memory + results->used + rows_at();
    *head = (struct fetched){*matrix, all};
    for (unsigned i = 0; i < count; i++) {
        transfers[i].host = rows;
        transfers[i].host_pitch = (ptrdiff_t)transfers[i].width;
        transfers[i].clip = NULL;
        rows += transfers[i].width * transfers[i].height;
    }
    const enum status status = transfer_download_all(transfers, count);
    results->used += status == STATUS_OK ? all : 0;
    return status;
}

static bool is_same(const struct blas_matrix *one, const struct blas_matrix *other)
{
    return one->pointer == other->pointer && one->rows == other->rows && one->columns == other->columns &&
           one->ld == other->ld && one->part == other->part;
}

static unsigned char *find(const struct result_memory *results, const struct blas_matrix *matrix)
{
    for (size_t at = 0; at < results->used;) {
        const struct fetched *const head = (const struct fetched *)(results->memory + at);
        if (is_same(&head->matrix, matrix))
            return results->memory + at + rows_at();
        at += head->bytes;
    }
    return NULL;
}

bool results_deliver(struct lane *lane, const struct blas_matrix *matrix, const struct transfer *transfers,
                     unsigned count, enum status *status)
{
    unsigned char *rows = find(&lane->results, matrix);
    struct transfer packed[TRANSFERS_OF_PART];
    if (!rows)
        return false;
    *status = transfers_are_reachable(transfers, count, false) ? STATUS_OK : STATUS_INACCESSIBLE;
    for (unsigned i = 0; i < count && *status == STATUS_OK; i++) {
        packed[i] = transfers[i];
        packed[i].device = (uintptr_t)rows;
        packed[i].device_pitch = transfers[i].width;
        rows += transfers[i].width * transfers[i].height;
        if (transfers[i].touched)
            *transfers[i].touched = true;
    }
    if (*status == STATUS_OK)
        shared_transfer_unpack(packed, count);
    return true;
}

void results_forget(struct lane *lane)
{
    struct result_memory *const results = &lane->results;
    results->used = 0;
    if (results->bytes <= KEPT_BYTES_MOST)
        return;
    free(results->memory);
    *results = (struct result_memory){.memory = NULL};
}
