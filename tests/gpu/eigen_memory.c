#include "eigen_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256 };

void eigen_memory_take(struct eigen_memory *memory, int operand, size_t bytes)
{
    const size_t first = memory->bytes > 0 ? memory->bytes : GUARD;
    memory->operands[operand].first = first;
    memory->operands[operand].bytes = bytes;
    memory->bytes = first + device_aligned(bytes) + GUARD;
}

enum status eigen_memory_make(struct lane *lane, struct eigen_memory *memory)
{
    memory->lane = lane;
    memory->host = malloc(memory->bytes);
    memory->sent = malloc(memory->bytes);
    memory->allowed = calloc(memory->bytes, 1);
    if (!memory->host || !memory->sent || !memory->allowed)
        abort();
    memset(memory->host, 0xff, memory->bytes);
    return device_allocate(lane->device, memory->bytes, &memory->device);
}

void *eigen_memory_host(const struct eigen_memory *memory, int operand)
{
    return memory->host + memory->operands[operand].first;
}

CUdeviceptr eigen_memory_address(const struct eigen_memory *memory, int operand)
{
    return memory->device + memory->operands[operand].first;
}

void eigen_memory_allow(struct eigen_memory *memory, int operand)
{
    eigen_memory_allow_part(memory, operand, 0, memory->operands[operand].bytes);
}

void eigen_memory_allow_part(struct eigen_memory *memory, int operand, size_t first, size_t bytes)
{
    memset(memory->allowed + memory->operands[operand].first + first, 1, bytes);
}

enum status eigen_memory_send(struct eigen_memory *memory)
{
    memcpy(memory->sent, memory->host, memory->bytes);
    return device_check(memory->lane->device,
                        driver()->copy_to_device_async(memory->device, memory->sent, memory->bytes,
                                                       memory->lane->stream),
                        "copying operands to the device");
}

enum status eigen_memory_fetch(struct eigen_memory *memory, const char *what)
{
    enum status status = device_check(memory->lane->device,
                                      driver()->copy_to_host_async(memory->host, memory->device,
                                                                   memory->bytes, memory->lane->stream),
                                      "copying results to the host");
    if (status == STATUS_OK)
        status = lane_synchronise(memory->lane, what);
    for (size_t i = 0; i < memory->bytes && status == STATUS_OK; i++)
        if (!memory->allowed[i] && memory->host[i] != memory->sent[i]) {
            fprintf(stderr, "%s: writes what it must not, byte %zu of its operands\n", what, i);
            status = STATUS_DEVICE_ERROR;
        }
    return status;
}

void eigen_memory_free(struct eigen_memory *memory)
{
    if (memory->device)
        device_free(memory->lane->device, memory->device);
    free(memory->host);
    free(memory->sent);
    free(memory->allowed);
}
