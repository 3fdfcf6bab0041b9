/* unseen_cuda WAY: a program that uses CUDA in another thread than BLAS, by a driver that it opens
 * itself. One line for each wrong result; exit status 77 and the reason when this machine cannot tell.
 *   copy       the thread copies from the device into a large matrix
 *   inner      the same into columns that the thread has pinned
 * It knows nothing of mublas, and runs on real devices as well. */
#include "unseen.h"
#include "unseen_device.h"

#include <unistd.h>

static int copy(void)
{
    double *matrix = new_matrix(LARGE), *source = new_matrix(LARGE);
    check_calls(matrix, LARGE, "calls before any use of CUDA",
                0); /* mublas may not find a context of the program's */
    if (!device_open())
        return skip("no CUDA driver here");
    if (!device_can_tell())
        return skip("no DMA here (io_uring is blocked)");
    for (int round = 1; round <= ROUNDS; round++) {
        check_calls(matrix, LARGE, "calls before", round);
        fill(source, LARGE, round);
        check(device_bring(matrix, source, bytes_of(LARGE)), "the copy itself", round);
        check_calls(matrix, LARGE, "calls on what a thread brought from the device", round);
    }
    return wrong != 0;
}

static int inner(void)
{
    enum { FIRST = 40 * SIZE, LENGTH = 20 * SIZE }; /* columns in the middle */
    double *matrix = new_matrix(SIZE), *source = new_matrix(SIZE);
    if (!device_open())
        return skip("no CUDA driver here");
    if (!device_can_tell())
        return skip("no DMA here (io_uring is blocked)");
    check_calls(matrix, SIZE, "calls before", 0);
    check(device_pin(matrix + FIRST, LENGTH * sizeof *matrix), "pinning some columns", 0);
    check_calls(matrix, SIZE, "calls after pinning", 0);
    for (int round = 1; round <= ROUNDS; round++) {
        fill(source, SIZE, round);
        check(device_bring(matrix + FIRST, source + FIRST, LENGTH * sizeof *matrix), "the copy itself",
              round);
        check_calls(matrix, SIZE, "calls on columns that the thread has pinned and written by DMA", round);
        matrix[round] += 1;
        check_calls(matrix, SIZE, "calls after an ordinary write", round);
    }
    check(device_unpin(matrix + FIRST), "unpinning", 0);
    check_calls(matrix, SIZE, "calls after unpinning", 0);
    return wrong != 0;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    alarm(300);
    return strcmp(way, "copy") == 0 ? copy() : strcmp(way, "inner") == 0 ? inner() : 2;
}
