/* Knocks at a service's socket, or stands there as a false service. Arguments: "knock" or "listen", and the socket's
 * path. Knocking it says who it is, with an identity of no service's, and prints "refused" where the service says so,
 * or "closed" where it says nothing. Listening it prints "listening", then "came" for each client. */
#include "service/message.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int knock(const struct sockaddr_un *address)
{
    const struct service_hello hello = {.magic = SERVICE_MAGIC, .request = REQUEST_CONNECT};
    struct service_welcome welcome;
    const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct pollfd waits = {.fd = file, .events = POLLIN};
    if (file < 0 || connect(file, (const struct sockaddr *)address, sizeof *address) != 0) {
        perror("connect");
        return 1;
    }
    send(file, &hello, sizeof hello, MSG_NOSIGNAL);
    const ssize_t got = poll(&waits, 1, 10000) > 0 ? recv(file, &welcome, sizeof welcome, 0) : -1;
    puts(got == (ssize_t)sizeof welcome && welcome.refusal != REFUSAL_NONE ? "refused" : got <= 0 ? "closed" : "let in");
    return 0;
}

static int listen_there(const struct sockaddr_un *address)
{
    const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (file < 0 || bind(file, (const struct sockaddr *)address, sizeof *address) != 0 || listen(file, 8) != 0) {
        perror("listen");
        return 1;
    }
    puts("listening");
    fflush(stdout);
    for (;;) {
        char text[64];
        const int client = accept(file, NULL, NULL);
        if (client < 0)
            return 1;
        if (recv(client, text, sizeof text, 0) > 0) /* it has said who it is: it trusts */
            puts("came");
        fflush(stdout);
        close(client);
    }
}

int main(int count, char **arguments)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 3 || strlen(arguments[2]) >= sizeof address.sun_path)
        return 2;
    strcpy(address.sun_path, arguments[2]);
    return strcmp(arguments[1], "knock") == 0 ? knock(&address) : listen_there(&address);
}
