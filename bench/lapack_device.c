#include "lapack_device.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char roof_image[];

static CUevent begin, end;
static CUresult (*elapsed)(float *milliseconds, CUevent start, CUevent stop);

void lapack_fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("lapack: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS)
        lapack_fail("%s failed: %s", what, driver_error_name(result));
}

double lapack_device_time(const struct lapack_device *device, bool (*queue)(void *context), void *context)
{
    float milliseconds = -1;
    must(driver()->stream_synchronise(device->stream), "waiting");
    must(driver()->event_record(begin, device->stream), "recording an event");
    const bool good = queue(context);
    must(driver()->event_record(end, device->stream), "recording an event");
    must(driver()->event_synchronise(end), "waiting");
    must(elapsed(&milliseconds, begin, end), "reading a time");
    return good ? 1e-3 * (double)milliseconds : -1;
}

/* A pass of the roof kernel (bench/kernels/roof.cu). */
struct pass {
    CUfunction function;
    CUdeviceptr memory, sink;
    uint64_t words;
    CUstream stream;
};

static bool queue_pass(void *context)
{
    enum { UNROLL = 8, THREADS = 256 };
    struct pass *const pass = context;
    void *parameters[] = {&pass->memory, &pass->words, &pass->sink};
    return driver()->launch_kernel(pass->function, (unsigned)(pass->words / (UNROLL * THREADS)), 1, 1,
                                   THREADS, 1, 1, 0, pass->stream, parameters, NULL) == CUDA_SUCCESS;
}

/* Over 1 GiB, the best of some turns. */
static double read_bandwidth(const struct lapack_device *device)
{
    enum { TURNS = 9 };
    const size_t bytes = (size_t)1 << 30;
    struct pass pass = {.words = bytes / 16, .stream = device->stream};
    void *memory = NULL;
    CUmodule module;
    double least = 0;
    if (memcmp(roof_image, "mublas:", 7) == 0 || driver()->module_load(&module, roof_image) != CUDA_SUCCESS ||
        driver()->module_function(&pass.function, module, "roof_read_8") != CUDA_SUCCESS ||
        mublas_device_allocate(device->handle, bytes + 256, &memory) != MUBLAS_SUCCESS)
        return 0;
    pass.memory = (CUdeviceptr)(uintptr_t)memory;
    pass.sink = pass.memory + bytes;
    for (int turn = 0; turn < TURNS; turn++) {
        const double seconds = lapack_device_time(device, queue_pass, &pass);
        least = turn == 0 || seconds < least ? seconds : least;
    }
    mublas_device_free(device->handle, memory);
    return least > 0 ? (double)bytes / least : 0;
}

struct lapack_device lapack_device_open(void)
{
    struct lapack_device device = {0};
    CUcontext context;
    CUdevice number;
    if (driver_open() != STATUS_OK || driver()->init(0) != CUDA_SUCCESS ||
        driver()->device_get(&number, 0) != CUDA_SUCCESS)
        lapack_fail("there is no CUDA device");
    driver()->device_name(device.name, sizeof device.name, number);
    must(driver()->primary_retain(&context, number), "retaining the context");
    must(driver()->context_push(context), "entering the context");
    void *const symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuEventElapsedTime");
    memcpy(&elapsed, &symbol, sizeof elapsed);
    if (!elapsed)
        lapack_fail("the driver has no cuEventElapsedTime");
    must(driver()->event_create(&begin, 0), "creating an event");
    must(driver()->event_create(&end, 0), "creating an event");
    must(driver()->stream_create(&device.stream, CU_STREAM_NON_BLOCKING), "creating a stream");
    if (mublas_create(&device.handle) != MUBLAS_SUCCESS)
        lapack_fail("%s", mublas_last_error(NULL));
    if (mublas_set_stream(device.handle, device.stream) != MUBLAS_SUCCESS)
        lapack_fail("%s", mublas_last_error(device.handle));
    device.bandwidth = read_bandwidth(&device);
    return device;
}
