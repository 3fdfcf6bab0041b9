#include "command/tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(char fault[FILE_FAULT_BYTES], const char *phrase)
{
    snprintf(fault, FILE_FAULT_BYTES, "%s", phrase);
    return false;
}

/* Some file systems let nobody ask for a folder that is there. */
static bool make_folder(const char *folder)
{
    struct stat state;
    if (mkdir(folder, 0755) == 0 || errno == EEXIST)
        return true;
    const int reason = errno;
    const bool exists = stat(folder, &state) == 0;
    errno = reason;
    return exists;
}

static bool make_folders(const char *path, char fault[FILE_FAULT_BYTES])
{
    char *folder = strdup(path);
    bool good = folder;
    for (char *slash = folder; good && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        good = make_folder(folder);
        *slash = '/';
    }
    if (!good)
        snprintf(fault, FILE_FAULT_BYTES, "no folder can be made for it: %s", strerror(errno));
    free(folder);
    return good;
}

/* In such a folder (/tmp) one can add files, but not replace what others have put there; root mostly can. */
static bool is_others_to_replace(const char *path, const struct stat *file)
{
    struct stat folder;
    const char *slash = strrchr(path, '/');
    char *name = NULL;
    if (asprintf(&name, "%.*s.", slash ? (int)(slash + 1 - path) : 0, path) < 0)
        return false;
    const bool sticky = stat(name, &folder) == 0 && (folder.st_mode & S_ISVTX);
    free(name);
    return sticky && geteuid() != 0 && file->st_uid != geteuid() && folder.st_uid != geteuid();
}

/* As containers have files of their host's. */
static bool is_mounted(const char *path)
{
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx state;
    return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &state) == 0 &&
           (state.stx_attributes & STATX_ATTR_MOUNT_ROOT);
#else
    return path == NULL;
#endif
}

/* Is there nothing, or a file of which another one can take the place? */
static bool is_file_or_free(const char *path, char fault[FILE_FAULT_BYTES])
{
    struct stat state;
    if (lstat(path, &state) != 0)
        return errno == ENOENT || refuse(fault, strerror(errno));
    if (S_ISDIR(state.st_mode))
        return refuse(fault, strerror(EISDIR));
    if (S_ISLNK(state.st_mode))
        return refuse(fault, "a symbolic link: name the file itself");
    if (!S_ISREG(state.st_mode))
        return refuse(fault, "not a regular file");
    if (is_mounted(path))
        return refuse(fault, "a file that is mounted by itself: mount its folder");
    return !is_others_to_replace(path, &state) ||
           refuse(fault, "another user's file, in a folder where only its owner may replace it");
}

/* Beside the path; -1, with errno. *temporary is to be freed. */
static int open_beside(const char *path, char **temporary)
{
    if (asprintf(temporary, "%s.XXXXXX", path) < 0) {
        *temporary = NULL;
        errno = ENOMEM;
        return -1;
    }
    return mkostemp(*temporary, O_CLOEXEC);
}

static bool write_all(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t done = write(file, text, bytes);
        if (done < 0 && errno != EINTR)
            return false;
        text += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool file_is_replaceable(const char *path, char fault[FILE_FAULT_BYTES])
{
    const size_t length = strlen(path);
    char *temporary = NULL;
    if (length == 0 || path[length - 1] == '/')
        return refuse(fault, "not the name of a file");
    if (!make_folders(path, fault) || !is_file_or_free(path, fault))
        return false;
    const int file = open_beside(path, &temporary);
    if (file < 0)
        refuse(fault, strerror(errno));
    else {
        unlink(temporary);
        close(file);
    }
    free(temporary);
    return file >= 0;
}

bool file_replace(const char *path, const char *text, size_t bytes, char fault[FILE_FAULT_BYTES])
{
    char *temporary = NULL;
    bool good = false;
    if (!make_folders(path, fault) || !is_file_or_free(path, fault))
        return false;
    const int file = open_beside(path, &temporary);
    if (file >= 0) {
        good = write_all(file, text, bytes) && fchmod(file, 0644) == 0 && fsync(file) == 0;
        good = close(file) == 0 && good && rename(temporary, path) == 0;
    }
    if (!good)
        refuse(fault, strerror(errno));
    if (!good && file >= 0)
        unlink(temporary);
    free(temporary);
    return good;
}
