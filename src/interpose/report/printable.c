#include "interpose/report/printable.h"

#include <stdbool.h>
#include <stdint.h>

/* Overlong forms, surrogates and what is beyond U+10FFFF are no UTF-8. */
int printable_bytes(const char *text)
{
    static const uint32_t least[] = {0, ' ', 0xa0, 0x800, 0x10000};
    const unsigned char *const at = (const unsigned char *)text, first = at[0];
    const int bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t code = bytes > 1 ? first & (0x7fu >> bytes) : first;
    if (first >= 0xf8 || first == 0x7f)
        return 0;
    for (int i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[bytes] && code < 0x110000 && !is_surrogate ? bytes : 0;
}

void printable_print(FILE *stream, const char *text)
{
    while (*text) {
        const int bytes = printable_bytes(text);
        if (bytes)
            fwrite(text, 1, (size_t)bytes, stream);
        else
            fputs(PRINTABLE_REPLACEMENT, stream);
        text += bytes ? bytes : 1;
    }
}
