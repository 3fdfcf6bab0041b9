#include "tuner/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(char fault[TRUSTED_FAULT_BYTES], const char *phrase)
{
    snprintf(fault, TRUSTED_FAULT_BYTES, "%s", phrase);
    return false;
}

static bool is_trusted(const struct stat *state, size_t most, char fault[TRUSTED_FAULT_BYTES])
{
    if (!S_ISREG(state->st_mode))
        return refuse(fault, "not a regular file");
    if (state->st_uid != geteuid() && state->st_uid != 0)
        return refuse(fault, "it belongs to another user");
    if (state->st_mode & (S_IWGRP | S_IWOTH))
        return refuse(fault, "others may write it (chmod go-w)");
    if (state->st_size > (off_t)most)
        return refuse(fault, "longer than any that mublas writes");
    return true;
}

/* The size may change while it is read: what comes is what counts. */
static bool read_all(int file, char *text, size_t room, size_t *bytes)
{
    ssize_t got;
    *bytes = 0;
    while (*bytes < room && (got = read(file, text + *bytes, room - *bytes)) != 0) {
        if (got < 0 && errno != EINTR)
            return false;
        *bytes += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static char *read_open(int file, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    struct stat state;
    if (fstat(file, &state) != 0) {
        refuse(fault, strerror(errno));
        return NULL;
    }
    if (!is_trusted(&state, most, fault))
        return NULL;
    char *text = malloc((size_t)state.st_size + 1);
    if (text && read_all(file, text, (size_t)state.st_size, bytes))
        return text;
    refuse(fault, strerror(errno));
    free(text);
    return NULL;
}

char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    /* Not to wait for the writer of a fifo. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        refuse(fault, strerror(errno));
        return NULL;
    }
    char *text = read_open(file, most, bytes, fault);
    close(file);
    return text;
}
