/* report_run.h - which run a report is of, and what its process was like when mublas was loaded. Two pages of
 * Python programs look alike otherwise. */
#ifndef MUBLAS_REPORT_RUN_H
#define MUBLAS_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* Notes what the process is like. Once, early. */
void report_start_note(void);

/* The folder that a relative name is in; NULL: unknown. */
const char *report_start_folder(void);

/* Has this program started others, and waited for them? The process may have done so before its present
 * program, too: the count of what its children used stays when it calls exec. */
bool report_start_others_since(void);

/* Has this process children that it has not waited for? */
bool report_start_others_left(void);

enum { COMMAND_BYTES = 256, HOST_BYTES = 65, DATE_BYTES = 24 };

struct report_run {
    char command[COMMAND_BYTES]; /* as for a shell, in one line; a longer one ends in " ..." */
    char host[HOST_BYTES];       /* the machine's name */
    char date[DATE_BYTES];       /* of now: "2026-11-27 09:15 UTC" */
};

/* Read the run of this process, at its end. */
void report_run_read(struct report_run *run);

/* The words of a process's arguments, each ended by NUL, as a shell takes them. `whole`: they are all. */
void report_run_join(const char *words, size_t length, bool whole, char command[COMMAND_BYTES]);

#endif
