#include "mirror/pinning/pin_gauge.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096 };

/* False when it says nothing of memory: the main thread has left by pthread_exit. */
static bool find_pinned(char text[TEXT_BYTES], ssize_t length, uint64_t *bytes)
{
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *field = strstr(text, "\nVmPin:");
    if (!field)
        return false;
    *bytes = (uint64_t)strtoull(field + sizeof "\nVmPin:" - 1, NULL, 10) << 10;
    return true;
}

static bool ask_kept(const struct pin_gauge *gauge, char text[TEXT_BYTES], uint64_t *bytes)
{
    return descriptor_is_ours(&gauge->status) &&
           find_pinned(text, pread(gauge->status.number, text, TEXT_BYTES - 1, 0), bytes);
}

/* Not under a low number, where programs expect theirs. */
static void keep(struct pin_gauge *gauge, int number, pid_t process)
{
    if (descriptor_adopt(&gauge->status, number) == STATUS_OK && gauge->status.number >= DESCRIPTOR_LOWEST)
        gauge->process = process;
    else
        descriptor_close(&gauge->status);
}

uint64_t pin_gauge_bytes(struct pin_gauge *gauge)
{
    const pid_t process = getpid();
    char text[TEXT_BYTES];
    uint64_t bytes = 0;
    if (gauge->process == process) {
        if (ask_kept(gauge, text, &bytes))
            return bytes;
        pin_gauge_close(gauge);
    }
    int number = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0)
        return 0;
    const bool found = find_pinned(text, read(number, text, TEXT_BYTES - 1), &bytes);
    if (found && gauge->process == 0)
        keep(gauge, number, process);
    else
        close(number); /* what a parent keeps stays as it is: by vfork this may be its memory */
    return bytes;
}

void pin_gauge_close(struct pin_gauge *gauge)
{
    if (gauge->process != 0)
        descriptor_close(&gauge->status);
    gauge->process = 0;
}
