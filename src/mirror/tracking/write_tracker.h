/* write_tracker.h - which pages of a range did the host write since last time?
 *
 * userfaultfd in write-protect ASYNC mode arms pages, the PAGEMAP_SCAN ioctl
 * reports and re-arms them in one atomic step (Linux >= 6.7, no privileges, no
 * signal handler). Writes by the kernel on the program's behalf (read(2)) are
 * seen; DMA is not. The registration doubles as an identity token: after munmap
 * + mmap, a moving mremap, or in a fork child a scan fails, and the caller must
 * forget what it knew of the range: the scan may have consumed marks. */
#ifndef MUBLAS_WRITE_TRACKER_H
#define MUBLAS_WRITE_TRACKER_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct write_tracker;

/* Open a tracker and run the self-test, some tens of microseconds (tracker_self_test.c).
 * STATUS_NOT_TRACKABLE (logged with the reason) where the kernel lacks a feature or forbids it. */
enum status write_tracker_create(struct write_tracker **tracker);

/* Parts of that: the descriptors alone (high-numbered, close-on-exec); from now on scans ask for pages that
 * are not present besides written ones; say in the log and the description why there is no tracker. */
enum status write_tracker_open(struct write_tracker **tracker);
void write_tracker_ask_for_absent(struct write_tracker *tracker);
enum status write_tracker_refuse(const char *what, const char *why);

void write_tracker_destroy(struct write_tracker *tracker);

/* Register [begin, end), whole mappings, page aligned. Pages are not armed yet.
 * STATUS_NOT_TRACKABLE when the range is refused (another userfaultfd, wrong
 * kind of memory): nothing is registered then. */
enum status write_tracker_register(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);
void write_tracker_unregister(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);

/* Report each run of pages in [begin, end) that was written, never armed, or is not present since the
 * last scan, and arm exactly what is reported; runs are cut at borders of 2 MiB at most.
 * On any failure (STATUS_NOT_TRACKABLE: the memory is no longer what was
 * registered) marks may have been consumed: the caller must treat the whole
 * range as written. The callback must not touch the range. */
typedef void write_tracker_run(void *context, uintptr_t begin, uintptr_t end);
enum status write_tracker_scan(struct write_tracker *tracker, uintptr_t begin, uintptr_t end,
                               write_tracker_run *report, void *context);

/* The caller is about to write to most of [begin, end), whole pages: spare it a fault for each. They count
 * as written until the next scan. Where it fails the faults do the same. */
void write_tracker_unprotect(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);

/* True when the page at `address` is mapped and registered; takes no marks. A scan
 * does not tell: the kernel passes over what is not mapped in silence. */
bool write_tracker_holds(struct write_tracker *tracker, uintptr_t address);

/* How many bytes of [begin, end) lie in huge pages; 0 where the kernel cannot tell. */
size_t write_tracker_huge_bytes(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);

/* One line on what the tracker is, or why there is none, for `mublas info`. Static storage. */
const char *write_tracker_description(void);

#endif
