#include "mirror/host_memory/kernel_interface.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
static void keep_status(struct process_pins *pins, int number, pid_t process)
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
        keep_status(pins, number, process);
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

enum { FAMILY_RDS = 21, FAMILY_XDP = 44 }; /* older headers lack them */

bool blind_files_is_device(const char *path)
{
    static const char *const prefixes[] = {
        "/dev/vfio", "/dev/iommu", "/dev/video", "/dev/vbi",  "/dev/swradio", "/dev/v4l", "/dev/infiniband",
        "/dev/cxi",  "/dev/hfi1",  "/dev/ipath", "/dev/knem", "/dev/xpmem",   "/dev/uio", NULL};
    for (const char *const *prefix = prefixes; *prefix; prefix++)
        if (strncmp(path, *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}

static bool socket_is_blind(int number)
{
    int family = 0;
    socklen_t length = sizeof family;
    return getsockopt(number, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 &&
           (family == FAMILY_XDP || family == FAMILY_RDS);
}

/* To read a name takes ten times as long as the rest: devices that were found harmless, by their numbers.
 * It may be closed by then. */
static bool device_is_blind(int number, dev_t special)
{
    enum { KNOWN = 64 };
    static atomic_uint_least64_t harmless[KNOWN];
    const uint64_t mark = (uint64_t)special + 1;
    atomic_uint_least64_t *known = &harmless[mark * UINT64_C(0x9e3779b97f4a7c15) >> 58];
    char link[40], path[256];
    if (atomic_load_explicit(known, memory_order_relaxed) == mark)
        return false;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", number);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return errno != ENOENT;
    path[length] = '\0';
    if (blind_files_is_device(path))
        return true;
    atomic_store_explicit(known, mark, memory_order_relaxed);
    return false;
}

/* A file that another thread has closed meanwhile is not blind. */
static bool is_blind(int number)
{
    struct stat state;
    if (fstat(number, &state) != 0)
        return false;
    if (S_ISSOCK(state.st_mode))
        return socket_is_blind(number);
    return S_ISCHR(state.st_mode) && device_is_blind(number, state.st_rdev);
}

/* The kernel's own record: readdir would take memory for each look. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

bool blind_files_open(void)
{
    char records[8192] __attribute__((aligned(8)));
    const int directory = open("/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = 0;
    long bytes = -1;
    bool found = directory < 0;
    while (!found && (bytes = syscall(SYS_getdents64, directory, records, sizeof records)) > 0)
        for (long at = 0; at < bytes && !found;) {
            const struct entry *entry = (const struct entry *)(records + at);
            at += entry->bytes;
            if (entry->name[0] != '.')
                found = ++count > BLIND_FILES_MOST || is_blind(atoi(entry->name));
        }
    if (directory >= 0)
        close(directory);
    return found || bytes < 0;
}
