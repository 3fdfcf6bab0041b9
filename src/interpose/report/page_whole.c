#include "interpose/report/page_parts.h"

/* What the run was spent on, in seconds of all threads. */
struct piece {
    const char *activity, *meaning; /* the class of its colour */
    uint64_t nanoseconds;
};

static void print_bar(FILE *stream, const struct piece *pieces, int count, uint64_t whole)
{
    fputs("<div class=\"bar whole\" aria-hidden=\"true\">", stream);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", pieces[i].activity,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</div>\n", stream);
}

static void print_shares(FILE *stream, const struct piece *pieces, int count, uint64_t whole)
{
    fputs("<p class=\"legend\">", stream);
    for (int i = 0; i < count; i++)
        if (pieces[i].nanoseconds)
            fprintf(stream, "<span><i class=\"%s\"></i>%s <b>%.3f s</b> (%.0f%%)</span> ", pieces[i].activity,
                    pieces[i].meaning, (double)pieces[i].nanoseconds / 1e9,
                    100 * (double)pieces[i].nanoseconds / (double)whole);
    fputs("</p></section>\n", stream);
}

void page_print_whole(FILE *stream, const struct report *report)
{
    const uint64_t on_device = report_device_time(&report->total),
                   kernel = report_kernel_time(&report->total), link = report_link_time(&report->total);
    struct piece pieces[] = {
        {"host", "host BLAS and LAPACK", report_own_host_time(&report->total)},
        {"device", "GPU, computing", kernel},
        {"link", "copies", link},
        {"other", "other time of calls on the GPU", on_device - kernel - link},
        {"rest", "all else: the program's own work, opening the GPU, calls that are not timed", 0},
    };
    enum { COUNT = sizeof pieces / sizeof *pieces };
    const uint64_t calls = pieces[0].nanoseconds + on_device;
    /* Calls of several threads may take longer than the run: there is no rest then that could be told. */
    const uint64_t whole = calls > report->run_nanoseconds ? calls : report->run_nanoseconds;
    pieces[COUNT - 1].nanoseconds = whole - calls;
    fputs("<section><h2>Where the time went</h2>\n", stream);
    print_bar(stream, pieces, COUNT, whole);
    print_shares(stream, pieces, COUNT, whole);
}
