#include "mirror/host_memory/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum status descriptor_adopt(struct descriptor *descriptor, int number)
{
    struct stat state;
    int high = fcntl(number, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
    if (high >= 0) {
        close(number);
        number = high;
    }
    descriptor->number = number;
    if (fstat(number, &state) != 0) {
        close(number);
        descriptor->number = -1;
        return STATUS_NOT_TRACKABLE;
    }
    descriptor->device = state.st_dev;
    descriptor->inode = state.st_ino;
    descriptor->special = state.st_rdev;
    return STATUS_OK;
}

bool descriptor_is_ours(const struct descriptor *descriptor)
{
    struct stat state;
    return fstat(descriptor->number, &state) == 0 && state.st_dev == descriptor->device &&
           state.st_ino == descriptor->inode && state.st_rdev == descriptor->special;
}

void descriptor_close(struct descriptor *descriptor)
{
    if (descriptor->number >= 0 && descriptor_is_ours(descriptor) &&
        fcntl(descriptor->number, F_GETFL) & O_NONBLOCK)
        close(descriptor->number);
    descriptor->number = -1;
}
