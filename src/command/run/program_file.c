#include "command/run/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

bool program_file_find(const char *name, char *path, size_t size)
{
    const char *directories = getenv("PATH");
    if (strchr(name, '/') || !directories)
        return snprintf(path, size, "%s", name) < (int)size && access(path, F_OK) == 0;
    for (const char *next = directories; next; next = strchr(next, ':')) {
        next += *next == ':';
        int length = (int)strcspn(next, ":");
        if (snprintf(path, size, "%.*s/%s", length ? length : 1, length ? next : ".", name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
    }
    return false;
}

const char *program_file_refusal(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return strerror(errno);
    if (file.st_mode & S_ISUID)
        return "it is set-user-id, and the loader preloads nothing into such programs";
    if ((file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
        return "it is set-group-id, and the loader preloads nothing into such programs";
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return "it has file capabilities, and the loader preloads nothing into such programs";
    return NULL;
}

/* The program that `env` would run: its first argument that is neither an option nor
 * a variable. */
static const char *behind_env(char *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (*word != '-' && !strchr(word, '='))
            return word;
    return NULL;
}

bool program_file_interpreter(const char *path, char *interpreter, size_t size)
{
    char line[PATH_MAX];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    ssize_t length = read(file, line, sizeof line - 1);
    close(file);
    if (length < 2 || line[0] != '#' || line[1] != '!')
        return false;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *arguments = NULL;
    const char *program = strtok_r(line + 2, " \t\r", &arguments);
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (program && strcmp(slash ? slash + 1 : program, "env") == 0)
        program = behind_env(arguments);
    return program && snprintf(interpreter, size, "%s", program) < (int)size;
}
