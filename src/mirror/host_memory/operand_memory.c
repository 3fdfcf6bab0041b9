#include "mirror/host_memory/kernel_interface.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/operand.h"

#include <errno.h>
#include <sys/mman.h>

bool operand_memory_is_empty(const struct operand *operand)
{
    return !operand->matrix.pointer || operand->matrix.rows <= 0 || operand->matrix.columns <= 0;
}

/* Rows [first, last) of column j that belong to the part. */
static void column_rows(const struct blas_matrix *matrix, int64_t column, int64_t *first, int64_t *last)
{
    *first = matrix->part == PART_LOWER ? column : 0;
    *last = matrix->part == PART_UPPER && column + 1 < matrix->rows ? column + 1 : matrix->rows;
    if (*first > *last)
        *first = *last;
}

static uintptr_t element_address(const struct operand *operand, int64_t row, int64_t column)
{
    const struct blas_matrix *matrix = &operand->matrix;
    return (uintptr_t)matrix->pointer +
           ((uintptr_t)column * (uintptr_t)matrix->ld + (uintptr_t)row) * operand->element_bytes;
}

struct byte_range operand_memory_hull(const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    struct byte_range hull = {0, 0};
    int64_t first, last;
    if (operand_memory_is_empty(operand))
        return hull;
    hull.begin = element_address(operand, 0, 0);
    column_rows(matrix, matrix->columns - 1, &first, &last);
    hull.end = element_address(operand, last, matrix->columns - 1);
    return hull;
}

uint64_t operand_memory_bytes(const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    if (operand_memory_is_empty(operand))
        return 0;
    uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
    uint64_t order = rows < columns ? rows : columns;
    uint64_t elements = rows * columns;
    if (matrix->part == PART_LOWER)
        elements = order * rows - order * (order - 1) / 2;
    else if (matrix->part == PART_UPPER)
        elements = order * (order + 1) / 2 + (columns - order) * rows;
    return elements * operand->element_bytes;
}

uint64_t operand_memory_page_bytes(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const uint64_t most = page_ceiling(hull.end) - page_floor(hull.begin);
    const uint64_t bytes =
        operand_memory_bytes(operand) + ((uint64_t)operand->matrix.columns << page_shift());
    return bytes < most ? bytes : most;
}

bool operand_memory_contains(const struct operand *outer, const struct operand *inner)
{
    const struct blas_matrix *out = &outer->matrix, *in = &inner->matrix;
    uintptr_t from = (uintptr_t)out->pointer, to = (uintptr_t)in->pointer;
    size_t column_bytes = (size_t)out->ld * outer->element_bytes;
    if (operand_memory_is_empty(outer) || out->ld != in->ld || outer->element_bytes != inner->element_bytes ||
        to < from)
        return false;
    int64_t column = (int64_t)((to - from) / column_bytes);
    size_t rest = (to - from) % column_bytes;
    int64_t row = (int64_t)(rest / outer->element_bytes);
    if (rest % outer->element_bytes || row + in->rows > out->rows || column + in->columns > out->columns)
        return false;
    if (out->part == PART_LOWER)
        return in->part == PART_LOWER ? row >= column : row >= column + in->columns - 1;
    if (out->part == PART_UPPER)
        return in->part == PART_UPPER ? row <= column : row + in->rows - 1 <= column;
    return true;
}

struct operand_runs operand_runs_start_at(const struct operand *operand, uintptr_t address)
{
    const struct blas_matrix *matrix = &operand->matrix;
    const uintptr_t first = (uintptr_t)matrix->pointer;
    struct operand_runs runs = operand_runs_start(operand);
    if (address > first)
        runs.column = (int64_t)((address - first) / ((uintptr_t)matrix->ld * operand->element_bytes));
    return runs;
}

bool operand_runs_next(struct operand_runs *runs, struct byte_range *run)
{
    const struct operand *operand = runs->operand;
    const struct blas_matrix *matrix = &operand->matrix;
    int64_t first, last;
    if (operand_memory_is_empty(operand) || runs->column >= matrix->columns)
        return false;
    column_rows(matrix, runs->column, &first, &last);
    run->begin = element_address(operand, first, runs->column);
    run->end = element_address(operand, last, runs->column);
    while (++runs->column < matrix->columns) {
        column_rows(matrix, runs->column, &first, &last);
        if (element_address(operand, first, runs->column) != run->end)
            break;
        run->end = element_address(operand, last, runs->column);
    }
    return true;
}

/* One mapping. */
struct area {
    uintptr_t begin, end;
};

/* As the operand's use of it: what cannot be told is allowed. */
static bool allows(uintptr_t address, const struct operand *operand, struct area *area)
{
    struct mapping_query request = {.size = sizeof request, .query_address = address};
    const enum maps_answer answer = maps_file_ask(&request);
    if (answer != MAPS_FOUND) {
        *area = (struct area){0, UINTPTR_MAX};
        return answer == MAPS_UNKNOWN;
    }
    *area = (struct area){(uintptr_t)request.start, (uintptr_t)request.end};
    return (request.flags & MAPPING_READABLE || operand->access == OPERAND_OVERWRITE) &&
           (request.flags & MAPPING_WRITABLE || operand->access == OPERAND_READ);
}

/* Mappings without elements, which guard others, are not asked for. */
static bool runs_are_allowed(const struct operand *operand, struct area area)
{
    struct operand_runs runs = operand_runs_start(operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run))
        for (uintptr_t at = run.begin; at < run.end; at = area.end)
            if ((at < area.begin || at >= area.end) && !allows(at, operand, &area))
                return false;
    return true;
}

bool protection_allows(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    struct area area;
    return operand_memory_is_empty(operand) || (allows(hull.begin, operand, &area) &&
                                           (hull.end <= area.end || runs_are_allowed(operand, area)));
}

bool protection_allows_all(const struct operand *operands, int count)
{
    bool allowed = true;
    for (int i = 0; i < count && allowed; i++)
        allowed = protection_allows(&operands[i]);
    return allowed;
}

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

static bool fill_pages(struct byte_range pages, bool writes)
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
            return fill_pages((struct byte_range){at, pages.end}, writes);
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
            return fills && fill_pages(pages, writes);
        for (int i = 0; i < count; i++)
            if (!fills || !fill_pages((struct byte_range){regions[i].start, regions[i].end}, writes))
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
                     : !fill_pages(run, writes))
            return false;
    return true;
}
