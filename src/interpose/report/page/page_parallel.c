#include "interpose/report/page/html.h"
#include "interpose/report/page/page_parts.h"
#include "interpose/report/parallel_text.h"

static void print_row(FILE *stream, const struct parallel_row *row)
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

static void print_reason(FILE *stream, const char *name, uint64_t calls, const char *text)
{
    if (!calls)
        return;
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, name);
    fprintf(stream, "</th><td>%llu</td><td class=\"text\">", (unsigned long long)calls);
    html_print(stream, text);
    fputs("</td></tr>\n", stream);
}

static void print_reasons(FILE *stream, const struct parallel_report *parallel)
{
    fputs("<div class=\"wide\"><table id=\"parallel-reasons\"><thead><tr><th scope=\"col\">stayed on the host</th>"
          "<th scope=\"col\">calls</th><th scope=\"col\" class=\"text\">reason</th></tr></thead><tbody>\n", stream);
    for (int row = 0; row < parallel->count; row++) {
        const struct parallel_row *const of = &parallel->rows[row];
        for (int i = 0; i < HOST_REASON_COUNT; i++)
            print_reason(stream, of->name, of->counts.host_calls[i], host_reason_text((enum host_reason)i));
        for (int i = 0; i < UNSERVED_COUNT; i++)
            print_reason(stream, of->name, of->counts.unserved_calls[i],
                         parallel_unserved_text((enum parallel_unserved)i));
    }
    fputs("</tbody></table></div>", stream);
}

void page_print_parallel(FILE *stream, const struct parallel_report *parallel)
{
    fprintf(stream, "<section><h2>Parallel routines</h2><div class=\"wide\"><table id=\"parallel\"><thead><tr>"
                    "<th scope=\"col\">routine</th><th scope=\"col\">calls</th><th scope=\"col\">on device</th>"
                    "<th scope=\"col\">on host</th><th scope=\"col\">largest n</th><th scope=\"col\">agree s</th>"
                    "<th scope=\"col\">put s</th><th scope=\"col\">%s s</th><th scope=\"col\">take s</th></tr>"
                    "</thead><tbody>\n", parallel_work_word(parallel));
    for (int i = 0; i < parallel->count; i++)
        print_row(stream, &parallel->rows[i]);
    fputs("</tbody></table></div>\n<p class=\"note\">ScaLAPACK's routines, which all ranks of a grid call together. "
          "Seconds are this process's, of calls on the device. ", stream);
    parallel_text_print_owner(stream, parallel);
    fputs("</p>\n", stream);
    if (parallel_any_on_host(parallel))
        print_reasons(stream, parallel);
    fputs("</section>\n", stream);
}
