/* commands.h - the commands of `mublas` (mublas(1)), and the exit statuses that they share. tune/tune.h has
 * `mublas tune`, tuning_report.h has `mublas report`. `arguments` are those after the command's name, ended
 * by NULL; each command returns its exit status. */
#ifndef MUBLAS_COMMANDS_H
#define MUBLAS_COMMANDS_H

#include <stdbool.h>

enum { EXIT_BAD_COMMAND_LINE = 2, EXIT_NO_DEVICE = 3 };

/* `mublas run [--report[=FILE]] [--progress] [--offload=MODE] [--] PROGRAM [ARGUMENT...]`: become PROGRAM,
 * with the shim preloaded, glibc's large allocations on huge pages, and the settings of the options in its
 * environment. Returns only on failure, after one line that names the reason: 2 for a bad command line, 126
 * for a program that cannot take a preloaded library (set-user-id, or with capabilities), 127 for one that
 * does not exist. */
int run_program(char **arguments);

/* `mublas info [--crossovers] [--settings]`: print the device, the host BLAS and residency in words, or with
 * options the sizes below which calls stay on the host, and the table of settings. Wakes no context. With a
 * program: inspect_program. */
int info_run(char **arguments);

/* `mublas info [--verbose] -- PROGRAM [ARGUMENT...]`: print, in words, which host BLAS PROGRAM would get
 * under mublas, which of its calls would be intercepted, and which cannot be and why. Runs nothing of it.
 * Searches for PROGRAM as a shell does, then in the present folder; does not look at the arguments behind it,
 * so that a whole command line can be given. 2, after one line, for a bad command line or a file that cannot
 * be looked into. */
int inspect_program(char **arguments);

/* Says in one line, without an end, what of the program at `path`, or of the one that runs this script,
 * cannot be intercepted; free it. NULL: nothing, or nothing is known. *is_refused: mublas gets none of its
 * calls, and so cannot report. */
char *inspect_unreachable(const char *path, bool *is_refused);

/* `mublas doctor`: check what a support person would ask for, and print a line each: the driver, the device,
 * the kernels, whether writes to matrices can be followed, the container, the host BLAS, cuBLAS, cuSOLVER,
 * the recipe, and products that the device and the host make; under each that is wrong, what to do. 1: one is
 * wrong; 3: there is no device. */
int doctor_run(char **arguments);

/* `mublas verify [--routines=NAME,...] [--size=N]`: check every offloaded routine, with every flag, on this
 * machine's device against the host BLAS. BLAS results agree componentwise to 16 units (verify/operands.h),
 * LAPACK's pass its testers' measures (verify/lapack.h); nothing that must not be read counts, nothing else
 * is written, and the calls did run on the device. Prints a line for each routine. 1: one did not pass or
 * could not be checked.
 * `mublas verify --parallel ...` in each process of a job: verify/parallel.h. */
int verify_run(char **arguments);

#endif
