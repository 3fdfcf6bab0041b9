#include "interpose/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long faults_of_children;

/* No program runs without page faults. */
static long children_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

void report_start_note(void)
{
    faults_of_children = children_faults();
    if (!getcwd(folder, sizeof folder))
        folder[0] = '\0';
}

const char *report_start_folder(void)
{
    return folder[0] ? folder : NULL;
}

bool report_start_others_since(void)
{
    return children_faults() > faults_of_children;
}

bool report_start_others_left(void)
{
    siginfo_t child;
    return waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static const char cut[] = " ...";

/* Up to where a command must end to have room for `cut`, it may be cut. */
struct joining {
    char *text;
    size_t used, last_fit;
    bool is_full;
};

static void put_text(struct joining *joining, const char *text, size_t length)
{
    const size_t room = COMMAND_BYTES - 1;
    if (joining->is_full || joining->used + length > room) {
        joining->is_full = true;
        return;
    }
    memcpy(joining->text + joining->used, text, length);
    joining->used += length;
    if (joining->used + sizeof cut - 1 <= room)
        joining->last_fit = joining->used;
}

/* A line's end or a tab would end the line of a report, too. */
static void put_character(struct joining *joining, const char *at, size_t length)
{
    if (*at == '\'')
        put_text(joining, "'\\''", 4);
    else if (*at == '\n' || *at == '\t')
        put_text(joining, " ", 1);
    else
        put_text(joining, at, length);
}

/* Bytes of the character that begins here, as UTF-8 says; what is none is told elsewhere. */
static size_t character_bytes(const char *at)
{
    enum { MOST = 4 };
    size_t bytes = 1;
    while (bytes < MOST && ((unsigned char)at[bytes] & 0xc0) == 0x80)
        bytes++;
    return bytes;
}

static void put_word(struct joining *joining, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./-_";
    const bool is_quoted = !*word || word[strspn(word, plain)];
    if (is_quoted)
        put_text(joining, "'", 1);
    for (size_t bytes; *word; word += bytes) {
        bytes = character_bytes(word);
        put_character(joining, word, bytes);
    }
    if (is_quoted)
        put_text(joining, "'", 1);
}

void report_run_join(const char *words, size_t length, bool whole, char command[COMMAND_BYTES])
{
    struct joining joining = {.text = command};
    for (size_t at = 0; at < length; at += strlen(words + at) + 1) {
        if (at)
            put_text(&joining, " ", 1);
        put_word(&joining, words + at);
    }
    if (joining.is_full || !whole) {
        strcpy(command + joining.last_fit, cut);
        return;
    }
    command[joining.used] = '\0';
}

static void read_command(char command[COMMAND_BYTES])
{
    enum { ROOM = 4 * COMMAND_BYTES };
    char words[ROOM + 1] = "";
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, words, ROOM);
    if (file >= 0)
        close(file);
    if (length > 0)
        report_run_join(words, (size_t)length, length < ROOM, command);
    else
        report_run_join(program_invocation_name, strlen(program_invocation_name) + 1, true, command);
}

void report_run_read(struct report_run *run)
{
    struct tm fields;
    const time_t now = time(NULL);
    *run = (struct report_run){.date = ""};
    read_command(run->command);
    if (gethostname(run->host, sizeof run->host - 1) != 0 || !*run->host)
        strcpy(run->host, "unknown");
    if (gmtime_r(&now, &fields))
        strftime(run->date, sizeof run->date, "%Y-%m-%d %H:%M UTC", &fields);
}
