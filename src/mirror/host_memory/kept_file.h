/* kept_file.h - a file of /proc that is asked again and again, by a descriptor that is kept.
 *
 * To open and close such a file takes longer than a question. The descriptor stands for the address space of the
 * process that opened it, whichever thread; a fork child opens its own. */
#ifndef MUBLAS_KEPT_FILE_H
#define MUBLAS_KEPT_FILE_H

#include "mirror/host_memory/descriptor.h"

#include <stdatomic.h>
#include <sys/types.h>

/* A program that closes what is not its own is not followed for ever. */
enum { KEPT_FILES_MOST = 16 };

/* Never changed once others may see it: threads may be asking by it. */
struct kept_descriptor {
    struct descriptor file;
    pid_t process;
};

/* All zeros but for the path: nothing is kept yet. Not from malloc, whose own code may be asking. */
struct kept_file {
    const char *path;
    _Atomic(struct kept_descriptor *) now;
    struct kept_descriptor all[KEPT_FILES_MOST];
    atomic_int count;
};

/* As ioctl; -1 with errno EACCES: the file is not to be had. Any thread. */
int kept_file_ask(struct kept_file *file, unsigned long request, void *argument);

#endif
