#include "service/server/server.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "common/private_folder.h"

#include <errno.h>
#include <fcntl.h>
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
    CUstream watch; /* idle: tells of a lost device */
    bool keep;
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

/* One server for an identity: it has a lock on a file beside the socket. */
static const char *open_socket(void)
{
    static const char *fault;
    char name[32];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    server.folder = service_folder_open(true, &fault);
    if (server.folder < 0)
        return fault ? fault : "there is no folder for its socket";
    snprintf(name, sizeof name, "%s.lock", server.identity.name);
    server.lock = openat(server.folder, name, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (server.lock < 0 || !private_file_is(server.lock, S_IFREG))
        return "its lock cannot be opened";
    if (flock(server.lock, LOCK_EX | LOCK_NB) != 0)
        return "one is running already";
    service_socket_path(server.folder, &server.identity, address.sun_path);
    unlinkat(server.folder, server.identity.name, 0);
    server.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const mode_t before = umask(0177);
    const bool is_bound =
        server.listener >= 0 && bind(server.listener, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    return is_bound && listen(server.listener, 128) == 0 ? NULL : "its socket cannot be made";
}

static void close_socket(void)
{
    if (server.listener >= 0) {
        unlinkat(server.folder, server.identity.name, 0);
        close(server.listener);
        server.listener = -1;
    }
}

static const char *open_device(void)
{
    struct device_scope scope;
    size_t free_bytes = 0, total_bytes = 0;
    if (device_wake(&server.device) != STATUS_OK)
        return device_fault() ? device_fault() : "there is no device that can be used";
    if (!driver()->stream_write_value)
        return "the driver is too old: it has no cuStreamWriteValue32_v2";
    if (device_enter(server.device, &scope) != STATUS_OK)
        return "the device cannot be used";
    const bool is_ready = segments_open(FIRST_SEGMENTS) &&
                          driver()->stream_create(&server.watch, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
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
    sessions_describe(clients, sizeof clients);
    is_stopping |= request == REQUEST_STOP;
    snprintf(text, sizeof text, "process %d serves %s to %d client%s%s\n%s", (int)getpid(),
             device_properties(server.device)->name, sessions_count(), sessions_count() == 1 ? "" : "s",
             is_stopping ? ", and ends with the last of them" : server.keep ? ", until it is stopped" : "", clients);
    send(socket, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    close(socket);
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
    if (!is_same_user(socket, &peer) || poll(&waits, 1, HELLO_MS) <= 0) {
        close(socket);
        return;
    }
    const ssize_t got = recv(socket, &hello, sizeof hello, MSG_DONTWAIT);
    if (got < (ssize_t)sizeof hello.head || hello.head.magic != SERVICE_MAGIC) {
        close(socket);
        return;
    }
    if (hello.head.identity_bytes != server.identity.bytes ||
        (size_t)got != sizeof hello.head + server.identity.bytes ||
        memcmp(hello.identity, server.identity.text, server.identity.bytes) != 0) {
        refuse(socket, REFUSAL_IDENTITY);
        return;
    }
    if (hello.head.request != REQUEST_CONNECT) {
        tell(socket, hello.head.request);
        return;
    }
    if (is_stopping || sessions_count() >= CLIENTS_MOST) {
        refuse(socket, is_stopping ? REFUSAL_STOPPING : REFUSAL_FULL);
        return;
    }
    struct session_owner owner = {.socket = socket, .process = peer.pid,
                                  .process_file = (int)syscall(SYS_pidfd_open, peer.pid, 0)};
    if (owner.process_file < 0 && errno != ENOSYS) {
        refuse(socket, REFUSAL_MEMORY); /* it has ended, or there is no descriptor left */
        return;
    }
    if (owner.process_file >= 0)
        fcntl(owner.process_file, F_SETFD, FD_CLOEXEC);
    memcpy(owner.processors, hello.head.processors, sizeof owner.processors);
    if (!session_begin(&owner, server.device)) {
        if (owner.process_file >= 0)
            close(owner.process_file);
        refuse(socket, REFUSAL_MEMORY);
    }
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
    wait_for_clients();
    close_socket();
    return 0;
}
