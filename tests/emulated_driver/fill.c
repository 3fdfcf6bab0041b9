/* Fills, queued in streams. */
#include "emulated_driver/internal.h"

#include <string.h>

struct fill {
    CUdeviceptr address;
    size_t pitch, bytes, rows;
    unsigned value;
};

/* Words begin at multiples of their size, and so do the pieces of an allocation. */
static void fill_piece(void *context, unsigned char *alias, size_t bytes)
{
    const struct fill *fill = context;
    for (size_t i = 0; i < bytes; i++)
        alias[i] = (unsigned char)(fill->value >> i % sizeof fill->value * 8);
}

static CUresult run_fill(void *payload)
{
    struct fill *fill = payload;
    for (size_t row = 0; row < fill->rows; row++)
        if (!memory_visit(fill->address + row * fill->pitch, fill->bytes, fill_piece, fill))
            emulated_abort("a queued fill uses device memory at %#llx that is gone", fill->address);
    return CUDA_SUCCESS;
}

static CUresult enqueue(const struct fill *fill, CUstream stream)
{
    for (size_t row = 0; row < fill->rows; row++)
        if (!memory_is_accessible(stream_context(stream), fill->address + row * fill->pitch, fill->bytes))
            return misuse("a fill of [%#llx, +%zu): not allocated for its device", fill->address + row * fill->pitch, fill->bytes);
    struct operation *operation = stream_append(stream, run_fill, NULL, sizeof *fill);
    if (!operation)
        return CUDA_ERROR_INVALID_HANDLE;
    operation->begin[0] = fill->address;
    operation->end[0] = fill->address + (fill->rows - 1) * fill->pitch + fill->bytes;
    *(struct fill *)operation->payload = *fill;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream)
{
    API_BEGIN(cuMemsetD8Async);
    if ((result = context_check()) != CUDA_SUCCESS || bytes == 0)
        goto end;
    result = enqueue(&(struct fill){address, bytes, bytes, 1, value * 0x01010101u}, stream);
    API_END;
}

EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr address, size_t pitch, unsigned value, size_t words, size_t rows,
                                   CUstream stream)
{
    API_BEGIN(cuMemsetD2D32Async);
    if ((result = context_check()) != CUDA_SUCCESS || words == 0 || rows == 0)
        goto end;
    if (address % sizeof value != 0 || pitch % sizeof value != 0 || pitch < words * sizeof value)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    result = enqueue(&(struct fill){address, pitch, words * sizeof value, rows, value}, stream);
    API_END;
}
