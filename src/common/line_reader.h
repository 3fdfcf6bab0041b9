/* line_reader.h - strict reading of line-based text: words and numbers with one space
 * between, lines that end in a newline. Independent of the locale, bounded in memory and
 * time, for text that may be anything. The first fault is kept and everything after it fails.
 *
 *   line_reader_next(&reader) && line_reader_word(&reader, "edge") &&
 *       line_reader_integer(&reader, 64, 256, &edge) && line_reader_end(&reader) */
#ifndef MUBLAS_LINE_READER_H
#define MUBLAS_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES_MAX = 1024, LINE_FAULT_BYTES = 200 };

struct line_reader {
    const char *next, *end; /* what follows the present line */
    const char *begin;      /* the present line */
    const char *at, *stop;  /* what is left of it */
    int line;               /* number of the present line, from 1 */
    char fault[LINE_FAULT_BYTES]; /* "" or a phrase: "line 12: ..." */
};

void line_reader_begin(struct line_reader *reader, const char *text, size_t bytes);

/* Go to the next line. False: there is none (no fault), or it is faulty. */
bool line_reader_next(struct line_reader *reader);

/* Is the next word of the line this one? Then it is taken; otherwise nothing changes. */
bool line_reader_is(struct line_reader *reader, const char *word);

/* Take what must come; anything else is the fault. */
bool line_reader_word(struct line_reader *reader, const char *word);
bool line_reader_name(struct line_reader *reader, char *name, size_t room); /* a word, NUL-terminated */
bool line_reader_rest(struct line_reader *reader, char *text,
                      size_t room); /* the rest of the line, not empty */
bool line_reader_integer(struct line_reader *reader, int64_t least, int64_t most, int64_t *value);
bool line_reader_count(struct line_reader *reader, unsigned most, unsigned *value); /* from 0 on */
/* Digits with a point among them or not, and an exponent or not: 12, 0.25, 1.5e-6. */
bool line_reader_decimal(struct line_reader *reader, double least, double most, double *value);
bool line_reader_hexadecimal(struct line_reader *reader, uint64_t *value); /* 16 digits */
bool line_reader_end(struct line_reader *reader); /* of the line */

/* Keep a fault of the caller's own, at this line; false. */
bool line_reader_fault(struct line_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
