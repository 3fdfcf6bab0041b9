#include "mirror/host_memory/process_pins.h"

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

static bool ask_kept(const struct process_pins *pins, char text[TEXT_BYTES], uint64_t *bytes)
{
    return descriptor_is_ours(&pins->status) &&
           find_pinned(text, pread(pins->status.number, text, TEXT_BYTES - 1, 0), bytes);
}

/* Not under a low number, where programs expect theirs. */
static void keep(struct process_pins *pins, int number, pid_t process)
{
    if (descriptor_adopt(&pins->status, number) == STATUS_OK && pins->status.number >= DESCRIPTOR_LOWEST)
        pins->process = process;
    else
        descriptor_close(&pins->status);
}

uint64_t process_pins_bytes(struct process_pins *pins)
{
    const pid_t process = getpid();
    char text[TEXT_BYTES];
    uint64_t bytes = 0;
    if (pins->process == process) {
        if (ask_kept(pins, text, &bytes))
            return bytes;
        process_pins_close(pins);
    }
    int number = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0)
        return 0;
    const bool found = find_pinned(text, read(number, text, TEXT_BYTES - 1), &bytes);
    if (found && pins->process == 0)
        keep(pins, number, process);
    else
        close(number); /* what a parent keeps stays as it is: by vfork this may be its memory */
    return bytes;
}

void process_pins_close(struct process_pins *pins)
{
    if (pins->process != 0)
        descriptor_close(&pins->status);
    pins->process = 0;
}
