/* A daemon closes what it has open, also 0 to 2, and opens files of its own there. Right: its files stay
 * empty, though there is something to be said of descriptors that went. (Those of the emulated device's
 * memory are spared: without them that device stops.) own_descriptor_two PREFIX */
#include "case.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 512, SPARE = 1000 };

int main(int count, char **arguments)
{
    char text[300];
    int own[3], bad = 0;
    if (count < 2)
        return 2;
    double *a = malloc(sizeof(double) * N * N);
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    fcntl(1, F_DUPFD, SPARE);
    for (int i = 0; i < 3; i++)
        first_row_sum(a, N, N, N);
    for (int i = 0; i < SPARE; i++) {
        char link[256] = "";
        snprintf(text, sizeof text, "/proc/self/fd/%d", i);
        if (readlink(text, link, sizeof link - 1) > 0 && !strstr(link, "memfd"))
            close(i);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s.%d", arguments[1], i);
        own[i] = open(text, O_RDWR | O_CREAT | O_TRUNC, 0600);
    }
    for (int i = 0; i < 3; i++)
        first_row_sum(a, N, N, N);
    for (int i = 0; i < 3; i++) {
        struct stat state;
        fstat(own[i], &state);
        bad += state.st_size != 0;
        int length = snprintf(text, sizeof text, "file on descriptor %d: %ld bytes, right is 0\n", own[i],
                              (long)state.st_size);
        if (write(SPARE, text, (size_t)length) < 0)
            return 2;
    }
    return bad != 0;
}
