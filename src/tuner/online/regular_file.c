#include "tuner/online/regular_file.h"

#include <errno.h>
#include <fcntl.h>
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
