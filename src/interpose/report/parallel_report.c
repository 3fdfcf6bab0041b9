#include "interpose/report/report_data.h"
#include "interpose/report/report_file.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Atomic(parallel_report_read *) reader;

void parallel_report_offer(parallel_report_read *read)
{
    atomic_store_explicit(&reader, read, memory_order_release);
}

/* NULL: nobody offered any, or there is nothing to tell. */
static const struct parallel_report *parallel_report_take(void)
{
    parallel_report_read *const read = atomic_load_explicit(&reader, memory_order_acquire);
    return read ? read() : NULL;
}

void parallel_report_copy(struct parallel_report *copy, struct parallel_row *rows, int rows_most)
{
    const struct parallel_report *const report = parallel_report_take();
    if (!report)
        return;
    *copy = *report;
    copy->fault = report->fault && *report->fault ? strdup(report->fault) : NULL;
    copy->rows = rows;
    copy->count = 0;
    for (int i = 0; i < report->count && i < rows_most; i++) {
        rows[i] = report->rows[i];
        rows[i].name = strdup(report->rows[i].name);
        if (!rows[i].name)
            return;
        copy->count++;
    }
}

uint64_t parallel_host_calls(const struct parallel_counts *counts)
{
    uint64_t sum = 0;
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        sum += counts->host_calls[i];
    for (int i = 0; i < UNSERVED_COUNT; i++)
        sum += counts->unserved_calls[i];
    return sum;
}

/* Sums over all routines. */
static bool parallel_any_on_host(const struct parallel_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (parallel_host_calls(&report->rows[i].counts))
            return true;
    return false;
}

const char *parallel_unserved_text(enum parallel_unserved why)
{
    static const char *const texts[UNSERVED_COUNT] = {
        [UNSERVED_QUERY] = "only asks for the size of a workspace",
        [UNSERVED_SMALL] = "too small ever to pay",
        [UNSERVED_ARGUMENTS] = "nothing to do, or no descriptor of a distributed matrix",
        [UNSERVED_WIDE] = "integers of 64 bits",
        [UNSERVED_CONTEXT] = "a context that mublas did not see made",
        [UNSERVED_JOB] = "nothing is served in this job",
        [UNSERVED_GIVEN_UP] = "the context was given up, by all its processes",
    };
    return texts[why];
}

enum { NAME_WIDTH = 12 };

/* "work" of the owner, "wait" of others. */
static const char *parallel_work_word(const struct parallel_report *report)
{
    return report->has_owner && !report->owner_is_here ? "wait" : "work";
}

/* Tells who owned the device's part, in a sentence; nothing where no call ran there. For the page, too: no
 * markup. */
static void parallel_text_print_owner(FILE *stream, const struct parallel_report *report)
{
    if (!report->has_owner)
        return;
    if (report->owner_is_here)
        fputs("This process owned the device's part of them.", stream);
    else
        fprintf(stream, "Process %ld, rank %d, owned the device's part of them, and its report has the "
                        "work; this "
                        "one waited meanwhile.", report->owner, report->owner_rank);
}

static void print_row(FILE *stream, const struct parallel_row *row)
{
    const struct parallel_counts *const counts = &row->counts;
    const uint64_t host = parallel_host_calls(counts);
    fprintf(stream, "  %-*s %12llu %12llu %12llu", NAME_WIDTH, row->name,
            (unsigned long long)(counts->device_calls + host), (unsigned long long)counts->device_calls,
            (unsigned long long)host);
    if (counts->device_calls)
        fprintf(stream, " %10lld", (long long)counts->largest);
    else
        fprintf(stream, " %10s", "-");
    for (int i = 0; i < STEP_COUNT; i++)
        if (counts->device_calls)
            fprintf(stream, " %8.3f", (double)counts->nanoseconds[i] / 1e9);
        else
            fprintf(stream, " %8s", "-");
    fputc('\n', stream);
}

static void print_table(FILE *stream, const struct parallel_report *report)
{
    char work[16];
    snprintf(work, sizeof work, "%s s", parallel_work_word(report));
    fprintf(stream, "  %-*s %12s %12s %12s %10s %8s %8s %8s %8s\n", NAME_WIDTH, "parallel", "calls", "on "
                                                                                                     "device",
            "on host", "largest n", "agree s", "put s", work, "take s");
    for (int i = 0; i < report->count; i++)
        print_row(stream, &report->rows[i]);
}

static void print_reason(FILE *stream, const char *name, uint64_t calls, const char *text)
{
    if (calls)
        fprintf(stream, "  %-*s %12llu  %s\n", NAME_WIDTH, name, (unsigned long long)calls, text);
}

static void print_reasons(FILE *stream, const struct parallel_row *row)
{
    for (int i = 0; i < HOST_REASON_COUNT; i++)
        print_reason(stream, row->name, row->counts.host_calls[i], host_reason_text((enum host_reason)i));
    for (int i = 0; i < UNSERVED_COUNT; i++)
        print_reason(stream, row->name, row->counts.unserved_calls[i],
                     parallel_unserved_text((enum parallel_unserved)i));
}

void parallel_text_print(FILE *stream, const struct parallel_report *report)
{
    if (report->count == 0)
        return;
    print_table(stream, report);
    if (report->has_owner) {
        fputs("  (", stream);
        parallel_text_print_owner(stream, report);
        fputs(")\n", stream);
    }
    if (!parallel_any_on_host(report))
        return;
    fputs("  why parallel calls stayed on the host:\n", stream);
    for (int i = 0; i < report->count; i++)
        print_reasons(stream, &report->rows[i]);
}

static void print_page_row(FILE *stream, const struct parallel_row *row)
{
    const struct parallel_counts *const counts = &row->counts;
    const uint64_t host = parallel_host_calls(counts);
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, row->name);
    fprintf(stream, "</th><td>%llu</td><td>%llu</td><td>%llu</td>",
            (unsigned long long)(counts->device_calls + host), (unsigned long long)counts->device_calls,
            (unsigned long long)host);
    if (counts->device_calls)
        fprintf(stream, "<td>%lld</td>", (long long)counts->largest);
    else
        fputs("<td>-</td>", stream);
    for (int i = 0; i < STEP_COUNT; i++)
        if (counts->device_calls)
            fprintf(stream, "<td>%.3f</td>", (double)counts->nanoseconds[i] / 1e9);
        else
            fputs("<td>-</td>", stream);
    fputs("</tr>\n", stream);
}

static void print_page_reason(FILE *stream, const char *name, uint64_t calls, const char *text)
{
    if (!calls)
        return;
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, name);
    fprintf(stream, "</th><td>%llu</td><td class=\"text\">", (unsigned long long)calls);
    html_print(stream, text);
    fputs("</td></tr>\n", stream);
}

static void print_page_reasons(FILE *stream, const struct parallel_report *parallel, bool is_section)
{
    fprintf(stream, "<div class=\"wide\"><table %s=\"parallel-reasons\"><thead><tr><th scope=\"col\">stayed "
                    "on the "
                    "host</th><th scope=\"col\">calls</th><th scope=\"col\" "
                    "class=\"text\">reason</th></tr></thead>"
                    "<tbody>\n", is_section ? "class" : "id");
    for (int row = 0; row < parallel->count; row++) {
        const struct parallel_row *const of = &parallel->rows[row];
        for (int i = 0; i < HOST_REASON_COUNT; i++)
            print_page_reason(stream, of->name, of->counts.host_calls[i],
                                  host_reason_text((enum host_reason)i));
        for (int i = 0; i < UNSERVED_COUNT; i++)
            print_page_reason(stream, of->name, of->counts.unserved_calls[i],
                                  parallel_unserved_text((enum parallel_unserved)i));
    }
    fputs("</tbody></table></div>", stream);
}

void parallel_page_print(FILE *stream, const struct parallel_report *parallel, bool is_section, bool is_sum)
{
    fprintf(stream, "<section><h2>Parallel routines</h2><div class=\"wide\"><table "
                    "%s=\"parallel\"><thead><tr>"
                    "<th scope=\"col\">routine</th><th scope=\"col\">calls</th><th scope=\"col\">on "
                    "device</th>"
                    "<th scope=\"col\">on host</th><th scope=\"col\">largest n</th><th scope=\"col\">agree "
                    "s</th>"
                    "<th scope=\"col\">put s</th><th scope=\"col\">%s s</th><th scope=\"col\">take "
                    "s</th></tr>"
                    "</thead><tbody>\n", is_section ? "class" : "id", parallel_work_word(parallel));
    for (int i = 0; i < parallel->count; i++)
        print_page_row(stream, &parallel->rows[i]);
    fputs("</tbody></table></div>\n<p class=\"note\">ScaLAPACK's routines, which all ranks of a grid call "
          "together. Seconds are ", stream);
    fputs(is_sum ? "those of all processes, the work's only its owner's, of calls on the device. "
                 : "this process's, of calls on the device. ", stream);
    parallel_text_print_owner(stream, parallel);
    fputs("</p>\n", stream);
    if (parallel_any_on_host(parallel))
        print_page_reasons(stream, parallel, is_section);
    fputs("</section>\n", stream);
}
