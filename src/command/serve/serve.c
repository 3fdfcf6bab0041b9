/* `mublas serve`: the process that holds the device for others. */
#include "command/commands.h"
#include "common/settings.h"
#include "service/server/server.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "mublas serve: '%s' %s; mublas serve --help says more\n", what, why);
    return EXIT_BAD_COMMAND_LINE;
}

/* Until the server has ended, and its device is free. 0, or 1 after a line: clients keep it. */
static int wait_for_end(int process_file, long process)
{
    enum { END_MS = 60000 };
    struct pollfd ended = {.fd = process_file, .events = POLLIN};
    if (process_file >= 0 && poll(&ended, 1, END_MS) > 0)
        return 0;
    fprintf(stderr, "mublas serve: process %ld has not ended yet: programs still go by it, and it ends with the last of them\n",
            process);
    return 1;
}

/* A question to the server that this environment would go by. */
struct inquiry {
    char text[8192]; /* its answer */
    struct ucred server;
    int process_file;  /* a pidfd, open; -1: none */
    const char *fault; /* static storage; NULL: none runs */
};

/* The bytes of the answer; 0: none came. */
static size_t inquire(struct inquiry *inquiry, enum service_request request)
{
    enum { PATIENCE_MS = 5000 };
    static struct service_identity identity;
    socklen_t length = sizeof inquiry->server;
    *inquiry = (struct inquiry){.process_file = -1};
    const int socket = service_identity_make(&identity) ? service_connect_socket(&identity, &inquiry->fault) : -1;
    if (socket < 0)
        return 0;
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &inquiry->server, &length);
    inquiry->process_file = (int)syscall(SYS_pidfd_open, inquiry->server.pid, 0);
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    const ssize_t got = service_greet(socket, &identity, request) && poll(&waits, 1, PATIENCE_MS) > 0
                            ? recv(socket, inquiry->text, sizeof inquiry->text - 1, MSG_DONTWAIT)
                            : -1;
    close(socket);
    return got > 0 ? (size_t)got : 0;
}

static int ask(enum service_request request)
{
    static struct inquiry inquiry;
    const size_t length = inquire(&inquiry, request);
    if (inquiry.server.pid == 0) {
        fprintf(stderr, "mublas serve: %s\n", inquiry.fault ? inquiry.fault : "no service runs for this environment");
        return 1;
    }
    if (length == 0) {
        fprintf(stderr, "mublas serve: process %ld, the service, does not answer: end it by kill\n",
                (long)inquiry.server.pid);
        return 1;
    }
    fwrite(inquiry.text, 1, length, stdout);
    fflush(stdout);
    return request == REQUEST_STOP ? wait_for_end(inquiry.process_file, (long)inquiry.server.pid) : 0;
}

bool serve_describe(const char *refusal, char *text, size_t size)
{
    static struct inquiry inquiry;
    const size_t length = inquire(&inquiry, REQUEST_STATUS);
    inquiry.text[strcspn(inquiry.text, "\n")] = '\0';
    if (inquiry.process_file >= 0)
        close(inquiry.process_file);
    if (inquiry.server.pid == 0)
        snprintf(text, size, "%s", inquiry.fault ? inquiry.fault : "none runs for this environment");
    else if (length == 0)
        snprintf(text, size, "process %ld does not answer", (long)inquiry.server.pid);
    else
        snprintf(text, size, "%s%s%s", inquiry.text, refusal ? "; programs do not go by it: " : "", refusal ? refusal : "");
    return inquiry.server.pid == 0 ? !inquiry.fault : length > 0;
}

static void say_ready(void *context)
{
    (void)context;
    printf("mublas serve: process %d serves\n", (int)getpid());
    fflush(stdout);
}

static bool use_device(const char *number)
{
    char *end;
    const long ordinal = strtol(number, &end, 10);
    if (end == number || *end || ordinal < 0 || ordinal > 1023)
        return false;
    service_use_device((int)ordinal);
    return true;
}

int serve_run(char **arguments)
{
    static const char device[] = "--device=";
    bool keep = false;
    enum service_request request = REQUEST_CONNECT; /* none: serve */
    for (; *arguments; arguments++) {
        if (strncmp(*arguments, device, sizeof device - 1) == 0) {
            if (!use_device(*arguments + sizeof device - 1))
                return complain(*arguments, "names no device by its number");
        } else if (strcmp(*arguments, "--keep") == 0 && request == REQUEST_CONNECT)
            keep = true;
        else if ((strcmp(*arguments, "--status") == 0 || strcmp(*arguments, "--stop") == 0) && request == REQUEST_CONNECT)
            request = strcmp(*arguments, "--stop") == 0 ? REQUEST_STOP : REQUEST_STATUS;
        else
            return complain(*arguments, **arguments == '-' ? "is not an option, or stands beside another"
                                                           : "is one argument too many");
    }
    if (request != REQUEST_CONNECT)
        return keep ? complain("--keep", "stands beside --status or --stop") : ask(request);
    return server_run(keep, say_ready, NULL);
}
