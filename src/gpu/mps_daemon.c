#include "gpu/mps_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const char *mps_daemon_folder(void)
{
    const char *const folder = secure_getenv("CUDA_MPS_PIPE_DIRECTORY");
    return folder && *folder ? folder : "/tmp/nvidia-mps";
}

bool mps_daemon_is_of_job(const char *folder)
{
    const char *const begin = strstr(folder, "/" MPS_JOB_FOLDER);
    const char *const end = begin ? strchr(begin + 1, '/') : NULL;
    return end && !strchr(end + 1, '/');
}

static bool is_in(const char *folder, size_t length, char path[PATH_MAX])
{
    struct stat file;
    return folder[0] == '/' &&
           snprintf(path, PATH_MAX, "%.*s/nvidia-cuda-mps-control", (int)length, folder) < PATH_MAX &&
           stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

bool mps_daemon_program(char path[PATH_MAX])
{
    static const char *const places[] = {"/usr/bin", "/usr/local/bin", "/usr/local/nvidia/bin", "/opt/bin"};
    for (const char *next = secure_getenv("PATH"); next; next = strchr(next, ':')) {
        next += *next == ':';
        if (is_in(next, strcspn(next, ":"), path))
            return true;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (is_in(places[i], strlen(places[i]), path))
            return true;
    return false;
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
