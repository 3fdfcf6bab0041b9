/* exit_wait.h - threads that end the process at once: one of them runs the destructors, the report
 * among them, and the others would end the process meanwhile (glibc 2.41 has them wait by itself). */
#ifndef MUBLAS_EXIT_WAIT_H
#define MUBLAS_EXIT_WAIT_H

/* When the library is loaded, after start_objects_note, where a report is wanted. Does nothing for a library
 * that came by dlopen. */
void exit_wait_begin(void);

/* The report is written, or there is none: nobody waits for it any more. */
void exit_wait_over(void);

#endif
