/* renewed_processes MODE: learns of dsymv by one process after the other, and says how many there were and
 * how many curves of the device came of it. Once calls are timed, by MODE: "well", nothing happens;
 * "deviceless", later processes find no device; "killed", the process is killed that makes the calls. */
#include "command/tune/timed_calls.h"
#include "command/tune/tune_calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch {
    const char *mode;
    long process;
    int processes;
};

/* The only child; 0: none. */
static long child_of_this(void)
{
    FILE *stream = fopen("/proc/thread-self/children", "re");
    long process = 0;
    if (stream && fscanf(stream, "%ld", &process) != 1)
        process = 0;
    if (stream)
        fclose(stream);
    return process;
}

static bool watch(void *argument, double done)
{
    struct watch *watch = argument;
    const long process = child_of_this();
    watch->processes += process && process != watch->process;
    watch->process = process ? process : watch->process;
    if (done > 0.16 && strcmp(watch->mode, "deviceless") == 0) /* uploads are done, and calls have begun */
        setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (done > 0.3 && process && strcmp(watch->mode, "killed") == 0)
        kill((pid_t)process, SIGKILL);
    return true;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], TIMED_CALLS_COMMAND) == 0)
        return timed_calls(arguments[2]);
    if (count != 2)
        return 2;
    static struct learned_times times;
    struct watch noted = {.mode = arguments[1]};
    const struct tune_calls_options options = {
        .routines = "dsymv", .seconds = 300, .host_seconds = 200, .rounds = 4, .process_seconds = 1e-6,
        .most_bytes = 1 << 20, .most_us = 3e3, .progress = watch, .argument = &noted};
    const bool good = tune_calls(&options, "renewed_processes", &times);
    int curves = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        curves += times.resident[class].count > 0;
    printf("%s, %d processes, %d curves\n", good ? "good" : "bad", noted.processes, curves);
    return !good;
}
