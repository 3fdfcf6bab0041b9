/* `mublas serve`: the process that holds the device for others. */
#include "command/commands.h"
#include "common/settings.h"
#include "service/server/server.h"

#include <poll.h>
#include <stdio.h>
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

/* Ask the server that this environment would go by, and print what it says. */
static int ask(enum service_request request)
{
    enum { PATIENCE_MS = 5000 };
    static struct service_identity identity;
    char text[8192];
    const char *why = NULL;
    struct ucred server = {.pid = 0};
    socklen_t length = sizeof server;
    const int socket = service_identity_make(&identity) ? service_connect_socket(&identity, &why) : -1;
    if (socket < 0) {
        fprintf(stderr, "mublas serve: %s\n", why ? why : "no service runs for this environment");
        return 1;
    }
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &server, &length);
    const int process_file = (int)syscall(SYS_pidfd_open, server.pid, 0);
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    const ssize_t got = service_greet(socket, &identity, request) && poll(&waits, 1, PATIENCE_MS) > 0
                            ? recv(socket, text, sizeof text, MSG_DONTWAIT)
                            : -1;
    close(socket);
    if (got <= 0) {
        fprintf(stderr, "mublas serve: process %ld, the service, does not answer: end it by kill\n", (long)server.pid);
        return 1;
    }
    fwrite(text, 1, (size_t)got, stdout);
    fflush(stdout);
    return request == REQUEST_STOP ? wait_for_end(process_file, (long)server.pid) : 0;
}

static void say_ready(void *context)
{
    (void)context;
    printf("mublas serve: process %d serves\n", (int)getpid());
    fflush(stdout);
}

int serve_run(char **arguments)
{
    bool keep = false;
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--keep") == 0)
            keep = true;
        else if ((strcmp(*arguments, "--status") == 0 || strcmp(*arguments, "--stop") == 0) && !arguments[1] && !keep)
            return ask((*arguments)[3] == 't' && (*arguments)[4] == 'o' ? REQUEST_STOP : REQUEST_STATUS);
        else
            return complain(*arguments, **arguments == '-' ? "is not an option, or stands beside another"
                                                           : "is one argument too many");
    }
    return server_run(keep, say_ready, NULL);
}
