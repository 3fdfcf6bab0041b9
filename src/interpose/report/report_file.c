#include "interpose/report/report_file.h"
#include "common/log.h"
#include "interpose/report/report_start.h"
#include "interpose/report/report_write.h"
#include "interpose/report/write_signals.h"

#include <errno.h>
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

/* Of a page's name the end, else its very end. */
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
                         const struct report_text *text, const struct report_text *page, bool spares)
{
    const struct report_text *const wanted = report_file_is_page(destination) ? page : text;
    const bool is_file = destination && strcmp(destination, "1") != 0;
    sigset_t signals;
    write_signals_hold(&signals);
    if (!(is_file && write_file(destination, reporter, wanted, spares)) && log_has_standard_error())
        report_write_all(STDERR_FILENO, text->text, text->length);
    write_signals_return(&signals);
}
