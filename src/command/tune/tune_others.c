#include "command/tune/tune_others.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child; does not return. */
static void become_tuner(int ordinal, char **arguments)
{
    char number[16];
    int count = 0;
    while (arguments[count])
        count++;
    char *words[count + 3];
    words[0] = "mublas";
    words[1] = "tune";
    memcpy(words + 2, arguments, (size_t)(count + 1) * sizeof *words);
    snprintf(number, sizeof number, "%d", ordinal);
    if (setenv("MUBLAS_DEVICE", number, 1) == 0)
        execv("/proc/self/exe", words);
    _exit(127);
}

static int tune_in_child(int ordinal, char **arguments, const volatile bool *stop)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become_tuner(ordinal, arguments);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (*stop)
            kill(child, SIGTERM);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 127)
        return WEXITSTATUS(status);
    fputs("mublas tune: the process that tunes another device ended early\n", stderr);
    return 1;
}

static bool is_known(const struct recipe_signature *kinds, int count, const struct recipe_signature *kind)
{
    for (int i = 0; i < count; i++)
        if (recipe_is_of_kind(&kinds[i], kind))
            return true;
    return false;
}

static int tune_one(const struct device_choice *choice, const struct device_properties *device,
                    char **arguments, const volatile bool *stop)
{
    printf("device %d is another kind, %s%s\n", device->ordinal, device->name,
           choice->has_candidates ? ": MUBLAS_DEVICE=all mublas tune learns it, too" : "");
    return choice->has_candidates ? 0 : tune_in_child(device->ordinal, arguments, stop);
}

int tune_others(const struct recipe_signature *first, char **arguments, const volatile bool *stop)
{
    struct recipe_signature kinds[DEVICES_MAX] = {*first};
    struct device_choice choice;
    struct device_properties device;
    int count = 1, status = 0;
    if (device_choose(&choice) != STATUS_OK)
        return 0;
    for (int place = 1; place < choice.count && status == 0 && !*stop; place++) {
        if (device_query(choice.ordinals[place], &device) != STATUS_OK)
            continue;
        kinds[count] = recipe_signature_of(&device);
        if (!is_known(kinds, count, &kinds[count]))
            status = tune_one(&choice, &device, arguments, stop);
        count++;
    }
    return status;
}
