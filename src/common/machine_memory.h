/* machine_memory.h - how much memory there is, for who wants much of it: a process that takes what is not
 * there is ended. Each reads some files, in tens of microseconds. Any thread; errno may change. */
#ifndef MUBLAS_MACHINE_MEMORY_H
#define MUBLAS_MACHINE_MEMORY_H

#include <stddef.h>

/* Bytes that the machine has for programs. SIZE_MAX: it does not say. */
size_t memory_available(void);

/* The least room in this process's control groups. SIZE_MAX: they have no limit. */
size_t memory_room_in_groups(void);

#endif
