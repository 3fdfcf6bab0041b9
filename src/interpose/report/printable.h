/* printable.h - text of anybody's, such as a program's name or a setting, for files that people read. */
#ifndef MUBLAS_PRINTABLE_H
#define MUBLAS_PRINTABLE_H

#include <stdio.h>

#define PRINTABLE_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

/* The bytes of the character at `text`, which does not end there. 0: it is a control character, a line's end
 * included, or no UTF-8. */
int printable_bytes(const char *text);

/* Prints it on the same line, with U+FFFD for each byte that is not of a printable character. */
void printable_print(FILE *stream, const char *text);

#endif
