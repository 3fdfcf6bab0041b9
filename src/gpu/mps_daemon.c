#include "gpu/mps_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const char *mps_daemon_folder(void)
{
    const char *const folder = secure_getenv("CUDA_MPS_PIPE_DIRECTORY");
    return folder && *folder ? folder : "/tmp/nvidia-mps";
}

/* A socket of another kind than the daemon's learns that somebody is there, and the daemon nothing at all. */
static bool socket_answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= sizeof address.sun_path)
        return false;
    const int end = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end < 0)
        return false;
    const bool answers =
        connect(end, (struct sockaddr *)&address, sizeof address) == 0 || errno == EPROTOTYPE;
    close(end);
    return answers;
}

/* Nobody can write to a pipe that nobody reads. */
static bool pipe_answers(const char *path)
{
    const int end = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (end < 0)
        return false;
    close(end);
    return true;
}

bool mps_daemon_answers(const char *folder)
{
    char path[4096];
    struct stat control;
    if ((size_t)snprintf(path, sizeof path, "%s/control", folder) >= sizeof path || stat(path, &control) != 0)
        return false;
    return S_ISSOCK(control.st_mode)   ? socket_answers(path)
           : S_ISFIFO(control.st_mode) ? pipe_answers(path)
                                       : false;
}
