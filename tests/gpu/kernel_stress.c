#include "kernel_stress.h"

#include "gpu/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call's operands on the device: A and x once, a y for every run. */
struct stressed {
    CUdeviceptr a, x, y;
    unsigned char *all_y; /* the same on the host, before and after */
    size_t y_bytes, runs;
};

bool kernel_stress_begin(struct device *device, int64_t neighbour_n, struct kernel_stress *stress)
{
    const size_t vector = (size_t)neighbour_n * sizeof(float);
    *stress = (struct kernel_stress){.device = device};
    enum status status = lane_acquire(device, &stress->neighbour);
    for (int i = 0; i < STRESS_STREAMS && status == STATUS_OK; i++)
        status = lane_acquire(device, &stress->lanes[i]);
    if (status == STATUS_OK)
        status = device_allocate(device, vector * ((size_t)neighbour_n + 2), &stress->neighbour_memory);
    if (status != STATUS_OK) {
        fprintf(stderr, "stress: %s\n", status_text(status));
        kernel_stress_end(stress);
        return false;
    }
    const int64_t n = neighbour_n;
    unsigned char *a = (unsigned char *)(uintptr_t)stress->neighbour_memory;
    unsigned char *x = a + vector * (size_t)n, *y = x + vector;
    stress->neighbour_call = (struct blas_call){.family = FAMILY_GEMV, .type = TYPE_S, .m = n, .n = n,
                                                .alpha = {.s = 1}, .a = {a, n, n, n, PART_FULL},
                                                .x = {x, n, 1}, .y = {y, n, 1}};
    return true;
}

void kernel_stress_end(struct kernel_stress *stress)
{
    if (stress->neighbour_memory)
        device_free(stress->device, stress->neighbour_memory);
    for (int i = 0; i < STRESS_STREAMS; i++)
        if (stress->lanes[i])
            lane_release(stress->lanes[i]);
    if (stress->neighbour)
        lane_release(stress->neighbour);
}

static enum status upload(struct kernel_stress *stress, const void *bytes, size_t size, CUdeviceptr *address)
{
    struct lane *lane = stress->lanes[0];
    if (!bytes)
        return STATUS_OK;
    enum status status = device_allocate(stress->device, size, address);
    if (status == STATUS_OK)
        status = device_check(stress->device,
                              driver()->copy_to_device_async(*address, bytes, size, lane->stream),
                              "copying a stress operand");
    return status;
}

static enum status upload_all(struct kernel_stress *stress, const struct operands *operands,
                              struct stressed *all)
{
    for (size_t run = 0; run < all->runs; run++)
        memcpy(all->all_y + run * all->y_bytes, operands->y.bytes, all->y_bytes);
    enum status status = upload(stress, operands->a.bytes, operands->a.size, &all->a);
    if (status == STATUS_OK)
        status = upload(stress, operands->x.bytes, operands->x.size, &all->x);
    if (status == STATUS_OK)
        status = upload(stress, all->all_y, all->runs * all->y_bytes, &all->y);
    return status == STATUS_OK ? lane_synchronise(stress->lanes[0], "copying stress operands") : status;
}

static void *moved(const void *pointer, const struct operand_buffer *buffer, CUdeviceptr address)
{
    return (void *)(uintptr_t)(address + (CUdeviceptr)((const unsigned char *)pointer - buffer->bytes));
}

static struct blas_call call_of_run(const struct operands *operands, const struct stressed *all, size_t run)
{
    struct blas_call call = operands->call;
    if (operands->a.bytes)
        call.a.pointer = moved(call.a.pointer, &operands->a, all->a);
    call.y.pointer = moved(call.y.pointer, &operands->y, all->y + run * all->y_bytes);
    call.x.pointer = operands->x.bytes ? moved(call.x.pointer, &operands->x, all->x) : call.y.pointer;
    return call;
}

static enum status launch_all(struct kernel_stress *stress, const struct operands *operands,
                              struct launch_shape shape, const struct stressed *all)
{
    const struct launch_shape chosen = {.edge = 0};
    enum status status = launch(stress->neighbour, &stress->neighbour_call);
    for (size_t run = 0; run < all->runs && status == STATUS_OK; run++) {
        const struct blas_call call = call_of_run(operands, all, run);
        launch_shape_override(shape);
        status = launch(stress->lanes[run % STRESS_STREAMS], &call);
        launch_shape_override(chosen);
        if (status == STATUS_OK && run % STRESS_STREAMS == 0)
            status = launch(stress->neighbour, &stress->neighbour_call);
    }
    for (int i = 0; i < STRESS_STREAMS && status == STATUS_OK; i++)
        status = lane_synchronise(stress->lanes[i], "running a stressed kernel");
    return status == STATUS_OK ? lane_synchronise(stress->neighbour, "running the neighbour") : status;
}

static enum status download(struct kernel_stress *stress, struct stressed *all)
{
    enum status status = device_check(stress->device,
                                      driver()->copy_to_host_async(all->all_y, all->y,
                                                                   all->runs * all->y_bytes,
                                                                   stress->lanes[0]->stream),
                                      "copying stressed results");
    return status == STATUS_OK ? lane_synchronise(stress->lanes[0], "copying stressed results") : status;
}

static size_t count_differing(const struct operands *operands, const struct stressed *all,
                              const void *expected)
{
    const int64_t length = operands->call.y.length;
    void *result = calloc((size_t)length, 16);
    size_t differing = 0;
    if (!result)
        abort();
    for (size_t run = 0; run < all->runs; run++) {
        operands_result(operands, all->all_y + run * all->y_bytes, result);
        if (!results_equal(operands->call.type, expected, result, length))
            differing++;
    }
    free(result);
    return differing;
}

bool kernel_stress_run(struct kernel_stress *stress, const struct operands *operands,
                       struct launch_shape shape, unsigned repeats, const void *expected)
{
    struct stressed all = {.y_bytes = operands->y.size, .runs = (size_t)repeats * STRESS_STREAMS};
    size_t differing = 0;
    all.all_y = malloc(all.runs * all.y_bytes);
    if (!all.all_y)
        abort();
    enum status status = upload_all(stress, operands, &all);
    if (status == STATUS_OK)
        status = launch_all(stress, operands, shape, &all);
    if (status == STATUS_OK)
        status = download(stress, &all);
    if (status != STATUS_OK)
        fprintf(stderr, "stress: %s\n", status_text(status));
    else
        differing = count_differing(operands, &all, expected);
    if (differing)
        fprintf(stderr, "stress: %zu of %zu runs at once have other bits\n", differing, all.runs);
    const CUdeviceptr owned[] = {all.a, all.x, all.y};
    for (int i = 0; i < 3; i++)
        if (owned[i])
            device_free(stress->device, owned[i]);
    free(all.all_y);
    return status == STATUS_OK && differing == 0;
}
