#include "unseen_device.h"

#include "driver_table.h"
#include "emulated_driver/emulated.h"

#include <pthread.h>

static struct driver cuda;
static CUcontext context;
static __typeof(emulated_has_dma) *has_dma; /* NULL: a real driver */

bool device_open(void)
{
    void *library = driver_table_open(&cuda, "libcuda.so.1");
    if (!library)
        return false;
    driver_look_up(library, "emulated_has_dma", &has_dma);
    return cuda.init(0) == CUDA_SUCCESS && cuda.primary_retain(&context, 0) == CUDA_SUCCESS;
}

bool device_can_tell(void)
{
    return !has_dma || has_dma();
}

struct request {
    enum { BRING, PIN, UNPIN } what;
    void *memory;
    const void *from;
    size_t bytes;
    bool good;
};

static bool bring(const struct request *request)
{
    CUstream stream;
    CUdeviceptr memory;
    if (cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
        cuda.memory_allocate(&memory, request->bytes) != CUDA_SUCCESS)
        return false;
    bool good = cuda.copy_to_device_async(memory, request->from, request->bytes, stream) == CUDA_SUCCESS &&
                cuda.stream_synchronise(stream) == CUDA_SUCCESS &&
                cuda.copy_to_host_async(request->memory, memory, request->bytes, stream) == CUDA_SUCCESS &&
                cuda.stream_synchronise(stream) == CUDA_SUCCESS;
    cuda.memory_free(memory);
    cuda.stream_destroy(stream);
    return good && memcmp(request->memory, request->from, request->bytes) == 0;
}

static void *serve(void *argument)
{
    struct request *request = argument;
    if (cuda.context_set_current(context) != CUDA_SUCCESS)
        return NULL;
    request->good = request->what == BRING ? bring(request)
                    : request->what == PIN ? cuda.pin(request->memory, request->bytes, 0) == CUDA_SUCCESS
                                           : cuda.unpin(request->memory) == CUDA_SUCCESS;
    return NULL;
}

static bool ask(struct request request)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, &request) != 0)
        return false;
    pthread_join(thread, NULL);
    return request.good;
}

bool device_bring(void *to, const void *from, size_t bytes)
{
    return ask((struct request){.what = BRING, .memory = to, .from = from, .bytes = bytes});
}

bool device_pin(void *memory, size_t bytes)
{
    return ask((struct request){.what = PIN, .memory = memory, .bytes = bytes});
}

bool device_unpin(void *memory)
{
    return ask((struct request){.what = UNPIN, .memory = memory});
}
