/* The report of MUBLAS_REPORT: what was offloaded, what was not and why.
 *
 * Written by a destructor, when the program and its libraries have done their own output; a process that made
 * no BLAS call writes none, but for the one that `mublas run` started (report_data.h). */
#include "common/plain_locale.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "interpose/report/exit_wait.h"
#include "interpose/report/page/page.h"
#include "interpose/report/report_data.h"
#include "interpose/report/report_text.h"

#include <stdio.h>
#include <stdlib.h>

/* The C library flushes standard output only after this; get the order right
 * unless another thread holds it. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) == 0) {
        fflush(stdout);
        funlockfile(stdout);
    }
}

typedef void printer(FILE *stream, const struct report *report);

/* False: no memory. */
static bool print(const struct report *report, printer *print_it, struct report_text *text)
{
    FILE *stream = open_memstream(&text->text, &text->length);
    if (!stream)
        return false;
    print_it(stream, report);
    return fclose(stream) == 0;
}

static void write_report(const struct report *report)
{
    struct report_text text = {NULL, 0}, page = {NULL, 0};
    const char *const destination = settings()->report;
    if (print(report, report_text_print, &text) &&
        (!report_file_is_page(destination) || print(report, page_print, &page))) {
        flush_output();
        report_file_deliver(destination, &report->reporter, &text, &page,
                            !report_has_calls(report));
    }
    free(text.text);
    free(page.text);
}

__attribute__((destructor)) static void report_at_exit(void)
{
    struct program_state program;
    if (!stats_wanted())
        return;
    program_state_set_aside(&program);
    const locale_t locale = plain_locale_begin();
    const struct report *const report = report_read();
    if (report)
        write_report(report);
    plain_locale_end(locale);
    exit_wait_over();
    program_state_return(&program);
}
