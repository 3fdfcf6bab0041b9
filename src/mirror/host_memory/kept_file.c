#include "mirror/host_memory/kept_file.h"
#include "mirror/host_memory/kernel_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* Takes `number` over. */
static void keep(struct kept_file *file, int number, struct kept_descriptor *old)
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
    keep(file, number, kept);
    errno = error;
    return answer;
}
