#include "command/tune/tune.h"
#include "common/clock.h"
#include "common/own_thread.h"
#include "tuner/learn/call_sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int learned_merge_device_curves(const struct learned_times *times)
{
    int count = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        count += times->resident[class].count > 0;
    return count;
}

/* Counts any routine that goes by the class: the Hermitian one, too. */
static bool has_stayed(int class, const struct call_timer_end *end)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (end->stayed[routine] && routine_type(routine) == timed_class_type(class) &&
            timed_class_shared(routine_family(routine)) == timed_class_family(class))
            return true;
    return false;
}

void learned_merge_forget_stayed(struct learned_times *times, const struct call_timer_end *end)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && has_stayed(class, end))
            memset(&times->resident[class], 0, sizeof times->resident[class]);
}

void learned_merge_forget_single(struct learned_times *times)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (times->host[class].count < 2 || times->resident[class].count < 2) {
            memset(&times->host[class], 0, sizeof times->host[class]);
            memset(&times->resident[class], 0, sizeof times->resident[class]);
        }
}

bool learned_merge_is_wanted(enum blas_family family, enum blas_type type, const char *routines)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (timed_class_shared(routine_family(routine)) == family && routine_type(routine) == type &&
            routine_is_listed(routine, routines))
            return true;
    return false;
}

static void keep_curve(struct time_curve *curve, const struct time_curve *before)
{
    if (curve->count == 0)
        *curve = *before;
}

static void keep_class(struct learned_times *times, const struct learned_times *before, int class)
{
    keep_curve(&times->host[class], &before->host[class]);
    memcpy(times->flags[class], before->flags[class], sizeof times->flags[class]);
    keep_curve(&times->resident[class], &before->resident[class]);
    memcpy(times->device_sets[class], before->device_sets[class], sizeof times->device_sets[class]);
}

static void keep_rest(struct learned_times *times, const struct learned_times *before)
{
    for (int way = 0; way < UPLOAD_WAYS; way++)
        keep_curve(&times->upload[way], &before->upload[way]);
    route_factors_keep(&times->routes, &before->routes);
    if (!(times->wake_us > 0))
        times->wake_us = before->wake_us;
    if (!(times->served_wake_us > 0))
        times->served_wake_us = before->served_wake_us;
    if (!(times->links_part > 0))
        times->links_part = before->links_part;
}

static bool is_untimed(const struct learned_times *times, int class)
{
    return times->host[class].count == 0 && times->resident[class].count == 0;
}

void learned_merge_keep_others(struct learned_times *times, const char *text, const char *routines,
                               const struct call_timer_end *end)
{
    char fault[LEARNED_FAULT_BYTES];
    struct learned_times *before = malloc(sizeof *before); /* too large for some threads' stacks */
    if (before && learned_times_parse(before, text, fault)) {
        learned_times_settle(before, times->host_blas, times->host_threads);
        for (int class = 0; class < TIMED_CLASSES; class++) {
            if (!timed_class_exists(class))
                continue;
            const bool wanted =
                learned_merge_is_wanted(timed_class_family(class), timed_class_type(class), routines);
            if (wanted && (!is_untimed(times, class) || has_stayed(class, end)))
                continue;
            keep_class(times, before, class);
        }
        keep_rest(times, before);
    }
    free(before);
}

/* A square of 52 doubles: no size four times as large, and so on, is close to a power of two. */
enum { LEAST_BYTES = 21 << 10, LEAST_UPLOAD = 272 << 10 }; /* times 4^3: just above PIN_BYTES_MIN */
static const double seconds_with_routes = 12; /* from which there is time for them */
static const double call_budget_us = 300, upload_part = 0.15;

struct session {
    const struct tune_calls_options *options;
    struct learned_times *times;
    const char *who; /* begins complaints */
    const struct shim_child_settings *as_programs;
    struct call_timer timer;   /* the process that times calls, */
    bool process_lost;         /* ... which ended with a failure, */
    struct call_timer_end end; /* ... and what it said */
    double started, host_used;
};

struct tune_calls_options tune_calls_quick(void)
{
    return (struct tune_calls_options){.seconds = 25, .host_seconds = 18, .stage_seconds = 3,
                                       .most_bytes = (size_t)128 << 20, .most_us = 1.5e3};
}

/* The part used of the time that there is; infinite if there is none. */
static double part_used(const struct session *session)
{
    const double seconds = session->options->seconds;
    return seconds > 0 ? (clock_seconds() - session->started) / seconds : HUGE_VAL;
}

static bool may_go_on(const struct session *session, double done)
{
    return !session->options->progress || session->options->progress(session->options->argument, done);
}

/* Uploads go on until this part of the time is used. */
static bool may_upload(const struct session *session, double end)
{
    return part_used(session) <= end && may_go_on(session, fmin(part_used(session), end));
}

static void time_side(void *argument, enum call_side side, const struct blas_call *calls, int count,
                      double *us)
{
    struct session *session = argument;
    const double started = clock_seconds();
    call_timer_warm_all(&session->timer, side, calls, count, SAMPLE_BUDGET_US, us);
    if (side == SIDE_HOST)
        session->host_used += clock_seconds() - started;
}

static bool stop_sampling(void *argument, double done)
{
    const struct session *session = argument;
    return !session->timer.running || session->host_used > session->options->host_seconds ||
           part_used(session) > 1 ||
           !may_go_on(session, fmax(part_used(session), upload_part + (1 - upload_part) * done));
}

static bool is_wanted(void *argument, enum blas_family family, enum blas_type type)
{
    const struct session *session = argument;
    return learned_merge_is_wanted(family, type, session->options->routines);
}

/* New matrices in a process of that kind: what the first call takes longer than the second. */
static void sample_pinned(struct session *session, struct call_timer *timer, struct time_curve *curve,
                          double end)
{
    for (double bytes = LEAST_UPLOAD; bytes <= (double)session->options->most_bytes; bytes *= 4) {
        double first, second;
        if (!may_upload(session, end) || !call_timer_cold(timer, bytes, &first, &second))
            return;
        if (first > second)
            time_curve_add(curve, bytes, first - second);
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
        if (!may_upload(session, end) ||
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
    struct call_timer_end left = {.any_on_device = false};
    if (part_used(session) > end ||
        !call_timer_start(&timer, settings, session->who, session->options->most_bytes))
        return;
    sampler(session, &timer, &session->times->upload[way], end);
    if (!call_timer_stop(&timer, &left) || left.reason[0])
        memset(&session->times->upload[way], 0, sizeof(struct time_curve));
}

/* The first call of a process takes longer than the others by the time of waking the device. */
static void sample_wake(struct session *session)
{
    struct blas_call call = {.family = FAMILY_AXPY, .type = TYPE_D, .n = 1000};
    double usual, first;
    if (call_timer_warm(&session->timer, SIDE_DEVICE, &call, call_budget_us, &usual, &first) &&
        first > usual)
        session->times->wake_us = first - usual;
}

/* Times the first call of a process through a service, and the way up of matrices. */
static void sample_served(struct session *session, double end)
{
    const struct shim_child_settings served = {.offload = "always", .by_service = true};
    struct blas_call call = {.family = FAMILY_AXPY, .type = TYPE_D, .n = 1000};
    struct call_timer timer;
    struct call_timer_end left = {.any_on_device = false};
    struct time_curve *const curve = &session->times->upload[UPLOAD_SERVED];
    double usual, first;
    if (!session->options->has_service ||
        !call_timer_start(&timer, &served, session->who, session->options->most_bytes))
        return;
    const bool is_timed = call_timer_warm(&timer, SIDE_DEVICE, &call, call_budget_us, &usual, &first) && first > usual;
    sample_pinned(session, &timer, curve, end);
    if (!call_timer_stop(&timer, &left) || left.reason[0] || !left.any_on_device)
        memset(curve, 0, sizeof *curve);
    else if (is_timed)
        session->times->served_wake_us = first - usual;
}

static void sample_all(struct session *session)
{
    const struct shim_child_settings plain = {.offload = "always"};
    const struct shim_child_settings untracked = {.offload = "always", .tracking = "0", .huge_pages = true};
    const struct call_sampler sampler = {
        .time = time_side, .stop = stop_sampling, .argument = session, .wanted = is_wanted,
        .least_bytes = LEAST_BYTES,
        .most_bytes = (double)session->options->most_bytes, .most_us = session->options->most_us};
    sample_wake(session);
    sample_apart(session, session->as_programs, sample_pinned, UPLOAD_PINNED_HUGE, upload_part / 3);
    sample_apart(session, &plain, sample_pinned, UPLOAD_PINNED, 2 * upload_part / 3);
    sample_apart(session, &untracked, sample_staged, UPLOAD_STAGED, upload_part);
    sample_served(session, 4 * upload_part / 3);
    call_sampler_run(&sampler, session->times);
}

/* Nobody knows what a process that ended early had made of its calls. False: with one line. */
static bool is_good(const struct session *session, int timed, int kept)
{
    const char *who = session->who;
    const struct call_timer_end *end = &session->end;
    const char *reason = end->reason[0] ? end->reason : "its process made none";
    if (session->process_lost && end->any_on_device)
        fprintf(stderr, "%s: the process that made calls ended early: nothing is learned\n", who);
    else if (!end->any_on_device)
        fprintf(stderr, "%s: no call ran on the device: %s\n", who, reason);
    else if (timed > 0 && kept == 0)
        fprintf(stderr, "%s: some calls of every routine stayed on the host: %s\n", who, reason);
    else
        return true;
    return false;
}

static bool conclude(struct session *session)
{
    struct learned_times *times = session->times;
    const struct call_timer_end *end = &session->end;
    const int timed = learned_merge_device_curves(times);
    learned_merge_forget_stayed(times, end);
    const int kept = learned_merge_device_curves(times);
    learned_merge_forget_single(times);
    memcpy(times->host_blas, end->host, sizeof times->host_blas);
    if (session->options->before)
        learned_merge_keep_others(times, session->options->before, session->options->routines, end);
    learned_times_settle(times, times->host_blas, times->host_threads);
    return is_good(session, timed, kept);
}

/* Routes have their part of the time, unless single routines of BLAS or little time were given. */
static bool leave_time_for_routes(struct tune_calls_options *options)
{
    const bool wanted =
        options->eigensolvers || (!options->routines && options->seconds >= seconds_with_routes);
    options->stage_seconds = fmin(options->stage_seconds, options->seconds / 8);
    options->seconds -= wanted ? TUNE_ROUTES_SECONDS + options->stage_seconds : 0;
    return wanted;
}

bool tune_calls(const struct tune_calls_options *wanted, const char *who, struct learned_times *times)
{
    struct tune_calls_options own = *wanted;
    const struct tune_calls_options *const options = &own;
    const bool routes = leave_time_for_routes(&own);
    const struct shim_child_settings as_programs = {.offload = "always", .huge_pages = true};
    struct session session = {.options = options, .times = times, .who = who, .as_programs = &as_programs,
                              .started = clock_seconds()};
    memset(times, 0, sizeof *times);
    times->host_threads = processors_for_blas();
    if (call_timer_start(&session.timer, &as_programs, who, options->most_bytes)) {
        sample_all(&session);
        session.process_lost = !call_timer_stop(&session.timer, &session.end);
    }
    if (routes && may_go_on(&session, 1))
        tune_routes(&times->routes, options->routines != NULL, options->stage_seconds, who);
    return conclude(&session);
}
