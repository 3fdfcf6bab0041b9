/* Pinned program memory in the emulated driver: copies by DMA leave no written mark and
 * go to the pages that were there when it was pinned. */
#include "emulated_device.h"
#include "unit_test.h"
#include "mirror/host_memory/kernel_interface.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

static unsigned char *program; /* an application's matrix */
static unsigned char copy[BYTES];
static CUdeviceptr memory;
static int faults = -1, pagemap = -1;

static void *map_program(void *at)
{
    void *mapped =
        mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (mapped == MAP_FAILED)
        exit(1);
    madvise(mapped, BYTES, MADV_NOHUGEPAGE);
    return mapped;
}

static void upload(void)
{
    MUST(cuda.copy_to_device_async(memory, program, BYTES, stream));
    MUST(cuda.stream_synchronise(stream));
    if (!emulated.peek(copy, memory, BYTES))
        exit(1);
}

static void download(unsigned char value)
{
    MUST(cuda.memory_set_async(memory, value, BYTES, stream));
    MUST(cuda.copy_to_host_async(program, memory, BYTES, stream));
    MUST(cuda.stream_synchronise(stream));
}

static void test_copies(void)
{
    for (size_t i = 0; i < BYTES; i++)
        program[i] = (unsigned char)(i * 13 + i / 1000);
    upload();
    tap_ok(memcmp(copy, program, BYTES) == 0, "a copy from pinned program memory");
    MUST(cuda.copy_to_host_async(program + 5, memory, 70000, stream));
    bool poisoned = all_are(program + 5, 70000, 0xff) && program[4] == (unsigned char)(4 * 13);
    MUST(cuda.stream_synchronise(stream));
    tap_ok(poisoned && memcmp(program + 5, copy, 70000) == 0 && program[70005] == copy[70005],
           "a copy to pinned program memory, poisoned before the wait");
}

static void test_rectangles(void)
{
    enum { ROWS = 2000, WIDTH = 24, PITCH = 120 };
    CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = program,
                        .srcPitch = PITCH,
                        .srcXInBytes = 7,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = memory,
                        .dstPitch = WIDTH,
                        .WidthInBytes = WIDTH,
                        .Height = ROWS};
    CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = memory, .srcPitch = WIDTH,
                          .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = program, .dstPitch = PITCH,
                          .dstXInBytes = 50, .WidthInBytes = WIDTH, .Height = ROWS};
    bool good = true;
    for (size_t i = 0; i < BYTES; i++)
        program[i] = copy[i] = (unsigned char)(i * 11 + i / 777);
    MUST(cuda.copy_2d_async(&up, stream));
    MUST(cuda.copy_2d_async(&down, stream));
    MUST(cuda.stream_synchronise(stream));
    for (size_t row = 0; row < ROWS; row++)
        memcpy(copy + row * PITCH + 50, copy + row * PITCH + 7, WIDTH);
    good = memcmp(copy, program, BYTES) == 0;
    tap_ok(good, "2000 rows each way, no byte between them");
}

static void test_registration(void)
{
    struct emulated_census census;
    tap_ok(cuda.pin(program + PAGE, PAGE, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
           "pinning twice is refused");
    tap_ok(cuda.unpin(program + PAGE) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
           "unpinning what was not pinned too");
    tap_ok(cuda.copy_to_device_async(memory, program - 16, 32, stream) == CUDA_ERROR_INVALID_VALUE,
           "a copy that is pinned in part is refused");
    emulated.census(&census);
    tap_ok(census.pinned == 1, "the census knows");
}

/* The written mark of each page; -1 on error. */
static long written_pages(bool protect)
{
    struct page_region_record regions[PAGES];
    struct pagemap_scan_request scan = {.size = sizeof scan,
                                        .flags = PAGEMAP_SCAN_CHECK_ASYNC |
                                                 (protect ? PAGEMAP_SCAN_PROTECT_MATCHING : 0),
                                        .start = (uintptr_t)program,
                                        .end = (uintptr_t)program + BYTES,
                                        .vec = (uintptr_t)regions,
                                        .vec_len = PAGES,
                                        .category_mask = PAGE_CATEGORY_WRITTEN,
                                        .return_mask = PAGE_CATEGORY_WRITTEN};
    long count = ioctl(pagemap, PAGEMAP_SCAN_REQUEST, &scan), pages = 0;
    for (long i = 0; i < count; i++)
        pages += (long)((regions[i].end - regions[i].start) / PAGE);
    return count < 0 ? -1 : pages;
}

static bool start_tracking(void)
{
    struct uffdio_api api = {.api = UFFD_API, .features = USERFAULT_WP_ASYNC | USERFAULT_WP_UNPOPULATED};
    struct uffdio_register range = {.range = {(uintptr_t)program, BYTES}, .mode = UFFDIO_REGISTER_MODE_WP};
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USERFAULT_USER_MODE_ONLY);
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return faults >= 0 && pagemap >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 &&
           ioctl(faults, UFFDIO_REGISTER, &range) == 0 && written_pages(true) >= 0;
}

static void test_marks(void)
{
    static const char what[] = "written marks";
    if (!start_tracking()) {
        tap_skip(what, strerror(errno));
        return;
    }
    written_pages(true);
    long clean = written_pages(false);
    program[3 * PAGE] = 1;
    long touched = written_pages(true);
    tap_ok(clean == 0 && touched == 1, "the tracker sees the processor's writes (%ld, %ld)", clean, touched);
    download(0x42);
    long after = written_pages(false);
    tap_ok(after == 0 && all_are(program, BYTES, 0x42), "DMA to pinned memory leaves no mark (%ld pages)",
           after);
    upload();
    tap_ok(written_pages(false) == 0, "nor does reading it");
    close(faults);
    close(pagemap);
}

static void test_stale(void)
{
    memset(program, 1, BYTES);
    madvise(program, BYTES, MADV_DONTNEED);
    memset(program, 2, BYTES);
    upload();
    tap_ok(all_are(copy, BYTES, 1), "after MADV_DONTNEED the device sees the old pages");
    download(3);
    tap_ok(all_are(program, BYTES, 2), "and its results are lost");
    munmap(program, BYTES);
    map_program(program);
    memset(program, 4, BYTES);
    upload();
    tap_ok(all_are(copy, BYTES, 3), "after munmap and mmap too");
    download(5);
    tap_ok(all_are(program, BYTES, 4), "both ways");
    MUST(cuda.unpin(program));
    upload();
    tap_ok(all_are(copy, BYTES, 4), "unpinned memory is read as it is");
    MUST(cuda.pin(program, BYTES, CU_MEMHOSTREGISTER_PORTABLE));
    download(6);
    tap_ok(all_are(program, BYTES, 6), "pinned again it works again");
}

UNIT_TEST(test_emulated_pinned)
{
    setenv("EMULATED_STRICT", "0", 1);
    open_device();
    memory = allocate(BYTES);
    program = map_program(NULL);
    tap_ok(cuda.pin(map_program(NULL), BYTES, 0) == CUDA_SUCCESS, "memory can be pinned");
    tap_ok(cuda.pin((void *)PAGE, PAGE, 0) != CUDA_SUCCESS || !emulated.has_dma(),
           "what is not mapped cannot");
    emulated.reset_primary();
    MUST(cuda.stream_create(&stream, CU_STREAM_NON_BLOCKING));
    memory = allocate(BYTES);
    MUST(cuda.pin(program, BYTES, CU_MEMHOSTREGISTER_PORTABLE));
    test_copies();
    test_rectangles();
    test_registration();
    if (emulated.has_dma()) {
        test_marks();
        test_stale();
    } else {
        tap_skip("DMA behaviour", "io_uring with registered buffers is not available here");
    }
    return tap_done();
}
