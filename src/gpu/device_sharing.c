#include "gpu/device_sharing.h"
#include "common/launcher.h"
#include "common/settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* The part that MPS leaves of the others' share in a call's time. */
static const double MPS_PART = 0.25;

double device_sharing_factor(int sharers, bool has_mps)
{
    const double factor = has_mps ? MPS_PART * sharers : sharers;
    return factor > 1 ? factor : 1;
}

double device_sharing_of(const struct device *device)
{
    return device_sharing_factor(device_chosen(device)->sharers, device_properties(device)->has_mps);
}

static bool is_device_file(const char *name)
{
    static const char begin[] = "nvidia", digits[] = "0123456789";
    const char *const number = name + sizeof begin - 1;
    return strncmp(name, begin, sizeof begin - 1) == 0 && *number && number[strspn(number, digits)] == '\0';
}

int device_sharing_count_files(const char *folder)
{
    DIR *const files = opendir(folder);
    int count = 0;
    for (struct dirent *file; files && (file = readdir(files));)
        count += is_device_file(file->d_name);
    if (files)
        closedir(files);
    return count;
}

/* A container and a batch system show fewer than the machine has. 0: unknown. */
static int devices_of_job(void)
{
    const char *const given = secure_getenv("SLURM_GPUS_ON_NODE");
    const long count = given ? strtol(given, NULL, 10) : 0;
    return count > 0 && count < INT_MAX ? (int)count : device_sharing_count_files("/dev");
}

/* 0: all, or none. */
static int devices_named(const char *visible)
{
    int count = visible && *visible;
    for (const char *next = visible; next && *next; next++)
        count += *next == ',';
    return count;
}

/* A slice of a device is one of several on the same. */
static bool is_slice(const char *visible)
{
    return strncmp(visible, "MIG", 3) == 0;
}

int device_sharing_bound_of(void)
{
    const char *const visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    if (devices_named(visible) != 1)
        return 0;
    const int devices = is_slice(visible) ? 0 : devices_of_job();
    return devices > 0 ? devices : INT_MAX;
}

int device_sharing_place(int rank)
{
    const int named = devices_named(secure_getenv("CUDA_VISIBLE_DEVICES"));
    const int devices = named > 0 ? named : devices_of_job();
    return devices > 0 ? rank % devices : 0;
}

int device_sharing_sharers_foreseen(void)
{
    const struct local_rank *const rank = local_rank();
    if (rank->rank < 0 || rank->ranks <= 1)
        return 1;
    const int named = devices_named(secure_getenv("CUDA_VISIBLE_DEVICES"));
    const int devices = named > 0 ? named : devices_of_job();
    return device_choice_make(&settings()->device, rank, devices > 0 ? devices : 1, device_sharing_bound_of())
        .sharers;
}

double device_sharing_foreseen(void)
{
    const int sharers = device_sharing_sharers_foreseen();
    return device_sharing_factor(sharers, sharers > 1 && mps_daemon_answers(mps_daemon_folder()));
}
