#include "mirror/host_memory/kernel_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
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

/* Takes `number` over. */
static void keep_descriptor(struct kept_file *file, int number, struct kept_descriptor *old)
{
    const int place =
        atomic_load(&file->count) < KEPT_FILES_MOST ? atomic_fetch_add(&file->count, 1) : KEPT_FILES_MOST;
    struct kept_descriptor *kept = place < KEPT_FILES_MOST ? &file->all[place] : NULL;
    if (!kept)
        close(number);
    if (!kept || descriptor_adopt(&kept->file, number) != STATUS_OK)
        return;
    kept->process = getpid();
    if (kept->file.number < DESCRIPTOR_LOWEST || !atomic_compare_exchange_strong(&file->now, &old, kept))
        close(kept->file.number); /* it would be in the program's way, or another thread was quicker */
}

int kept_file_ask(struct kept_file *file, unsigned long request, void *argument)
{
    struct kept_descriptor *kept = atomic_load(&file->now);
    if (kept && kept->process == getpid() && descriptor_is_ours(&kept->file))
        return kernel_request(kept->file.number, request, argument);
    const int number = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0) {
        errno = EACCES;
        return -1;
    }
    const int answer = kernel_request(number, request, argument), error = errno;
    keep_descriptor(file, number, kept);
    errno = error;
    return answer;
}

static struct kept_file maps = {.path = "/proc/thread-self/maps"};
static atomic_bool maps_are_missing;

enum maps_answer maps_file_ask(struct mapping_query *request)
{
    if (!maps_file_answers())
        return MAPS_UNKNOWN;
    if (kept_file_ask(&maps, MAPPING_QUERY_REQUEST, request) == 0)
        return MAPS_FOUND;
    if (errno == ENOENT)
        return MAPS_NOTHING_THERE;
    if (errno == ENAMETOOLONG)
        return MAPS_NO_ROOM;
    if (errno == ENOTTY || errno == EINVAL)
        atomic_store(&maps_are_missing, true);
    return MAPS_UNKNOWN;
}

bool maps_file_answers(void)
{
    return !atomic_load(&maps_are_missing);
}
