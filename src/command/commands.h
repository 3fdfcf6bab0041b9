/* commands.h - the commands of `mublas` (mublas(1)), the exit statuses that they share, and what several of
 * them print and measure. tune/tune.h has `mublas tune`. `arguments` are those after the command's name,
 * ended by NULL; each command returns its exit status. */
#ifndef MUBLAS_COMMANDS_H
#define MUBLAS_COMMANDS_H

#include "common/settings.h"
#include "tuner/online/crossover.h"

#include <stdbool.h>
#include <stdio.h>

enum { EXIT_BAD_COMMAND_LINE = 2, EXIT_NO_DEVICE = 3 };

/* `mublas run [--report[=FILE]] [--progress] [--offload=MODE] [--] PROGRAM [ARGUMENT...]`: become PROGRAM,
 * with the shim preloaded, glibc's large allocations on huge pages, and the settings of the options in its
 * environment; where a report is wanted, wait for it beside, and merge the reports of its processes. A
 * line says of a program that takes no preloaded library (set-user-id, with capabilities, statically
 * linked, for another machine) that it runs without. Returns only on failure, after one line that names
 * the reason: 2 for a bad command line, or a report that could not be written; 126 for a program that
 * cannot be run, 127 for one that does not exist. */
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
 * machine's device against the host BLAS. BLAS results agree componentwise to 16 units (verify/verify.h),
 * LAPACK's pass its testers' measures (verify/lapack.h); nothing that must not be read counts, nothing else
 * is written, and the calls did run on the device. Prints a line for each routine. 1: one did not pass or
 * could not be checked.
 * `mublas verify --parallel ...` in each process of a job: verify/verify.h. */
int verify_run(char **arguments);

/* `mublas serve [--keep]`: the service (service/server/server.h) in this process; says a line on standard output
 * once programs can go by it. --status and --stop ask the one that runs. 1, after one line: there is no device, one
 * runs already, or none does. */
int serve_run(char **arguments);

/* A phrase on the service that programs of this environment would go by, or that none runs. `refusal`: why they would
 * not, by service_refusal_here; NULL: they would. False: something is wrong, which the phrase tells. */
bool serve_describe(const char *refusal, char *text, size_t size);

/* tuning_report.c says from where on calls gain on the device: `mublas report --tuning` by a recipe, and
 * `mublas info --crossovers` for LAPACK's routines by the model in force. */

/* `mublas report [--output=FILE] FILE...`: merge reports (run/run.h).
 * `mublas report --tuning FILE [--output FOLDER]`: print what `mublas tune` learned of calls, as a table on
 * standard output and as curves, crossovers.csv, in FOLDER (default: RECIPE-report), which is made; and how
 * to draw these and the times of launch shapes. FILE is a recipe, or its name with .csv behind it. Exit
 * status: 0; 1 for a file that cannot be read or written, 2 for a bad command line, after one line that says
 * what. */
int report_files(char **arguments);

/* Prints a row for each kind of routine, by the model and MUBLAS_OFFLOAD: the least order of a square matrix,
 * with all vectors or as many right-hand sides, from which a call pays, and where that is from. Prints, too,
 * from which orders on mublas' own eigensolver takes two stages, and up to which a cluster. */
void route_orders_print(FILE *stream, const struct machine_model *model);

/* How fast pinned host memory goes up to each of the devices that a process would use, one by
 * one and all at once: links may share a switch, or the host's memory be too slow for all. */
struct link_rates {
    int count; /* of those that could be measured */
    int ordinals[DEVICES_MAX];
    double alone[DEVICES_MAX], together[DEVICES_MAX]; /* bytes per second */
};

/* Wakes the devices, and gives those beside the first back. Candidates that others use are left out, and so
 * is what fails. False: fewer than two are left. Takes some tenths of a second for each. */
bool link_rates_measure(struct link_rates *rates);

/* All of them together, of the sum of each alone. */
double link_rates_part(const struct link_rates *rates);

/* "device 0 51.2, device 1 51.3, together 98.1 GB/s (96%)" */
void link_rates_describe(const struct link_rates *rates, char *text, int room);

#endif
