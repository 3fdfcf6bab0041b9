#include "common/launcher_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The whole of a file of /proc, with a NUL behind it; to be freed. NULL: it cannot be read. */
static char *read_file(pid_t process, const char *name, size_t *length)
{
    enum { STEP = 1 << 14 };
    char path[64], *text = NULL;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = file < 0 ? -1 : 1;
    for (*length = 0; got > 0; *length += got > 0 ? (size_t)got : 0) {
        char *const longer = realloc(text, *length + STEP + 1);
        if (!longer)
            break;
        text = longer;
        got = read(file, text + *length, STEP);
    }
    if (file >= 0)
        close(file);
    if (got == 0 && text) {
        text[*length] = 0;
        return text;
    }
    free(text);
    return NULL;
}

struct process_status {
    char state;
    pid_t parent;
    unsigned long long started;
};

/* The second word, the program's name in parentheses, may hold anything. */
static bool read_status(pid_t process, struct process_status *status)
{
    size_t length;
    int parent = 0;
    char *const text = read_file(process, "stat", &length);
    const char *const behind = text ? strrchr(text, ')') : NULL;
    const bool is_read =
        behind && sscanf(behind + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                         &status->state, &parent, &status->started) == 3;
    status->parent = parent;
    free(text);
    return is_read;
}

static bool has_variable(pid_t process, const char *variable)
{
    size_t length;
    const size_t name = strlen(variable);
    char *const text = read_file(process, "environ", &length);
    bool has = false;
    for (const char *at = text; at && at < text + length && !has; at += strlen(at) + 1)
        has = strncmp(at, variable, name) == 0 && at[name] == '=';
    free(text);
    return has;
}

bool launcher_process_find(const char *variable, struct launcher_process *launcher)
{
    struct process_status status;
    pid_t process = getppid();
    while (process > 0 && read_status(process, &status)) {
        if (!has_variable(process, variable)) {
            *launcher = (struct launcher_process){process, status.started};
            return true;
        }
        process = status.parent;
    }
    return false;
}

static bool has_ended(const struct process_status *status)
{
    return status->state == 'Z' || status->state == 'X';
}

unsigned long long process_started(pid_t process)
{
    struct process_status status;
    return read_status(process, &status) && !has_ended(&status) ? status.started : 0;
}

bool process_is_alive(pid_t process)
{
    struct process_status status;
    if (kill(process, 0) != 0 && errno == ESRCH)
        return false;
    return !read_status(process, &status) || !has_ended(&status);
}
