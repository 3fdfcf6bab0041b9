/* The `mublas` command. */
#include "command/commands.h"
#include "command/tune/tune.h"
#include "command/verify/verify.h"
#include "common/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int help(char **arguments);

static const struct command {
    const char *name;
    int (*run)(char **arguments);
    const char *usage, *examples;
} commands[] = {
    {"run", run_program,
     "mublas run [--report[=FILE]] [--estimate[=h100|FILE]] [--progress] [--offload=auto|always|never]\n"
     "           [--] PROGRAM [ARGUMENT...]\n"
     "           run PROGRAM with those BLAS and LAPACK calls on the GPU that gain there; --report: at its\n"
     "           end say what ran there and why the rest did not, to standard error or FILE (FILE.html: a\n"
     "           page); --estimate: without a GPU, say what the run would have gained on an H100, or on\n"
     "           the GPU of the recipe FILE; --progress: say what long calls on the GPU are and how long\n"
     "           they take\n",
     "mublas run --report -- ./legacy_app input.dat\n"
     "mublas run --report=report.txt -- python3 analysis.py\n"
     "mublas run --report=report.html --progress -- ./legacy_app\n"
     "mublas run --estimate -- ./legacy_app           # on any machine: what would an H100 gain?\n"
     "mpirun -n 4 mublas run -- ./parallel_app\n"
     "mublas run --offload=never -- ./legacy_app      # the host alone, for comparison\n"},
    {"info", info_run,
     "mublas info [--crossovers] [--settings]\n"
     "           print device, host BLAS and residency; the sizes from which calls gain; every setting\n"
     "mublas info [--verbose] [--] PROGRAM\n"
     "           print which calls of PROGRAM, or of a library, mublas would intercept, and which not\n",
     "mublas info\n"
     "mublas info --crossovers\n"
     "mublas info -- ./legacy_app\n"
     "mublas info --verbose -- /usr/lib/python3/dist-packages/numpy/linalg/_umath_linalg*.so\n"},
    {"doctor", doctor_run,
     "mublas doctor\n"
     "           check this machine in twelve lines, and say what to do about each that is wrong\n",
     "mublas doctor\n"
     "mublas doctor > doctor.txt; echo $?    # 0: all is well, 1: something is wrong, 3: no GPU\n"},
    {"tune", tune_run,
     "mublas tune [--quick|--exhaustive] [--routines=NAME,...] [--output=FILE] [OPTION...]\n"
     "           learn this machine; mublas tune --help lists the other options\n",
     NULL /* its own help has them */},
    {"verify", verify_run,
     "mublas verify [--routines=NAME,...] [--size=N]\n"
     "           check every routine against the host BLAS\n"
     "mpirun -n 4 mublas verify --parallel [--scalapack=FILE[:FILE...]] [--routines=NAME,...]\n"
     "           check every parallel routine against the host's ScaLAPACK\n",
     "mublas verify\n"
     "mublas verify --routines=dsymv,dsyevd --size=1000\n"
     "mpirun -n 4 mublas verify --parallel --routines=pdsyevd,pdgemm\n"},
    {"report", report_files,
     "mublas report [--output=FILE] FILE...\n"
     "           add up reports, or estimates, of processes, as text or (FILE.html) as a page\n"
     "mublas report --tuning FILE [--output FOLDER]\n"
     "           print from which size on calls gain by a recipe of mublas tune; write curves for plots\n",
     "mublas report report.txt.*\n"
     "mublas report --output=job.html report.[0-9]*.html\n"
     "mublas report --tuning ~/.config/mublas/recipe\n"
     "mublas report --tuning ~/.config/mublas/recipe --output curves\n"},
    {"serve", serve_run,
     "mublas serve [--device=NUMBER] [--keep]\n"
     "           hold the GPU for programs of this user that run under mublas with this environment, so that they\n"
     "           need no context of their own; it ends five seconds after the last, with --keep when it is stopped\n"
     "mublas serve --status|--stop\n"
     "           say who goes by it; let it end with the last of them, and wait for that. mublas run starts one for\n"
     "           ranks of a job that share a GPU (MUBLAS_SERVICE=never: it does not)\n",
     "mublas serve --keep > serve.log &\n"
     "mublas run -- ./legacy_app\n"
     "mublas serve --status\n"
     "mublas serve --stop\n"},
    {"help", help,
     "mublas help [COMMAND]\n"
     "           say this, or of COMMAND alone what it does, with examples\n",
     "mublas help\n"
     "mublas help run\n"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
    for (int i = 0; i < COMMANDS; i++)
        fputs(commands[i].usage, stdout);
    fputs("mublas --version\n"
          "mublas --help, mublas COMMAND --help\n"
          "Without the command: LD_PRELOAD=libmublas_shim.so PROGRAM\n", stdout);
}

static bool asks_for_help(const char *argument)
{
    return argument && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0);
}

static int refuse(const char *argument, const char *why)
{
    fprintf(stderr, "mublas: '%s' %s; mublas --help lists the commands\n", argument, why);
    return EXIT_BAD_COMMAND_LINE;
}

static int run_command(const struct command *command, char **arguments)
{
    if (!asks_for_help(*arguments) || command->run == tune_run) /* it has more to say */
        return command->run(arguments);
    printf("%s\nExamples:\n", command->usage);
    for (const char *line = command->examples; *line; line = strchr(line, '\n') + 1)
        printf("  %.*s\n", (int)strcspn(line, "\n"), line);
    return 0;
}

static int help(char **arguments)
{
    char *question[] = {"--help", NULL};
    if (!*arguments)
        return print_usage(), 0;
    if (arguments[1])
        return refuse(arguments[1], "is one argument too many");
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(*arguments, commands[i].name) == 0)
            return run_command(&commands[i], question);
    return refuse(*arguments, "is not a command");
}

static int perform(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "--help";
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return run_command(&commands[i], arguments + 2);
    if (strcmp(name, VERIFY_CALLS_COMMAND) == 0 && count == 3)
        return verify_calls(arguments[2]);
    if (strcmp(name, VERIFY_PARALLEL_COMMAND) == 0 && count == 3)
        return verify_parallel_calls(arguments[2]);
    if (strcmp(name, TIMED_CALLS_COMMAND) == 0 && count == 3)
        return timed_calls(arguments[2]);
    if (strcmp(name, "--version") != 0 && !asks_for_help(name))
        return refuse(name, *name == '-' ? "is not an option" : "is not a command");
    if (count > 2)
        return refuse(arguments[2], "is one argument too many");
    if (asks_for_help(name))
        print_usage();
    else
        printf("mublas %s\n", PACKAGE_VERSION);
    return count > 1 ? 0 : EXIT_BAD_COMMAND_LINE;
}

/* A command has not done its work when its output is lost. */
int main(int count, char **arguments)
{
    plain_locale_begin(); /* a library that is loaded may have set another */
    const int status = perform(count, arguments);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "mublas: standard output cannot be written: %s\n", strerror(errno));
    return status ? status : 1;
}
