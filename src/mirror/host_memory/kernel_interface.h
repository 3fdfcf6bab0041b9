/* kernel_interface.h - the Linux interfaces that mublas restates, because C
 * libraries' headers are often older than the kernels they run on.
 *
 * Source: Linux include/uapi/linux/fs.h (PAGEMAP_SCAN since 6.7, PROCMAP_QUERY
 * since 6.11) and include/uapi/linux/userfaultfd.h (WP_UNPOPULATED since 6.4,
 * WP_ASYNC since 6.7). Private to write_tracker.c, page_scan.c, mapping.c, memory_reach.c,
 * maps_file.c, protection.c and pins.c. */
#ifndef MUBLAS_KERNEL_INTERFACE_H
#define MUBLAS_KERNEL_INTERFACE_H

#include <linux/ioctl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct page_region_record {
    uint64_t start, end, categories;
};

struct pagemap_scan_request {
    uint64_t size, flags;
    uint64_t start, end;
    uint64_t walk_end; /* out: where the walk stopped */
    uint64_t vec, vec_len;
    uint64_t max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct pagemap_scan_request)

enum {
    PAGE_CATEGORY_WRITTEN = 1 << 1,
    PAGE_CATEGORY_PRESENT = 1 << 3,
    PAGE_CATEGORY_HUGE = 1 << 6,
};
enum {
    PAGEMAP_SCAN_PROTECT_MATCHING = 1 << 0,
    PAGEMAP_SCAN_CHECK_ASYNC = 1 << 1, /* fail with EPERM where the range is not registered */
};

#define USERFAULT_WP_UNPOPULATED (UINT64_C(1) << 13)
#define USERFAULT_WP_ASYNC (UINT64_C(1) << 15)
#define USERFAULT_USER_MODE_ONLY 1

#define ADVICE_COLLAPSE 25 /* madvise: MADV_COLLAPSE, since 6.1 */

struct mapping_query {
    uint64_t size, query_flags, query_address;
    uint64_t start, end, flags, page_size; /* out, as what follows */
    uint64_t offset, inode;
    uint32_t device_major, device_minor;
    uint32_t name_size, build_id_size; /* in: room; out: bytes */
    uint64_t name_address, build_id_address;
};

#define MAPPING_QUERY_REQUEST _IOWR('f', 17, struct mapping_query)

enum {
    MAPPING_READABLE = 0x01,
    MAPPING_WRITABLE = 0x02,
    MAPPING_SHARED = 0x08,
    MAPPING_FILE_BACKED = 0x20,
};

/* ioctl, past whoever stands before the C library's: mublas' own does, to watch the program's. -1 with errno. */
static inline int kernel_request(int descriptor, unsigned long request, void *argument)
{
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

#endif
