#include "service/server/server.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "common/text.h"
#include "gpu/vendor/cublas_handles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { LOOK_MS = 20, LAST_CLIENT_MS = 5000, FIRST_CLIENT_MS = 60000, CLIENTS_MOST = 256, FIRST_SEGMENTS = 2 };

static struct {
    int folder, lock, listener;
    struct service_identity identity;
    struct device *device;
    struct service_device known;
    CUstream watch; /* idle: tells of a lost device */
    bool keep;
    unsigned long long met; /* clients so far */
} server = {.folder = -1, .lock = -1, .listener = -1};

static volatile sig_atomic_t is_stopping;

static void stop(int signal)
{
    (void)signal;
    is_stopping = 1;
}

static int complain(const char *text)
{
    fprintf(stderr, "mublas serve: %s\n", text);
    return 1;
}

static void lock_name(char name[32])
{
    snprintf(name, 32, "%s.lock", server.identity.name);
}

/* One that only sweeps has it for a moment. */
static bool take_lock(int file)
{
    enum { TRIES = 10, STEP_NS = 5000000 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return true;
        pause_for(STEP_NS);
    }
    return false;
}

/* Removes what a killed server has left: its lock, which nobody has, and its socket. */
static void sweep_one(const char *name)
{
    char socket_name[17];
    const int file = openat(server.folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0 && private_file_is(file, S_IFREG) && flock(file, LOCK_EX | LOCK_NB) == 0) {
        snprintf(socket_name, sizeof socket_name, "%.16s", name);
        unlinkat(server.folder, socket_name, 0);
        unlinkat(server.folder, name, 0);
    }
    if (file >= 0)
        close(file);
}

static void sweep(void)
{
    static const char digits[] = "0123456789abcdef";
    char own[32];
    const int folder = openat(server.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const all = folder >= 0 ? fdopendir(folder) : NULL;
    lock_name(own);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (strspn(entry->d_name, digits) == 16 && strcmp(entry->d_name + 16, ".lock") == 0 &&
            strcmp(entry->d_name, own) != 0)
            sweep_one(entry->d_name);
    if (all)
        closedir(all);
    else if (folder >= 0)
        close(folder);
}

/* A server that ends removes its lock, and the folder behind the last one. False: it did meanwhile. */
static bool open_lock(const char **fault)
{
    char name[32];
    struct stat state;
    lock_name(name);
    server.folder = service_folder_open(true, fault);
    if (server.folder < 0) {
        *fault = *fault ? *fault : "there is no folder for its socket";
        return true;
    }
    server.lock = openat(server.folder, name, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    *fault = server.lock < 0 && errno == ENOENT                      ? NULL
             : server.lock < 0 || !private_file_is(server.lock, S_IFREG) ? "its lock cannot be opened"
             : !take_lock(server.lock)                                   ? "one is running already"
                                                                         : NULL;
    if (*fault || (server.lock >= 0 && fstat(server.lock, &state) == 0 && state.st_nlink > 0))
        return true;
    if (server.lock >= 0)
        close(server.lock);
    close(server.folder);
    return false;
}

/* One server for an identity: it has a lock on a file beside the socket. */
static const char *open_socket(void)
{
    enum { TRIES = 100 };
    const char *fault = "its folder comes and goes";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    bool is_open = false;
    for (int i = 0; i < TRIES && !is_open; i++)
        is_open = open_lock(&fault);
    if (!is_open || fault)
        return fault ? fault : "its folder comes and goes";
    sweep();
    service_socket_path(server.folder, &server.identity, address.sun_path);
    unlinkat(server.folder, server.identity.name, 0);
    server.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const mode_t before = umask(0177);
    const bool is_bound =
        server.listener >= 0 && bind(server.listener, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    return is_bound && listen(server.listener, 128) == 0 ? NULL : "its socket cannot be made";
}

/* Nothing of it is left; the folder goes with the last. */
static void close_socket(void)
{
    char name[32], path[64], folder[PATH_MAX];
    if (server.listener < 0)
        return;
    lock_name(name);
    unlinkat(server.folder, server.identity.name, 0);
    unlinkat(server.folder, name, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", server.folder);
    const ssize_t length = readlink(path, folder, sizeof folder - 1);
    if (length > 0) {
        folder[length] = '\0';
        rmdir(folder);
    }
    close(server.listener);
    server.listener = -1;
}

static const char *open_device(void)
{
    struct device_scope scope;
    size_t free_bytes = 0, total_bytes = 0;
    static char text[256];
    int count = 0;
    device_choose_alone(service_device_ordinal());
    cublas_handles_share();
    if (driver_open() == STATUS_OK && driver()->init(0) == CUDA_SUCCESS &&
        driver()->device_count(&count) == CUDA_SUCCESS && service_device_ordinal() >= count) {
        snprintf(text, sizeof text, SERVER_NO_DEVICE " %d", service_device_ordinal());
        return text;
    }
    const enum status status = device_wake(&server.device);
    if (status != STATUS_OK) {
        snprintf(text, sizeof text, "%s%s%s",
                 status == STATUS_NO_DEVICE ? SERVER_NO_DEVICE : "the device cannot be used",
                 device_fault() ? ": " : "", device_fault() ? device_fault() : "");
        return text;
    }
    if (!driver()->stream_write_value)
        return "the driver is too old: it has no cuStreamWriteValue32_v2";
    if (device_enter(server.device, &scope) != STATUS_OK)
        return "the device cannot be used";
    const bool is_ready = segments_open(FIRST_SEGMENTS) &&
                          driver()->stream_create(&server.watch, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
    warm_read_device(server.device, &server.known);
    if (driver()->memory_info(&free_bytes, &total_bytes) == CUDA_SUCCESS)
        sessions_share(free_bytes, device_chosen(server.device)->sharers);
    device_leave(server.device, &scope);
    return is_ready ? NULL : "there is no pinned memory for it";
}

static void refuse(int socket, enum service_refusal refusal)
{
    const struct service_welcome message = {.magic = SERVICE_MAGIC, .refusal = refusal, .process = getpid()};
    service_send_files(socket, &message, sizeof message, NULL, 0);
    close(socket);
}

static bool is_same_user(int socket, struct ucred *peer)
{
    socklen_t length = sizeof *peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &length) == 0 && peer->uid == geteuid();
}

/* A line on the server, and one for each client. */
static void tell(int socket, int request)
{
    char text[8192], clients[7680];
    const int count = sessions_describe(clients, sizeof clients);
    is_stopping |= request == REQUEST_STOP;
    snprintf(text, sizeof text, "process %d serves %s to %d client%s; %llu so far%s%s\n%s", (int)getpid(),
             device_properties(server.device)->name, count, count == 1 ? "" : "s", server.met,
             is_stopping ? ", and ends with the last of them" : server.keep ? ", until it is stopped" : "",
             warm_is_under_way() ? "; it is still warming up" : "", clients);
    send(socket, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    close(socket);
}

/* The process is a client from now on, or is told why not. */
static void admit(int socket, pid_t process, const unsigned char processors[128])
{
    struct session_owner owner = {.socket = socket, .process = process,
                                  .process_file = (int)syscall(SYS_pidfd_open, process, 0)};
    if (owner.process_file < 0 && errno != ENOSYS) {
        refuse(socket, REFUSAL_MEMORY); /* it has ended, or there is no descriptor left */
        return;
    }
    if (owner.process_file >= 0)
        fcntl(owner.process_file, F_SETFD, FD_CLOEXEC);
    memcpy(owner.processors, processors, sizeof owner.processors);
    if (session_begin(&owner, server.device, &server.known)) {
        server.met++;
        return;
    }
    if (owner.process_file >= 0)
        close(owner.process_file);
    refuse(socket, REFUSAL_MEMORY);
}

/* A client says who it is at once, or has no business here. */
static void meet(int socket)
{
    enum { HELLO_MS = 1000 };
    static struct {
        struct service_hello head;
        char identity[SERVICE_IDENTITY_BYTES];
    } hello;
    struct ucred peer;
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    const bool is_heard = is_same_user(socket, &peer) && poll(&waits, 1, HELLO_MS) > 0;
    const ssize_t got = is_heard ? recv(socket, &hello, sizeof hello, MSG_DONTWAIT) : -1;
    if (got < (ssize_t)sizeof hello.head || hello.head.magic != SERVICE_MAGIC)
        close(socket);
    else if (hello.head.identity_bytes != server.identity.bytes ||
             (size_t)got != sizeof hello.head + server.identity.bytes ||
             memcmp(hello.identity, server.identity.text, server.identity.bytes) != 0)
        refuse(socket, REFUSAL_IDENTITY);
    else if (hello.head.request != REQUEST_CONNECT)
        tell(socket, hello.head.request);
    else if (is_stopping || sessions_count() >= CLIENTS_MOST)
        refuse(socket, is_stopping ? REFUSAL_STOPPING : REFUSAL_FULL);
    else
        admit(socket, peer.pid, hello.head.processors);
}

static void accept_one(void)
{
    struct device_scope scope;
    const int socket = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) {
        pause_for(LOOK_MS * 1000000); /* no descriptor is left: the listener stays ready */
        return;
    }
    if (device_enter(server.device, &scope) != STATUS_OK) {
        refuse(socket, REFUSAL_MEMORY);
        return;
    }
    meet(socket);
    device_leave(server.device, &scope);
}

/* False: it is lost. */
static bool device_is_well(void)
{
    struct device_scope scope;
    if (device_enter(server.device, &scope) != STATUS_OK)
        return false;
    const CUresult result = driver()->stream_query(server.watch);
    device_leave(server.device, &scope);
    if (driver_status(result) == STATUS_DEVICE_LOST)
        sessions_lose(result);
    return driver_status(result) != STATUS_DEVICE_LOST;
}

static void *watch_main(void *unused)
{
    (void)unused;
    for (;;) {
        sessions_look();
        pause_for(LOOK_MS * 1000000);
    }
    return NULL;
}

/* Until it is to end. */
static void wait_for_clients(void)
{
    uint64_t empty_since = clock_nanoseconds();
    bool had_clients = false;
    for (;;) {
        struct pollfd waits = {.fd = server.listener, .events = POLLIN};
        if (poll(&waits, 1, LOOK_MS) > 0)
            accept_one();
        const uint64_t now = clock_nanoseconds();
        if (sessions_count() > 0) {
            had_clients = true;
            empty_since = now;
        }
        const uint64_t most = had_clients ? LAST_CLIENT_MS : FIRST_CLIENT_MS;
        const bool is_left = now - empty_since > most * UINT64_C(1000000);
        if (!device_is_well() || (sessions_count() == 0 && (is_stopping || (!server.keep && is_left))))
            return;
    }
}

/* Three descriptors for a client, and one for each segment. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int server_run(bool keep, void ready(void *context), void *context)
{
    pthread_t watch;
    server.keep = keep;
    allow_descriptors();
    if (!service_identity_make(&server.identity))
        return complain("this process may not serve: it has gained rights, or its environment is too large");
    const char *fault = open_socket();
    if (!fault)
        fault = open_device();
    if (!fault && !own_thread_start(&watch, OWN_THREAD_STACK_BYTES, watch_main, NULL))
        fault = "there is no thread for it";
    if (fault) {
        close_socket();
        return complain(fault);
    }
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (ready)
        ready(context);
    warm_begin(server.device);
    wait_for_clients();
    warm_end();
    close_socket();
    return 0;
}
