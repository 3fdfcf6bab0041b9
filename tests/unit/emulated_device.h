/* emulated_device.h - what the tests of the emulated driver share: the library opened,
 * a context, a stream, kernels by name. */
#ifndef MUBLAS_TESTS_EMULATED_DEVICE_H
#define MUBLAS_TESTS_EMULATED_DEVICE_H

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"
#include "emulated_driver/test_kernels.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    bool (*has_dma)(void);
    unsigned long (*call_count)(const char *);
    void (*set_faults)(const char *);
    void (*reset_primary)(void);
    void (*census)(struct emulated_census *);
    bool (*peek)(void *, CUdeviceptr, size_t);
    bool (*poke)(CUdeviceptr, const void *, size_t);
} emulated;
static CUcontext context;
static CUmodule module;
static CUstream stream;

static inline void open_library(void)
{
    void *library = open_cuda("emulated_peek",
                              "libcuda.so.1 is not the emulated driver; run through tests/run_emulated.sh");
    look_up(library, "emulated_has_dma", &emulated.has_dma);
    look_up(library, "emulated_call_count", &emulated.call_count);
    look_up(library, "emulated_set_faults", &emulated.set_faults);
    look_up(library, "emulated_reset_primary", &emulated.reset_primary);
    look_up(library, "emulated_census", &emulated.census);
    look_up(library, "emulated_peek", &emulated.peek);
    look_up(library, "emulated_poke", &emulated.poke);
}

static inline void open_device(void)
{
    open_library();
    MUST(cuda.init(0));
    MUST(cuda.primary_retain(&context, 0));
    MUST(cuda.context_push(context));
    MUST(cuda.module_load(&module, "mublas: no kernels needed"));
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
}

__attribute__((unused)) static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address;
    MUST(cuda.memory_allocate(&address, bytes));
    return address;
}

static inline bool all_are(const unsigned char *data, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (data[i] != value)
            return false;
    return true;
}

/* Queue a kernel of test_kernels.def. */
__attribute__((unused)) static CUresult queue_kernel(const char *name, unsigned blocks, unsigned threads,
                                                     unsigned shared_bytes,
                                                     struct emulated_test_arguments arguments)
{
    CUfunction function;
    void *parameters[] = {&arguments};
    CUresult result = cuda.module_function(&function, module, name);
    if (result != CUDA_SUCCESS)
        return result;
    return cuda.launch_kernel(function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, parameters, NULL);
}

__attribute__((unused)) static void *on_device(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* Run a function in a child with a fresh driver: what it wrote to standard error, and how
 * it ended: 0 well, a signal, or 256 + exit status (sanitizers exit). The parent must not
 * have opened the driver yet. */
__attribute__((unused)) static int run_apart(void (*function)(void), char *text, size_t room)
{
    int pipes[2], status;
    size_t used = 0;
    ssize_t got;
    fflush(stdout);
    if (pipe(pipes) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        function();
        _exit(0);
    }
    close(pipes[1]);
    while (used < room - 1 && (got = read(pipes[0], text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    return WEXITSTATUS(status) ? 256 + WEXITSTATUS(status) : 0;
}

#endif
