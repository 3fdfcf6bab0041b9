/* html.h - text in a page of HTML. */
#ifndef MUBLAS_HTML_H
#define MUBLAS_HTML_H

#include <stdio.h>

/* Prints text of anybody's as text of a page, or within an attribute's quotes: nothing in it is markup. What
 * is no UTF-8, and control characters, become U+FFFD; the stream stays well-formed whatever comes. */
void html_print(FILE *stream, const char *text);

#endif
