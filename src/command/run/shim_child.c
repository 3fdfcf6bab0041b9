#include "command/run/run.h"
#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Puts `more` before or after what the variable holds already, with the separator between. */
static bool extend(const char *name, const char *more, const char *separator, bool in_front)
{
    const char *present = getenv(name);
    char *value;
    if (!present || !*present)
        return setenv(name, more, 1) == 0;
    if (asprintf(&value, "%s%s%s", in_front ? more : present, separator, in_front ? present : more) < 0)
        return false;
    bool good = setenv(name, value, 1) == 0;
    free(value);
    return good;
}

#define SHIM "libmublas_shim.so"

/* The folder of this command's file; NULL: unknown. */
static char *own_folder(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return path;
}

static bool find_beside(const char *folder, char path[PATH_MAX])
{
    static const char *const places[] = {
        "", "/.libs", "/../lib", "/../lib/" MUBLAS_MULTIARCH, "/../lib64", "/../.libs",
    };
    char tried[PATH_MAX + 64];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(tried, sizeof tried, "%s%s/" SHIM, folder, places[i]);
        if (access(tried, R_OK) == 0 && realpath(tried, path))
            return true;
    }
    return false;
}

const char *preload_find_shim(const char *who)
{
    static char path[PATH_MAX];
    char own[PATH_MAX];
    const char *folder = own_folder(own);
    if (!folder || !find_beside(folder, path))
        snprintf(path, sizeof path, "%s", MUBLAS_SHIM);
    if (access(path, R_OK) != 0)
        fprintf(stderr,
                "%s: " SHIM " is neither beside the command in %s, nor in ../lib from there, nor %s\n", who,
                folder ? folder : "its folder", MUBLAS_SHIM);
    else if (strpbrk(path, " :"))
        fprintf(stderr, "%s: %s: a path with a space or a colon cannot be preloaded\n", who, path);
    else
        return path;
    return NULL;
}

bool preload_set_environment(const char *shim, bool huge_pages)
{
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (!extend("LD_PRELOAD", shim, ":", true))
        return false;
    if (!huge_pages || (tunables && strstr(tunables, "glibc.malloc.hugetlb")))
        return true;
    return extend("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", ":", false);
}

/* "  dsymv   1200   919   281 ..." is the row, "  dsymv   281  upload not yet ..." a reason. */
static bool take_line(const char *line, const char *routine, struct offload_row *row)
{
    char name[48];
    unsigned long long calls, device, host;
    int behind = 0;
    if (sscanf(line, " %47s %llu %llu %llu", name, &calls, &device, &host) == 4 && strcmp(name,
                                                                                          routine) == 0) {
        row->calls = calls;
        row->on_device = device;
        row->on_host = host;
        return true;
    }
    if (sscanf(line, " %47s %llu %n", name, &calls, &behind) == 2 && strcmp(name, routine) == 0 &&
        !row->reason[0])
        snprintf(row->reason, sizeof row->reason, "%.*s", (int)strcspn(line + behind, "\n"), line + behind);
    return false;
}

bool offload_report_row(const char *path, const char *routine, struct offload_row *row)
{
    char line[512];
    bool found = false;
    FILE *stream = fopen(path, "re");
    memset(row, 0, sizeof *row);
    if (!stream)
        return false;
    while (fgets(line, sizeof line, stream))
        found |= take_line(line, routine, row);
    fclose(stream);
    return found;
}

bool offload_report_host(const char *path, char *host, size_t bytes)
{
    static const char label[] = "  host BLAS   ";
    char line[4096], *end;
    bool found = false;
    FILE *stream = fopen(path, "re");
    if (!stream)
        return false;
    while (!found && fgets(line, sizeof line, stream))
        if (strncmp(line, label, sizeof label - 1) == 0 && (end = strstr(line, " (")) != NULL) {
            *end = '\0';
            found = (size_t)snprintf(host, bytes, "%s", line + sizeof label - 1) < bytes;
        }
    fclose(stream);
    return found;
}

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
    if (good && child_settings->by_service)
        good = unsetenv("MUBLAS_DEVICE") == 0 && setenv("MUBLAS_SERVICE", "auto", 1) == 0;
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
