#include "interpose/report/page/page_parts.h"

/* A part of a bar and its line below. */
struct piece {
    const char *activity, *meaning; /* the class of its colour */
    uint64_t nanoseconds;
};

static struct piece piece_of(enum activity activity, uint64_t nanoseconds)
{
    return (struct piece){page_activity_class(activity), page_activity_meaning(activity), nanoseconds};
}

static void print_bar(FILE *stream, const struct piece *pieces, int count, uint64_t whole)
{
    fputs("<div class=\"bar whole\" aria-hidden=\"true\">", stream);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", pieces[i].activity,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</div>\n<p class=\"legend\">", stream);
}

static void print_pieces(FILE *stream, const struct piece *pieces, int count)
{
    uint64_t whole = 0;
    for (int i = 0; i < count; i++)
        whole += pieces[i].nanoseconds;
    print_bar(stream, pieces, count, whole);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<span><i class=\"%s\"></i>%s <b>%.3f s</b> (%.0f%%)</span> ", pieces[i].activity,
                    pieces[i].meaning, (double)pieces[i].nanoseconds / 1e9,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</p>\n", stream);
}

/* Time of the clock. The parts of a step in which several threads were in calls may have been one time or
 * several; what is less than a thousandth of the run is no news. */
static void print_run(FILE *stream, const struct report *report)
{
    const uint64_t run = report->run_nanoseconds;
    const struct time_in_calls in_calls = stats_read_in_calls(run);
    const uint64_t unsure = in_calls.most - in_calls.least, told = unsure > run / 1000 ? unsure : 0;
    const struct piece pieces[] = {
        {"call", "at least one thread in a call", in_calls.most - told},
        {"unsure", "perhaps one, as threads took turns in less than a step of the time line", told},
        {"rest", "no timed call: the program's own work, opening the GPU, small BLAS calls",
         run - in_calls.most},
    };
    fprintf(stream, "<section><h2>Where the time went</h2>\n<p>The run, %.3f s:</p>\n", (double)run / 1e9);
    print_pieces(stream, pieces, sizeof pieces / sizeof *pieces);
}

/* Of the threads' time, which several spend at once. */
static void print_calls(FILE *stream, const struct report *report)
{
    const uint64_t on_device = report_device_time(&report->total),
                   kernel = report_kernel_time(&report->total), link = report_link_time(&report->total),
                   host = report_own_host_time(&report->total);
    const struct piece pieces[] = {
        piece_of(ACTIVITY_HOST, host),
        piece_of(ACTIVITY_DEVICE, kernel),
        piece_of(ACTIVITY_LINK, link),
        piece_of(ACTIVITY_OTHER, on_device - kernel - link),
    };
    if (host + on_device == 0)
        return;
    fprintf(stream, "<p>The calls, %.3f s, those of all threads added up:</p>\n",
            (double)(host + on_device) / 1e9);
    print_pieces(stream, pieces, sizeof pieces / sizeof *pieces);
}

void page_print_whole(FILE *stream, const struct report *report)
{
    print_run(stream, report);
    print_calls(stream, report);
    fputs("</section>\n", stream);
}
