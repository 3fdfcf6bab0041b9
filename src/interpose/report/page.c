#include "common/text.h"
#include "interpose/purchase/device_use.h"
#include "interpose/report/parallel_report.h"
#include "interpose/report/report_data.h"
#include "interpose/report/report_file.h"

#include <math.h>
#include <stdlib.h>

/* The style sheet: light, dark, and on paper. */
static const char page_style[] =
    ":root{--ground:#fff;--text:#1a1d21;--faint:#596069;--line:#d5d9de;--host:#c2570c;--device:#1b67b2;"
    "--link:#2b8a5b;--other:#8a919c;--rest:#dfe3e8}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14171b;--text:#e6e8eb;--faint:#a2aab4;--line:#363c44;"
    "--host:#f2994a;--device:#5aa9f0;--link:#57c48f;--other:#7d8590;--rest:#2a3038}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:64rem;background:var(--ground);color:var(--text);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}code{overflow-wrap:anywhere}"
    "h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    ".note,small{color:var(--faint);font-size:.85rem}p{margin:.4rem 0}li{margin:.3rem "
    "0;overflow-wrap:anywhere}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:1rem;margin-top:1rem}\n"
    ".figure{flex:1 1 12rem;border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}\n"
    ".figure b{display:block;font-size:1.5rem}.figure span,.figure small{display:block}\n"
    ".legend i{display:inline-block;width:.8rem;height:.8rem;margin:0 .3rem 0 0;border-radius:2px}\n"
    ".host{background:var(--host);fill:var(--host)}.device{background:var(--device);fill:var(--device)}\n"
    ".link{background:var(--link);fill:var(--link)}.other{background:var(--other);fill:var(--other)}"
    ".rest{background:var(--rest)}\n"
    ".call{background:var(--faint)}.unsure{background:repeating-linear-gradient(45deg,var(--faint) 0 4px,"
    "var(--rest) 4px 8px)}\n"
    ".row{display:flex;align-items:center;gap:.6rem;margin:.2rem 0}.name{flex:0 0 9rem;text-align:right;"
    "overflow-wrap:anywhere}\n"
    ".bar{flex:1;display:flex;height:1.1rem;background:color-mix(in srgb,var(--line) 40%,transparent)}"
    ".bar i{display:block;height:100%}\n"
    ".whole{height:1.8rem;border-radius:.3rem;overflow:hidden}.legend span{display:inline-block;"
    "margin-right:1.2rem;padding-left:1.1rem;text-indent:-1.1rem}\n"
    ".value{flex:0 0 6rem;font-variant-numeric:tabular-nums}\n"
    "svg{shape-rendering:crispEdges;display:block;width:100%;height:12rem;border:1px solid "
    "var(--line);border-width:0 0 1px 1px}\n"
    ".axis{display:flex;justify-content:space-between;color:var(--faint);font-size:.85rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.8rem 0;font-size:.9rem}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    "tbody th,tfoot th,thead th:first-child,.text{text-align:left}tfoot{font-weight:bold}"
    "#setup td{overflow-wrap:anywhere}\n"
    "summary{cursor:pointer}pre{overflow-x:auto;font-size:.8rem}\n";

static void print_parallel_row(FILE *stream, const struct parallel_row *row)
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

static void print_parallel_reason(FILE *stream, const char *name, uint64_t calls, const char *text)
{
    if (!calls)
        return;
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, name);
    fprintf(stream, "</th><td>%llu</td><td class=\"text\">", (unsigned long long)calls);
    html_print(stream, text);
    fputs("</td></tr>\n", stream);
}

static void print_parallel_reasons(FILE *stream, const struct parallel_report *parallel)
{
    fputs("<div class=\"wide\"><table id=\"parallel-reasons\"><thead><tr><th scope=\"col\">stayed on the host</th>"
          "<th scope=\"col\">calls</th><th scope=\"col\" class=\"text\">reason</th></tr></thead><tbody>\n", stream);
    for (int row = 0; row < parallel->count; row++) {
        const struct parallel_row *const of = &parallel->rows[row];
        for (int i = 0; i < HOST_REASON_COUNT; i++)
            print_parallel_reason(stream, of->name, of->counts.host_calls[i],
                                  host_reason_text((enum host_reason)i));
        for (int i = 0; i < UNSERVED_COUNT; i++)
            print_parallel_reason(stream, of->name, of->counts.unserved_calls[i],
                                  parallel_unserved_text((enum parallel_unserved)i));
    }
    fputs("</tbody></table></div>", stream);
}

/* A row for each parallel routine. */
static void print_parallel(FILE *stream, const struct parallel_report *parallel)
{
    fprintf(stream, "<section><h2>Parallel routines</h2><div class=\"wide\"><table id=\"parallel\"><thead><tr>"
                    "<th scope=\"col\">routine</th><th scope=\"col\">calls</th><th scope=\"col\">on device</th>"
                    "<th scope=\"col\">on host</th><th scope=\"col\">largest n</th><th scope=\"col\">agree s</th>"
                    "<th scope=\"col\">put s</th><th scope=\"col\">%s s</th><th scope=\"col\">take s</th></tr>"
                    "</thead><tbody>\n", parallel_work_word(parallel));
    for (int i = 0; i < parallel->count; i++)
        print_parallel_row(stream, &parallel->rows[i]);
    fputs("</tbody></table></div>\n<p class=\"note\">ScaLAPACK's routines, which all ranks of a grid call together. "
          "Seconds are this process's, of calls on the device. ", stream);
    parallel_text_print_owner(stream, parallel);
    fputs("</p>\n", stream);
    if (parallel_any_on_host(parallel))
        print_parallel_reasons(stream, parallel);
    fputs("</section>\n", stream);
}

static void print_head(FILE *stream, const struct report *report)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>mublas: ", stream);
    html_print(stream, report->run.command);
    fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", page_style);
    html_print(stream, report->program);
    fputs("</h1>\n<p><code>", stream);
    html_print(stream, report->run.command);
    fputs("</code></p>\n<p class=\"note\">", stream);
    report_text_print_process(stream, report);
    fputs(" on ", stream);
    html_print(stream, report->run.host);
    fprintf(stream, ", until %s</p>\n", report->run.date);
}

static void print_figure(FILE *stream, const char *name, double seconds, const char *note)
{
    fprintf(stream, "<div class=\"figure\"><b>%.3f s</b><span>%s</span><small>%s</small></div>\n", seconds,
            name, note);
}

/* All of a routine's calls for a reason count as timed if some of them are. */
static uint64_t untimed_calls(const struct report *report)
{
    uint64_t sum = 0;
    for (int routine = 0; routine < SYMBOL_COUNT; routine++)
        for (int i = 0; i < HOST_REASON_COUNT; i++)
            if (!report->routines[routine].host_nanoseconds[i])
                sum += report->routines[routine].host_calls[i];
    return sum;
}

static void print_saved(FILE *stream, const struct report *report)
{
    char note[320];
    const double foretold = (double)report->total.foretold_nanoseconds / 1e9,
                 taken = (double)report_device_time(&report->total) / 1e9;
    const unsigned long long calls = report->total.device_calls;
    const char *const origin = model_in_force()->learned ? "the recipe of this machine" : "built-in figures";
    const char *const name =
        foretold >= taken ? "saved against the host, as predicted" : "lost against the host, as predicted";
    if (!report->total.device_calls)
        return;
    snprintf(note, sizeof note,
             "not measured: by %s the host needs %.3f s for what the GPU did in %.3f s, %llu call%s; what opening "
             "the GPU took is not taken off", origin, foretold, taken, calls, plural(calls));
    print_figure(stream, name, fabs(foretold - taken), note);
}

static void print_host_figure(FILE *stream, const struct report *report)
{
    char note[128];
    const unsigned long long others = untimed_calls(report);
    const int used = snprintf(note, sizeof note, "timed calls of all threads");
    if (others)
        snprintf(note + used, sizeof note - (size_t)used, "; %llu other%s at least %s counted only", others,
                 plural(others), others == 1 ? "was" : "were");
    print_figure(stream, "BLAS and LAPACK on the host", (double)report_own_host_time(&report->total) / 1e9,
                 note);
}

static void print_device_figure(FILE *stream, const struct report *report)
{
    char note[128] = "no call";
    const unsigned long long calls = report->total.device_calls;
    if (calls)
        snprintf(note, sizeof note, "%llu call%s; %.1f MB up, %.1f MB down", calls, plural(calls),
                 (double)report->total.bytes_up / 1e6, (double)report->total.bytes_down / 1e6);
    print_figure(stream, "on the GPU", (double)report_device_time(&report->total) / 1e9, note);
}

static void print_figures(FILE *stream, const struct report *report)
{
    fputs("<div class=\"figures\">\n", stream);
    print_saved(stream, report);
    print_figure(stream, "the run", (double)report->run_nanoseconds / 1e9, "since mublas was loaded");
    print_host_figure(stream, report);
    print_device_figure(stream, report);
    fputs("</div>\n", stream);
}

static void print_sentence(void *stream, const char *sentence)
{
    fputs("<li>", stream);
    html_print(stream, sentence);
    fputs("</li>\n", stream);
}

static void print_advice(FILE *stream, const struct report *report)
{
    fputs("<section><h2>Advice</h2>\n<ul id=\"advice\">\n", stream);
    report_advice_give(report, print_sentence, stream);
    fputs("</ul></section>\n", stream);
}

static void print_large(FILE *stream, const struct large_call *call)
{
    char name[REPORT_NAME_BYTES];
    const bool on_device = call->reason == HOST_NO_REASON;
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, report_name(call->symbol, name));
    fprintf(stream, "</th><td>%lld</td><td>%lld</td><td>%lld</td><td>%.3f</td><td class=\"text\">",
            (long long)call->shape.m, (long long)call->shape.n, (long long)call->shape.k,
            (double)call->nanoseconds / 1e9);
    html_print(stream, on_device ? "device" : "host: ");
    if (!on_device)
        html_print(stream, host_reason_text(call->reason));
    fputs("</td></tr>\n", stream);
}

static void print_largest(FILE *stream, const struct report *report)
{
    fputs("<section><h2>Longest calls</h2><div class=\"wide\"><table id=\"largest\"><thead><tr><th "
          "scope=\"col\">"
          "routine</th><th scope=\"col\">m</th><th scope=\"col\">n</th><th scope=\"col\">k</th>"
          "<th scope=\"col\">s</th><th scope=\"col\" class=\"text\">where</th></tr></thead><tbody>\n",
          stream);
    for (int i = 0; i < report->largest_count; i++)
        print_large(stream, &report->largest[i]);
    fputs("</tbody></table></div><p class=\"note\">Of each routine, size and place the longest single "
          "call. m, n, "
          "k as the routine counts them, 0 where it has none; of an eigensolver k is the number of "
          "vectors.</p></section>\n", stream);
}

static void print_reason(FILE *stream, enum symbol symbol, const struct routine_stats *stats, int reason)
{
    char name[REPORT_NAME_BYTES];
    fputs("<tr><th scope=\"row\">", stream);
    html_print(stream, report_name(symbol, name));
    fprintf(stream, "</th><td>%llu</td>", (unsigned long long)stats->host_calls[reason]);
    if (stats->host_nanoseconds[reason])
        fprintf(stream, "<td>%.3f</td>", (double)stats->host_nanoseconds[reason] / 1e9);
    else
        fputs("<td>-</td>", stream);
    fprintf(stream, "<td class=\"text\">%s</td></tr>\n", host_reason_text((enum host_reason)reason));
}

static void print_reasons(FILE *stream, const struct report *report)
{
    if (!report_host_calls(&report->total))
        return;
    fputs("<section><h2>Why calls stayed on the host</h2><div class=\"wide\"><table "
          "id=\"reasons\"><thead><tr>"
          "<th scope=\"col\">routine</th><th scope=\"col\">calls</th><th scope=\"col\">s</th>"
          "<th scope=\"col\" class=\"text\">reason</th></tr></thead><tbody>\n", stream);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (report->routines[i].host_calls[reason])
                print_reason(stream, (enum symbol)i, &report->routines[i], reason);
    fputs("</tbody></table></div></section>\n", stream);
}

static void print_setup(void *stream, const char *label, const char *text)
{
    fprintf(stream, "<tr><th scope=\"row\">%s</th><td class=\"text\">", label);
    html_print(stream, text);
    fputs("</td></tr>\n", stream);
}

/* For a mail, say. */
static void print_text(FILE *stream, const struct report *report)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return;
    report_text_print(memory, report);
    fputs("<details><summary>The same as text</summary><pre id=\"text\">", stream);
    if (fclose(memory) == 0)
        html_print(stream, text);
    fputs("</pre></details>\n", stream);
    free(text);
}

void page_print(FILE *stream, const struct report *report)
{
    print_head(stream, report);
    if (report_was_called(&report->total)) {
        print_figures(stream, report);
        page_print_whole(stream, report);
    }
    print_advice(stream, report);
    if (report_was_called(&report->total)) {
        page_print_timeline(stream, report);
        page_print_routines(stream, report);
        print_largest(stream, report);
        print_reasons(stream, report);
    }
    if (report->parallel && report->parallel->count > 0)
        print_parallel(stream, report->parallel);
    fputs("<section><h2>Where it ran</h2><div class=\"wide\"><table id=\"setup\"><tbody>\n", stream);
    report_setup_each(report, print_setup, stream);
    fputs("</tbody></table></div></section>\n", stream);
    print_text(stream, report);
    fputs("</body>\n</html>\n", stream);
}
