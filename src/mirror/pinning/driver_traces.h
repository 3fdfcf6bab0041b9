/* driver_traces.h - what in a loaded object shows that it uses the CUDA driver, by its file and by its
 * memory.
 *
 * Everything is read with pread, memory through /proc/thread-self/mem: a file that was cut short since it
 * was loaded, or whose headers claim what it does not have, ends a read instead of raising SIGBUS; so does
 * an object that is unloaded meanwhile. No more of a file is read than it has, nor more than 4 GiB.
 * Thread-safe. */
#ifndef MUBLAS_DRIVER_TRACES_H
#define MUBLAS_DRIVER_TRACES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The process's memory as a file, to be closed; -1: it cannot be had. */
int driver_traces_memory(void);

/* Does it link the driver? By its dynamic section, in memory. */
bool driver_traces_links(int memory, const struct dl_phdr_info *object);

/* Does it have device code, or name the driver among its constants? An object with mublas' own constants
 * does not count. By the sections of its file ("": the program's); where those cannot be read, or are not
 * there, as in packed programs, its name alone, in memory from `begin` to `end`, where it was loaded. */
bool driver_traces_in(const char *path, int memory, uintptr_t begin, uintptr_t end);

#endif
