/* Recipes in files. */
#include "tuner/recipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(char fault[RECIPE_FAULT_BYTES], const char *phrase)
{
    snprintf(fault, RECIPE_FAULT_BYTES, "%s", phrase);
    return false;
}

static bool is_trusted(const struct stat *state, char fault[RECIPE_FAULT_BYTES])
{
    if (!S_ISREG(state->st_mode))
        return refuse(fault, "not a regular file");
    if (state->st_uid != geteuid() && state->st_uid != 0)
        return refuse(fault, "it belongs to another user");
    if (state->st_mode & (S_IWGRP | S_IWOTH))
        return refuse(fault, "others may write it (chmod go-w)");
    if (state->st_size > RECIPE_TEXT_MAX)
        return refuse(fault, "longer than any recipe");
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

bool recipe_read(const char *path, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES])
{
    struct stat state;
    size_t bytes = 0;
    char *text = NULL;
    bool good = false;
    /* Not to wait for the writer of a fifo. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return refuse(fault, strerror(errno));
    if (fstat(file, &state) != 0)
        refuse(fault, strerror(errno));
    else if (is_trusted(&state, fault) && (!(text = malloc((size_t)state.st_size + 1)) ||
                                           !read_all(file, text, (size_t)state.st_size, &bytes)))
        refuse(fault, strerror(errno));
    else if (text)
        good = recipe_parse(text, bytes, recipe, fault);
    free(text);
    close(file);
    return good;
}
