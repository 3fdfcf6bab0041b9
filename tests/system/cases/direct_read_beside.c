/* An asynchronous direct read fills the left columns while BLAS works on the right ones; the last of the left
 * ones and the first of the right ones share a page. No element is read and written at once. Right: "0 wrong
 * of 50". Not covered by mublas, and so not run: doc/limits.md, "Memory". Input that is still under way when
 * the page is looked at shows nowhere, and the columns beside the border stay as they were before.
 *     direct_read_beside FILE (on a disk, not tmpfs) */
#include "case.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROWS = 192, LEFT = 513, RIGHT = 64, TRIES = 50 }; /* a column has 1536 bytes */

int main(int count, char **arguments)
{
    const size_t bytes = sizeof(double) * ROWS * LEFT;
    aio_context_t context = 0;
    int bad = 0;
    if (count < 2)
        return 2;
    double *a = mmap(NULL, sizeof(double) * ROWS * (LEFT + RIGHT), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *content = malloc(bytes), *right = a + (size_t)ROWS * LEFT, *border = right - 2 * ROWS;
    int writer = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600),
        reader = open(arguments[1], O_RDONLY | O_DIRECT);
    if (reader < 0 || syscall(SYS_io_setup, 8, &context) != 0)
        return perror("no direct reads here"), 2;
    for (int i = 0; i < ROWS * (LEFT + RIGHT); i++)
        a[i] = 1;
    first_row_sum(right, ROWS, RIGHT, ROWS);
    for (int try = 0; try < TRIES; try++) {
        for (int i = 0; i < ROWS * LEFT; i++)
            content[i] = try + 2;
        if (pwrite(writer, content, bytes, 0) != (ssize_t)bytes || fdatasync(writer) != 0)
            return perror("write"), 2;
        first_row_sum(border, ROWS, 2, ROWS);
        struct iocb request = {.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (unsigned)reader,
                               .aio_buf = (unsigned long)a, .aio_nbytes = bytes}, *requests = &request;
        struct io_event event = {0};
        if (syscall(SYS_io_submit, context, 1, &requests) != 1)
            return perror("io_submit"), 2;
        first_row_sum(right, ROWS, RIGHT, ROWS);
        while (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) < 1)
            ;
        if (event.res != (long)bytes)
            return 2;
        const double got = first_row_sum(border, ROWS, 2, ROWS);
        if (got != by_hand(border, 2, ROWS) && !bad++)
            verdict("first wrong", got, by_hand(border, 2, ROWS));
    }
    printf("%d wrong of %d\n", bad, TRIES);
    return bad != 0;
}
