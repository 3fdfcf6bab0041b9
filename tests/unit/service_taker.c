/* A client of a service that takes the device's memory, 8 MiB at a time, as long as it gets some; "mapped" takes it as
 * physical memory, which mirrors have, and "nothing" takes none. Prints how many MiB it has, and how many are free for
 * it then, and keeps them until its standard input ends. */
#include "service/client/link.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    enum { PART = 8 << 20 };
    static struct driver table;
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    const bool is_mapped = count > 1 && strcmp(arguments[1], "mapped") == 0;
    const bool takes_nothing = count > 1 && strcmp(arguments[1], "nothing") == 0;
    const char *why = NULL;
    size_t taken = 0, free_bytes = 0, total_bytes = 0;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr address;
    char end;
    if (!link_open(&why)) {
        printf("no service: %s\n", why ? why : "none is there");
        return 1;
    }
    service_fill_table(&table);
    while (!takes_nothing &&
           (is_mapped ? table.physical_create(&handle, PART, &properties, 0) : table.memory_allocate(&address, PART)) == CUDA_SUCCESS)
        taken += PART;
    if (table.memory_info(&free_bytes, &total_bytes) != CUDA_SUCCESS)
        return 1;
    printf("%zu MiB, %zu free\n", taken >> 20, free_bytes >> 20);
    fflush(stdout);
    while (read(STDIN_FILENO, &end, 1) > 0)
        ;
    return 0;
}
