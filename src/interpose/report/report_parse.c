#include "interpose/report/report_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A line that is read word by word; what is wrong once stays so. */
struct words {
    char *at;
    bool good;
};

static char *next_word(struct words *words)
{
    char *const word = words->at + strspn(words->at, " ");
    char *const end = word + strcspn(word, " ");
    words->good &= end > word;
    words->at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static int hexadecimal(char digit)
{
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* In place; NULL for "-". */
static char *next_text(struct words *words)
{
    char *const word = next_word(words), *to = word;
    if (strcmp(word, "-") == 0)
        return NULL;
    if (strcmp(word, "%") == 0)
        *word = '\0';
    for (const char *from = word; *from; from++) {
        int code = (unsigned char)*from;
        if (code == '%') {
            const int high = hexadecimal(from[1]), low = high < 0 ? -1 : hexadecimal(from[2]);
            words->good &= low >= 0 && high + low > 0;
            if (low < 0)
                break;
            code = 16 * high + low;
            from += 2;
        }
        *to++ = (char)code;
    }
    *to = '\0';
    return word;
}

/* Strings of another length are cut. */
static void next_copy(struct words *words, char *copy, size_t room)
{
    const char *const text = next_text(words);
    snprintf(copy, room, "%s", text ? text : "");
}

static char *next_kept(struct words *words)
{
    const char *const text = next_text(words);
    char *const kept = text ? strdup(text) : NULL;
    words->good &= !text || kept;
    return kept;
}

static long long next_integer(struct words *words, long long least, long long most)
{
    char *end;
    const char *const word = next_word(words);
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    words->good &= !errno && !*end && end > word && value >= least && value <= most;
    return words->good ? value : least;
}

static uint64_t next_number(struct words *words)
{
    return (uint64_t)next_integer(words, 0, INT64_MAX);
}

static void next_numbers(struct words *words, uint64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = next_number(words);
}

static bool next_flag(struct words *words)
{
    return next_integer(words, 0, 1) == 1;
}

static enum symbol next_symbol(struct words *words)
{
    const char *const name = next_word(words);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (strcmp(symbol_name((enum symbol)i), name) == 0)
            return (enum symbol)i;
    words->good = false;
    return (enum symbol)0;
}

static void take_process(struct words *words, struct report *report)
{
    report->reporter.process = (long)next_integer(words, 0, INT32_MAX);
    report->reporter.world.rank = (int)next_integer(words, -1, INT32_MAX);
    report->reporter.world.ranks = (int)next_integer(words, 0, INT32_MAX);
    report->reporter.is_fork_child = next_flag(words);
    report->is_emulated = next_flag(words);
}

static void take_program(struct words *words, struct report *report)
{
    free(report->program);
    report->program = next_kept(words);
    next_copy(words, report->run.command, sizeof report->run.command);
    next_copy(words, report->run.host, sizeof report->run.host);
    next_copy(words, report->run.date, sizeof report->run.date);
}

static void take_run(struct words *words, struct report *report)
{
    report->run_nanoseconds = next_number(words);
    report->in_calls.least = next_number(words);
    report->in_calls.most = next_number(words);
    report->thread_count = (int)next_integer(words, 0, INT32_MAX);
}

static void take_facts(struct words *words, struct report *report)
{
    struct process_facts *const facts = &report->facts;
    free(facts->device_fault);
    free(facts->tracking_fault);
    free(facts->unreachable);
    facts->device = (enum advice_device)next_integer(words, 0, ADVICE_DEVICE_LOST);
    facts->tracking = (enum advice_tracking)next_integer(words, 0, ADVICE_TRACKING_BLIND);
    facts->level3_is_missing = next_flag(words);
    facts->solver_is_missing = next_flag(words);
    facts->has_recipe = next_flag(words);
    facts->has_forked = next_flag(words);
    facts->has_started_others = next_flag(words);
    facts->device_fault = next_kept(words);
    facts->tracking_fault = next_kept(words);
    facts->unreachable = next_kept(words);
}

static void take_setup(struct words *words, struct report *report)
{
    char label[REPORT_WORD_BYTES];
    next_copy(words, label, sizeof label);
    const char *const text = next_text(words);
    report_setup_add(report, label, text ? text : "");
}

static void take_routine(struct words *words, struct report *report)
{
    const enum symbol symbol = next_symbol(words);
    struct routine_stats *const stats = &report->routines[symbol];
    struct routine_facts *const facts = &report->routine_facts[symbol];
    uint64_t *const numbers[] = {&stats->device_calls, &stats->bytes_up, &stats->bytes_down,
                                 &stats->thousand_operations, &stats->host_thousand_operations,
                                 &stats->host_counted_nanoseconds, &stats->foretold_nanoseconds};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = next_number(words);
    next_numbers(words, stats->phases.nanoseconds, PHASE_COUNT);
    facts->m = next_integer(words, 0, INT64_MAX);
    facts->n = next_integer(words, 0, INT64_MAX);
    facts->k = next_integer(words, 0, INT64_MAX);
    facts->pays_from = next_integer(words, 0, INT64_MAX);
    next_copy(words, facts->variant, sizeof facts->variant);
}

static void take_host(struct words *words, struct report *report)
{
    struct routine_stats *const stats = &report->routines[next_symbol(words)];
    const int reason = (int)next_integer(words, 0, HOST_REASON_COUNT - 1);
    stats->host_calls[reason] = next_number(words);
    stats->host_nanoseconds[reason] = next_number(words);
    stats->inside_nanoseconds[reason] = next_number(words);
}

static void take_size(struct words *words, struct report *report)
{
    const int place = (int)next_integer(words, 0, SIZE_PLACES - 1);
    report->sizes.calls[0][place] = next_number(words);
    report->sizes.calls[1][place] = next_number(words);
    report->sizes.nanoseconds[0][place] = next_number(words);
    report->sizes.nanoseconds[1][place] = next_number(words);
}

static void take_large(struct words *words, struct report *report)
{
    struct large_call call = {.symbol = next_symbol(words)};
    call.reason = (enum host_reason)next_integer(words, 0, HOST_REASON_COUNT);
    call.nanoseconds = next_number(words);
    call.shape.m = next_integer(words, 0, INT64_MAX);
    call.shape.n = next_integer(words, 0, INT64_MAX);
    call.shape.k = next_integer(words, 0, INT64_MAX);
    if (words->good)
        report->largest_count =
            largest_calls_merge(report->largest, report->largest_count, LARGEST_CALLS, &call);
}

static void take_step(struct words *words, struct report *report)
{
    const int number = (int)next_integer(words, 0, LANES_MOST - 1);
    const int step = (int)next_integer(words, 0, TIMELINE_STEPS - 1);
    struct thread_lane *const lane = &report->lanes[number];
    for (; report->lane_count <= number; report->lane_count++)
        for (int i = 0; i < TIMELINE_STEPS; i++)
            report->lanes[report->lane_count].longest[i] = SYMBOL_COUNT;
    for (int i = 0; i < ACTIVITY_COUNT; i++)
        lane->steps[i][step] = next_number(words);
    if (strcmp(words->at, "-") == 0)
        next_word(words);
    else
        lane->longest[step] = next_symbol(words);
}

static void take_owner(struct words *words, struct report *report)
{
    struct parallel_report *const parallel = &report->parallel;
    parallel->has_owner = next_flag(words);
    parallel->owner_is_here = next_flag(words);
    parallel->owner = (long)next_integer(words, 0, INT32_MAX);
    parallel->owner_rank = (int)next_integer(words, -1, INT32_MAX);
    parallel->has_elpa = next_flag(words);
    free((char *)parallel->fault);
    parallel->fault = next_kept(words);
}

static void take_parallel(struct words *words, struct report *report)
{
    struct parallel_row *const row = &report->parallel_rows[report->parallel.count];
    if (report->parallel.count == PARALLEL_ROWS_MOST)
        return;
    row->name = next_kept(words);
    words->good &= row->name != NULL;
    report->parallel.count += words->good;
    report->parallel.rows = report->parallel_rows;
    row->counts.device_calls = next_number(words);
    row->counts.largest = next_integer(words, 0, INT64_MAX);
    next_numbers(words, row->counts.nanoseconds, STEP_COUNT);
    next_numbers(words, row->counts.host_calls, HOST_REASON_COUNT);
    next_numbers(words, row->counts.unserved_calls, UNSERVED_COUNT);
}

static void take_estimate(struct words *words, struct report *report)
{
    struct estimate *const estimate = &report->estimate;
    if (estimate->is_there)
        words->good = false;
    if (!words->good)
        return;
    estimate->is_there = true;
    estimate->device = next_kept(words);
    words->good &= estimate->device != NULL;
    estimate->file = next_kept(words);
    estimate->end_nanoseconds = next_number(words);
    estimate->prices.routines = (int)next_integer(words, 0, INT32_MAX);
    estimate->prices.device_us = (double)next_number(words);
    estimate->prices.level3_us = (double)next_number(words);
    estimate->prices.routines_us = (double)next_number(words);
    estimate->prices.solver_us = (double)next_number(words);
    estimate->sharing = (double)next_number(words) / 1e3;
}

static void take_foretold(struct words *words, struct report *report)
{
    struct estimate_row *const row = &report->estimate.rows[next_symbol(words)];
    row->calls = next_number(words);
    row->nanoseconds = next_number(words);
    row->learned_calls = next_number(words);
    row->us = (double)next_number(words) / 1e3;
    row->best_us = (double)next_number(words) / 1e3;
    row->worst_us = (double)next_number(words) / 1e3;
}

static const struct {
    const char *name;
    void (*take)(struct words *words, struct report *report);
} lines[] = {{"process", take_process}, {"program", take_program},  {"run", take_run},
             {"facts", take_facts},     {"setup", take_setup},      {"routine", take_routine},
             {"host", take_host},       {"size", take_size},        {"large", take_large},
             {"step", take_step},       {"parallel-owner", take_owner}, {"parallel", take_parallel},
             {"estimate", take_estimate}, {"foretold", take_foretold}};

/* "# NAME WORDS" */
static bool take_line(char *line, struct report *report)
{
    struct words words = {line, true};
    if (strcmp(next_word(&words), "#") != 0)
        return false;
    const char *const name = next_word(&words);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].name, name) == 0) {
            lines[i].take(&words, report);
            return words.good && !*words.at;
        }
    return false;
}

static bool take_lines(const char **text, struct report *report, char fault[REPORT_FAULT_BYTES])
{
    for (;;) {
        const size_t length = strcspn(*text, "\n");
        char *const line = strndup(*text, length);
        const bool is_end = line && strcmp(line, REPORT_COUNTERS_END) == 0;
        const bool good = line && (*text)[length] == '\n' && (is_end || take_line(line, report));
        if (!good)
            snprintf(fault, REPORT_FAULT_BYTES, "its counters are damaged at "
                                                "'%.*s'", (int)(length < 60 ? length : 60),
                     *text);
        free(line);
        *text += good ? length + 1 : 0;
        if (is_end || !good)
            return good;
    }
}

struct report *report_counters_parse(const char *text, const char **rest, char fault[REPORT_FAULT_BYTES])
{
    static const char begin[] = REPORT_COUNTERS_BEGIN PACKAGE_VERSION "\n";
    const size_t told = strcspn(text, "\n");
    if (strncmp(text, begin, sizeof begin - 1) != 0) {
        snprintf(fault, REPORT_FAULT_BYTES, "it is of mublas %.*s, this is " PACKAGE_VERSION,
                 told > sizeof REPORT_COUNTERS_BEGIN ? (int)(told - sizeof REPORT_COUNTERS_BEGIN + 1) % 32 : 0,
                 text + sizeof REPORT_COUNTERS_BEGIN - 1);
        return NULL;
    }
    struct report *const report = calloc(1, sizeof *report);
    snprintf(fault, REPORT_FAULT_BYTES, "out of memory");
    text += sizeof begin - 1;
    const bool is_whole = report && take_lines(&text, report, fault);
    if (is_whole && !report->program)
        snprintf(fault, REPORT_FAULT_BYTES, "it is damaged: no line of it names the program");
    if (is_whole && report->program) {
        report->processes = 1;
        report_sum_up(report);
        *rest = text;
        return report;
    }
    if (report)
        report_clear(report);
    free(report);
    return NULL;
}
