/* Fills, queued in streams. */
#include "emulated_driver/internal.h"

#include <string.h>

struct fill {
    CUdeviceptr address;
    size_t bytes;
    unsigned char value;
};

static void fill_piece(void *context, unsigned char *alias, size_t bytes)
{
    memset(alias, ((const struct fill *)context)->value, bytes);
}

static CUresult run_fill(void *payload)
{
    struct fill *fill = payload;
    if (!memory_visit(fill->address, fill->bytes, fill_piece, fill))
        emulated_abort("a queued fill uses device memory at %#llx that is gone", fill->address);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream)
{
    API_BEGIN(cuMemsetD8Async);
    if ((result = context_check()) != CUDA_SUCCESS || bytes == 0)
        goto end;
    if (!memory_is_accessible(address, bytes))
        API_FAIL(misuse("cuMemsetD8Async of [%#llx, +%zu): not allocated", address, bytes));
    struct operation *operation = stream_append(stream, run_fill, NULL, sizeof(struct fill));
    if (!operation)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    operation->begin[0] = address;
    operation->end[0] = address + bytes;
    *(struct fill *)operation->payload = (struct fill){address, bytes, value};
    API_END;
}
