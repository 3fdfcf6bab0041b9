#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *regular_file_open(const char *path)
{
    struct stat state;
    FILE *stream = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return NULL;
    if (fstat(file, &state) == 0) {
        errno = EINVAL;
        stream = S_ISREG(state.st_mode) ? fdopen(file, "r") : NULL;
    }
    if (!stream) {
        const int why = errno;
        close(file);
        errno = why;
    }
    return stream;
}

const char *regular_file_fault(void)
{
    return errno == EINVAL ? "not a regular file" : strerror(errno);
}

static bool refuse(char fault[TRUSTED_FAULT_BYTES], const char *phrase)
{
    snprintf(fault, TRUSTED_FAULT_BYTES, "%s", phrase);
    return false;
}

static bool is_trusted(const struct stat *state, size_t most, char fault[TRUSTED_FAULT_BYTES])
{
    if (state->st_uid != geteuid() && state->st_uid != 0)
        return refuse(fault, "it belongs to another user");
    if (state->st_mode & (S_IWGRP | S_IWOTH))
        return refuse(fault, "others may write it (chmod go-w)");
    if (state->st_size > (off_t)most)
        return refuse(fault, "longer than any that mublas writes");
    return true;
}

/* The size may change while it is read: what comes is what counts. */
static char *read_open(FILE *stream, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    struct stat state;
    char *text = NULL;
    if (fstat(fileno(stream), &state) != 0)
        refuse(fault, strerror(errno));
    else if (!is_trusted(&state, most, fault))
        return NULL;
    else if (!(text = malloc((size_t)state.st_size + 1)))
        refuse(fault, strerror(errno));
    else {
        *bytes = fread(text, 1, (size_t)state.st_size, stream);
        if (!ferror(stream))
            return text;
        refuse(fault, strerror(errno));
    }
    free(text);
    return NULL;
}

char *trusted_file_read(const char *path, size_t most, size_t *bytes, char fault[TRUSTED_FAULT_BYTES])
{
    FILE *stream = regular_file_open(path);
    if (!stream) {
        refuse(fault, regular_file_fault());
        return NULL;
    }
    char *text = read_open(stream, most, bytes, fault);
    fclose(stream);
    return text;
}

enum { DIGITS_MAX = 17, EXPONENT_MAX = 300 };

void line_reader_begin(struct line_reader *reader, const char *text, size_t bytes)
{
    memset(reader, 0, sizeof *reader);
    reader->begin = reader->next = reader->at = reader->stop = text;
    reader->end = text + bytes;
}

bool line_reader_fault(struct line_reader *reader, const char *format, ...)
{
    va_list arguments;
    if (*reader->fault)
        return false;
    const locale_t locale = plain_locale_begin();
    const int used = snprintf(reader->fault, sizeof reader->fault, "line %d: ", reader->line);
    va_start(arguments, format);
    vsnprintf(reader->fault + used, sizeof reader->fault - (size_t)used, format, arguments);
    va_end(arguments);
    plain_locale_end(locale);
    /* The text may have anything in it, and the phrase goes to a terminal. */
    for (char *at = reader->fault; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = '?';
    return false;
}

bool line_reader_next(struct line_reader *reader)
{
    if (*reader->fault || reader->next == reader->end)
        return false;
    const size_t left = (size_t)(reader->end - reader->next);
    const size_t most = left < LINE_BYTES_MAX ? left : LINE_BYTES_MAX;
    const char *newline = memchr(reader->next, '\n', most);
    reader->line++;
    if (!newline)
        return line_reader_fault(reader, most < left ? "too long a line" : "the last line is not complete");
    if (memchr(reader->next, '\0', (size_t)(newline - reader->next)))
        return line_reader_fault(reader, "a zero byte");
    reader->begin = reader->at = reader->next;
    reader->stop = newline;
    reader->next = newline + 1;
    return true;
}

static size_t word_length(const struct line_reader *reader)
{
    const char *space = memchr(reader->at, ' ', (size_t)(reader->stop - reader->at));
    return (size_t)((space ? space : reader->stop) - reader->at);
}

/* Past a word and the one space after it. */
static void take_word(struct line_reader *reader, size_t length)
{
    reader->at += length;
    if (reader->at < reader->stop)
        reader->at++;
}

bool line_reader_is(struct line_reader *reader, const char *word)
{
    const size_t length = word_length(reader);
    if (*reader->fault || length != strlen(word) || memcmp(reader->at, word, length) != 0)
        return false;
    take_word(reader, length);
    return true;
}

static bool unexpected(struct line_reader *reader, const char *wanted)
{
    const int length = (int)word_length(reader);
    if (length == 0)
        return line_reader_fault(reader, "%s is wanted where %s", wanted,
                                 reader->at == reader->stop ? "the line ends" : "a space stands");
    return line_reader_fault(reader, "%s is wanted where '%.*s' stands", wanted, length < 40 ? length : 40,
                             reader->at);
}

bool line_reader_word(struct line_reader *reader, const char *word)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "'%s'", word);
    return line_reader_is(reader, word) || unexpected(reader, wanted);
}

static bool copy(struct line_reader *reader, size_t length, char *text, size_t room)
{
    if (*reader->fault)
        return false;
    if (length == 0 || length >= room)
        return unexpected(reader, length == 0 ? "a word" : "a shorter word");
    memcpy(text, reader->at, length);
    text[length] = '\0';
    return true;
}

bool line_reader_name(struct line_reader *reader, char *name, size_t room)
{
    const size_t length = word_length(reader);
    if (!copy(reader, length, name, room))
        return false;
    take_word(reader, length);
    return true;
}

bool line_reader_rest(struct line_reader *reader, char *text, size_t room)
{
    if (!copy(reader, (size_t)(reader->stop - reader->at), text, room))
        return false;
    reader->at = reader->stop;
    return true;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

bool line_reader_integer(struct line_reader *reader, int64_t least, int64_t most, int64_t *value)
{
    const size_t length = word_length(reader);
    int64_t number = 0;
    if (*reader->fault)
        return false;
    if (length == 0 || length > DIGITS_MAX)
        return unexpected(reader, "a number");
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(reader->at[i]))
            return unexpected(reader, "a number");
        number = 10 * number + (reader->at[i] - '0');
    }
    if (number < least || number > most)
        return line_reader_fault(reader, "%lld is not from %lld to %lld", (long long)number, (long long)least,
                                 (long long)most);
    take_word(reader, length);
    *value = number;
    return true;
}

bool line_reader_count(struct line_reader *reader, unsigned most, unsigned *value)
{
    int64_t number;
    if (!line_reader_integer(reader, 0, most, &number))
        return false;
    *value = (unsigned)number;
    return true;
}

/* Digits from *at on, also behind a point: their value as an integer, the power of ten to
 * multiply it with; how many there were. */
static int read_digits(const char **at, const char *stop, double *mantissa, int *power)
{
    int digits = 0;
    bool behind = false;
    for (; *at < stop && digits < DIGITS_MAX; ++*at) {
        if (**at == '.' && !behind) {
            behind = true;
            continue;
        }
        if (!is_digit(**at))
            break;
        *mantissa = 10 * *mantissa + (**at - '0');
        *power -= behind;
        digits++;
    }
    return digits;
}

static bool read_exponent(const char **at, const char *stop, int *power)
{
    int exponent = 0, digits = 0;
    if (*at == stop || **at != 'e')
        return true;
    ++*at;
    const bool negative = *at < stop && **at == '-';
    if (*at < stop && (**at == '-' || **at == '+'))
        ++*at;
    for (; *at < stop && is_digit(**at) && digits < 3; ++*at, digits++)
        exponent = 10 * exponent + (**at - '0');
    *power += negative ? -exponent : exponent;
    return digits > 0 && exponent <= EXPONENT_MAX;
}

bool line_reader_decimal(struct line_reader *reader, double least, double most, double *value)
{
    const size_t length = word_length(reader);
    const char *at = reader->at, *stop = at + length;
    double mantissa = 0;
    int power = 0;
    if (*reader->fault)
        return false;
    if (read_digits(&at, stop, &mantissa, &power) == 0 || !read_exponent(&at, stop, &power) || at != stop)
        return unexpected(reader, "a number");
    /* Divided, not multiplied by a power that is itself rounded. */
    const double number = power < 0 ? mantissa / pow(10, -power) : mantissa * pow(10, power);
    if (!(number >= least && number <= most))
        return line_reader_fault(reader, "%g is not from %g to %g", number, least, most);
    take_word(reader, length);
    *value = number;
    return true;
}

bool line_reader_hexadecimal(struct line_reader *reader, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const size_t length = word_length(reader);
    uint64_t number = 0;
    if (*reader->fault)
        return false;
    for (size_t i = 0; i < 16 && length == 16; i++) {
        const char *digit = memchr(digits, reader->at[i], 16);
        if (!digit)
            return unexpected(reader, "16 hexadecimal digits");
        number = number << 4 | (uint64_t)(digit - digits);
    }
    if (length != 16)
        return unexpected(reader, "16 hexadecimal digits");
    take_word(reader, length);
    *value = number;
    return true;
}

bool line_reader_end(struct line_reader *reader)
{
    if (*reader->fault)
        return false;
    return reader->at == reader->stop || unexpected(reader, "the end of the line");
}

bool private_file_is(int file, mode_t kind)
{
    struct stat state;
    return fstat(file, &state) == 0 && (state.st_mode & S_IFMT) == kind && state.st_uid == geteuid() &&
           (state.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

int private_folder_open(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !private_file_is(folder, S_IFDIR)) {
        close(folder);
        errno = EACCES;
        return -1;
    }
    return folder;
}

const char *private_folder_place(void)
{
    const char *const own = secure_getenv("XDG_RUNTIME_DIR");
    const int folder = own && own[0] == '/' ? private_folder_open(own) : -1;
    if (folder < 0 || access(own, W_OK) != 0) {
        if (folder >= 0)
            close(folder);
        return "/tmp";
    }
    close(folder);
    return own;
}
