/* write_tracker.h - which pages of a range of host memory the program has written since last time, and one
 * bit for each page. */
#ifndef MUBLAS_WRITE_TRACKER_H
#define MUBLAS_WRITE_TRACKER_H

#include "common/log.h"
#include "mirror/host_memory/mapping.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Threads may change different pages' bits at once, also of one word. */

/* All clear; NULL when out of memory. Release with free(). */
uint64_t *page_bits_create(size_t pages);

/* Pages [begin, end). */
void page_bits_set(uint64_t *bits, size_t begin, size_t end);
void page_bits_clear(uint64_t *bits, size_t begin, size_t end);
size_t page_bits_count(const uint64_t *bits, size_t begin, size_t end);

/* The first page in [begin, end) whose bit is `value`; `end` if there is none. */
size_t page_bits_find(const uint64_t *bits, size_t begin, size_t end, bool value);

/* Set in `to`, `shift` pages further on, what is set in [begin, end) of `from`. */
void page_bits_copy(uint64_t *to, size_t shift, const uint64_t *from, size_t begin, size_t end);

/* Make bit 0 and on of `to` what [begin, end) of `from` are. */
void page_bits_move(uint64_t *to, const uint64_t *from, size_t begin, size_t end);

static inline bool page_bits_test(const uint64_t *bits, size_t page)
{
    return __atomic_load_n(&bits[page >> 6], __ATOMIC_RELAXED) >> (page & 63) & 1;
}

static inline bool page_bits_any(const uint64_t *bits, size_t begin, size_t end)
{
    return page_bits_find(bits, begin, end, true) != end;
}

static inline bool page_bits_all(const uint64_t *bits, size_t begin, size_t end)
{
    return page_bits_find(bits, begin, end, false) == end;
}

/* userfaultfd in write-protect ASYNC mode arms pages, the PAGEMAP_SCAN ioctl reports and re-arms them in
 * one atomic step (Linux >= 6.7, no privileges, no signal handler). Writes by the kernel on the program's
 * behalf (read(2)) are seen; DMA is not. The registration doubles as an identity token: after munmap +
 * mmap, a moving mremap, or in a fork child a scan fails, and the caller must forget what it knew of the
 * range: the scan may have consumed marks.
 *
 * The walk of a range is shared by several threads if that pays (page_scan). The kernel looks at each page
 * once and arms it in that moment, whoever asks and in whatever order; it never looked at all pages of a
 * range in one moment. So a range that is walked in pieces at once is told the same as one walked from end
 * to end within the same time: each page that was written before page_scan was called is reported, each
 * that is not reported was not written before its own moment, and what is written after that moment is
 * marked for the next scan. The ioctl takes the lock of the address space for reading, so the pieces do not
 * wait for each other, and each has flushed what processors remember of its pages when it returns. Pieces
 * meet at borders of 2 MiB: none cuts a huge page.
 *
 * The program can have the registration of a mirror's memory back. A program that registers the same memory
 * with a userfaultfd of its own is refused while ours holds it. Ours is given up then, without the mirror's
 * lock, which a call may hold for long: the next use finds the registration gone, as with memory that was
 * unmapped, and drops the mirror. A registration that was given up is never ended again: it may be the
 * program's by then, and older kernels would take it from any owner. */
struct write_tracker;
struct mirror;

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
 * as written until the next scan. The faults do the same if it fails. */
void write_tracker_unprotect(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);

/* True when the page at `address` is mapped and registered; takes no marks. A scan
 * does not tell: the kernel passes over what is not mapped in silence. */
bool write_tracker_holds(struct write_tracker *tracker, uintptr_t address);

/* How many bytes of [begin, end) lie in huge pages; 0 where the kernel cannot tell. */
size_t write_tracker_huge_bytes(struct write_tracker *tracker, uintptr_t begin, uintptr_t end);

/* One line on what the tracker is, or why there is none, for `mublas info`. Static storage. */
const char *write_tracker_description(void);

/* One walk of a range. */
struct page_scan {
    int pagemap;           /* descriptor of /proc/thread-self/pagemap */
    bool written_suffices; /* else pages that are not present are asked for besides */
    uintptr_t begin, end;  /* page aligned */
    write_tracker_run *report;
    void *context; /* of report, which is called by the calling thread alone */
};

/* As write_tracker_scan. Long scans of small pages, by the time that their first parts take, are shared
 * with own_thread.h; the clock decides nothing else. */
enum status page_scan(const struct page_scan *scan);

/* The parts of it: by one thread, and in at most PAGE_SCAN_PIECES pieces with at most `helpers` more. */
enum status page_scan_alone(const struct page_scan *scan);
enum status page_scan_shared(const struct page_scan *scan, int helpers);

enum { PAGE_SCAN_PIECES = 32 };

enum registration_state { REGISTRATION_NONE, REGISTRATION_OURS, REGISTRATION_GIVEN_UP };

/* Register a part, or all. STATUS_NOT_TRACKABLE: refused, or given up. */
enum status registration_add(struct mirror *mirror, uintptr_t begin, uintptr_t end);

/* Unregister a part for a moment, and all for good: unless it was given up. */
void registration_pause(struct mirror *mirror, uintptr_t begin, uintptr_t end);
void registration_end(struct mirror *mirror);

/* Others' registration is no proof of anything. */
bool registration_is_given_up(const struct mirror *mirror);

/* `mirror`, which is in no table yet, has taken over what others had registered. Before it stands in the
 * place of `old`, and under the table's lock: one of them may have been given up just now. */
void registration_take_over(struct mirror *mirror);
void registration_inherit(struct mirror *mirror, const struct mirror *old);

/* Give it up. False: it is not ours. Any thread; it allocates nothing. */
bool registration_give_up(struct mirror *mirror);

#endif
