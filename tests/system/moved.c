/* moved: system calls on memory that holds matrices of earlier BLAS calls: mremap over several mappings, of
 * which a resident matrix is one, and a userfaultfd of the program's own. To be run with and without mublas:
 * every line is the same, but for the last, which says whether the kernel itself would have refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);

enum { N = 96, PAGE = 4096, PART = 20, SPACE = 256, ELEMENTS = PART * PAGE / 8 }; /* pages; a matrix has 18 */

/* Is each sum of a row of the matrix of N times `value` right? */
static bool product_is(const double *matrix, double value)
{
    static double x[N], y[N];
    const double alpha = 1, beta = 0;
    const int n = N, one = 1;
    bool good = true;
    for (int call = 0; call < 2; call++) {
        for (int i = 0; i < N; i++)
            x[i] = 1;
        dgemv_("N", &n, &n, &alpha, matrix, &n, x, &one, &beta, y, &one, 1);
        for (int i = 0; i < N; i++)
            good = good && y[i] == N * value;
    }
    return good;
}

static void fill(double *elements, double value)
{
    for (int i = 0; i < ELEMENTS; i++)
        elements[i] = value;
}

static bool all_are(const double *elements, size_t count, double value)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = good && elements[i] == value;
    return good;
}

static double *map(int pages, int protection)
{
    void *memory = mmap(NULL, (size_t)pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void open_part(double *part, double value)
{
    if (mprotect(part, PART * PAGE, PROT_READ | PROT_WRITE) != 0)
        abort();
    fill(part, value);
}

/* Two parts, with 1 and with 2; the first is resident before the other can be accessed. */
static double *two_parts(void)
{
    double *memory = map(SPACE, PROT_NONE);
    open_part(memory, 1);
    if (!product_is(memory, 1))
        printf("wrong before anything happens\n");
    open_part(memory + ELEMENTS, 2);
    return memory;
}

static bool parts_stand(double *memory)
{
    return all_are(memory, ELEMENTS, 1) && all_are(memory + ELEMENTS, ELEMENTS, 2) && product_is(memory, 1) &&
           product_is(memory + ELEMENTS, 2);
}

static bool is_mapped(const void *address)
{
    unsigned char state;
    return mincore((void *)(uintptr_t)address, PAGE, &state) == 0;
}

/* Prints what mremap gave; then the parts are used, written, and used again. */
static void say(const char *what, const double *old, double *now, size_t pages)
{
    if (now == MAP_FAILED) {
        printf("%s: %s, as before: %d\n", what, strerror(errno), parts_stand((double *)(uintptr_t)old));
        return;
    }
    printf("%s: %s, ", what, now == old ? "in place" : is_mapped(old) ? "not moved" : "moved");
    if (pages < 2 * PART) {
        printf("contents %d, product %d\n", all_are(now, pages * PAGE / 8, 1), product_is(now, 1));
        return;
    }
    printf("contents and products %d, ", parts_stand(now));
    printf("zeros behind %d, ", all_are(now + 2 * ELEMENTS, (pages - 2 * PART) * PAGE / 8, 0));
    fill(now, 3);
    fill(now + ELEMENTS, 4);
    memset(now + 2 * ELEMENTS, 0, (pages - 2 * PART) * PAGE);
    printf("after writing %d %d\n", product_is(now, 3), product_is(now + ELEMENTS, 4));
    fill(now, 1);
    fill(now + ELEMENTS, 2);
}

static void test_moves(void)
{
    enum { BOTH = 2 * PART * PAGE };
    double *memory = two_parts(), *now = mremap(memory, BOTH, 3 * BOTH, MREMAP_MAYMOVE);
    say("grown", memory, now, 6 * PART);
    memory = now;
    now = mremap(memory, 3 * BOTH, 8 * BOTH, MREMAP_MAYMOVE);
    say("grown again", memory, now, 16 * PART);
    memory = now;
    now = mremap(memory, 8 * BOTH, BOTH, 0);
    say("shrunk", memory, now, 2 * PART);
    memory = two_parts();
    munmap(memory + 2 * ELEMENTS, (SPACE - 2 * PART) * PAGE);
    now = mremap(memory, BOTH, BOTH + PAGE, 0);
    say("grown where there is room", memory, now, 2 * PART + 1);
    memory = two_parts();
    now = mremap(memory, BOTH, BOTH + PAGE, 0);
    say("grown where there is none", memory, now, 2 * PART + 1);
    memory = two_parts();
    now = mremap(memory, BOTH, BOTH, MREMAP_MAYMOVE | MREMAP_FIXED, map(2 * PART, PROT_NONE));
    say("moved to a place", memory, now, 2 * PART);
    memory = two_parts();
    now = mremap(memory, BOTH, BOTH + 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map(2 * PART + 3, PROT_READ));
    say("grown to a place", memory, now, 2 * PART + 3);
    memory = two_parts();
    now = mremap(memory, BOTH, (PART - 1) * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map(PART, PROT_NONE));
    say("shrunk to a place", memory, now, PART - 1);
    memory = two_parts();
    now = mremap(memory, BOTH, BOTH, MREMAP_MAYMOVE | MREMAP_FIXED, memory + ELEMENTS);
    say("moved over itself", memory, now, 2 * PART);
    memory = two_parts();
    if (mmap(memory + 512, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == MAP_FAILED)
        abort();
    fill(memory, 1);
    now = mremap(memory, BOTH, 3 * BOTH, MREMAP_MAYMOVE);
    say("grown with a part replaced", memory, now, 6 * PART);
}

struct faults {
    int descriptor;
    double value;
    volatile int count;
};

static void *serve(void *context)
{
    struct faults *faults = context;
    static double page[PAGE / 8];
    struct uffd_msg message;
    while (read(faults->descriptor, &message, sizeof message) == sizeof message) {
        for (int i = 0; i < PAGE / 8; i++)
            page[i] = faults->value;
        struct uffdio_copy copy = {
            .dst = message.arg.pagefault.address / PAGE * PAGE, .src = (uintptr_t)page, .len = PAGE};
        faults->count++;
        if (ioctl(faults->descriptor, UFFDIO_COPY, &copy) != 0)
            _exit(8);
    }
    return NULL;
}

static void test_faults(void)
{
    struct faults faults = {.descriptor = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)};
    struct uffdio_api api = {.api = UFFD_API};
    double *memory = map(PART, PROT_READ | PROT_WRITE), *other = map(PART, PROT_READ | PROT_WRITE);
    struct uffdio_register request = {.range = {(uintptr_t)memory, PART * PAGE},
                                      .mode = UFFDIO_REGISTER_MODE_MISSING};
    pthread_t server;
    if (faults.descriptor < 0 || ioctl(faults.descriptor, UFFDIO_API, &api) != 0) {
        printf("no userfaultfd\n");
        return;
    }
    fill(memory, 1);
    fill(other, 1);
    printf("before: %d\n", product_is(memory, 1) && product_is(other, 1));
    const long refused = syscall(SYS_ioctl, faults.descriptor, UFFDIO_REGISTER, &request);
    if (refused == 0)
        ioctl(faults.descriptor, UFFDIO_UNREGISTER, &request.range);
    errno = 0;
    const int result = ioctl(faults.descriptor, UFFDIO_REGISTER, &request);
    printf("registered: %d, errno %d\n", result, errno);
    pthread_create(&server, NULL, serve, &faults);
    for (faults.value = 2; faults.value < 5; faults.value++) {
        faults.count = 0;
        madvise(memory, PART * PAGE, MADV_DONTNEED);
        printf("faults: product %d, ", product_is(memory, faults.value));
        printf("told of %d pages\n", faults.count);
        for (int i = 0; i < 200; i++) /* what mublas knows of the memory goes meanwhile */
            product_is(other, 1);
    }
    printf("unregistered: %d, ", ioctl(faults.descriptor, UFFDIO_UNREGISTER, &request.range));
    fill(memory, 7);
    printf("product %d\n", product_is(memory, 7));
    printf("userfaultfd by a system call: %s\n", refused ? "refused" : "not refused");
}

static void test_refusal(void)
{
    double *memory = two_parts();
    const long result = syscall(SYS_mremap, memory, 2 * PART * PAGE, 6 * PART * PAGE, MREMAP_MAYMOVE, NULL);
    printf("mremap by a system call: %s\n", result == -1 ? "refused" : "not refused");
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(200);
    test_moves();
    test_faults();
    test_refusal();
    return 0;
}
