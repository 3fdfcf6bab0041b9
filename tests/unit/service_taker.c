/* A client of a service that takes the device's memory, 8 MiB at a time, as long as it gets some; "mapped" takes
 * it as physical memory, which mirrors have, and "nothing" takes none. Prints how many MiB it has, and how many
 * are free for it then, and keeps them until its standard input ends.
 *
 * "writes" fills half a segment of pinned memory, and ends. "leaves" ends the connection, and prints at the
 * end whether others have written to the pinned memory that it had, which is its own as long as it lives. */
#include "service/client/link.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PART = 8 << 20, PINNED = SERVICE_SEGMENT_BYTES / 2 };

static struct driver table;

static void wait_for_end(void)
{
    char end;
    fflush(stdout);
    while (read(STDIN_FILENO, &end, 1) > 0)
        ;
}

static bool take_one(bool is_mapped)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;
    return (is_mapped ? table.physical_create(&handle, PART, &properties, 0)
                      : table.memory_allocate(&address, PART)) == CUDA_SUCCESS;
}

static int take(const char *what)
{
    size_t taken = 0, free_bytes = 0, total_bytes = 0;
    while (strcmp(what, "nothing") != 0 && take_one(strcmp(what, "mapped") == 0))
        taken += PART;
    if (table.memory_info(&free_bytes, &total_bytes) != CUDA_SUCCESS)
        return 1;
    printf("%zu MiB, %zu free\n", taken >> 20, free_bytes >> 20);
    wait_for_end();
    return 0;
}

static int write_pinned(bool leaves)
{
    void *memory = NULL;
    bool is_kept = true;
    if (table.pinned_allocate(&memory, PINNED, 0) != CUDA_SUCCESS)
        return 1;
    memset(memory, leaves ? 'l' : 'w', PINNED);
    if (!leaves)
        return 0;
    shutdown(link_socket(), SHUT_RDWR);
    puts("left");
    wait_for_end();
    for (const char *at = memory; at < (const char *)memory + PINNED; at++)
        is_kept = is_kept && *at == 'l';
    puts(is_kept ? "kept" : "written to");
    return !is_kept;
}

int main(int count, char **arguments)
{
    const char *const what = count > 1 ? arguments[1] : "", *why = NULL;
    const bool leaves = strcmp(what, "leaves") == 0;
    if (!link_open(&why)) {
        printf("no service: %s\n", why ? why : "none is there");
        return 1;
    }
    service_fill_table(&table);
    return leaves || strcmp(what, "writes") == 0 ? write_pinned(leaves) : take(what);
}
