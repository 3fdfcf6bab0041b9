#include "interpose/report/report_file.h"
#include "common/interruption.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Overlong forms, surrogates and what is beyond U+10FFFF are no UTF-8. */
static int printable_bytes(const char *text)
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

/* The text that stands for a letter; NULL: itself. */
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

enum { PLAIN_FLAGS = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

/* The whole text to a descriptor; errno says why not. */
static bool report_write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* 0, or the reason as errno has it. Some file systems tell only at close that there is no room. */
static int write_and_close(int descriptor, const char *text, size_t length)
{
    const int reason = report_write_all(descriptor, text, length) ? 0 : errno;
    return close(descriptor) != 0 && !reason && errno != EINTR ? errno : reason;
}

static int write_into(const char *name, int more_flags, const char *text, size_t length)
{
    const int descriptor = open(name, PLAIN_FLAGS | more_flags, 0600);
    if (descriptor < 0)
        return errno;
    fcntl(descriptor, F_SETFL, 0);
    return write_and_close(descriptor, text, length);
}

static int write_new(const char *name, const char *text, size_t length)
{
    const int descriptor = open(name, PLAIN_FLAGS | O_CREAT | O_EXCL, 0600);
    if (descriptor < 0)
        return errno;
    const int reason = write_and_close(descriptor, text, length);
    if (reason)
        unlink(name);
    return reason;
}

/* *is_possible: false where another file cannot take its place. */
static int replace(const char *name, mode_t mode, const char *text, size_t length, bool *is_possible)
{
    char *temporary = NULL;
    int reason = ENOMEM;
    const int descriptor =
        asprintf(&temporary, "%s.XXXXXX", name) < 0 ? (temporary = NULL, -1) : mkostemp(temporary, O_CLOEXEC);
    *is_possible = descriptor >= 0;
    if (descriptor >= 0) {
        fchmod(descriptor, mode);
        reason = write_and_close(descriptor, text, length);
        if (!reason && rename(temporary, name) != 0) {
            reason = errno;
            *is_possible = false;
        }
        if (reason)
            unlink(temporary);
    }
    free(temporary);
    return reason;
}

/* For want of room what is there is not worth its loss. */
static int write_over(const char *name, const struct stat *there, const char *text, size_t length)
{
    bool is_possible;
    const int reason = replace(name, there->st_mode & 0777, text, length, &is_possible);
    if (is_possible || reason == ENOSPC || reason == EDQUOT)
        return reason;
    return write_into(name, O_CREAT | O_TRUNC, text, length);
}

static const char *words(const struct stat *there, int reason)
{
    if (S_ISLNK(there->st_mode))
        return "it is a symbolic link, which is not followed";
    if (reason == ENXIO && S_ISFIFO(there->st_mode))
        return "it is a pipe that nobody reads";
    return reason ? strerror(reason) : NULL;
}

/* NULL: written; else why not, in words that last until the next call. Follows no symbolic link, and waits
 * for nobody to open a pipe. `spares`: a file that is there stays as it is, and that is no fault. */
static const char *report_write_file(const char *name, const char *text, size_t length, bool spares)
{
    struct stat there;
    int reason = 0;
    const bool exists = lstat(name, &there) == 0;
    if (!exists)
        there = (struct stat){.st_mode = S_IFREG | 0600};
    if (spares && !exists)
        reason = write_new(name, text, length);
    else if (S_ISREG(there.st_mode) && !spares)
        reason = write_over(name, &there, text, length);
    else if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        reason = write_into(name, 0, text, length);
    return words(&there, spares && reason == EEXIST ? 0 : reason);
}

/* A launcher does not always say how many ranks there are. */
static bool is_one_of_several(const struct local_rank *world)
{
    return world->rank >= 0 && world->ranks != 1;
}

/* One letter of `form`, or what stands for two; where it goes on. */
static const char *print_part(FILE *stream, const char *form, const struct reporter *reporter)
{
    if (form[0] == '%' && form[1] == 'p')
        fprintf(stream, "%ld", reporter->process);
    else if (form[0] == '%' && form[1] == 'r')
        fprintf(stream, "%d", reporter->world.rank < 0 ? 0 : reporter->world.rank);
    else
        return fputc(*form, stream), form + 1;
    return form + 2;
}

/* The suffix of a page's name, else the name's very end. */
static const char *page_end(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0) ? dot : name + strlen(name);
}

bool report_file_is_page(const char *destination)
{
    return destination && *page_end(destination);
}

char *report_file_name(const char *form, const struct reporter *reporter)
{
    char *name = NULL;
    size_t length;
    const char *const tail = page_end(form);
    const bool by_process = strstr(form, "%p"), by_rank = by_process || strstr(form, "%r");
    FILE *stream = open_memstream(&name, &length);
    if (!stream)
        return NULL;
    while (form < tail)
        form = print_part(stream, form, reporter);
    if (!by_rank && is_one_of_several(&reporter->world))
        fprintf(stream, ".%d", reporter->world.rank);
    if (!by_process && reporter->is_fork_child)
        fprintf(stream, ".%ld", reporter->process);
    fputs(tail, stream);
    return fclose(stream) == 0 ? name : NULL;
}

/* The program may have changed its folder meanwhile. */
static char *absolute(char *name)
{
    const char *const folder = report_start_folder();
    char *whole;
    if (!name || name[0] == '/' || !folder || asprintf(&whole, "%s/%s", folder, name) < 0)
        return name;
    free(name);
    return whole;
}

/* Names that the system has for a program's own: symbolic links, all of them, but safe ones. */
int report_file_stream(const char *destination)
{
    static const struct {
        const char *name;
        int stream;
    } streams[] = {{"1", STDERR_FILENO},           {"/dev/stderr", STDERR_FILENO},
                   {"/dev/fd/2", STDERR_FILENO},   {"/proc/self/fd/2", STDERR_FILENO},
                   {"/dev/stdout", STDOUT_FILENO}, {"/dev/fd/1", STDOUT_FILENO},
                   {"/proc/self/fd/1", STDOUT_FILENO}};
    if (!destination)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(destination, streams[i].name) == 0)
            return streams[i].stream;
    return -1;
}

/* True: it is written. */
static bool write_file(const char *form, const struct reporter *reporter, const struct report_text *wanted,
                       bool spares)
{
    char *const name = absolute(report_file_name(form, reporter));
    const char *const fault =
        name ? report_write_file(name, wanted->text, wanted->length, spares) : strerror(ENOMEM);
    if (fault)
        log_message(LOG_ERROR, "MUBLAS_REPORT: cannot write %s: %s; the report follows here",
                    name ? name : form, fault);
    free(name);
    return !fault;
}

void report_file_deliver(const char *destination, const struct reporter *reporter,
                         const struct report_text *text, const struct report_text *file, bool spares)
{
    const int stream = report_file_stream(destination);
    bool is_written = false;
    sigset_t signals;
    write_signals_hold(&signals);
    if (stream == STDOUT_FILENO)
        is_written = report_start_has_output() && report_write_all(STDOUT_FILENO, text->text, text->length);
    else if (stream < 0)
        is_written = write_file(destination, reporter, file, spares);
    if (!is_written && log_has_standard_error())
        report_write_all(STDERR_FILENO, text->text, text->length);
    write_signals_return(&signals);
}
