/* `mublas serve`: the process that holds the device for others. */
#include "command/commands.h"
#include "common/settings.h"
#include "service/server/server.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "mublas serve: '%s' %s; mublas serve --help says more\n", what, why);
    return EXIT_BAD_COMMAND_LINE;
}

/* Ask the server that this environment would go by, and print what it says. */
static int ask(enum service_request request)
{
    enum { PATIENCE_MS = 5000 };
    static struct service_identity identity;
    char text[8192];
    const char *why = NULL;
    const int socket = service_identity_make(&identity) ? service_connect_socket(&identity, &why) : -1;
    if (socket < 0) {
        fprintf(stderr, "mublas serve: %s\n", why ? why : "no service runs for this environment");
        return 1;
    }
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    const ssize_t got = service_greet(socket, &identity, request) && poll(&waits, 1, PATIENCE_MS) > 0
                            ? recv(socket, text, sizeof text, MSG_DONTWAIT)
                            : -1;
    close(socket);
    if (got <= 0) {
        fputs("mublas serve: the service does not answer\n", stderr);
        return 1;
    }
    fwrite(text, 1, (size_t)got, stdout);
    return 0;
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
