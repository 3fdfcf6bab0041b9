#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *regular_file_open(const char *path)
{
    struct stat state;
    FILE *stream = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return NULL;
    if (fstat(file, &state) == 0) {
        errno = EINVAL;
        stream = S_ISREG(state.st_mode) ? fdopen(file, "r") : NULL;
    }
    if (!stream) {
        const int why = errno;
        close(file);
        errno = why;
    }
    return stream;
}

const char *regular_file_fault(void)
{
    return errno == EINVAL ? "not a regular file" : strerror(errno);
}

static bool refuse(char fault[TRUSTED_FAULT_BYTES], const char *phrase)
{
    snprintf(fault, TRUSTED_FAULT_BYTES, "%s", phrase);
    return false;
}

static bool is_trusted(const struct stat *state, size_t most, char fault[TRUSTED_FAULT_BYTES])
{
    if (state->st_uid != geteuid() && state->st_uid != 0)
        return refuse(fault, "it belongs to another user");
    if (state->st_mode & (S_IWGRP | S_IWOTH))
        return refuse(fault, "others may write it (chmod go-w)");
    if (state->st_size > (off_t)most)
        return refuse(fault, "longer than any that mublas writes");
    return true;
}

/* The size may change while it is read: what comes is what counts. */
static char *read_open(FILE *stream, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    struct stat state;
    char *text = NULL;
    if (fstat(fileno(stream), &state) != 0)
        refuse(fault, strerror(errno));
    else if (!is_trusted(&state, most, fault))
        return NULL;
    else if (!(text = malloc((size_t)state.st_size + 1)))
        refuse(fault, strerror(errno));
    else {
        *bytes = fread(text, 1, (size_t)state.st_size, stream);
        if (!ferror(stream))
            return text;
        refuse(fault, strerror(errno));
    }
    free(text);
    return NULL;
}

char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    FILE *stream = regular_file_open(path);
    if (!stream) {
        refuse(fault, regular_file_fault());
        return NULL;
    }
    char *text = read_open(stream, most, bytes, fault);
    fclose(stream);
    return text;
}
