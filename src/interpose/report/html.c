#include "interpose/report/html.h"

#include <stdbool.h>
#include <stdint.h>

static const char replacement[] = "&#xFFFD;";

/* The bytes of the character at `text`, 0 if they are no UTF-8: overlong forms, surrogates and what is beyond
 * U+10FFFF are none. */
static int character_bytes(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = text[0];
    const int bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t code = bytes > 1 ? first & (0x7fu >> bytes) : first;
    if (first >= 0xf8)
        return 0;
    for (int i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    const bool is_surrogate = code >= 0xd800 && code < 0xe000, is_control = code >= 0x80 && code < 0xa0;
    return code >= least[bytes] && code < 0x110000 && !is_surrogate && !is_control ? bytes : 0;
}

static const char *escape_of(unsigned char letter)
{
    switch (letter) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return (letter < ' ' && letter != '\n' && letter != '\t') || letter == 0x7f ? replacement : NULL;
    }
}

void html_print(FILE *stream, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const int bytes = character_bytes(at);
        const char *const escape = bytes == 0 ? replacement : escape_of(*at);
        if (escape)
            fputs(escape, stream);
        else
            fwrite(at, 1, (size_t)bytes, stream);
        at += bytes > 0 ? bytes : 1;
    }
}
