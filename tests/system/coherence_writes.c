#define _GNU_SOURCE
#include "coherence_device.h"
#include "coherence_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DIRECT_ALIGNMENT = 4096, DIRECT_MOST = 64 << 10 };

static void store(struct arena *arena, char *memory, size_t index, size_t length, struct random *random)
{
    for (size_t i = index; i < index + length; i++) {
        element_set(arena->shadow, arena->single, i, random_value(random));
        element_set(memory, arena->single, i, element_get(arena->shadow, arena->single, i));
    }
}

void window_fill(const struct window *window, struct random *random)
{
    for (size_t j = 0; j < window->columns; j++)
        store(window->arena, window->arena->memory, window->first + j * window->ld, window->rows, random);
}

/* A byte well inside the mantissa: the value changes enough to be noticed and stays of its size. */
static void store_byte(struct arena *arena, size_t index, struct random *random)
{
    size_t byte = index * arena_element_bytes(arena) + (arena->single ? 1 : 5);
    arena->shadow[byte] = (char)random_bits(random);
    *(volatile char *)(arena->memory + byte) = arena->shadow[byte];
    disturbance_count(STORE_BYTE);
}

static bool by_read(char *to, const char *from, size_t bytes)
{
    int descriptor = memory_file(bytes);
    must(write(descriptor, from, bytes) == (ssize_t)bytes, "write");
    must(pread(descriptor, to, bytes, 0) == (ssize_t)bytes, "pread");
    close(descriptor);
    disturbance_count(KERNEL_READ);
    return true;
}

/* As a debugger does, or a message-passing library within a machine. */
static bool by_process_write(char *to, const char *from, size_t bytes)
{
    struct iovec local = {(void *)from, bytes}, remote = {to, bytes};
    if (process_vm_writev(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)bytes)
        return false;
    disturbance_count(VM_WRITE);
    return true;
}

static bool by_memory_file(char *to, const char *from, size_t bytes)
{
    int descriptor = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool good = pwrite(descriptor, from, bytes, (off_t)(uintptr_t)to) == (ssize_t)bytes;
    close(descriptor);
    if (good)
        disturbance_count(MEM_FILE_WRITE);
    return good;
}

/* From a disk's driver straight into the pages, as far as they are whole; the rest by read. */
static bool by_direct_read(char *to, const char *from, size_t bytes)
{
    size_t head = -(uintptr_t)to % DIRECT_ALIGNMENT;
    if (bytes < head + DIRECT_ALIGNMENT || bytes > DIRECT_MOST)
        return false;
    size_t whole = (bytes - head) / DIRECT_ALIGNMENT * DIRECT_ALIGNMENT;
    int direct = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_DIRECT, 0600);
    if (direct < 0)
        return false;
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", direct);
    int plain = open(path, O_WRONLY | O_CLOEXEC);
    bool good = plain >= 0 && pwrite(plain, from + head, whole, 0) == (ssize_t)whole &&
                pread(direct, to + head, whole, 0) == (ssize_t)whole;
    if (plain >= 0)
        close(plain);
    close(direct);
    if (!good)
        return false;
    disturbance_count(DIRECT_READ);
    return (head == 0 || by_read(to, from, head)) &&
           (bytes == head + whole || by_read(to + head + whole, from + head + whole, bytes - head - whole));
}

/* The kernel writes the program's memory, in one of its ways; what a machine forbids is read(2) there. */
static void write_by_kernel(struct arena *arena, size_t index, size_t length, struct random *random)
{
    size_t element = arena_element_bytes(arena), bytes = length * element;
    char *to = arena->memory + index * element;
    const char *from = arena->shadow + index * element;
    for (size_t i = index; i < index + length; i++)
        element_set(arena->shadow, arena->single, i, random_value(random));
    size_t way = random_below(random, 100);
    bool done = way < 20   ? by_process_write(to, from, bytes)
                : way < 40 ? by_memory_file(to, from, bytes)
                : way < 50 ? by_direct_read(to, from, bytes)
                           : by_read(to, from, bytes);
    if (!done)
        by_read(to, from, bytes);
}

void window_disturb(const struct window *window, struct random *random)
{
    struct arena *arena = window->arena;
    if (window->rows == 0)
        return;
    size_t length = random_magnitude(random, window->rows),
           row = random_below(random, window->rows - length + 1);
    size_t index = window->first + random_below(random, window->columns) * window->ld + row;
    unsigned choice = (unsigned)random_below(random, 100);
    if (choice >= 80 && device_copy(arena, index, length, random))
        return;
    if (choice < 25) {
        store_byte(arena, index, random);
    } else if (choice < 50) {
        write_by_kernel(arena, index, length, random);
    } else if (arena->alias) {
        store(arena, arena->alias, index, length, random);
        disturbance_count(ALIAS_STORES);
    } else {
        store(arena, arena->memory, index, length, random);
        disturbance_count(STORES);
    }
}
