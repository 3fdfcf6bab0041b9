#include "command/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GREEN = 32, RED = 31, SUBJECT_WIDTH = 13 };

void findings_begin(struct findings *findings)
{
    const char *terminal = getenv("TERM"), *refused = getenv("NO_COLOR");
    findings->wrong = 0;
    findings->colours = isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
                        !(refused && *refused);
}

static void print_head(const struct findings *findings, int colour, const char *verdict, const char *subject)
{
    if (findings->colours && colour)
        printf("\033[%dm%-6s\033[0m %-*s ", colour, verdict, SUBJECT_WIDTH, subject);
    else
        printf("%-6s %-*s ", verdict, SUBJECT_WIDTH, subject);
}

/* Lines come as they are found: the later checks take seconds. */
static void end_line(void)
{
    putchar('\n');
    fflush(stdout);
}

void finding_good(struct findings *findings, const char *subject, const char *format, ...)
{
    va_list arguments;
    print_head(findings, GREEN, "ok", subject);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end_line();
}

void finding_wrong(struct findings *findings, const char *subject, const char *advice, const char *format,
                   ...)
{
    va_list arguments;
    findings->wrong++;
    print_head(findings, RED, "WRONG", subject);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n%-6s %-*s do: %s", "", SUBJECT_WIDTH, "", advice);
    end_line();
}

void finding_skipped(struct findings *findings, const char *subject, const char *why)
{
    print_head(findings, 0, "-", subject);
    printf("not checked: %s", why);
    end_line();
}
