/* descriptor.h - a file descriptor that is kept open in a program which does not know of it.
 *
 * Programs close or reuse numbers that are not theirs. To be opened close-on-exec and with O_NONBLOCK, which
 * means nothing to what we do with them: by it ours is told from what a program opens of the same file. */
#ifndef MUBLAS_DESCRIPTOR_H
#define MUBLAS_DESCRIPTOR_H

#include "common/status.h"

#include <stdbool.h>
#include <sys/types.h>

/* Its number, -1 for none, and what it was when we opened it. */
struct descriptor {
    int number;
    dev_t device;
    ino_t inode;
    dev_t special;
};

enum { DESCRIPTOR_LOWEST = 512 };

/* Takes `number` over and moves it out of the way of programs that expect low numbers. It
 * stays where it is when no number from DESCRIPTOR_LOWEST on is to be had. STATUS_NOT_TRACKABLE
 * when the kernel does not say what it is: it is closed. */
enum status descriptor_adopt(struct descriptor *descriptor, int number);

/* To be asked before each use. */
bool descriptor_is_ours(const struct descriptor *descriptor);

/* Closes it if it is still ours; none is left. */
void descriptor_close(struct descriptor *descriptor);

#endif
