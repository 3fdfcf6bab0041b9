/* The process that started the ranks is found through wrappers, whatever its name is; and who is alive.
 *   test_scalapack_launcher find LAUNCHER: is that what this process finds? */
#include "common/launcher.h"
#include "tap.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char variable[] = "MUBLAS_TEST_RANK";
static const char self[] = "/proc/self/exe";
static char program[4096];

/* The field of /proc/PID/stat with that number, from 1, behind a name that this test knows. */
static unsigned long long started(pid_t process, const char *name)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *const file = fopen(path, "r");
    const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[got] = 0;
    char *field = text + strcspn(text, "(") + 1 + strlen(name) + 1;
    for (int number = 2; number < 22; number++)
        field = field + strcspn(field, " ") + 1;
    return strtoull(field, NULL, 10);
}

static int find(int argc, char **argv)
{
    struct launcher_process launcher = {0, 0};
    const bool found = launcher_process_find(variable, &launcher);
    if (!found || launcher.process != atoi(argv[2]))
        printf("# found %d: process %d, not %s\n", found, (int)launcher.process, argv[2]);
    return !(found && launcher.process == atoi(argv[2]) &&
             (argc < 4 || launcher.started == strtoull(argv[3], NULL, 10)));
}

/* A child that has the variable runs the command; its exit status. */
static int with_variable(const char *const *command)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        setenv(variable, "0", 1);
        execv(command[0], (char *const *)(uintptr_t)command);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status;
}

static void test_finding(void)
{
    char me[16], since[32], script[8192];
    snprintf(me, sizeof me, "%d", (int)getpid());
    tap_ok(with_variable((const char *const[]){program, "find", me, NULL}) == 0, "the parent");
    snprintf(script, sizeof script, "%s find %s; exit $?", program, me);
    tap_ok(with_variable((const char *const[]){"/bin/sh", "-c", script, NULL}) == 0, "behind a script");
    snprintf(script, sizeof script, "/bin/sh -c '%s find %s; exit $?'; exit $?", program, me);
    tap_ok(with_variable((const char *const[]){"/bin/sh", "-c", script, NULL}) == 0, "behind two");
    snprintf(script, sizeof script, "exec env -u %s /bin/sh -c '%s=1 %s find $$; exit $?'", variable,
             variable, program);
    tap_ok(with_variable((const char *const[]){"/bin/sh", "-c", script, NULL}) == 0,
           "a process between that has not the variable is the launcher");
    snprintf(script, sizeof script, "%s_OF=1 exec env -u %s /bin/sh -c '%s=1 %s find $$; exit $?'", variable,
             variable, variable, program);
    tap_ok(with_variable((const char *const[]){"/bin/sh", "-c", script, NULL}) == 0,
           "and one that has another whose name begins so");

    static const char name[] = ") Z 1 2 (x) 3";
    prctl(PR_SET_NAME, name);
    snprintf(since, sizeof since, "%llu", started(getpid(), name));
    tap_ok(with_variable((const char *const[]){program, "find", me, since, NULL}) == 0,
           "the launcher may have any name, and started at %s", since);
}

static void test_life(void)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    tap_ok(process_is_alive(getpid()) && process_is_alive(child), "who runs is alive");
    kill(child, SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    tap_ok(process_is_alive(child), "who is stopped is");
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    tap_ok(!process_is_alive(child), "a zombie is not");
    waitpid(child, NULL, 0);
    tap_ok(!process_is_alive(child), "nor who is gone");
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return find(argc, argv);
    const ssize_t length = readlink(self, program, sizeof program - 1);
    if (length <= 0)
        tap_skip_all("/proc does not tell");
    program[length] = 0;
    unsetenv(variable);
    test_finding();
    test_life();
    return tap_done();
}
