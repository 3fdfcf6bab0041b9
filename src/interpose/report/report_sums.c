#include "common/text.h"
#include "interpose/report/report_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum_of(const uint64_t *numbers, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

uint64_t report_host_calls(const struct routine_stats *stats)
{
    return sum_of(stats->host_calls, HOST_REASON_COUNT) - stats->host_calls[HOST_QUERY];
}

bool report_was_called(const struct routine_stats *stats)
{
    return stats->device_calls || report_host_calls(stats);
}

static bool any_call(const struct routine_stats *stats)
{
    return report_was_called(stats) || stats->host_calls[HOST_QUERY];
}

bool report_has_calls(const struct report *report)
{
    bool has = any_call(&report->total) || report->parallel.count > 0;
    for (int i = 0; i < SYMBOL_COUNT && !has && report->estimate.is_there; i++)
        has = report->estimate.rows[i].calls > 0;
    return has;
}

uint64_t report_host_time(const struct routine_stats *stats)
{
    return sum_of(stats->host_nanoseconds, HOST_REASON_COUNT);
}

uint64_t report_inside_time(const struct routine_stats *stats)
{
    return sum_of(stats->inside_nanoseconds, HOST_REASON_COUNT);
}

uint64_t report_own_host_time(const struct routine_stats *stats)
{
    const uint64_t all = report_host_time(stats), inside = report_inside_time(stats);
    return all > inside ? all - inside : 0;
}

uint64_t report_device_time(const struct routine_stats *stats)
{
    return sum_of(stats->phases.nanoseconds, PHASE_COUNT);
}

uint64_t report_link_time(const struct routine_stats *stats)
{
    const uint64_t *const of = stats->phases.nanoseconds;
    return of[PHASE_UPLOAD] + of[PHASE_VECTORS] + of[PHASE_RESULT];
}

uint64_t report_kernel_time(const struct routine_stats *stats)
{
    return stats->phases.nanoseconds[PHASE_LAUNCH] + stats->phases.nanoseconds[PHASE_FINISH];
}

static double rate(uint64_t thousand_operations, uint64_t nanoseconds)
{
    return nanoseconds ? 1e3 * (double)thousand_operations / (double)nanoseconds : 0;
}

double report_device_rate(const struct routine_stats *stats)
{
    return rate(stats->thousand_operations, report_device_time(stats));
}

double report_host_rate(const struct routine_stats *stats)
{
    return rate(stats->host_thousand_operations, stats->host_counted_nanoseconds);
}

const char *report_name(enum symbol symbol, char name[REPORT_NAME_BYTES])
{
    const char *const exported = symbol_name(symbol);
    const int length = (int)strlen(exported);
    const enum interface interface = symbol_interface(symbol);
    const bool is_plain = interface == INTERFACE_NAME_ || interface == INTERFACE_LAPACK_NAME_;
    snprintf(name, REPORT_NAME_BYTES, "%.*s", is_plain ? length - 1 : length, exported);
    return name;
}

char *report_queries(const struct report *report)
{
    char *text = NULL, name[REPORT_NAME_BYTES];
    const char *before = "";
    size_t length;
    FILE *const stream = report->total.host_calls[HOST_QUERY] ? open_memstream(&text, &length) : NULL;
    for (int i = 0; stream && i < SYMBOL_COUNT; i++)
        if (report->routines[i].host_calls[HOST_QUERY]) {
            fprintf(stream, "%s%s %" PRIu64, before, report_name((enum symbol)i, name),
                    report->routines[i].host_calls[HOST_QUERY]);
            before = ", ";
        }
    if (stream)
        fclose(stream);
    return text;
}

static void add_stats(struct routine_stats *sum, const struct routine_stats *more)
{
    sum->device_calls += more->device_calls;
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        sum->host_calls[i] += more->host_calls[i];
        sum->host_nanoseconds[i] += more->host_nanoseconds[i];
        sum->inside_nanoseconds[i] += more->inside_nanoseconds[i];
    }
    sum->bytes_up += more->bytes_up;
    sum->bytes_down += more->bytes_down;
    sum->thousand_operations += more->thousand_operations;
    sum->host_thousand_operations += more->host_thousand_operations;
    sum->host_counted_nanoseconds += more->host_counted_nanoseconds;
    sum->foretold_nanoseconds += more->foretold_nanoseconds;
    for (int i = 0; i < PHASE_COUNT; i++)
        sum->phases.nanoseconds[i] += more->phases.nanoseconds[i];
}

void report_sum_up(struct report *report)
{
    report->total = (struct routine_stats){.device_calls = 0};
    for (int i = 0; i < SYMBOL_COUNT; i++)
        add_stats(&report->total, &report->routines[i]);
}

void report_setup_add(struct report *report, const char *label, const char *text)
{
    struct setup_line *const line = &report->setup[report->setup_count];
    if (report->setup_count == SETUP_LINES_MOST)
        return;
    *line = (struct setup_line){strdup(label), strdup(text)};
    if (line->label && line->text) {
        report->setup_count++;
        return;
    }
    free(line->label);
    free(line->text);
}

static bool has_setup(const struct report *report, const char *label, const char *text)
{
    for (int i = 0; i < report->setup_count; i++)
        if (strcmp(report->setup[i].label, label) == 0 && strcmp(report->setup[i].text, text) == 0)
            return true;
    return false;
}

/* A process that woke no device says nothing of a job that has one. True: it is told. */
static bool merge_device(struct report *sum, const char *text)
{
    static const char asleep[] = "not woken";
    const bool is_asleep = strncmp(text, asleep, sizeof asleep - 1) == 0;
    for (int i = 0; i < sum->setup_count; i++) {
        struct setup_line *const line = &sum->setup[i];
        if (strcmp(line->label, "device") != 0)
            continue;
        char *const copy = strncmp(line->text, asleep, sizeof asleep - 1) == 0 ? strdup(text) : NULL;
        if (copy) {
            free(line->text);
            line->text = copy;
        }
        if (copy || is_asleep)
            return true;
    }
    return false;
}

/* Lines that the processes have in the same words are told once; of devices, threads and the service, what is of the
 * process alone stands behind a semicolon. */
static void add_setup(struct report *sum, const struct report *more)
{
    for (int i = 0; i < more->setup_count; i++) {
        const char *const label = more->setup[i].label;
        char *const text = strdup(more->setup[i].text);
        const bool has_own = strcmp(label, "device") == 0 || strcmp(label, "threads") == 0 || strcmp(label, "service") == 0;
        if (text && has_own && strchr(text, ';'))
            *strchr(text, ';') = '\0';
        const bool is_told = text && strcmp(label, "device") == 0 && merge_device(sum, text);
        if (text && !is_told && strcmp(label, "opened in") != 0 && !has_setup(sum, label, text))
            report_setup_add(sum, label, text);
        free(text);
    }
}

static void add_text(char **sum, const char *more)
{
    if (!*sum && more)
        *sum = strdup(more);
}

static bool device_says_more(enum advice_device one, enum advice_device other)
{
    static const int order[] = {[ADVICE_DEVICE_ASLEEP] = 0, [ADVICE_DEVICE_READY] = 1, [ADVICE_DEVICE_NONE] = 2,
                                [ADVICE_DEVICE_USED] = 3, [ADVICE_DEVICE_LOST] = 4};
    return order[one] > order[other];
}

static void add_facts(struct report *sum, const struct report *more)
{
    struct process_facts *const facts = &sum->facts;
    const struct process_facts *const with = &more->facts;
    const bool is_first = sum->processes == 0;
    if (is_first || device_says_more(with->device, facts->device))
        facts->device = with->device;
    if (with->tracking > facts->tracking || is_first)
        facts->tracking = with->tracking;
    facts->level3_is_missing |= with->level3_is_missing;
    facts->solver_is_missing |= with->solver_is_missing;
    facts->has_recipe = with->has_recipe && (is_first || facts->has_recipe);
    add_text(&facts->device_fault, with->device_fault);
    add_text(&facts->tracking_fault, with->tracking_fault);
    add_text(&facts->unreachable, with->unreachable);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (more->routine_facts[i].n > sum->routine_facts[i].n || (more->routine_facts[i].variant[0] &&
                                                                   !sum->routine_facts[i].variant[0]))
            sum->routine_facts[i] = more->routine_facts[i];
}

static struct parallel_row *row_of(struct report *sum, const char *name)
{
    struct parallel_report *const parallel = &sum->parallel;
    for (int i = 0; i < parallel->count; i++)
        if (strcmp(sum->parallel_rows[i].name, name) == 0)
            return &sum->parallel_rows[i];
    if (parallel->count == PARALLEL_ROWS_MOST)
        return NULL;
    struct parallel_row *const row = &sum->parallel_rows[parallel->count];
    row->name = strdup(name);
    parallel->count += row->name != NULL;
    parallel->rows = sum->parallel_rows;
    return row->name ? row : NULL;
}

/* The step of work counts the owner's alone: the others wait for it meanwhile. */
static void add_parallel(struct report *sum, const struct report *more)
{
    const struct parallel_report *const with = &more->parallel;
    for (int i = 0; i < with->count; i++) {
        const struct parallel_counts *const counts = &with->rows[i].counts;
        struct parallel_row *const row = row_of(sum, with->rows[i].name);
        if (!row)
            return;
        row->counts.device_calls += counts->device_calls;
        row->counts.largest = counts->largest > row->counts.largest ? counts->largest : row->counts.largest;
        for (int reason = 0; reason < HOST_REASON_COUNT; reason++)
            row->counts.host_calls[reason] += counts->host_calls[reason];
        for (int why = 0; why < UNSERVED_COUNT; why++)
            row->counts.unserved_calls[why] += counts->unserved_calls[why];
        for (int step = 0; step < STEP_COUNT; step++)
            if (step != STEP_WORK || !with->has_owner || with->owner_is_here)
                row->counts.nanoseconds[step] += counts->nanoseconds[step];
    }
    sum->parallel.has_elpa |= with->has_elpa;
    if (!sum->parallel.fault && with->fault)
        sum->parallel.fault = strdup(with->fault);
}

static void add_estimate(struct estimate *sum, const struct estimate *more)
{
    if (!more->is_there)
        return;
    sum->is_there = true;
    add_text(&sum->device, more->device);
    add_text(&sum->file, more->file);
    sum->sharing = more->sharing > sum->sharing ? more->sharing : sum->sharing;
    sum->prices.device_us += more->prices.device_us;
    sum->prices.level3_us += more->prices.level3_us;
    sum->prices.routines_us += more->prices.routines_us;
    sum->prices.solver_us += more->prices.solver_us;
    sum->prices.routines += more->prices.routines;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        struct estimate_row *const row = &sum->rows[i];
        const struct estimate_row *const with = &more->rows[i];
        *row = (struct estimate_row){row->calls + with->calls, row->nanoseconds + with->nanoseconds,
                                     row->learned_calls + with->learned_calls, row->us + with->us,
                                     row->best_us + with->best_us, row->worst_us + with->worst_us};
    }
}

void report_add(struct report *sum, const struct report *more)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        add_stats(&sum->routines[i], &more->routines[i]);
    add_stats(&sum->total, &more->total);
    for (int where = 0; where < 2; where++)
        for (int place = 0; place < SIZE_PLACES; place++) {
            sum->sizes.calls[where][place] += more->sizes.calls[where][place];
            sum->sizes.nanoseconds[where][place] += more->sizes.nanoseconds[where][place];
        }
    for (int i = 0; i < more->largest_count; i++)
        sum->largest_count =
            largest_calls_merge(sum->largest, sum->largest_count, LARGEST_CALLS, &more->largest[i]);
    add_facts(sum, more);
    add_setup(sum, more);
    add_parallel(sum, more);
    add_estimate(&sum->estimate, &more->estimate);
    if (more->run_nanoseconds > sum->run_nanoseconds)
        sum->run_nanoseconds = more->run_nanoseconds;
    if (sum->processes == 0 || strcmp(more->run.date, sum->run.date) > 0)
        sum->run = more->run;
    add_text(&sum->program, more->program);
    sum->is_emulated |= more->is_emulated;
    sum->processes++;
}

void report_clear(struct report *report)
{
    free(report->program);
    free(report->missing);
    free(report->facts.device_fault);
    free(report->facts.tracking_fault);
    free(report->facts.unreachable);
    for (int i = 0; i < report->setup_count; i++) {
        free(report->setup[i].label);
        free(report->setup[i].text);
    }
    for (int i = 0; i < report->parallel.count; i++)
        free((char *)report->parallel_rows[i].name);
    free((char *)report->parallel.fault);
    free(report->estimate.device);
    free(report->estimate.file);
    memset(report, 0, sizeof *report);
}

static void take_advice(const struct report *report, enum symbol symbol, char *name,
                        struct advice_routine *routine)
{
    const struct routine_stats *const stats = &report->routines[symbol];
    const struct routine_facts *const facts = &report->routine_facts[symbol];
    *routine = (struct advice_routine){.name = report_name(symbol, name),
                                       .is_lapack = interface_is_lapack(symbol_interface(symbol)),
                                       .m = facts->m, .n = facts->n, .k = facts->k,
                                       .pays_from = facts->pays_from,
                                       .variant = facts->variant[0] ? facts->variant : NULL};
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        routine->calls[i] = stats->host_calls[i];
        routine->seconds[i] = (double)stats->host_nanoseconds[i] / 1e9;
        routine->inside_seconds[i] = (double)stats->inside_nanoseconds[i] / 1e9;
    }
}

static int take_routines(const struct report *report, struct advice_routine *routines,
                         char (*names)[REPORT_NAME_BYTES])
{
    int count = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (report_host_calls(&report->routines[i])) {
            take_advice(report, (enum symbol)i, names[count], &routines[count]);
            count++;
        }
    return count;
}

void report_advice_give(const struct report *report, advice_take *take, void *context)
{
    struct advice_routine *const routines = calloc(SYMBOL_COUNT, sizeof *routines);
    char(*const names)[REPORT_NAME_BYTES] = calloc(SYMBOL_COUNT, sizeof *names);
    const struct process_facts *const of = &report->facts;
    if (routines && names) {
        const struct advice_facts facts = {
            .routines = routines, .count = take_routines(report, routines, names), .device = of->device,
            .device_fault = of->device_fault, .device_is_emulated = report->is_emulated,
            .tracking = of->tracking, .tracking_fault = of->tracking_fault,
            .level3_is_missing = of->level3_is_missing, .solver_is_missing = of->solver_is_missing,
            .has_recipe = of->has_recipe, .unreachable = of->unreachable,
            .run_seconds = (double)report->run_nanoseconds / 1e9, .was_called = report_has_calls(report),
            .has_queries_alone = report->total.host_calls[HOST_QUERY] && !report_was_called(&report->total) &&
                                 !report->parallel.count,
            .parallel = report->parallel.count ? &report->parallel : NULL, .has_forked = of->has_forked,
            .has_started_others = of->has_started_others, .is_section = report->is_section};
        advice_give(&facts, take, context);
    }
    free(routines);
    free(names);
}
