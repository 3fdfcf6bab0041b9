#include "common/text.h"
#include "interpose/report/report_data.h"
#include "interpose/report/report_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    "0;overflow-wrap:break-word}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:1rem;margin-top:1rem}\n"
    ".figure{flex:1 1 12rem;border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}\n"
    ".figure b{display:block;font-size:1.5rem}.figure span,.figure small{display:block}\n"
    ".legend i{display:inline-block;width:.8rem;height:.8rem;margin:0 .3rem 0 0;border-radius:2px}\n"
    ".host{background:var(--host);fill:var(--host)}.device{background:var(--device);fill:var(--device)}\n"
    ".link{background:var(--link);fill:var(--link)}.other{background:var(--other);fill:var(--other)}"
    ".rest{background:var(--rest)}\n"
    ".call{background:var(--faint)}.unsure{background:repeating-linear-gradient(45deg,var(--faint) 0 4px,"
    "var(--rest) 4px 8px)}\n"
    ".chart{display:grid;grid-template-columns:max-content minmax(3rem,1fr) max-content;gap:.25rem .6rem;"
    "align-items:center}.row{display:contents}.name{text-align:right;white-space:nowrap}\n"
    ".bar{display:flex;height:1.1rem;background:color-mix(in srgb,var(--line) 40%,transparent)}"
    ".bar i{display:block;height:100%}\n"
    ".whole{height:1.8rem;border-radius:.3rem;overflow:hidden}.legend span{display:inline-block;"
    "margin-right:1.2rem;padding-left:1.1rem;text-indent:-1.1rem}\n"
    ".value{font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".r0{background:#c2570c}.r1{background:#8e5bb5}.r2{background:#2b8a5b}.r3{background:#b8860b}"
    ".r4{background:#1b7f9e}.r5{background:#a8456b}.r6{background:#6b7a3a}.r7{background:#8a919c}\n"
    "svg{shape-rendering:crispEdges;display:block;width:100%;height:3rem;border:1px solid "
    "var(--line);border-width:0 0 1px 1px}.tick{fill:var(--line)}g:hover{opacity:.6}\n"
    ".lane{margin:.5rem 0 0;font-size:.85rem;color:var(--faint)}\n"
    ".axis{position:relative;height:1.4rem;color:var(--faint);font-size:.85rem}"
    ".axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}"
    ".axis span:first-child{transform:none}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.8rem 0;font-size:.9rem}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    "tbody th,tfoot th,thead th:first-child,.text{text-align:left}tbody th,tfoot th{white-space:nowrap}"
    "tfoot{font-weight:bold}td.text{min-width:12rem}td.file{overflow-wrap:anywhere}\n"
    ".banner{border:2px solid var(--host);border-radius:.5rem;padding:.5rem .9rem;margin:1rem 0}"
    ".process{border-top:2px solid var(--line);margin-top:1rem;padding-top:.5rem}"
    ".process>summary{font-weight:bold;overflow-wrap:anywhere}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.6rem "
    "0}dt{color:var(--faint)}"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "summary{cursor:pointer}pre{overflow-x:auto;font-size:.8rem}\n";

void page_print_head(FILE *stream, const struct report *report)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>mublas: ", stream);
    html_print(stream, report->run.command);
    fprintf(stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", page_style);
    html_print(stream, report->program);
    fputs("</h1>\n", stream);
}

void page_print_foot(FILE *stream)
{
    fputs("</body>\n</html>\n", stream);
}

static void print_banner(FILE *stream, const char *text)
{
    fputs("<p class=\"banner\">", stream);
    html_print(stream, text);
    fputs("</p>\n", stream);
}

/* Which run it was, on what. */
static void print_place(FILE *stream, const struct report *report)
{
    static const char *const first[] = {"device", "processor", "threads"};
    fputs("<p><code>", stream);
    html_print(stream, report->run.command);
    fputs("</code></p>\n<p class=\"note\">", stream);
    report_text_print_process(stream, report);
    fputs(" on ", stream);
    html_print(stream, report->run.host);
    fprintf(stream, ", until %s</p>\n", report->run.date);
    if (report->is_emulated)
        print_banner(stream, "Emulated device: a test's, which computes on this processor. Its seconds say "
                             "nothing "
                             "of a GPU's.");
    if (report->missing)
        print_banner(stream, report->missing);
    fputs("<dl>", stream);
    for (int label = 0; label < 3; label++)
        for (int i = 0; i < report->setup_count; i++)
            if (strcmp(report->setup[i].label, first[label]) == 0) {
                fprintf(stream, "<dt>%s</dt><dd>", first[label]);
                html_print(stream, report->setup[i].text);
                fputs("</dd>\n", stream);
            }
    fputs("</dl>\n", stream);
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
            if (!report->routines[routine].host_nanoseconds[i] && i != HOST_QUERY)
                sum += report->routines[routine].host_calls[i];
    return sum;
}

static void print_saved(FILE *stream, const struct report *report)
{
    char note[320];
    const double foretold = (double)report->total.foretold_nanoseconds / 1e9,
                 taken = (double)report_device_time(&report->total) / 1e9;
    const unsigned long long calls = report->total.device_calls;
    const char *const origin = report->facts.has_recipe ? "the recipe of this machine" : "built-in figures";
    const char *const name =
        foretold >= taken ? "saved against the host, as predicted" : "lost against the host, as predicted";
    if (!report->total.device_calls || report->is_emulated)
        return;
    snprintf(note, sizeof note,
             "not measured: by %s the host needs %.3f s for what the GPU did in %.3f s, %llu call%s; what "
             "opening "
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
    print_figure(stream, report->is_emulated ? "on the emulated device" : "on the GPU",
                 (double)report_device_time(&report->total) / 1e9, note);
}

static void print_figures(FILE *stream, const struct report *report)
{
    fputs("<div class=\"figures\">\n", stream);
    print_saved(stream, report);
    print_figure(stream, report->processes > 1 ? "the longest process" : "the run",
                 (double)report->run_nanoseconds / 1e9, "since mublas was loaded");
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
    fputs("<section><h2>Advice</h2>\n<ul class=\"advice\">\n", stream);
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
    if (!report->largest_count)
        return;
    fprintf(stream, "<section><h2>Longest calls</h2><div class=\"wide\"><table %s=\"largest\"><thead><tr>"
                    "<th scope=\"col\">routine</th><th scope=\"col\">m</th><th scope=\"col\">n</th>"
                    "<th scope=\"col\">k</th><th scope=\"col\">s</th><th scope=\"col\" "
                    "class=\"text\">where</th>"
                    "</tr></thead><tbody>\n", report->is_section ? "class" : "id");
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

/* The measure of a part of the bar of reasons: seconds where any were timed, else calls. */
static uint64_t reason_length(const struct report *report, int reason)
{
    const struct routine_stats *const total = &report->total;
    if (reason == HOST_QUERY)
        return 0;
    if (!report_own_host_time(total))
        return total->host_calls[reason];
    const uint64_t all = total->host_nanoseconds[reason], inside = total->inside_nanoseconds[reason];
    return all > inside ? all - inside : 0;
}

/* The longest first; the last colour is of all that are left. */
static int take_reasons(const struct report *report, int reasons[HOST_REASON_COUNT])
{
    int count = 0;
    for (int reason = 0; reason < HOST_REASON_COUNT; reason++) {
        int place = count;
        if (!reason_length(report, reason))
            continue;
        while (place > 0 && reason_length(report, reasons[place - 1]) < reason_length(report, reason)) {
            reasons[place] = reasons[place - 1];
            place--;
        }
        reasons[place] = reason;
        count++;
    }
    return count;
}

static void print_reason_bar(FILE *stream, const struct report *report)
{
    enum { COLOURS = 8 };
    int reasons[HOST_REASON_COUNT];
    const int count = take_reasons(report, reasons);
    const bool has_seconds = report_own_host_time(&report->total) > 0;
    uint64_t whole = 0;
    for (int i = 0; i < count; i++)
        whole += reason_length(report, reasons[i]);
    fputs("<div class=\"bar whole\" aria-hidden=\"true\">", stream);
    for (int i = 0; i < count; i++)
        fprintf(stream, "<i class=\"r%d\" style=\"width:%.2f%%\"></i>", i < COLOURS ? i : COLOURS - 1,
                100 * (double)reason_length(report, reasons[i]) / (double)whole);
    fputs("</div>\n<p class=\"legend\">", stream);
    for (int i = 0; i < count; i++) {
        const uint64_t length = reason_length(report, reasons[i]);
        fprintf(stream, "<span><i class=\"r%d\"></i>%s ", i < COLOURS ? i : COLOURS - 1,
                host_reason_text((enum host_reason)reasons[i]));
        if (has_seconds)
            fprintf(stream, "<b>%.3f s</b>", (double)length / 1e9);
        else
            fprintf(stream, "<b>%llu call%s</b>", (unsigned long long)length, plural(length));
        fprintf(stream, " (%.0f%%)</span> ", 100 * (double)length / (double)whole);
    }
    fputs("</p>\n", stream);
}

static void print_reasons(FILE *stream, const struct report *report)
{
    if (!report_host_calls(&report->total))
        return;
    fputs("<section><h2>Why calls stayed on the host</h2>\n", stream);
    print_reason_bar(stream, report);
    fprintf(stream, "<div class=\"wide\"><table %s=\"reasons\"><thead><tr><th scope=\"col\">routine</th>"
                    "<th scope=\"col\">calls</th><th scope=\"col\">s</th><th scope=\"col\" "
                    "class=\"text\">reason"
                    "</th></tr></thead><tbody>\n", report->is_section ? "class" : "id");
    for (int i = 0; i < SYMBOL_COUNT; i++)
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            if (report->routines[i].host_calls[reason] && reason != HOST_QUERY)
                print_reason(stream, (enum symbol)i, &report->routines[i], reason);
    fputs("</tbody></table></div></section>\n", stream);
}

static void print_setup(FILE *stream, const struct report *report)
{
    fprintf(stream, "<section><h2>Where it ran</h2><div class=\"wide\"><table %s=\"setup\"><tbody>\n",
            report->is_section ? "class" : "id");
    for (int i = 0; i < report->setup_count; i++) {
        fprintf(stream, "<tr><th scope=\"row\">%s</th><td class=\"text file\">", report->setup[i].label);
        html_print(stream, report->setup[i].text);
        fputs("</td></tr>\n", stream);
    }
    fputs("</tbody></table></div></section>\n", stream);
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
    fputs("<details><summary>The same as text</summary><pre>", stream);
    if (fclose(memory) == 0)
        html_print(stream, text);
    fputs("</pre></details>\n", stream);
    free(text);
}

void page_print_body(FILE *stream, const struct report *report)
{
    const bool was_called = report_was_called(&report->total);
    print_place(stream, report);
    if (was_called) {
        print_figures(stream, report);
        page_print_whole(stream, report);
    }
    print_advice(stream, report);
    if (!was_called)
        page_print_queries(stream, report);
    if (was_called) {
        if (report->lane_count > 0)
            page_print_timeline(stream, report);
        page_print_routines(stream, report);
        print_largest(stream, report);
        page_print_sizes(stream, report);
        print_reasons(stream, report);
    }
    if (report->parallel.count > 0)
        parallel_page_print(stream, &report->parallel, report->is_section, report->processes > 1);
    print_setup(stream, report);
    print_text(stream, report);
    if (report->processes > 1)
        return;
    fputs("<!--\n", stream);
    report_counters_print(stream, report);
    fputs("-->\n", stream);
}

void page_print(FILE *stream, const struct report *report)
{
    page_print_head(stream, report);
    page_print_body(stream, report);
    page_print_foot(stream);
}
