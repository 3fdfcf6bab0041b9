/* The `mublas` command. */
#include "command/info.h"
#include "command/inspect.h"
#include "command/run.h"
#include "command/timed_calls.h"
#include "command/tuning_report.h"
#include "command/tune.h"
#include "command/verify.h"
#include "command/verify_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: mublas run [--report[=FILE]] [--offload=auto|always|never] [--] PROGRAM [ARGUMENT...]\n"
                            "       mublas info        print device, host BLAS, residency and settings\n"
                            "       mublas info [--verbose] [--] PROGRAM    what of it would be intercepted, and what not\n"
                            "       mublas tune [--quick|--full|--exhaustive] [--routines=NAME,...] [--output=FILE]    learn this machine\n"
                            "       mublas verify [--routines=NAME,...] [--size=N]    check every routine against the host BLAS\n"
                            "       mublas report --tuning FILE [--peer FILE] [--output FOLDER]    plots of what tuning measured\n"
                            "       mublas --version\n"
                            "       mublas --help\n"
                            "Without the command: LD_PRELOAD=libmublas_shim.so PROGRAM\n";

static int perform(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "--help";
    if (strcmp(command, "run") == 0)
        return run_program(arguments + 2);
    if (strcmp(command, "info") == 0 && count > 2)
        return inspect_program(arguments + 2);
    if (strcmp(command, "info") == 0) {
        info_print(stdout);
        return 0;
    }
    if (strcmp(command, "report") == 0)
        return tuning_report(arguments + 2);
    if (strcmp(command, "tune") == 0)
        return tune_run(arguments + 2);
    if (strcmp(command, "verify") == 0)
        return verify_run(arguments + 2);
    if (strcmp(command, VERIFY_CALLS_COMMAND) == 0 && count == 3)
        return verify_calls(arguments[2]);
    if (strcmp(command, TIMED_CALLS_COMMAND) == 0 && count == 3)
        return timed_calls(arguments[2]);
    if (strcmp(command, "--version") == 0 && count == 2) {
        printf("mublas %s\n", PACKAGE_VERSION);
        return 0;
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) {
        fputs(usage, stdout);
        return count > 1 ? 0 : 2;
    }
    fprintf(stderr, "mublas: '%s' is not a command\n", command);
    fputs(usage, stderr);
    return 2;
}

/* What did not reach standard output is not done. */
int main(int count, char **arguments)
{
    const int status = perform(count, arguments);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "mublas: standard output cannot be written: %s\n", strerror(errno));
    return status ? status : 1;
}
