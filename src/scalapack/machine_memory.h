/* machine_memory.h - may this process have so much memory that it shares? */
#ifndef MUBLAS_SCALAPACK_MACHINE_MEMORY_H
#define MUBLAS_SCALAPACK_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The text says what forbids it, in static storage; NULL: nothing. Limits of the process (file size, whose
 * excess is a signal, and address space), room in its control group, of which half stays free for what the
 * program takes later, and memory that is available on the machine, of which an eighth stays free. */
const char *machine_memory_forbids(size_t bytes);

/* The process's limits alone: of who only maps what another has made. */
const char *machine_memory_limit_forbids(size_t bytes);

#endif
