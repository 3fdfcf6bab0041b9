/* A module that coherence loads when it begins to use CUDA: with it the name of the driver,
 * and the driver's use, come into the program. */
#include "coherence_device.h"

#include "driver_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static struct driver cuda;
static CUcontext context;
static int in_use; /* of enum device_use; set once all of the above is */

static bool open_driver(void)
{
    return driver_table_open(&cuda, "libcuda.so.1") && cuda.init(0) == CUDA_SUCCESS &&
           cuda.primary_retain(&context, 0) == CUDA_SUCCESS;
}

static bool begin(int uses)
{
    bool good = cuda.init || open_driver();
    if (good)
        __atomic_or_fetch(&in_use, uses, __ATOMIC_RELEASE);
    return good;
}

static bool uses(enum device_use use)
{
    return __atomic_load_n(&in_use, __ATOMIC_ACQUIRE) & use;
}

struct copy {
    char *to;
    const char *from;
    size_t bytes;
    bool done;
};

/* A call that fails, since device memory is short or a fault was asked for, is a copy not made. */
static void copy_now(struct copy *copy)
{
    CUstream stream = NULL;
    CUdeviceptr memory = 0;
    CUcontext before = NULL;
    cuda.context_current(&before);
    if (cuda.context_set_current(context) != CUDA_SUCCESS)
        return;
    bool good = cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                cuda.memory_allocate(&memory, copy->bytes) == CUDA_SUCCESS &&
                cuda.copy_to_device_async(memory, copy->from, copy->bytes, stream) == CUDA_SUCCESS &&
                cuda.stream_synchronise(stream) == CUDA_SUCCESS &&
                cuda.copy_to_host_async(copy->to, memory, copy->bytes, stream) == CUDA_SUCCESS;
    good = stream && cuda.stream_synchronise(stream) == CUDA_SUCCESS && good;
    if (memory)
        cuda.memory_free(memory);
    if (stream)
        cuda.stream_destroy(stream);
    cuda.context_set_current(before);
    copy->done = good && memcmp(copy->to, copy->from, copy->bytes) == 0;
}

static void *copy_in_thread(void *argument)
{
    copy_now(argument);
    return NULL;
}

static void pin(struct arena *arena, char *begin, char *end)
{
    CUcontext before = NULL;
    cuda.context_current(&before);
    cuda.context_set_current(context);
    if (cuda.pin(begin, (size_t)(end - begin), 0) == CUDA_SUCCESS) {
        arena->pinned = begin;
        arena->pinned_end = end;
    }
    cuda.context_set_current(before);
}

static void unpin(struct arena *arena)
{
    CUcontext before = NULL;
    if (!arena->pinned)
        return;
    cuda.context_current(&before);
    cuda.context_set_current(context);
    if (cuda.unpin(arena->pinned) != CUDA_SUCCESS)
        cuda.unpin(arena->pinned); /* a fault was asked for */
    arena->pinned = NULL;
    cuda.context_set_current(before);
}

static bool may_pin(const struct arena *arena)
{
    return uses(DEVICE_PINS) &&
           (arena->kind == ARENA_HEAP || arena->kind == ARENA_PAGES || arena->kind == ARENA_HUGE);
}

/* CUDA wants all of a copy's memory pinned, or none: pin whole pages of it, and copy to them,
 * or to what was pinned before. */
static void settle_pin(struct arena *arena, size_t *index, size_t *length, struct random *random)
{
    size_t element = arena_element_bytes(arena);
    char *begin = arena->memory + *index * element, *end = begin + *length * element;
    if (arena->pinned && random_chance(random, 20))
        unpin(arena);
    if (!arena->pinned && random_chance(random, 40)) {
        begin += -(uintptr_t)begin % PAGE;
        end -= (uintptr_t)end % PAGE;
        if (begin < end)
            pin(arena, begin, end);
    }
    if (!arena->pinned)
        return;
    begin = begin > arena->pinned ? begin : arena->pinned;
    end = end < arena->pinned_end ? end : arena->pinned_end;
    if (begin >= end) {
        begin = arena->pinned;
        end = arena->pinned_end;
    }
    *index = (size_t)(begin - arena->memory) / element;
    *length = (size_t)(end - begin) / element;
}

static bool copy_from_device(struct arena *arena, size_t index, size_t length, struct random *random)
{
    size_t element = arena_element_bytes(arena);
    pthread_t thread;
    if (!uses(DEVICE_COPIES) || length == 0)
        return false;
    if (may_pin(arena))
        settle_pin(arena, &index, &length, random);
    struct copy copy = {arena->memory + index * element, arena->shadow + index * element, length * element,
                        false};
    for (size_t i = index; i < index + length; i++)
        element_set(arena->shadow, arena->single, i, random_value(random));
    if (random_chance(random, 50)) {
        copy_now(&copy);
    } else {
        must(pthread_create(&thread, NULL, copy_in_thread, &copy) == 0, "pthread_create");
        pthread_join(thread, NULL);
    }
    if (!copy.done)
        memcpy(copy.to, copy.from, copy.bytes);
    else
        disturbance_count(arena->pinned ? DEVICE_DMA : DEVICE_COPY);
    return true;
}

const struct device_functions device_functions = {begin, copy_from_device, unpin};
