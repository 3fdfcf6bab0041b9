#include "interpose/report/report_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAIN_FLAGS = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

bool report_write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* 0, or the reason as errno has it. Some file systems tell only at close that there is no room. */
static int write_and_close(int descriptor, const char *text, size_t length)
{
    const int reason = report_write_all(descriptor, text, length) ? 0 : errno;
    return close(descriptor) != 0 && !reason && errno != EINTR ? errno : reason;
}

static int write_into(const char *name, int more_flags, const char *text, size_t length)
{
    const int descriptor = open(name, PLAIN_FLAGS | more_flags, 0600);
    if (descriptor < 0)
        return errno;
    fcntl(descriptor, F_SETFL, 0);
    return write_and_close(descriptor, text, length);
}

static int write_new(const char *name, const char *text, size_t length)
{
    const int descriptor = open(name, PLAIN_FLAGS | O_CREAT | O_EXCL, 0600);
    if (descriptor < 0)
        return errno;
    const int reason = write_and_close(descriptor, text, length);
    if (reason)
        unlink(name);
    return reason;
}

/* *is_possible: false where another file cannot take its place. */
static int replace(const char *name, mode_t mode, const char *text, size_t length, bool *is_possible)
{
    char *temporary = NULL;
    int reason = ENOMEM;
    const int descriptor =
        asprintf(&temporary, "%s.XXXXXX", name) < 0 ? (temporary = NULL, -1) : mkostemp(temporary, O_CLOEXEC);
    *is_possible = descriptor >= 0;
    if (descriptor >= 0) {
        fchmod(descriptor, mode);
        reason = write_and_close(descriptor, text, length);
        if (!reason && rename(temporary, name) != 0) {
            reason = errno;
            *is_possible = false;
        }
        if (reason)
            unlink(temporary);
    }
    free(temporary);
    return reason;
}

/* For want of room what is there is not worth its loss. */
static int write_over(const char *name, const struct stat *there, const char *text, size_t length)
{
    bool is_possible;
    const int reason = replace(name, there->st_mode & 0777, text, length, &is_possible);
    if (is_possible || reason == ENOSPC || reason == EDQUOT)
        return reason;
    return write_into(name, O_CREAT | O_TRUNC, text, length);
}

static const char *words(const char *name, const struct stat *there, int reason)
{
    if (S_ISLNK(there->st_mode))
        return strncmp(name, "/dev/", 5) == 0
                   ? "it is a symbolic link, which is not followed (MUBLAS_REPORT=1 is standard error)"
                   : "it is a symbolic link, which is not followed";
    if (reason == ENXIO && S_ISFIFO(there->st_mode))
        return "it is a pipe that nobody reads";
    return reason ? strerror(reason) : NULL;
}

const char *report_write_file(const char *name, const char *text, size_t length, bool spares)
{
    struct stat there;
    int reason = 0;
    const bool exists = lstat(name, &there) == 0;
    if (!exists)
        there = (struct stat){.st_mode = S_IFREG | 0600};
    if (spares && !exists)
        reason = write_new(name, text, length);
    else if (S_ISREG(there.st_mode) && !spares)
        reason = write_over(name, &there, text, length);
    else if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        reason = write_into(name, 0, text, length);
    return words(name, &there, spares && reason == EEXIST ? 0 : reason);
}
