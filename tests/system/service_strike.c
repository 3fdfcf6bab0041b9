/* Runs a program and has the emulated device of a service send a signal at its N-th call from now on. Prints
 * how many calls there were. Arguments: the file of EMULATED_CONTROL, the process of the service, who is
 * struck (server, client, nobody), the signal, N, milliseconds until who was stopped goes on, the program and
 * its arguments. A program is continued beside its life, a service after the program's end. SERVICE_PRELOAD
 * is the program's LD_PRELOAD. With STRIKE_COPIES in the environment copies to the host are counted in place
 * of calls. Exit status: the program's, or 128 and its signal.
 *
 * With "census" in place of who is struck, prints what is on the device, and runs nothing; with "slow" and microseconds
 * each call of the device takes so much longer from now on; with "launched" it prints how many cooperative launches there
 * were. */
#include "emulated_driver/emulated.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct emulated_control *control;

static int open_control(const char *name)
{
    const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *control) != 0)
        return 1;
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return control == MAP_FAILED;
}

static int take_census(void)
{
    atomic_store(&control->census_is_taken, 0);
    atomic_store(&control->census_is_wanted, 1);
    for (int i = 0; i < 1000 && !atomic_load(&control->census_is_taken); i++)
        usleep(10000);
    const struct emulated_census *const census = &control->census;
    printf("allocations %zu physical %zu mappings %zu reservations %zu pinned %zu streams %zu events %zu bytes %zu\n",
           census->allocations, census->physical, census->mappings, census->reservations, census->pinned,
           census->streams, census->events, census->used_bytes);
    return !atomic_load(&control->census_is_taken);
}

static pid_t start(char **arguments, int gate[2])
{
    char go;
    const pid_t child = fork();
    if (child != 0)
        return child;
    close(gate[1]);
    if (read(gate[0], &go, 1) != 1)
        _exit(126);
    if (getenv("SERVICE_PRELOAD"))
        setenv("LD_PRELOAD", getenv("SERVICE_PRELOAD"), 1);
    execvp(arguments[0], arguments);
    _exit(127);
}

static int wait_for(pid_t child, int pause_ms)
{
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
        usleep((useconds_t)pause_ms * 1000);
        kill(child, SIGCONT);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments)
{
    int gate[2];
    if (count < 4 || open_control(arguments[1]) != 0)
        return 125;
    if (strcmp(arguments[3], "census") == 0)
        return take_census();
    if (strcmp(arguments[3], "slow") == 0) {
        atomic_store(&control->delay, count > 4 ? atol(arguments[4]) : 0);
        return 0;
    }
    if (strcmp(arguments[3], "launched") == 0)
        return printf("%llu\n", (unsigned long long)atomic_load(&control->cooperative)) < 0;
    if (count < 8 || pipe2(gate, O_CLOEXEC) != 0)
        return 125;
    const pid_t server = atoi(arguments[2]), child = start(arguments + 7, gate);
    const int sent = atoi(arguments[4]), pause_ms = atoi(arguments[6]);
    control->process = strcmp(arguments[3], "client") == 0 ? child : 0;
    control->signal = sent;
    atomic_store(&control->counts_copies_home, getenv("STRIKE_COPIES") != NULL);
    atomic_store(&control->calls, 0);
    atomic_store(&control->remaining, strcmp(arguments[3], "nobody") == 0 ? 0 : atol(arguments[5]));
    if (child < 0 || write(gate[1], "", 1) != 1)
        return 125;
    const int status = wait_for(child, pause_ms);
    atomic_store(&control->remaining, 0);
    printf("calls %llu\n", (unsigned long long)atomic_load(&control->calls));
    if (strcmp(arguments[3], "server") == 0 && sent == SIGSTOP) {
        usleep((useconds_t)pause_ms * 1000);
        kill(server, SIGCONT);
    }
    return status;
}
