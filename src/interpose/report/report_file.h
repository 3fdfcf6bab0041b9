/* report_file.h - where a report goes: standard error, or a file of its own for each process; how text gets
 * there whole; which run it is of, and what its process was like when mublas was loaded. */
#ifndef MUBLAS_REPORT_FILE_H
#define MUBLAS_REPORT_FILE_H

#include "common/launcher.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/* The run that a report is of: two pages of Python programs look alike otherwise. */
struct report_run {
    char command[COMMAND_BYTES]; /* as for a shell, in one line; a longer one ends in " ..." */
    char host[HOST_BYTES];       /* the machine's name */
    char date[DATE_BYTES];       /* of now: "2026-11-27 09:15 UTC" */
};

/* Read the run of this process, at its end. */
void report_run_read(struct report_run *run);

/* The name of the machine's processor, as far as the system says. */
void report_run_processor(char *name, size_t room);

/* The words of a process's arguments, each ended by NUL, as a shell takes them. `whole`: they are all. */
void report_run_join(const char *words, size_t length, bool whole, char command[COMMAND_BYTES]);

/* A file that was there stays until the new one is whole, where the folder allows that. Writing cannot end
 * the program: a file that would grow beyond the limit (ulimit -f) and a pipe that nobody reads any more
 * send signals that do, so those are held for the writing thread meanwhile, and are errors alone. */

/* Stands for what is not to be printed of anybody's text, such as a program's name or a setting. */
#define PRINTABLE_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

/* Prints anybody's text on one line, with U+FFFD for each byte that is not of a printable character, in
 * UTF-8. */
void printable_print(FILE *stream, const char *text);

/* Prints text of anybody's as text of a page, or within an attribute's quotes: nothing in it is markup. Bytes
 * that are no UTF-8, and control characters, become U+FFFD; the stream stays well-formed whatever comes. */
void html_print(FILE *stream, const char *text);

/* For the calling thread, whose signals `before` are. */
void write_signals_hold(sigset_t *before);
void write_signals_return(const sigset_t *before);

/* Before a jump is made: a handler may call this. */
struct jump;
void write_signals_leave(const struct jump *jump);

/* The process that reports. */
struct reporter {
    long process;
    struct local_rank world; /* world_rank */
    bool is_fork_child;
};

/* Standard output or error, by its number, where the destination is one: 1, /dev/stdout, /dev/stderr and their
 * like; -1: it is a file. NULL is standard error. */
int report_file_stream(const char *destination);

/* Is standard output what the program started with? Unknown counts as yes. */
bool report_start_has_output(void);

/* Does the destination ask for a page (FILE.html or FILE.htm, in any case) instead of text? NULL does not. */
bool report_file_is_page(const char *destination);

/* The name of a report file: `form` with every %p replaced by the process's number and every %r by its
 * rank, 0 without a launcher. A suffix tells apart what `form` does not, so that no report takes
 * another's place: .RANK of several ranks, and .PROCESS of a fork's child; a page's .html or .htm stays last.
 * Free it; NULL when memory is short. */
char *report_file_name(const char *form, const struct reporter *reporter);

/* Write `file` to where MUBLAS_REPORT says; `text` to standard output or error, where it says that, or to standard
 * error after one line where the file fails. `spares`: a file that is there stays as it is, for it may be the
 * report of a program that this one has started. */
struct report_text {
    char *text;
    size_t length;
};
void report_file_deliver(const char *destination, const struct reporter *reporter,
                         const struct report_text *text, const struct report_text *file, bool spares);

/* The parts of a run's report (MUBLAS_REPORT_PARTS): the folder has a file of each process that left one, and a
 * note of each that made a call and has left none so far. A note is a line, "PROCESS RANK RANKS PROGRAM". One whose
 * part found no room leaves an empty file, whose name tells errno and itself: PREFIX and "ERRNO.RANK.RANKS.PROCESS". */
#define REPORT_PART_PREFIX "part-"
#define REPORT_NOTE_PREFIX "note-"
#define REPORT_FAULT_PREFIX "fault-"

/* At the first call, of any thread, where signal handlers may call, too. Allocates nothing, and keeps errno. */
void report_note_leave(void);

/* The part takes the note's place. False: the folder is gone, or takes none, which one line says. */
bool report_part_leave(const char *folder, const struct report_text *part);

#endif
