/* page_scan.h - the walk of the PAGEMAP_SCAN ioctl over a range, by several threads where that pays.
 *
 * The kernel looks at each page once and arms it in that moment, whoever asks and in whatever order; it
 * never looked at all pages of a range in one moment. So a range that is walked in pieces at once is told
 * the same as one walked from end to end within the same time: each page that was written before page_scan
 * was called is reported, each that is not reported was not written before its own moment, and what is
 * written after that moment is marked for the next scan. The ioctl takes the lock of the address space for
 * reading, so the pieces do not wait for each other, and each has flushed what processors remember of its
 * pages when it returns. Pieces meet at borders of 2 MiB: none cuts a huge page. */
#ifndef MUBLAS_PAGE_SCAN_H
#define MUBLAS_PAGE_SCAN_H

#include "common/status.h"
#include "mirror/tracking/write_tracker.h"

#include <stdbool.h>

struct page_scan {
    int pagemap;           /* descriptor of /proc/thread-self/pagemap */
    bool written_suffices; /* else pages that are not present are asked for besides */
    uintptr_t begin, end;  /* page aligned */
    write_tracker_run *report;
    void *context; /* of report, which is called by the calling thread alone */
};

/* As write_tracker_scan. Long scans of small pages, by the time that their first parts take, are shared
 * with job_helpers.h; the clock decides nothing else. */
enum status page_scan(const struct page_scan *scan);

/* The parts of it: by one thread, and in at most PAGE_SCAN_PIECES pieces with at most `helpers` more. */
enum status page_scan_alone(const struct page_scan *scan);
enum status page_scan_shared(const struct page_scan *scan, int helpers);

enum { PAGE_SCAN_PIECES = 32 };

#endif
