/* A client of a service whose handler jumps out of questions again and again, more often than there are slots for
 * answers. Prints "right" where it still has answers then, and "lost" where a jump has left a record half written, which
 * ends the connection. Argument: the jumps. */
#include "service/client/link.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static sigjmp_buf target;
static volatile sig_atomic_t may_jump;

static void jump(int signal)
{
    (void)signal;
    if (may_jump)
        siglongjmp(target, 1);
}

static void alarm_often(int microseconds)
{
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &often, NULL);
}

static struct driver table;

static bool ask(void)
{
    size_t free_bytes, total_bytes;
    return table.memory_info(&free_bytes, &total_bytes) == CUDA_SUCCESS;
}

/* False: the connection is lost. */
static bool jump_out(int wanted)
{
    volatile int jumps = 0;
    while (jumps < wanted) {
        if (sigsetjmp(target, 1)) {
            may_jump = 0;
            jumps = jumps + 1;
            continue;
        }
        may_jump = 1;
        const bool is_answered = ask();
        may_jump = 0;
        if (!is_answered)
            return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    const char *why = NULL;
    if (!link_open(&why)) {
        printf("no service: %s\n", why ? why : "none is there");
        return 1;
    }
    service_fill_table(&table);
    signal(SIGALRM, jump);
    alarm_often(700);
    bool is_right = jump_out(count > 1 ? atoi(arguments[1]) : 1);
    alarm_often(0);
    for (int i = 0; i < SERVICE_SLOTS + 1 && is_right; i++)
        is_right = ask();
    puts(is_right ? "right" : link_is_lost() ? "lost" : "no answer");
    return !is_right;
}
