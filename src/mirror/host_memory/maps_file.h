/* maps_file.h - what the kernel says of one mapping (PROCMAP_QUERY, Linux 6.11), by a descriptor that is
 * kept.
 *
 * To open and close /proc's file takes longer than the question, 0.5 us. The descriptor stands for the
 * address space of the process that opened it, whichever thread; a fork child opens its own. */
#ifndef MUBLAS_MAPS_FILE_H
#define MUBLAS_MAPS_FILE_H

#include "mirror/host_memory/kernel_interface.h"

#include <stdbool.h>

enum maps_answer {
    MAPS_FOUND,
    MAPS_NOTHING_THERE, /* not mapped: a stack may grow to it yet */
    MAPS_NO_ROOM,       /* for the mapping's name */
    MAPS_UNKNOWN        /* the kernel cannot answer, or may not */
};

/* Fill in what `request` asks for. Any thread. */
enum maps_answer maps_file_ask(struct mapping_query *request);

/* False once the kernel turned out to be too old for such questions. */
bool maps_file_answers(void);

#endif
