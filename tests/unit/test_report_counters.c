/* Counters of a report: what is written is what is read, whatever the words are; what is damaged is refused; sums
 * have all. */
#include "interpose/report/report_data.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

static char *text_of(const struct report *report)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    report_counters_print(stream, report);
    fclose(stream);
    return text;
}

/* A number of its own in each place. */
static void fill(struct report *report)
{
    uint64_t number = 1;
    report->processes = 1;
    report->reporter = (struct reporter){4711, {.rank = 3, .ranks = 8}, true};
    report->program = strdup("a --> <b> % \xff\n#end");
    snprintf(report->run.command, sizeof report->run.command, "%s", "");
    snprintf(report->run.host, sizeof report->run.host, "-");
    report->facts = (struct process_facts){.device = ADVICE_DEVICE_NONE, .tracking = ADVICE_TRACKING_BLIND,
                                           .has_recipe = true, .device_fault = strdup("none -- at all")};
    report_setup_add(report, "host BLAS", "/x y/libblas.so");
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        report->routines[SYMBOL_dsymv_].host_calls[i] = number++;
        report->routines[SYMBOL_dsymv_].host_nanoseconds[i] = number++;
        report->routines[SYMBOL_dsymv_].inside_nanoseconds[i] = number++;
    }
    struct routine_stats *const stats = &report->routines[SYMBOL_dgemm_];
    *stats = (struct routine_stats){.device_calls = number++, .bytes_up = number++, .bytes_down = number++,
                                    .thousand_operations = number++, .foretold_nanoseconds = number++};
    for (int i = 0; i < PHASE_COUNT; i++)
        stats->phases.nanoseconds[i] = number++;
    snprintf(report->routine_facts[SYMBOL_dgemm_].variant, REPORT_WORD_BYTES, "JOBVL='V'");
    report->routine_facts[SYMBOL_dgemm_].pays_from = 300;
    report->sizes.calls[1][7] = number++;
    report->sizes.nanoseconds[0][31] = number++, report->sizes.calls[0][31] = 1;
    report->largest_count = 1;
    report->largest[0] = (struct large_call){SYMBOL_dgemm_, HOST_NO_REASON, number++, {.m = 2, .n = 3, .k = 4}};
    report->lane_count = 2;
    memset(report->lanes, 0, sizeof report->lanes);
    for (int lane = 0; lane < 2; lane++)
        for (int step = 0; step < TIMELINE_STEPS; step++)
            report->lanes[lane].longest[step] = SYMBOL_COUNT;
    report->lanes[1].steps[ACTIVITY_LINK][199] = number++, report->lanes[1].longest[199] = SYMBOL_dsymv_;
    report->lanes[0].steps[ACTIVITY_HOST][0] = number;
    report_sum_up(report);
}

static void test_damage(const char *text)
{
    char fault[REPORT_FAULT_BYTES];
    const char *rest;
    int refused = 0, lines = 0, read = 0;
    for (const char *at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        char *const cut = strndup(text, (size_t)(at - text) + 1), *const longer = malloc(strlen(text) + 8);
        struct report *report = report_counters_parse(cut, &rest, fault);
        refused += !report;
        /* A word more in the line. */
        sprintf(longer, "%.*s x%s", (int)(at - text), text, at);
        struct report *const other = report_counters_parse(longer, &rest, fault);
        read += other != NULL;
        lines++;
        free(cut);
        free(longer);
    }
    tap_ok(lines > 10 && refused == lines, "of %d beginnings none is taken for the whole: %d refused", lines, refused);
    tap_ok(read == 0, "nor a line with a word too many");
}

static void test_bad(const char *line, const char *what)
{
    char text[256], fault[REPORT_FAULT_BYTES];
    const char *rest;
    snprintf(text, sizeof text, REPORT_COUNTERS_BEGIN PACKAGE_VERSION "\n%s\n" REPORT_COUNTERS_END "\n", line);
    tap_ok(!report_counters_parse(text, &rest, fault) && strstr(fault, line), "%s: %s", what, fault);
}

UNIT_TEST(test_report_counters)
{
    struct report *const report = calloc(1, sizeof *report), *const sum = calloc(1, sizeof *sum);
    char fault[REPORT_FAULT_BYTES];
    const char *rest = NULL;
    fill(report);
    char *const text = text_of(report);
    tap_ok(!strstr(text, "--") && !strchr(text, '<') && !strchr(text, '\xff'), "it can be in a page's comment");
    struct report *const read = report_counters_parse(text, &rest, fault);
    char *const again = read ? text_of(read) : NULL;
    tap_ok(again && strcmp(text, again) == 0 && *rest == '\0', "what is written is what is read");
    tap_ok(read && strcmp(read->program, report->program) == 0 && !read->facts.tracking_fault &&
               strcmp(read->facts.device_fault, "none -- at all") == 0 && strcmp(read->run.host, "-") == 0,
           "words of any bytes, and none");
    tap_ok(read && report_host_calls(&read->total) == report_host_calls(&report->total) &&
               report_device_time(&read->total) == report_device_time(&report->total), "the total is made anew");
    report_add(sum, report);
    report_add(sum, read);
    tap_ok(sum->processes == 2 && sum->total.device_calls == 2 * report->total.device_calls &&
               sum->sizes.calls[1][7] == 2 * report->sizes.calls[1][7] && sum->setup_count == 1 &&
               sum->largest_count == 1 && sum->routine_facts[SYMBOL_dgemm_].pays_from == 0 + 300 * 1,
           "a sum has the calls of both, and what they say alike once");
    char *const queries = report_queries(report);
    tap_ok(queries && strncmp(queries, "dsymv ", 6) == 0 && report->total.host_calls[HOST_QUERY] > 0, "workspace queries");
    test_damage(text);
    test_bad("# host dsymv_ 99 1 1 1", "a reason that there is not");
    test_bad("# step 99 0 1 1 1 1 -", "a lane beyond the last");
    test_bad("# routine nothing_", "an unknown routine");
    test_bad("# size -1 0 0 0 0", "a number below the least");
    test_bad("# program %zz % - -", "a byte that is none");
    test_bad("# other 1", "an unknown line");
    free(text);
    free(again);
    free(queries);
    report_clear(sum);
    report_clear(report);
    report_clear(read);
    free(sum);
    free(report);
    free(read);
    return tap_done();
}
