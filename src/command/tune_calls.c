#include "command/tune_calls.h"
#include "command/call_timer.h"
#include "command/processor_pace.h"
#include "command/tune_results.h"
#include "common/clock.h"
#include "common/processors.h"
#include "tuner/call_sampler.h"
#include "tuner/sample_moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A square of 52 doubles: no size four times as large, and so on, is close to a power of two. */
enum { LEAST_BYTES = 21 << 10, LEAST_UPLOAD = 272 << 10 }; /* times 4^3: just above PIN_BYTES_MIN */
static const double call_budget_us = 300, sample_budget_us = 100, most_call_us = 3e3, upload_part = 0.15;
static const double pace_change_allowed = 1.25;

struct session {
    const struct tune_calls_options *options;
    struct learned_times *times;
    const struct shim_child_settings *as_programs;
    const char *who;
    struct call_timer timer; /* as programs */
    struct call_timer_end end;
    struct pace_log *paces;
    double started, process_started, host_used;
    bool lost_process;
};

struct tune_calls_options tune_calls_quick(void)
{
    return (struct tune_calls_options){.seconds = 25, .host_seconds = 18, .visits = 16,
                                       .process_seconds = 8, .most_bytes = (size_t)128 << 20};
}

struct tune_calls_options tune_calls_full(void)
{
    return (struct tune_calls_options){.seconds = 150, .host_seconds = 110, .visits = SAMPLE_MOMENTS,
                                       .process_seconds = 30, .most_bytes = (size_t)128 << 20};
}

static double seconds_now(void)
{
    return 1e-9 * (double)clock_nanoseconds();
}

/* Of the time that there is, if any. */
static double part_used(const struct session *session)
{
    const double seconds = session->options->seconds;
    return seconds > 0 ? (seconds_now() - session->started) / seconds : HUGE_VAL;
}

static bool may_go_on(const struct session *session, double done)
{
    return !session->options->progress || session->options->progress(session->options->argument, done);
}

/* The Hermitian routine that shares the classes of the symmetric one. */
static enum blas_family hermitian_of(enum blas_family family)
{
    for (int other = 0; other < FAMILY_COUNT; other++)
        if (other != (int)family && timed_class_shared((enum blas_family)other) == family)
            return (enum blas_family)other;
    return family;
}

static void time_side(void *argument, enum call_side side, const struct blas_call *calls, int count,
                      double *us)
{
    struct session *session = argument;
    const double started = seconds_now();
    call_timer_warm_all(&session->timer, side, calls, count, sample_budget_us, us);
    pace_log_add(session->paces, session->timer.pace_us);
    if (side == SIDE_HOST)
        session->host_used += seconds_now() - started;
}

static bool stop_sampling(void *argument, double done)
{
    const struct session *session = argument;
    return !session->timer.running || session->host_used > session->options->host_seconds ||
           part_used(session) > 1 ||
           !may_go_on(session, upload_part + (1 - upload_part) * done);
}

static bool is_wanted(void *argument, enum blas_family family, enum blas_type type)
{
    const struct session *session = argument;
    for (int routine = 0; routine < ROUTINES; routine++)
        if (timed_class_shared(routine_family(routine)) == family && routine_type(routine) == type &&
            routine_is_listed(routine, session->options->routines))
            return true;
    return false;
}

/* New matrices in a process of that kind: what the first call takes longer than the second. */
static void sample_pinned(struct session *session, struct call_timer *timer, struct time_curve *curve,
                          double end)
{
    double step = 0; /* part of the time that the last size took: the next takes four times as long */
    for (double bytes = LEAST_UPLOAD; bytes <= (double)session->options->most_bytes; bytes *= 4) {
        double first, second, before = part_used(session);
        if (before + 4 * step > end || !may_go_on(session, fmin(part_used(session), end)) ||
            !call_timer_cold(timer, bytes, &first, &second))
            return;
        if (first > second)
            time_curve_add(curve, bytes, first - second);
        step = part_used(session) - before;
    }
}

/* Without tracking every call copies its matrix: what it takes longer than a resident one. */
static void sample_staged(struct session *session, struct call_timer *timer, struct time_curve *curve,
                          double end)
{
    for (double bytes = LEAST_BYTES; bytes <= (double)session->options->most_bytes; bytes *= 16) {
        int64_t n = (int64_t)sqrt(bytes / sizeof(double));
        struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = n, .n = n};
        double copied, resident;
        if (part_used(session) > end || !may_go_on(session, fmin(part_used(session), end)) ||
            !call_timer_warm(timer, SIDE_DEVICE, &call, call_budget_us, &copied, NULL) ||
            !call_timer_warm(&session->timer, SIDE_DEVICE, &call, call_budget_us, &resident, NULL))
            return;
        if (copied > resident)
            time_curve_add(curve, (double)(n * n) * sizeof(double), copied - resident);
    }
}

typedef void upload_sampler(struct session *, struct call_timer *, struct time_curve *, double);

/* Uploads in a process of its own, lest what it leaves behind (freed memory of which copies are on the
 * device) be in the way of calls that are timed later: until this part of the time is used. */
static void sample_apart(struct session *session, const struct shim_child_settings *settings,
                         upload_sampler *sampler, enum upload_way way, double end)
{
    struct call_timer timer;
    struct call_timer_end left;
    if (part_used(session) > end ||
        !call_timer_start(&timer, settings, session->who, session->options->most_bytes))
        return;
    sampler(session, &timer, &session->times->upload[way], end);
    if (!call_timer_stop(&timer, &left) || left.reason[0])
        memset(&session->times->upload[way], 0, sizeof(struct time_curve));
}

/* What the first call of a process takes longer than the others is waking the device. */
static void sample_wake(struct session *session)
{
    struct blas_call call = {.family = FAMILY_AXPY, .type = TYPE_D, .n = 1000};
    double usual, first;
    if (call_timer_warm(&session->timer, SIDE_DEVICE, &call, call_budget_us, &usual, &first) && first > usual)
        session->times->wake_us = first - usual;
}

/* A scan covers the gaps between columns as well. */
static void sample_scan(struct session *session)
{
    const int64_t n = (int64_t)sqrt((double)session->options->most_bytes / 4 / sizeof(double));
    struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = n, .n = n};
    double dense, sparse;
    if (!call_timer_warm(&session->timer, SIDE_DEVICE, &call, call_budget_us, &dense, NULL))
        return;
    call.a.ld = 4 * n;
    if (call_timer_warm(&session->timer, SIDE_DEVICE, &call, call_budget_us, &sparse, NULL) && sparse > dense)
        session->times->scan_us_per_byte = (sparse - dense) / (3.0 * (double)(n * n) * sizeof(double));
}

static bool start_process(struct session *session)
{
    session->process_started = seconds_now();
    return call_timer_start(&session->timer, session->as_programs, session->who,
                            session->options->most_bytes);
}

/* What is known of several processes. */
static void stop_process(struct session *session)
{
    struct call_timer_end left, *end = &session->end;
    const bool was_running = session->timer.running;
    if (!call_timer_stop(&session->timer, &left) && was_running)
        session->lost_process = true;
    for (int routine = 0; routine < ROUTINES; routine++)
        end->stayed[routine] = end->stayed[routine] || left.stayed[routine];
    if (!end->reason[0])
        memcpy(end->reason, left.reason, sizeof end->reason);
    end->any_on_device = end->any_on_device || left.any_on_device;
    if (left.host[0])
        memcpy(end->host, left.host, sizeof end->host);
}

static void renew_process(void *argument)
{
    struct session *session = argument;
    const double most = session->options->process_seconds;
    if (most <= 0 || seconds_now() - session->process_started < most)
        return;
    stop_process(session);
    start_process(session);
}

static void sample_all(struct session *session)
{
    const char *recipe = session->options->recipe;
    const struct shim_child_settings plain = {.offload = "always", .recipe = recipe};
    const struct shim_child_settings untracked = {
        .offload = "always", .tracking = "0", .recipe = recipe, .huge_pages = true};
    const struct call_sampler sampler = {
        .time = time_side, .stop = stop_sampling, .argument = session, .wanted = is_wanted,
        .before_visit = renew_process, .visits = session->options->visits, .least_bytes = LEAST_BYTES,
        .most_bytes = (double)session->options->most_bytes, .most_us = most_call_us};
    sample_wake(session);
    sample_apart(session, session->as_programs, sample_pinned, UPLOAD_PINNED_HUGE, upload_part / 3);
    sample_apart(session, &plain, sample_pinned, UPLOAD_PINNED, 2 * upload_part / 3);
    sample_apart(session, &untracked, sample_staged, UPLOAD_STAGED, upload_part);
    if (part_used(session) < upload_part)
        sample_scan(session);
    if (part_used(session) < upload_part)
        tune_results(time_side, session, (double)session->options->most_bytes, &session->times->result);
    call_sampler_run(&sampler, session->times);
}

/* From one sample nothing can be told of other sizes. */
static void forget_single(struct learned_times *times)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (times->host[class].count < 2 || times->resident[class].count < 2) {
            memset(&times->host[class], 0, sizeof times->host[class]);
            memset(&times->resident[class], 0, sizeof times->resident[class]);
        }
}

/* Times of calls that stayed on the host say nothing of the device. */
static void forget_stayed(struct learned_times *times, const struct call_timer_end *device)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        const enum blas_family family = timed_class_family(class);
        const int routine = routine_of(family, timed_class_type(class));
        const int hermitian = routine_of(hermitian_of(family), timed_class_type(class));
        if (device->stayed[routine] || (hermitian >= 0 && device->stayed[hermitian]))
            memset(&times->resident[class], 0, sizeof times->resident[class]);
    }
}

static void keep_curve(struct time_curve *curve, const struct time_curve *before)
{
    if (curve->count == 0)
        *curve = *before;
}

/* What was not to be learned now; host times only if they are of the same host. */
static void keep_others(struct session *session)
{
    struct learned_times *times = session->times, *before = malloc(sizeof *before);
    char fault[LEARNED_FAULT_BYTES];
    if (before && session->options->before && learned_times_parse(before, session->options->before, fault)) {
        learned_times_settle(before, times->host_blas, times->host_threads);
        for (int class = 0; class < TIMED_CLASSES; class++)
            if (timed_class_exists(class) &&
                !is_wanted(session, timed_class_family(class), timed_class_type(class))) {
                keep_curve(&times->host[class], &before->host[class]);
                memcpy(times->flags[class], before->flags[class], sizeof times->flags[class]);
                keep_curve(&times->resident[class], &before->resident[class]);
                memcpy(times->device_sets[class], before->device_sets[class],
                       sizeof times->device_sets[class]);
            }
        for (int way = 0; way < UPLOAD_WAYS; way++)
            keep_curve(&times->upload[way], &before->upload[way]);
        for (int way = 0; way < RESULT_WAYS; way++)
            keep_curve(&times->result.ways[way], &before->result.ways[way]);
        times->wake_us = times->wake_us > 0 ? times->wake_us : before->wake_us;
        times->scan_us_per_byte = times->scan_us_per_byte > 0 ? times->scan_us_per_byte
            : before->scan_us_per_byte;
    }
    free(before);
}

/* What was learned at one pace is not right for another. */
static void warn_of_pace(const struct pace_log *paces, const char *who)
{
    double least, most;
    if (pace_log_range(paces, &least, &most) && most > pace_change_allowed * least)
        fprintf(stderr,
                "%s: the processor's pace changed by %.0f%% while calls were timed, so crossovers may be "
                "off: tune again when the machine is quiet\n",
                who, 100 * (most / least - 1));
}

static int device_curves(const struct learned_times *times)
{
    int count = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        count += times->resident[class].count > 0;
    return count;
}

/* What a process that ended early had made of its calls is not known. False: with one line. */
static bool is_good(const struct session *session, int timed, int kept)
{
    const struct call_timer_end *end = &session->end;
    const char *reason = end->reason[0] ? end->reason : "its process made none";
    if (session->lost_process && end->any_on_device)
        fprintf(stderr, "%s: a process that made calls ended early: nothing is learned\n", session->who);
    else if (!end->any_on_device)
        fprintf(stderr, "%s: no call ran on the device: %s\n", session->who, reason);
    else if (timed > 0 && kept == 0)
        fprintf(stderr, "%s: some calls of every routine stayed on the host: %s\n", session->who, reason);
    else
        return true;
    return false;
}

static bool conclude(struct session *session)
{
    struct learned_times *times = session->times;
    const struct call_timer_end *end = &session->end;
    const int timed = device_curves(times);
    forget_stayed(times, end);
    const int kept = device_curves(times);
    forget_single(times);
    memcpy(times->host_blas, end->host, sizeof times->host_blas);
    times->host_threads = processors_for_blas();
    keep_others(session);
    learned_times_settle(times, times->host_blas, times->host_threads);
    const bool good = is_good(session, timed, kept);
    if (good)
        warn_of_pace(session->paces, session->who);
    return good;
}

bool tune_calls(const struct tune_calls_options *options, const char *who, struct learned_times *times)
{
    const struct shim_child_settings as_programs = {.offload = "always", .recipe = options->recipe,
                                                    .huge_pages = true};
    struct session session = {.options = options, .times = times, .as_programs = &as_programs, .who = who,
                              .started = seconds_now(), .paces = calloc(1, sizeof *session.paces)};
    memset(times, 0, sizeof *times);
    if (session.paces && start_process(&session))
        sample_all(&session);
    stop_process(&session);
    const bool good = session.paces && conclude(&session);
    free(session.paces);
    return good;
}
