#include "peer.h"
#include "../../timing.h"

#include <stdio.h>

struct peer peer;

void peer_expect(const char *call, int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "cusolver: %s failed with status %d\n", call, status);
    exit(1);
}

static void expect_device(const char *call, int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "cusolver: %s failed with status %d: no usable device?\n", call, status);
    exit(NOT_THERE);
}

static void *device_memory(size_t bytes)
{
    uint64_t address;
    peer_expect("cuMemAlloc", peer.cuda.allocate(&address, bytes ? bytes : 1));
    return (void *)(uintptr_t)address;
}

static uint64_t address_of(const void *device)
{
    return (uint64_t)(uintptr_t)device;
}

void peer_begin(struct run *run)
{
    void *context;
    int device;
    run->start = seconds_now();
    cuda_libraries_open(&peer.cuda);
    expect_device("cuInit", peer.cuda.initialise(0));
    expect_device("cuDeviceGet", peer.cuda.device(&device, 0));
    expect_device("cuDevicePrimaryCtxRetain", peer.cuda.retain_context(&context, device));
    expect_device("cuCtxSetCurrent", peer.cuda.set_context(context));
    expect_device("cuStreamCreate", peer.cuda.create_stream(&peer.stream, 0));
    expect_device("cusolverDnCreate", peer.cuda.create(&peer.handle));
    peer_expect("cusolverDnSetStream", peer.cuda.set_stream(peer.handle, peer.stream));
    peer_expect("cusolverDnCreateParams", peer.cuda.create_params(&peer.params));
    peer.info = device_memory(sizeof *peer.info);
}

void peer_ready(struct run *run)
{
    run->times[0] += seconds_now() - run->start;
}

void peer_need(const char *routine, bool there)
{
    if (there)
        return;
    fprintf(stderr, "cusolver: this library has no %s\n", routine);
    exit(NO_ROUTINE);
}

struct operand peer_operand(size_t count)
{
    struct operand operand = {.count = count, .device = device_memory(count * sizeof(double))};
    peer_expect("cuMemHostAlloc",
                peer.cuda.allocate_pinned(&operand.host, (count ? count : 1) * sizeof(double), 0));
    return operand;
}

struct work peer_work(size_t device_bytes, size_t host_bytes)
{
    return (struct work){.device = device_memory(device_bytes),
                         .host = allocate(host_bytes / sizeof(double) + 1),
                         .device_bytes = device_bytes,
                         .host_bytes = host_bytes};
}

void peer_up(const struct operand *operand)
{
    if (!operand->count)
        return;
    peer_expect("cuMemcpyHtoDAsync", peer.cuda.up(address_of(operand->device), operand->host,
                                                  operand->count * sizeof(double), peer.stream));
    peer_expect("the copy up", peer.cuda.wait(peer.stream));
}

void peer_down(const struct operand *operand, size_t count)
{
    if (count)
        peer_expect("cuMemcpyDtoHAsync", peer.cuda.down(operand->host, address_of(operand->device),
                                                        count * sizeof(double), peer.stream));
}

void peer_stop(struct run *run, const char *routine)
{
    int info = -1;
    peer_expect("cuMemcpyDtoHAsync", peer.cuda.down(&info, address_of(peer.info), sizeof info, peer.stream));
    peer_expect(routine, peer.cuda.wait(peer.stream));
    run_stop(run);
    expect_success(routine, info);
}
