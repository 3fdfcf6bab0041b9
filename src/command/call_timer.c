#include "command/call_timer.h"
#include "command/offload_report.h"
#include "command/timed_calls.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { PATIENCE_MS = 60000 };

bool call_timer_start(struct call_timer *timer, const struct shim_child_settings *child_settings,
                      const char *who, size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", bytes);
    timer->running = shim_child_start(&timer->child, child_settings, who, TIMED_CALLS_COMMAND, text);
    return timer->running;
}

/* A call that does not come back must not keep the user for ever. */
static bool is_answered(const struct call_timer *timer)
{
    struct pollfd answers = {.fd = fileno(timer->child.answers), .events = POLLIN};
    int ready;
    while ((ready = poll(&answers, 1, PATIENCE_MS)) < 0 && errno == EINTR)
        continue;
    if (ready == 0)
        kill(timer->child.process, SIGKILL);
    return ready > 0;
}

/* The one whose process runs; NULL: none. */
static struct call_timer *awake;

/* Back only when it stands: until then it would take time from whoever is asked next. */
static void halt(struct call_timer *timer)
{
    siginfo_t state;
    kill(timer->child.process, SIGSTOP);
    while (waitid(P_PID, (id_t)timer->child.process, &state, WSTOPPED | WEXITED | WNOWAIT) != 0 &&
           errno == EINTR)
        continue;
    awake = NULL;
}

static void wake(struct call_timer *timer)
{
    if (awake == timer)
        return;
    if (awake)
        halt(awake);
    kill(timer->child.process, SIGCONT);
    awake = timer;
}

static bool ask(struct call_timer *timer, char *answer, int room)
{
    wake(timer);
    return fflush(timer->child.requests) == 0 && is_answered(timer) &&
           fgets(answer, room, timer->child.answers);
}

bool call_timer_warm(struct call_timer *timer, const struct blas_call *call, double budget_us, double *us,
                     double *first_us)
{
    char name[ROUTINE_NAME], answer[64];
    double first;
    int routine = routine_of(call->family, call->type);
    if (!timer->running || routine < 0)
        return false;
    fprintf(timer->child.requests, "warm %s %lld %lld %lld %d %d %d %d %d %lld %.0f\n", routine_name(routine,
                                                                                                     name),
            (long long)call->m, (long long)call->n, (long long)call->k, (int)call->side, (int)call->uplo,
            (int)call->trans, (int)call->trans_b, (int)call->diag, (long long)call->a.ld, budget_us);
    return ask(timer, answer, sizeof answer) && sscanf(answer, "%lf %lf", us,
                                                       first_us ? first_us : &first) == 2;
}

bool call_timer_cold(struct call_timer *timer, double bytes, double *first_us, double *second_us)
{
    char answer[64];
    if (!timer->running)
        return false;
    fprintf(timer->child.requests, "cold %.0f\n", bytes);
    return ask(timer, answer, sizeof answer) && sscanf(answer, "%lf %lf", first_us, second_us) == 2;
}

bool call_timer_stop(struct call_timer *timer, struct call_timer_end *end)
{
    struct offload_row row;
    memset(end, 0, sizeof *end);
    if (!timer->running)
        return false;
    wake(timer);
    bool good = shim_child_wait(&timer->child) == 0;
    awake = NULL;
    for (int routine = 0; routine < ROUTINES; routine++) {
        char name[ROUTINE_NAME];
        if (!offload_report_row(timer->child.report, routine_name(routine, name), &row))
            continue;
        end->any_on_device |= row.on_device > 0;
        end->stayed[routine] = row.on_host > 0;
        if (row.on_host && !end->reason[0])
            memcpy(end->reason, row.reason, sizeof end->reason);
    }
    if (!offload_report_host(timer->child.report, end->host, sizeof end->host))
        end->host[0] = '\0';
    shim_child_clean(&timer->child);
    timer->running = false;
    return good;
}
