#include "common/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool private_file_is(int file, mode_t kind)
{
    struct stat state;
    return fstat(file, &state) == 0 && (state.st_mode & S_IFMT) == kind && state.st_uid == geteuid() &&
           (state.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

int private_folder_open(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !private_file_is(folder, S_IFDIR)) {
        close(folder);
        errno = EACCES;
        return -1;
    }
    return folder;
}

const char *private_folder_place(void)
{
    const char *const own = secure_getenv("XDG_RUNTIME_DIR");
    const int folder = own && own[0] == '/' ? private_folder_open(own) : -1;
    if (folder < 0 || access(own, W_OK) != 0) {
        if (folder >= 0)
            close(folder);
        return "/tmp";
    }
    close(folder);
    return own;
}
