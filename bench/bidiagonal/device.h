/* device.h - the bench program's device: memory, the reduction's launches, and a deadline for what hangs. */
#ifndef BIDIAGONAL_DEVICE_H
#define BIDIAGONAL_DEVICE_H

#include "kernels.cu"
#include "reduction.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

#define MUST(call) must((int)(call), #call, __LINE__)
static void must(int result, const char *what, int line)
{
    if (result == 0)
        return;
    fprintf(stderr, "bidiagonal: line %d: %s: %d %s\n", line, what, result,
            cudaGetErrorString(cudaPeekAtLastError()));
    exit(1);
}

constexpr double PATIENCE_SECONDS = 5, PEER_PATIENCE_SECONDS = 40;

/* The one device. */
struct bench_device {
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusolverDnParams_t parameters;
    volatile unsigned *abort; /* pinned: kernels look at it while they wait for each other */
    int multiprocessors;
    int *info;
};
static bench_device device;

static double seconds_now()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void open_device()
{
    cudaDeviceProp properties;
    MUST(cudaSetDevice(0));
    MUST(cudaGetDeviceProperties(&properties, 0));
    device.multiprocessors = properties.multiProcessorCount;
    MUST(cudaStreamCreate(&device.stream));
    MUST(cublasCreate(&device.blas));
    MUST(cublasSetStream(device.blas, device.stream));
    MUST(cusolverDnCreate(&device.solver));
    MUST(cusolverDnSetStream(device.solver, device.stream));
    MUST(cusolverDnCreateParams(&device.parameters));
    MUST(cudaHostAlloc((void **)&device.abort, sizeof *device.abort, cudaHostAllocMapped));
    *device.abort = 0;
    MUST(cudaMalloc((void **)&device.info, sizeof *device.info));
    int clock_rate;
    MUST(cudaDeviceGetAttribute(&clock_rate, cudaDevAttrClockRate, 0));
    printf("# %s, %d multiprocessors, %d MHz at most\n", properties.name, device.multiprocessors,
           clock_rate / 1000);
}

template <typename T> static T *device_memory(size_t count)
{
    T *memory;
    MUST(cudaMalloc((void **)&memory, count * sizeof(T)));
    return memory;
}

/* Wait for the stream; past the deadline the kernels' waits end, and then the program. */
static void await_stream(const char *what, double patience = PATIENCE_SECONDS)
{
    const double start = seconds_now();
    cudaError_t state;
    while ((state = cudaStreamQuery(device.stream)) == cudaErrorNotReady) {
        const double waited = seconds_now() - start;
        if (waited > patience && *device.abort == 0) {
            fprintf(stderr, "bidiagonal: %s hangs: its waits are ended\n", what);
            *device.abort = 1;
        }
        if (waited > patience + PATIENCE_SECONDS)
            _exit(3);
    }
    MUST(state);
    if (*device.abort)
        exit(3);
}

typedef void panel_kernel(const bidiagonal_panel_arguments);
#define PANEL_KERNELS(pairs)                                     \
    {                                                            \
        bidiagonal_panel_##pairs, bidiagonal_panel_twice_##pairs \
    }
static panel_kernel *const panel_kernels[][2] = {PANEL_KERNELS(1), PANEL_KERNELS(2), PANEL_KERNELS(3),
                                                 PANEL_KERNELS(4), PANEL_KERNELS(5), PANEL_KERNELS(6),
                                                 PANEL_KERNELS(7), PANEL_KERNELS(8)};

/* A reduction with all that it needs on the device. */
struct device_reduction {
    bidiagonal_reduction of;
    bool twice;
    grid_gate *gates; /* one for each panel */
    std::vector<grid_gate> fresh_gates;
    double *workspace, *values; /* values: d, e, tauq, taup */
};

static int panel_count(const bidiagonal_reduction &of) { return (int)((of.n + of.nb - 1) / of.nb); }

static void allow_shared_memory(size_t bytes)
{
    for (auto &pair : panel_kernels)
        for (panel_kernel *kernel : pair)
            MUST(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)bytes));
}

static device_reduction make_reduction(int64_t m, int64_t n, double *a, int64_t lda, int nb, bool twice)
{
    device_reduction made = {};
    made.of.m = m, made.of.n = n, made.of.lda = lda, made.of.nb = nb;
    made.of.blocks = device.multiprocessors, made.of.ring = BIDIAGONAL_RING_MOST;
    made.of.a = a;
    made.twice = twice;
    const char *const refusal = bidiagonal_refusal(&made.of);
    if (refusal) {
        fprintf(stderr, "bidiagonal: m = %lld, n = %lld, nb = %d: %s\n", (long long)m, (long long)n, nb,
                refusal);
        exit(2);
    }
    const size_t count = bidiagonal_workspace(&made.of, NULL);
    made.workspace = device_memory<double>(count);
    bidiagonal_workspace(&made.of, made.workspace);
    made.values = device_memory<double>(4 * (size_t)n);
    made.of.d = made.values, made.of.e = made.values + n;
    made.of.tauq = made.values + 2 * n, made.of.taup = made.values + 3 * n;
    made.of.cycles = device_memory<unsigned long long>(BIDIAGONAL_PHASES);
    made.gates = device_memory<grid_gate>((size_t)panel_count(made.of));
    made.fresh_gates.resize((size_t)panel_count(made.of));
    for (grid_gate &gate : made.fresh_gates) {
        unsigned *abort;
        MUST(cudaHostGetDevicePointer((void **)&abort, (void *)device.abort, 0));
        gate.arrived = 0;
        gate.abort = abort;
    }
    allow_shared_memory(bidiagonal_shared_bytes(&made.of));
    return made;
}

static void free_reduction(device_reduction &made)
{
    MUST(cudaFree(made.workspace));
    MUST(cudaFree(made.values));
    MUST(cudaFree(made.of.cycles));
    MUST(cudaFree(made.gates));
}

/* Steps before the time starts. */
static void prepare(device_reduction &made)
{
    MUST(cudaMemcpyAsync(made.gates, made.fresh_gates.data(), made.fresh_gates.size() * sizeof(grid_gate),
                         cudaMemcpyHostToDevice, device.stream));
    MUST(cudaMemsetAsync(made.of.cycles, 0, BIDIAGONAL_PHASES * sizeof *made.of.cycles, device.stream));
    MUST(cudaMemsetAsync(made.values, 0, 4 * (size_t)made.of.n * sizeof(double), device.stream));
    await_stream("a copy");
}

/* Queue it all. `events`: NULL, or three for each panel: behind it, its results' way home and the product. */
static void queue_reduction(device_reduction &made, cudaEvent_t *events)
{
    for (int panel = 0; panel < panel_count(made.of); panel++) {
        const int64_t first = (int64_t)panel * made.of.nb;
        made.of.gate = made.gates + panel;
        bidiagonal_panel_arguments arguments = bidiagonal_panel_of(&made.of, first);
        const bidiagonal_store_arguments store = bidiagonal_store_of(&made.of, first);
        void *parameters[] = {&arguments};
        MUST(cudaLaunchCooperativeKernel(
            (const void *)panel_kernels[bidiagonal_pairs(arguments.rows) - 1][made.twice],
            dim3((unsigned)made.of.blocks), dim3(BIDIAGONAL_THREADS), parameters,
            bidiagonal_shared_bytes(&made.of), device.stream));
        if (events)
            MUST(cudaEventRecord(events[3 * panel], device.stream));
        bidiagonal_store<<<(unsigned)(2 * made.of.blocks), 256, 0, device.stream>>>(store);
        MUST(cudaGetLastError());
        if (events)
            MUST(cudaEventRecord(events[3 * panel + 1], device.stream));
        if (arguments.columns > made.of.nb) {
            const double minus = -1, one = 1;
            MUST(cublasDgemm(device.blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)arguments.rows - made.of.nb,
                             (int)arguments.columns - made.of.nb, 2 * made.of.nb, &minus,
                             made.of.vx + made.of.nb, (int)made.of.ldv,
                             made.of.yu + (int64_t)made.of.nb * 2 * made.of.nb, 2 * made.of.nb, &one,
                             store.a + made.of.nb * (made.of.lda + 1), (int)made.of.lda));
        }
        if (events)
            MUST(cudaEventRecord(events[3 * panel + 2], device.stream));
    }
}

#endif
