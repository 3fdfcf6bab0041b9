#include "command/run/shim_child.h"
#include "command/run/preload.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* MUBLAS_REPORT. */
static void report_form(const struct shim_child *child, char form[sizeof child->report])
{
    snprintf(form, sizeof child->report, "%s/report", child->folder);
}

/* Under a launcher the file's name has the rank. */
static bool name_report(struct shim_child *child)
{
    char form[sizeof child->report];
    const struct reporter reporter = {.world = world_rank()};
    report_form(child, form);
    char *const name = report_file_name(form, &reporter);
    const bool fits = name && strlen(name) < sizeof child->report;
    if (fits)
        strcpy(child->report, name);
    free(name);
    return fits;
}

/* In the child; does not return. */
static void become(const struct shim_child *child, const struct shim_child_settings *child_settings,
                   const char *shim, const char *command, const char *argument)
{
    char *arguments[] = {"mublas", (char *)command, (char *)argument, NULL}, form[sizeof child->report];
    report_form(child, form);
    bool good = preload_set_environment(shim, child_settings->huge_pages) &&
                setenv("MUBLAS_OFFLOAD", child_settings->offload, 1) == 0 &&
                setenv("MUBLAS_REPORT", form, 1) == 0;
    if (good && child_settings->tracking)
        good = setenv("MUBLAS_TRACKING", child_settings->tracking, 1) == 0;
    if (good && child_settings->recipe)
        good = setenv("MUBLAS_RECIPE", child_settings->recipe, 1) == 0;
    if (good && child_settings->eigensolver)
        good = setenv("MUBLAS_EIGENSOLVER", child_settings->eigensolver, 1) == 0;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* the parent ends the child */
    if (good)
        execv("/proc/self/exe", arguments);
    _exit(127);
}

static bool open_pipes(int requests[2], int answers[2])
{
    if (pipe2(requests, O_CLOEXEC) != 0)
        return false;
    if (pipe2(answers, O_CLOEXEC) == 0)
        return true;
    close(requests[0]);
    close(requests[1]);
    return false;
}

static bool start(struct shim_child *child, const struct shim_child_settings *child_settings,
                  const char *shim,
                  const char *command, const char *argument)
{
    int requests[2], answers[2];
    if (!open_pipes(requests, answers))
        return false;
    signal(SIGPIPE, SIG_IGN); /* the answers show that a child has ended early */
    fflush(NULL);
    child->process = fork();
    if (child->process == 0) {
        dup2(requests[0], STDIN_FILENO);
        dup2(answers[1], STDOUT_FILENO);
        become(child, child_settings, shim, command, argument);
    }
    close(requests[0]);
    close(answers[1]);
    child->requests = fdopen(requests[1], "w");
    child->answers = fdopen(answers[0], "r");
    return child->process > 0 && child->requests && child->answers;
}

bool shim_child_start(struct shim_child *child, const struct shim_child_settings *child_settings,
                      const char *who,
                      const char *command, const char *argument)
{
    const char *shim = preload_find_shim(who);
    memset(child, 0, sizeof *child);
    if (!shim)
        return false;
    strcpy(child->folder, "/tmp/mublas-XXXXXX");
    if (mkdtemp(child->folder)) {
        if (name_report(child) && start(child, child_settings, shim, command, argument))
            return true;
    }
    fprintf(stderr, "%s: a process under the shim cannot be started: %s\n", who, strerror(errno));
    shim_child_clean(child);
    return false;
}

bool shim_child_possible(const char *who, const char *command)
{
    const struct shim_child_settings settings = {.offload = "never"};
    struct shim_child child;
    if (!shim_child_start(&child, &settings, who, command, "0"))
        return false;
    const int status = shim_child_wait(&child);
    shim_child_clean(&child);
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: a process under the shim was ended by signal %d\n", who, WTERMSIG(status));
    else if (status != 0 && WEXITSTATUS(status) != 1)
        fprintf(stderr, "%s: a process under the shim ended with status %d\n", who, WEXITSTATUS(status));
    return status == 0;
}

int shim_child_wait(struct shim_child *child)
{
    int status = -1;
    fclose(child->requests);
    fclose(child->answers);
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void shim_child_clean(struct shim_child *child)
{
    unlink(child->report);
    rmdir(child->folder);
}
