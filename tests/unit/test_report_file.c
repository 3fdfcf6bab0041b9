/* The names of report files: no two processes of a job, and no fork's child, take each other's place. */
#include "interpose/report/report_file.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>

static void expect(const char *form, int rank, int ranks, bool child, const char *wanted)
{
    const struct reporter reporter = {4711, {.rank = rank, .ranks = ranks}, child};
    char *name = report_file_name(form, &reporter);
    tap_ok(name && strcmp(name, wanted) == 0, "%s, rank %d of %d%s: %s, expected %s", form, rank, ranks,
           child ? ", a fork's child" : "", name ? name : "none", wanted);
    free(name);
}

UNIT_TEST(test_report_file)
{
    expect("out/report", -1, 0, false, "out/report");
    expect("report", 0, 1, false, "report");
    expect("report", 0, 2, false, "report.0");
    expect("report", 13, 128, false, "report.13");
    expect("report", 5, 0, false, "report.5");
    expect("report.%r", 5, 8, false, "report.5");
    expect("report.%r", -1, 0, false, "report.0");
    expect("%r/%p/report-%r", 5, 8, false, "5/4711/report-5");
    expect("report-%p", 5, 8, false, "report-4711");
    expect("report", -1, 0, true, "report.4711");
    expect("report", 3, 4, true, "report.3.4711");
    expect("report.%r", 3, 4, true, "report.3.4711");
    expect("report-%p", 3, 4, true, "report-4711");
    expect("report.html", -1, 0, false, "report.html");
    expect("report.html", 3, 8, false, "report.3.html");
    expect("report.html", -1, 0, true, "report.4711.html");
    expect("report.html", 3, 4, true, "report.3.4711.html");
    expect("out.html/report", 1, 2, false, "out.html/report.1");
    expect("%r/%p.html", 3, 4, true, "3/4711.html");
    expect("report.HTM", 3, 4, true, "report.3.4711.HTM");
    tap_ok(report_file_is_page("a.HTML") && report_file_is_page("a.b.htm") && !report_file_is_page("a.htmx"),
           "however its end is written");
    tap_ok(report_file_is_page("a.html") && report_file_is_page(".html") && !report_file_is_page("a.html.txt") &&
               !report_file_is_page("html") && !report_file_is_page("1") && !report_file_is_page(NULL),
           "a page is what its name says");
    expect("100%_%x%", -1, 0, false, "100%_%x%");
    return tap_done();
}
