#include "interpose/report/page/html.h"
#include "interpose/report/printable.h"

#include <stddef.h>

/* What stands for a letter; NULL: itself. */
static const char *escape_of(char letter)
{
    switch (letter) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void html_print(FILE *stream, const char *text)
{
    while (*text) {
        const int bytes = *text == '\n' || *text == '\t' ? 1 : printable_bytes(text);
        const char *const escape = bytes == 0 ? "&#xFFFD;" : escape_of(*text);
        if (escape)
            fputs(escape, stream);
        else
            fwrite(text, 1, (size_t)bytes, stream);
        text += bytes > 0 ? bytes : 1;
    }
}
