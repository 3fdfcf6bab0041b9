#include "interpose/report/report_file.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of how many ranks a launcher does not always say. */
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

static const char page_end[] = ".html";

bool report_file_is_page(const char *destination)
{
    const size_t length = destination ? strlen(destination) : 0, end = sizeof page_end - 1;
    return length >= end && strcmp(destination + length - end, page_end) == 0;
}

char *report_file_name(const char *form, const struct reporter *reporter)
{
    char *name = NULL;
    size_t length;
    const bool is_page = report_file_is_page(form);
    const char *const tail = form + strlen(form) - (is_page ? sizeof page_end - 1 : 0);
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

static bool write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* errno says why not. Opening waits for nobody to read a pipe. */
static bool write_file(const char *name, const char *text, size_t length, bool spares)
{
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    const int descriptor = open(name, flags | (spares ? O_EXCL : O_TRUNC), 0600);
    if (descriptor < 0)
        return spares && errno == EEXIST;
    fcntl(descriptor, F_SETFL, 0);
    bool written = write_all(descriptor, text, length);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return written;
}

void report_file_deliver(const char *destination, const struct reporter *reporter,
                         const struct report_text *text, const struct report_text *page, bool spares)
{
    const struct report_text *const wanted = report_file_is_page(destination) ? page : text;
    if (destination && strcmp(destination, "1") != 0) {
        char *name = report_file_name(destination, reporter);
        bool written = name && write_file(name, wanted->text, wanted->length, spares);
        if (!written)
            log_message(LOG_ERROR, "MUBLAS_REPORT: cannot write %s: %s; the report follows here",
                        name ? name : destination, strerror(errno));
        free(name);
        if (written)
            return;
    }
    if (log_has_standard_error())
        write_all(STDERR_FILENO, text->text, text->length);
}
