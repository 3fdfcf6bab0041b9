#include "common/launcher.h"
#include "common/log.h"
#include "common/text.h"
#include "gpu/device.h"
#include "gpu/device_sharing.h"
#include "service/calls.h"
#include "service/message.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* Programs expect theirs below; from 64 on the kernel may take long. */
enum { DESCRIPTOR_LEAST = 40 };
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, FILES_MOST = 2, VARIABLES_MOST = 256 };

static int descriptor_lift(int file)
{
    const int high = fcntl(file, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
    if (high < 0)
        return file;
    close(file);
    return high;
}

static bool add(struct service_identity *identity, const char *text)
{
    const size_t bytes = strlen(text);
    if (identity->bytes + bytes + 2 > sizeof identity->text)
        return false;
    memcpy(identity->text + identity->bytes, text, bytes);
    identity->bytes += bytes;
    identity->text[identity->bytes++] = '\n';
    identity->text[identity->bytes] = '\0';
    return true;
}

/* Code and tables that both must have. */
static bool add_build(struct service_identity *identity)
{
    char line[200];
    snprintf(line, sizeof line, "mublas %s kernels %s calls %016llx kernels %d messages %zu %zu %zu %d",
             PACKAGE_VERSION, kernel_set_hash, (unsigned long long)service_calls_hash, KERNEL_COUNT,
             sizeof(struct service_control), sizeof(struct service_launch), sizeof(struct service_vendor),
             SERVICE_CALLS);
    return add(identity, line);
}

static int device_ordinal = -1;

void service_use_device(int ordinal)
{
    device_ordinal = ordinal;
}

int service_device_ordinal(void)
{
    const int rank = local_rank()->rank;
    return device_ordinal >= 0 ? device_ordinal : rank > 0 ? device_sharing_place(rank) : 0;
}

static bool add_device(struct service_identity *identity)
{
    char line[32];
    snprintf(line, sizeof line, "device %d", service_device_ordinal());
    return add(identity, line);
}

/* Processes of other namespaces have other numbers, files, devices and memory. */
static bool add_namespaces(struct service_identity *identity)
{
    static const char *const names[] = {"pid", "mnt", "ipc", "net", "user"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64], target[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        if (!add(identity, target))
            return false;
    }
    return true;
}

/* These variables tell which device, driver and libraries there are, how they behave, and the batch system's
 * job. */
static bool is_of_identity(const char *variable)
{
    static const char *const prefixes[] = {
        "CUDA_", "CUBLAS_", "CUSOLVER_", "NVIDIA_", "MUBLAS_CUDA_DRIVER=", "MUBLAS_CUBLAS=",
        "MUBLAS_CUSOLVER=", "SLURM_JOB_ID=", "PBS_JOBID=", "LSB_JOBID=", "JOB_ID=", "FLUX_JOB_ID="};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static bool add_environment(struct service_identity *identity)
{
    const char *found[VARIABLES_MOST];
    size_t count = 0;
    for (char **variable = environ; variable && *variable; variable++) {
        if (!is_of_identity(*variable))
            continue;
        if (count == VARIABLES_MOST)
            return false;
        found[count++] = *variable;
    }
    qsort(found, count, sizeof *found, compare);
    for (size_t i = 0; i < count; i++)
        if (!add(identity, found[i]))
            return false;
    return true;
}

/* The driver and NVIDIA's libraries that the loader would find in the folders of LD_LIBRARY_PATH, by their
 * files. */
static bool add_libraries(struct service_identity *identity)
{
    static const char *const names[] = {"libcuda.so.1",    "libcublas.so.13",   "libcublas.so.12",
                                        "libcublas.so.11", "libcusolver.so.12", "libcusolver.so.11"};
    const char *folder = getenv("LD_LIBRARY_PATH");
    char path[4096], line[96];
    struct stat file;
    for (size_t length = 0; folder && *folder; folder += length + (folder[length] != '\0')) {
        length = strcspn(folder, ":;");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, length ? "/" : "", names[i]);
            if (stat(path, &file) != 0)
                continue;
            snprintf(line, sizeof line, "%s %llx:%llx", names[i], (unsigned long long)file.st_dev,
                     (unsigned long long)file.st_ino);
            if (!add(identity, line))
                return false;
        }
    }
    return true;
}

/* FNV-1a */
static uint64_t hash_of(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

bool service_identity_make(struct service_identity *identity)
{
    identity->bytes = 0;
    if (getauxval(AT_SECURE) || !add_build(identity) || !add_device(identity) || !add_namespaces(identity) ||
        !add_environment(identity) || !add_libraries(identity))
        return false;
    snprintf(identity->name, sizeof identity->name, "%016llx",
             (unsigned long long)hash_of(identity->text, identity->bytes));
    return true;
}

int service_folder_open(bool make, const char **fault)
{
    static char text[256];
    char path[128];
    *fault = NULL;
    if (snprintf(path, sizeof path, "%s/mublas-service-%lu", private_folder_place(),
                 (unsigned long)geteuid()) >= (int)sizeof path)
        return -1;
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST) {
        snprintf(text, sizeof text, "%s cannot be made: %s", path, strerror(errno));
        *fault = text;
        return -1;
    }
    const int folder = private_folder_open(path);
    if (folder < 0 && errno != ENOENT) {
        snprintf(text, sizeof text, "%s is not a folder of this user alone", path);
        *fault = text;
    }
    return folder;
}

void service_socket_path(int folder, const struct service_identity *identity, char path[108])
{
    snprintf(path, 108, "/proc/self/fd/%d/%s", folder, identity->name);
}

/* The server is this user's, and the socket lies in a folder that only this user may write. */
int service_connect_socket(const struct service_identity *identity, const char **why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t length = sizeof peer;
    const int folder = service_folder_open(false, why);
    if (folder < 0)
        return -1;
    service_socket_path(folder, identity, address.sun_path);
    const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_there = file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
    close(folder);
    if (is_there && getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid()) {
        return descriptor_lift(file);
    }
    if (file >= 0)
        close(file);
    return -1;
}

/* A client says who it is, and which processors its thread may use. */
bool service_greet(int socket, const struct service_identity *identity, enum service_request request)
{
    struct {
        struct service_hello head;
        char identity[SERVICE_IDENTITY_BYTES];
    } hello;
    memset(&hello, 0, sizeof hello);
    hello.head = (struct service_hello){.magic = SERVICE_MAGIC, .request = request,
                                        .identity_bytes = (uint32_t)identity->bytes};
    sched_getaffinity(0, sizeof hello.head.processors, (cpu_set_t *)hello.head.processors);
    memcpy(hello.identity, identity->text, identity->bytes);
    return service_send_files(socket, &hello, offsetof(__typeof__(hello), identity) + identity->bytes, NULL,
                              0);
}

bool service_send_files(int socket, const void *message, size_t bytes, const int *files, int count)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(FILES_MOST * sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {(void *)message, bytes};
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        head.msg_control = &control;
        head.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *const header = CMSG_FIRSTHDR(&head);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                                   .cmsg_len = CMSG_LEN((size_t)count * sizeof(int))};
        memcpy(CMSG_DATA(header), files, (size_t)count * sizeof(int));
    }
    return sendmsg(socket, &head, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes;
}

static int take_files(struct msghdr *head, int *files)
{
    int count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(head); header; header = CMSG_NXTHDR(head, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t came = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < came; i++) {
            int file;
            memcpy(&file, CMSG_DATA(header) + i * sizeof file, sizeof file);
            if (count < FILES_MOST)
                files[count++] = file;
            else
                close(file);
        }
    }
    return count;
}

bool service_receive_files(int socket, void *message, size_t bytes, int *files, int *count, int patience_ms)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(FILES_MOST * sizeof(int))];
    } control;
    struct iovec part = {message, bytes};
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                          .msg_controllen = sizeof control};
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    int came[FILES_MOST];
    if (poll(&waits, 1, patience_ms) <= 0)
        return false;
    const ssize_t got = recvmsg(socket, &head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const int had = got >= 0 ? take_files(&head, came) : 0;
    const bool is_right =
        got == (ssize_t)bytes && had == *count && !(head.msg_flags & (MSG_CTRUNC | MSG_TRUNC));
    for (int i = 0; i < had; i++) {
        if (is_right)
            files[i] = descriptor_lift(came[i]);
        else
            close(came[i]);
    }
    return is_right;
}

int service_memory_make(const char *name, size_t bytes)
{
    enum { NOEXEC_SEAL = 8 }; /* before Linux 6.3 nobody knows it, and a careful kernel demands it */
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);
    if (file < 0 && errno == EINVAL)
        file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    file = descriptor_lift(file);
    if (ftruncate(file, (off_t)bytes) == 0 && fcntl(file, F_ADD_SEALS, SEALS) == 0)
        return file;
    close(file);
    return -1;
}

bool service_memory_is_sealed(int file, size_t bytes)
{
    struct stat status;
    const int seals = fcntl(file, F_GET_SEALS);
    return fstat(file, &status) == 0 && status.st_size == (off_t)bytes && seals >= 0 &&
           (seals & SEALS) == SEALS;
}

bool service_word_wait(atomic_uint *word, unsigned value, uint64_t nanoseconds)
{
    const struct timespec most = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    return syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0) == 0 || errno != ETIMEDOUT;
}

void service_word_wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
