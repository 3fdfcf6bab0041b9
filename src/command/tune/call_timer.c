#include "command/tune/call_timer.h"

#include "command/run/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

/* For as many calls; one that does not come back must not keep the user for ever. */
enum { PATIENCE_MS = 60000, CALLS = 8 };
/* The first calls after the other side's take up to a tenth longer, until the threads of the host have found
 * their processors: they are performed twice. */
enum { LEAD = 3 };

static const char *const side_names[CALL_SIDES] = {[SIDE_HOST] = "host", [SIDE_DEVICE] = "device"};

bool call_timer_start(struct call_timer *timer, const struct shim_child_settings *child_settings,
                      const char *who, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", bytes);
    timer->side = -1;
    timer->running = shim_child_start(&timer->child, child_settings, who, TIMED_CALLS_COMMAND, text);
    return timer->running;
}

static bool is_answered(const struct call_timer *timer, int calls)
{
    struct pollfd answers = {.fd = fileno(timer->child.answers), .events = POLLIN};
    int ready;
    while ((ready = poll(&answers, 1, PATIENCE_MS * (1 + calls / CALLS))) < 0 && errno == EINTR)
        continue;
    if (ready == 0)
        kill(timer->child.process, SIGKILL);
    return ready > 0;
}

/* Have what was requested performed. */
static bool perform(struct call_timer *timer, int calls)
{
    return fputs(TIMED_CALLS_ANSWER, timer->child.requests) >= 0 && fflush(timer->child.requests) == 0 &&
           is_answered(timer, calls);
}

static bool read_times(struct call_timer *timer, double *us, double *other_us)
{
    char answer[64];
    return fgets(answer, sizeof answer, timer->child.answers) &&
           sscanf(answer, "%lf %lf", us, other_us) == 2;
}

static void request(struct call_timer *timer, enum call_side side, const struct blas_call *call,
                    double budget_us)
{
    char name[ROUTINE_NAME];
    const int routine = routine_of(call->family, call->type);
    timer->side = (int)side;
    fprintf(timer->child.requests, "warm %s %s %lld %lld %lld %d %d %d %d %d %lld %.0f\n", side_names[side],
            routine < 0 ? "none" : routine_name(routine, name), (long long)call->m, (long long)call->n,
            (long long)call->k, (int)call->side, (int)call->uplo, (int)call->trans,
            (int)call->trans_b, (int)call->diag, (long long)call->a.ld, budget_us);
}

bool call_timer_warm(struct call_timer *timer, enum call_side side, const struct blas_call *call,
                     double budget_us, double *us, double *first_us)
{
    double first;
    if (!timer->running)
        return false;
    request(timer, side, call, budget_us);
    return perform(timer, 1) && read_times(timer, us, first_us ? first_us : &first);
}

void call_timer_warm_all(struct call_timer *timer, enum call_side side, const struct blas_call *calls,
                         int count, double budget_us, double *us)
{
    const int wanted = timer->side == (int)side ? 0 : LEAD, lead = count < wanted ? count : wanted;
    double first;
    for (int i = 0; i < count; i++)
        us[i] = 0;
    if (!timer->running)
        return;
    for (int i = -lead; i < count; i++)
        request(timer, side, &calls[i < 0 ? i + lead : i], budget_us);
    if (perform(timer, lead + count))
        for (int i = -lead; i < count; i++)
            if (!read_times(timer, &us[i < 0 ? 0 : i], &first))
                us[i < 0 ? 0 : i] = 0;
}

bool call_timer_cold(struct call_timer *timer, double bytes, double *first_us, double *second_us)
{
    if (!timer->running)
        return false;
    fprintf(timer->child.requests, "cold %.0f\n", bytes);
    return perform(timer, 1) && read_times(timer, first_us, second_us);
}

bool call_timer_route(struct call_timer *timer, const char *name, int64_t n, char jobz, double *us)
{
    double first;
    fprintf(timer->child.requests, "route %s %lld %c\n", name, (long long)n, jobz);
    return perform(timer, 1) && read_times(timer, us, &first);
}

bool call_timer_border(struct call_timer *timer, enum route_border border, enum blas_type type, int64_t n,
                       double us[2])
{
    fprintf(timer->child.requests, "border %d %d %lld\n", (int)border, (int)type, (long long)n);
    return perform(timer, 1) && read_times(timer, &us[0], &us[1]);
}

bool call_timer_stop(struct call_timer *timer, struct call_timer_end *end)
{
    struct offload_row row;
    char host[sizeof end->host];
    if (!timer->running)
        return false;
    bool good = shim_child_wait(&timer->child) == 0;
    for (int routine = 0; routine < ROUTINES; routine++) {
        char name[ROUTINE_NAME];
        if (!offload_report_row(timer->child.report, routine_name(routine, name), &row))
            continue;
        end->any_on_device |= row.on_device > 0;
        end->stayed[routine] |= row.on_host > 0;
        if (row.on_host && !end->reason[0])
            memcpy(end->reason, row.reason, sizeof end->reason);
    }
    if (offload_report_host(timer->child.report, host, sizeof host))
        memcpy(end->host, host, sizeof end->host);
    shim_child_clean(&timer->child);
    timer->running = false;
    return good;
}
