#include "mirror/host_memory/memory_reach.h"

#include "mirror/host_memory/kept_file.h"
#include "mirror/host_memory/maps_file.h"
#include "mirror/host_memory/pages.h"
#include "mirror/ranges.h"

#include <errno.h>
#include <sys/mman.h>

/* madvise, since Linux 5.14 */
enum { ADVICE_FILL_FOR_READING = 22, ADVICE_FILL_FOR_WRITING = 23 };

enum { REGIONS = 32 };

static struct kept_file pagemap = {.path = "/proc/thread-self/pagemap"};
static atomic_bool scan_is_missing;

/* The pages of a run of bytes, or more runs with no whole page between them. */
static bool row_bytes(const struct memory_rows *rows, size_t row, struct byte_range *bytes)
{
    const uintptr_t first = rows->first + (uintptr_t)((ptrdiff_t)row * rows->pitch);
    const size_t low = rows->low + row * rows->low_step, high = rows->high + row * rows->high_step;
    bytes->begin = first + (low > rows->begin ? low : rows->begin);
    bytes->end = first + (high < rows->end ? high : rows->end);
    return bytes->begin < bytes->end;
}

static struct byte_range pages_of(struct byte_range bytes)
{
    return (struct byte_range){page_floor(bytes.begin), page_ceiling(bytes.end)};
}

/* In ascending order; *at counts rows, from 0 on. */
static bool next_run(const struct memory_rows *rows, size_t *at, struct byte_range *run)
{
    struct byte_range bytes;
    bool found = false;
    for (; *at < rows->rows; ++*at) {
        if (!row_bytes(rows, rows->pitch < 0 ? rows->rows - 1 - *at : *at, &bytes))
            continue;
        const struct byte_range pages = pages_of(bytes);
        if (found && pages.begin > run->end)
            return true;
        *run = found ? (struct byte_range){run->begin, pages.end > run->end ? pages.end : run->end} : pages;
        found = true;
    }
    return found;
}

static struct byte_range hull_of(const struct memory_rows *rows)
{
    const uintptr_t last = rows->first + (uintptr_t)((ptrdiff_t)(rows->rows - 1) * rows->pitch);
    const uintptr_t low = rows->pitch < 0 ? last : rows->first, high = rows->pitch < 0 ? rows->first : last;
    return pages_of((struct byte_range){low + rows->begin, high + rows->end});
}

static bool fill(struct byte_range pages, bool writes)
{
    return madvise((void *)pages.begin, pages.end - pages.begin,
                   writes ? ADVICE_FILL_FOR_WRITING : ADVICE_FILL_FOR_READING) == 0;
}

/* Each mapping. */
static bool mappings_allow(struct byte_range pages, bool writes)
{
    const uint64_t wanted = MAPPING_READABLE | (writes ? MAPPING_WRITABLE : 0);
    struct mapping_query request;
    for (uintptr_t at = pages.begin; at < pages.end; at = (uintptr_t)request.end) {
        request = (struct mapping_query){.size = sizeof request, .query_address = at};
        const enum maps_answer answer = maps_file_ask(&request);
        if (answer == MAPS_UNKNOWN)
            return fill((struct byte_range){at, pages.end}, writes);
        if (answer != MAPS_FOUND || (request.flags & wanted) != wanted)
            return false;
    }
    return true;
}

/* Pages that are not there; for writing, those that are protected for a userfaultfd besides. */
static int find_missing(struct byte_range pages, bool writes, struct page_region_record regions[REGIONS],
                        uintptr_t *walked)
{
    const uint64_t wanted = PAGE_CATEGORY_PRESENT | (writes ? PAGE_CATEGORY_WRITTEN : 0);
    struct pagemap_scan_request request = {
        .size = sizeof request, .start = pages.begin, .end = pages.end,
        .vec = (uint64_t)(uintptr_t)regions, .vec_len = REGIONS,
        .category_inverted = wanted, .category_anyof_mask = wanted, .return_mask = wanted,
    };
    const int count = kept_file_ask(&pagemap, PAGEMAP_SCAN_REQUEST, &request);
    *walked = (uintptr_t)request.walk_end;
    if (count < 0 && (errno == ENOTTY || errno == EINVAL))
        atomic_store(&scan_is_missing, true);
    return *walked > pages.begin ? count : -1;
}

/* `fills`: missing pages are no obstacle if they come. */
static bool pages_are_there(struct byte_range pages, bool writes, bool fills)
{
    struct page_region_record regions[REGIONS];
    uintptr_t walked;
    for (uintptr_t at = pages.begin; at < pages.end; at = walked) {
        const int count = find_missing((struct byte_range){at, pages.end}, writes, regions, &walked);
        if (count < 0)
            return fills && fill(pages, writes);
        for (int i = 0; i < count; i++)
            if (!fills || !fill((struct byte_range){regions[i].start, regions[i].end}, writes))
                return false;
    }
    return true;
}

bool memory_reach_allows(const struct memory_rows *rows, bool writes)
{
    const bool can_look = maps_file_answers() && !atomic_load(&scan_is_missing);
    struct byte_range run;
    if (rows->rows == 0 || rows->begin >= rows->end)
        return true;
    run = hull_of(rows);
    if (can_look && mappings_allow(run, writes) && pages_are_there(run, writes, false))
        return true;
    for (size_t at = 0; next_run(rows, &at, &run);)
        if (can_look ? !mappings_allow(run, writes) || !pages_are_there(run, writes, true)
                     : !fill(run, writes))
            return false;
    return true;
}
