/* report_start.h - what the process was like when mublas was loaded, for a report at its end. */
#ifndef MUBLAS_REPORT_START_H
#define MUBLAS_REPORT_START_H

#include <stdbool.h>

/* Once, early. */
void report_start_note(void);

/* The folder that a relative name is in; NULL: unknown. */
const char *report_start_folder(void);

/* Has this program started others, and waited for them? The process may have done so before its present
 * program, too: the count of what its children used stays when it calls exec. */
bool report_start_others_since(void);

/* Has this process children that it has not waited for? */
bool report_start_others_left(void);

#endif
