/* text.h - texts that are the same in every locale, files that are opened with care, and lines that are
 * read strictly. */
#ifndef MUBLAS_TEXT_H
#define MUBLAS_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Numbers have points and no groups of digits, whatever the locale.
 *
 * A program may have set a locale with a decimal comma, for all its threads or for the calling one. One
 * thread prints and reads numbers that are not whole between plain_locale_begin and plain_locale_end.
 * Neither call allocates or fails, and errno stays. Nothing of the program's runs in between. */

/* The calling thread's locale, to be given to plain_locale_end. */
static inline locale_t plain_locale_begin(void)
{
    /* The C library has this one ready: it opens no file for it. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void plain_locale_end(locale_t of_program)
{
    uselocale(of_program);
}

/* The end of a noun that is counted: "1 call", "2 calls". */
static inline const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

/* Opens a regular file to read. Thread-safe. NULL: regular_file_fault is a phrase that says why, by errno,
 * which is EINVAL for what is no regular file: there is no waiting for the writer of a fifo. */
FILE *regular_file_open(const char *path);
const char *regular_file_fault(void);

/* Reading files that only this user or root can have written. Thread-safe. */
enum { TRUSTED_FAULT_BYTES = 256 };

/* All of a regular file of at most `most` bytes that belongs to this user or root and that nobody else may
 * write, to be freed. NULL: `fault` is a phrase; out of memory is a fault like any other. */
char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES]);

/* Folders and files of this user and nobody else's, in places that others write to. Whoever may write /tmp may leave a
 * folder, a link or a socket there under a name that is expected. So links are not followed, and owner and rights are
 * looked at behind the open descriptor, never by name. Thread-safe. */

/* Is the open file of this kind (S_IFREG, S_IFDIR), of this user, and without rights of others? */
bool private_file_is(int file, mode_t kind);

/* XDG_RUNTIME_DIR, where that is the user's alone, or /tmp. */
const char *private_folder_place(void);

/* Opens a folder of this user and nobody else's. -1: errno says why. The caller closes it. */
int private_folder_open(const char *path);

/* A line reader takes words and numbers with one space between, in lines that end in a newline. Its work is
 * bounded in memory and time, for text that may be anything. It keeps the first fault, and everything after
 * that fails. The locale changes nothing.
 *
 *   line_reader_next(&reader) && line_reader_word(&reader, "edge") &&
 *       line_reader_integer(&reader, 64, 256, &edge) && line_reader_end(&reader) */
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
