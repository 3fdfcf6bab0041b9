/* run.h - programs under the shim: the file of the program that `mublas run` becomes or `mublas info` looks
 * into, the program's environment, and the service or NVIDIA's MPS for a parallel job, without which the ranks on a
 * device take turns. commands.h has both commands. shim_child.c starts this command again as a process under the
 * shim, whose calls are treated as those of programs. For one thread at a time. */
#ifndef MUBLAS_RUN_H
#define MUBLAS_RUN_H

#include "common/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* Finds the file that execvp would run for `name`. False: there is none, or its path does not fit in
 * `size`. */
bool program_file_find(const char *name, char *path, size_t size);

/* Why the loader preloads nothing into this program: it gains rights, or cannot be read. NULL: it does
 * preload. Static storage. */
const char *program_file_refusal(const char *path);

/* The program that a script's first line names, or that env runs there, as it is written. False: the file is
 * no script or cannot be read. */
bool program_file_interpreter(const char *path, char *interpreter, size_t size);

/* Follows such lines from `path` to the program that runs. False: it is not found. */
bool program_file_follow(char *path, size_t size);

/* Why the loader never gets to preload anything into this program, by a look at its headers: one of the two
 * phrases. NULL: it does, or the file is no program. */
extern const char program_is_static[], program_is_foreign[];
const char *program_file_unreachable(const char *path);

/* The folder has MPS's pipes and logs, the ranks that use it, and the lock by which one of them starts it.
 * XDG_RUNTIME_DIR holds it, where that is the user's alone, or /tmp does; user and launcher name it, so that
 * all ranks of a launch on one machine find the same. One that is not a folder of this user and nobody else's
 * is refused: links are not followed. */
struct mps_folder {
    char path[PATH_MAX];
    int lock;    /* held by who has the struct */
    int ranks;   /* the list of ranks */
    int watcher; /* -1: another process watches; else the lock of who does, to be given to one */
};

/* Makes a folder of this user alone, with room for so many bytes, or opens the one that is there: *made. 0, or the reason as errno
 * has it; then a folder that was made is still there. */
int private_folder_make(const char *path, off_t bytes, bool *made);

/* The folder, and all that is in it. */
void private_folder_remove(const char *path);

/* Removes folders of this prefix, "PROCESS.BEGUN" behind it, whose process is gone. */
void private_folders_remove_left(const char *folder_place, const char *prefix);

/* A process, and when it began, since numbers come again. */
struct mps_rank {
    pid_t process;
    unsigned long long begun; /* in the kernel's ticks since it was booted */
};

/* Open, or make, the folder of the launcher's ranks on this machine, and wait for its lock. False: *fault is
 * why not, in words, or NULL where there is nothing to say. */
bool mps_folder_open(struct mps_folder *folder, const struct mps_rank *launcher, const char **fault);

/* A child's own way to the lock, which it does not have: what it inherited is its parent's. */
bool mps_folder_lock_again(struct mps_folder *folder);

/* A descriptor of the process, which is readable once that has ended; -1: it is gone, or there are none. */
int rank_process_open(const struct mps_rank *rank);

/* Until it has; closes the descriptor. */
void rank_process_wait(int process);

/* One more rank. */
bool mps_folder_add(struct mps_folder *folder, const struct mps_rank *rank);

/* The ranks that were added, to be freed; NULL: out of memory, or none. */
struct mps_rank *mps_folder_ranks(const struct mps_folder *folder, int *count);

/* Give the lock, the other files too. */
void mps_folder_close(struct mps_folder *folder);

/* All that is in it, and it. With the lock. */
void mps_folder_remove(const struct mps_folder *folder);

/* End by `end` what runs in folders that are nobody's any more, since those who watched were killed, and
 * remove them. */
void mps_folder_sweep(void (*end)(const struct mps_folder *folder));

/* Would a rank of this environment go by a service, and do several share its device? */
bool service_is_wanted(void);

/* A service of this environment runs, or is started: by the first rank on the machine that asks for it, while others
 * wait. It ends by itself (server_run). `folder` is the job's; locks, what the server says and whether it has failed
 * are in files there. False: there is none, and the first rank has said why in a line, but where there is no device. */
bool service_start(const char *folder);

/* For `mublas run`, about to become the program: where its launcher's ranks share a device, let the job have
 * a service (`gets_calls`: mublas gets calls of the program). If that does not serve, MPS is installed and
 * nobody runs it, let it have that, and tell the program's environment. The first rank on the machine starts
 * either in the job's folder. A process aside watches folder and MPS, and removes them after the last rank.
 * Changes nothing of the machine. Says one line where the folder cannot be trusted, or what it is to have
 * does not start; else nothing. */
void sharing_begin(bool gets_calls);

/* One report of several processes (merged_report.c), sums first, then a section for each: of those of a
 * run, or of files that they have left. */

/* The folder in which the processes of a run leave their parts of its report (interpose/report/report_file.h). The
 * folder is this user's alone, in XDG_RUNTIME_DIR or /tmp. The ranks of a launcher that have the same
 * report share it: the last of them on the machine merges, or a process that watches them where a signal
 * ended that one. */
struct run_parts {
    char folder[PATH_MAX];
    char report[PATH_MAX]; /* as MUBLAS_REPORT; with the machine's name where the job runs on several */
    int ranks;             /* that share the folder; 0: none, INT_MAX: unknown */
};

/* Make the folder for the parts of this run's report, and name it to the program's environment. False, after a line
 * that says why: there can be none, and the setting of the report keeps its processes apart. */
bool run_parts_begin(struct run_parts *parts, const char *report, char **program);

/* A process that left a note and no part, or that a signal ended. */
struct absent {
    long process;
    int rank, ranks, signal; /* signal 0: not known */
    int reason;              /* errno of a part that could not be written; 0: none was tried */
    bool made_calls;
    char program[256];
};

/* Leave a file on this process, of this waitpid status, in the folder if a signal ended it. */
void absent_leave(const struct run_parts *parts, pid_t process, int status, const char *program);

/* Reads such a file, or a note, or a fault, of this name in the folder. False: it is none. */
bool absent_read(const char *path, const char *name, struct absent *absent);

/* Says in a sentence that it left no report, and why. */
void absent_print(FILE *stream, const struct absent *absent, const char *folder);

/* Closes all files but standard output and error, as wanted: who reads or writes the others waits for the program
 * alone. */
void run_keep_files(bool keeps_output, bool keeps_error);

/* Why a report cannot be written to `file`, its name as the writer makes it of MUBLAS_REPORT; NULL: it
 * can. Another file takes the place of one that is there, or else it is written over. Nothing of what is
 * there changes. */
const char *run_report_fault(const char *file);

/* At the end of `program`, whose waitpid status this is: the last one here merges the parts, and writes
 * them where the report goes; a single part is written as the report of its process. Names the processes
 * that made calls and left no part, and those that a signal ended. Without any part a line on standard
 * error says so where there should be one, or where an earlier report is there, which stays. */
void run_parts_end(const struct run_parts *parts, pid_t process, int status, char **program);

/* Starts the program as a child: `become` is called in it, and comes back from there only if it failed. Waits
 * for its end, merges the parts, and ends as the program did. Meanwhile this process stops and goes on with
 * the program, passes on the signals that it is sent, and takes the program with it where it is killed. */
void run_and_merge(const struct run_parts *parts, char **program, void become(void *context), void *context);

/* The reports of processes, in the order of their sections. All zero: none. */
struct report;
struct merged_reports {
    struct report_entry {
        struct report *report;
        struct timespec left; /* when its file was written */
    } *of;
    int count;
};

/* Takes all that a file has, which may be a report of either form. False: `fault` is a phrase, of at most
 * REPORT_FAULT_BYTES. */
bool merged_reports_take(struct merged_reports *reports, const char *path, char *fault);

/* Their sum, to be released by report_clear and free; NULL: no memory. `title` and `command` are its own
 * where they are not NULL; *missing, heap memory, becomes the report's. */
struct report *merged_reports_sum(struct merged_reports *reports, const char *title, const char *command,
                                  char **missing);

/* Writes the report to where MUBLAS_REPORT would have it: of one process its own. False: no memory. */
bool merged_reports_deliver(struct merged_reports *reports, const char *destination, const struct report *sum);

/* Orders by rank, then by the time of writing. */
void merged_reports_sort(struct merged_reports *reports);

/* The name of the report of this machine's part of a job: with the machine's where there are several. */
void merged_report_name(const char *report, char name[PATH_MAX]);

void merged_reports_clear(struct merged_reports *reports);

/* `mublas report [--output=FILE] FILE...`: merges reports of either form, merged ones too, as text to
 * standard output, or to FILE. 1, after one line, for a file that is no report or cannot be read or
 * written. */
int merged_report_of_files(const char *output, char **files);

/* Finds the shim beside this command's file, in .libs there (where the build leaves it) or in the lib folders
 * that go with it (../lib, ../lib/MULTIARCH, ../lib64), so that a copied folder works; else where `make
 * install` puts it. Static storage. NULL, and one line that begins with `who`: there is none that can be
 * preloaded. */
const char *preload_find_shim(const char *who);

/* Puts the shim first in LD_PRELOAD of this process's environment, for the program that it becomes by exec.
 * `huge_pages`: sets glibc's tunable for them, unless the user has set it; scans of memory are ten times
 * cheaper then. False: out of memory. */
bool preload_set_environment(const char *shim, bool huge_pages);

/* A routine's row in a program's report (MUBLAS_REPORT). */
struct offload_row {
    unsigned long long calls, on_device, on_host;
    char reason[96]; /* the first one why a call stayed on the host; "": none */
};

/* Finds a routine's row by its name in the report ("dsymv", "total"). False: there is no such row or file. */
bool offload_report_row(const char *path, const char *routine, struct offload_row *row);

/* The resolved path of the program's host BLAS. False: the report does not say it. */
bool offload_report_host(const char *path, char *host, size_t bytes);

struct shim_child {
    pid_t process;
    FILE *requests; /* its standard input */
    FILE *answers;  /* its standard output */
    char folder[64], report[80]; /* a folder of its own, and its report there */
};

struct shim_child_settings {
    const char *offload; /* MUBLAS_OFFLOAD */
    const char *tracking; /* MUBLAS_TRACKING; NULL: unchanged */
    const char *recipe;   /* MUBLAS_RECIPE; NULL: unchanged */
    const char *eigensolver; /* MUBLAS_EIGENSOLVER; NULL: unchanged */
    bool huge_pages;      /* as `mublas run` sets them */
    bool by_service;      /* it may go by one: then no device is named to it */
};

/* Tries whether such a process can be started and finds a host BLAS, by the exit status of `command`
 * (TIMED_CALLS_COMMAND). False after one line of complaint. */
bool shim_child_possible(const char *who, const char *command);

/* Starts `mublas COMMAND ARGUMENT` (the argument may be NULL). False after one line that begins with
 * `who`. */
bool shim_child_start(struct shim_child *child, const struct shim_child_settings *child_settings,
                      const char *who, const char *command, const char *argument);

/* Closes its input and waits for its end. Returns waitpid's status. The report can be read until
 * shim_child_clean removes it. */
int shim_child_wait(struct shim_child *child);
void shim_child_clean(struct shim_child *child);

#endif
