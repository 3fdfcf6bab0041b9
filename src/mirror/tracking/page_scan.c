#include "common/clock.h"
#include "common/own_thread.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/ledger/account.h"
#include "mirror/operand.h"
#include "mirror/tracking/write_tracker.h"

#include <stdatomic.h>

enum { REGIONS = 256 };

/* So much is scanned alone first, at either end, to see how long the rest would take: 1 / TRIAL_PART of it,
 * since a few huge pages take no longer than the clock needs. */
enum { TRIAL_BYTES = 8 << 20, TRIAL_PART = 64 };

/* One ioctl's answer. */
struct answer {
    uintptr_t walked; /* to here; not past the beginning: it failed */
    int count;
    struct page_region_record regions[REGIONS];
};

/* As much of [begin, end) as an answer has room for; false: it failed. */
static bool ask_kernel(const struct page_scan *scan, uintptr_t begin, uintptr_t end, struct answer *answer)
{
    struct pagemap_scan_request request = {
        .size = sizeof request,
        .flags = PAGEMAP_SCAN_PROTECT_MATCHING | PAGEMAP_SCAN_CHECK_ASYNC,
        .start = begin,
        .end = end,
        .vec = (uint64_t)(uintptr_t)answer->regions,
        .vec_len = REGIONS,
    };
    if (scan->written_suffices) {
        request.category_mask = request.return_mask = PAGE_CATEGORY_WRITTEN;
    } else {
        request.category_inverted = PAGE_CATEGORY_PRESENT;
        request.category_anyof_mask = PAGE_CATEGORY_WRITTEN | PAGE_CATEGORY_PRESENT;
    }
    answer->count = kernel_request(scan->pagemap, PAGEMAP_SCAN_REQUEST, &request);
    answer->walked = (uintptr_t)request.walk_end;
    if (answer->count < 0 || answer->walked <= begin || answer->walked > end)
        return false;
    /* A full vector ends the walk early; walk_end then says where to go on. */
    return answer->count == REGIONS || answer->walked == end;
}

static void report(const struct page_scan *scan, const struct answer *answer)
{
    for (int i = 0; i < answer->count; i++)
        scan->report(scan->context, (uintptr_t)answer->regions[i].start, (uintptr_t)answer->regions[i].end);
}

enum status page_scan_alone(const struct page_scan *scan)
{
    struct answer answer;
    for (uintptr_t begin = scan->begin; begin < scan->end; begin = answer.walked) {
        if (!ask_kernel(scan, begin, scan->end, &answer))
            return STATUS_NOT_TRACKABLE;
        report(scan, &answer);
    }
    return STATUS_OK;
}

static enum status scan_part(const struct page_scan *scan, uintptr_t begin, uintptr_t end)
{
    struct page_scan part = *scan;
    part.begin = begin;
    part.end = end;
    return page_scan_alone(&part);
}

/* A range in pieces. A thread writes to the answers of its own pieces alone. */
struct division {
    struct page_scan scan;
    uintptr_t piece_bytes; /* whole blocks, from that of scan.begin on */
    bool good[PAGE_SCAN_PIECES];
    struct answer answers[PAGE_SCAN_PIECES];
};

/* Too large for a stack; for whoever finds it free. */
static struct division the_division;
static atomic_bool division_in_use;

static struct byte_range piece_of(const struct division *division, unsigned part)
{
    const struct page_scan *scan = &division->scan;
    const uintptr_t begin = block_floor(scan->begin) + part * division->piece_bytes;
    return byte_ranges_common((struct byte_range){begin, begin + division->piece_bytes},
                              (struct byte_range){scan->begin, scan->end});
}

static void scan_piece(void *unused, unsigned part)
{
    (void)unused;
    struct division *const division = &the_division;
    const struct byte_range piece = piece_of(division, part);
    division->good[part] = ask_kernel(&division->scan, piece.begin, piece.end, &division->answers[part]);
}

/* Pages that an answer had no room for are scanned now. */
static enum status report_pieces(const struct division *division, unsigned pieces)
{
    enum status status = STATUS_OK;
    for (unsigned part = 0; part < pieces && status == STATUS_OK; part++) {
        const struct answer *answer = &division->answers[part];
        if (!division->good[part])
            return STATUS_NOT_TRACKABLE;
        report(&division->scan, answer);
        status = scan_part(&division->scan, answer->walked, piece_of(division, part).end);
    }
    return status;
}

enum status page_scan_shared(const struct page_scan *scan, int helpers)
{
    const uintptr_t blocks = (block_ceiling(scan->end) - block_floor(scan->begin)) >> BLOCK_SHIFT;
    const uintptr_t piece_blocks = (blocks + PAGE_SCAN_PIECES - 1) / PAGE_SCAN_PIECES;
    if (blocks < 2 || atomic_exchange(&division_in_use, true))
        return page_scan_alone(scan);
    struct division *const division = &the_division;
    const unsigned pieces = (unsigned)((blocks + piece_blocks - 1) / piece_blocks);
    const struct job job = {.work = scan_piece, .may = job_helpers_touch_nothing, .parts = pieces};
    division->scan = *scan;
    division->piece_bytes = piece_blocks << BLOCK_SHIFT;
    job_helpers_run(&job, helpers);
    enum status status = report_pieces(division, pieces);
    atomic_store(&division_in_use, false);
    return status;
}

/* Scans it, and says how long a byte took, but for what any request takes. */
static enum status try_part(const struct page_scan *scan, uintptr_t begin, uintptr_t end, double *us_per_byte)
{
    const uint64_t started = clock_nanoseconds();
    enum status status = scan_part(scan, begin, end);
    const double took_us = (double)(clock_nanoseconds() - started) / 1e3 - SCAN_REQUEST_US;
    *us_per_byte = took_us > 0 ? took_us / (double)(end - begin) : 0;
    return status;
}

/* None where there are but two processors: to wake one is worth little there. */
static int helpers_wanted(void)
{
    const int wanted = job_helpers_wanted();
    return wanted > 1 ? wanted : 0;
}

/* Huge pages, and those whose tables do not exist, take a hundredth of the time; what was written
 * takes longer, and is often at one end. */
enum status page_scan(const struct page_scan *scan)
{
    struct page_scan rest = *scan;
    const uintptr_t bytes = scan->end - scan->begin, part = block_floor(bytes / TRIAL_PART),
                    trial = part > TRIAL_BYTES ? part : TRIAL_BYTES;
    double first, last;
    if (bytes < SHARED_SCAN_BYTES_MIN)
        return page_scan_alone(scan);
    rest.begin = block_floor(scan->begin) + trial;
    rest.end = block_ceiling(scan->end) - trial;
    enum status status = try_part(scan, scan->begin, rest.begin, &first);
    if (status == STATUS_OK)
        status = try_part(scan, rest.end, scan->end, &last);
    if (status != STATUS_OK)
        return status;
    const double expected_us = (first < last ? first : last) * (double)(rest.end - rest.begin);
    const int worth = expected_us < SCAN_HELPER_US * JOB_HELPERS_MOST ? (int)(expected_us / SCAN_HELPER_US)
                                                                      : JOB_HELPERS_MOST;
    const int wanted = worth > 0 ? helpers_wanted() : 0, helpers = worth < wanted ? worth : wanted;
    return helpers > 0 ? page_scan_shared(&rest, helpers) : page_scan_alone(&rest);
}
