#include "interpose/report/report_file.h"
#include "common/interruption.h"
#include "common/log.h"
#include "common/settings.h"
#include "interpose/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char start_folder[PATH_MAX];
static long faults_of_children;
static struct stat output_at_start;
static bool has_output_noted;

/* No program runs without page faults. */
static long children_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

void report_start_note(void)
{
    faults_of_children = children_faults();
    has_output_noted = fstat(STDOUT_FILENO, &output_at_start) == 0;
    if (!getcwd(start_folder, sizeof start_folder))
        start_folder[0] = '\0';
}

bool report_start_has_output(void)
{
    struct stat now;
    return !has_output_noted || (fstat(STDOUT_FILENO, &now) == 0 && now.st_dev == output_at_start.st_dev &&
                                 now.st_ino == output_at_start.st_ino && now.st_rdev == output_at_start.st_rdev);
}

const char *report_start_folder(void)
{
    return start_folder[0] ? start_folder : NULL;
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

/* The name by /proc; else the kind of machine. */
void report_run_processor(char *name, size_t room)
{
    char line[256];
    struct utsname machine;
    FILE *const file = fopen("/proc/cpuinfo", "re");
    snprintf(name, room, "%s", uname(&machine) == 0 ? machine.machine : "unknown");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, room, "%s", strchr(line, ':') + 1 + strspn(strchr(line, ':') + 1, " \t"));
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    if (file)
        fclose(file);
}

/* This process may be a fork's child: then the name is its parent's. */
static char note[PATH_MAX];
static pid_t note_owner;

/* 0, or the reason as errno has it. */
static int write_to(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return errno;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

/* A new file that nobody else can have made. 0, or the reason as errno has it. */
static int write_new(const char *folder, const char *prefix, char path[PATH_MAX], const char *text, size_t length)
{
    sigset_t signals;
    if (snprintf(path, PATH_MAX, "%s/%sXXXXXX", folder, prefix) >= PATH_MAX)
        return ENAMETOOLONG;
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return errno;
    write_signals_hold(&signals);
    int reason = write_to(file, text, length);
    write_signals_return(&signals);
    if (close(file) != 0 && !reason)
        reason = errno;
    if (reason)
        unlink(path);
    return reason;
}

void report_note_leave(void)
{
    char text[COMMAND_BYTES];
    bool are_faulty;
    int cancelling;
    const int saved_errno = errno;
    const char *const folder = settings_copied(&are_faulty)->report_parts;
    if (*folder && !process_state_is_filtered()) {
        const struct local_rank world = world_rank();
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
        const int length = snprintf(text, sizeof text, "%ld %d %d "
                                                       "%.200s\n", (long)getpid(), world.rank, world.ranks,
                                    program_invocation_name);
        note_owner = write_new(folder, REPORT_NOTE_PREFIX, note, text, (size_t)length) == 0 ? getpid() : 0;
        pthread_setcancelstate(cancelling, NULL);
    }
    errno = saved_errno;
}

/* A name needs no room but for itself. */
static void leave_reason(const char *folder, int reason)
{
    char path[PATH_MAX];
    const struct local_rank world = world_rank();
    if (snprintf(path, sizeof path, "%s/" REPORT_FAULT_PREFIX "%d.%d.%d.%ld", folder, reason, world.rank, world.ranks,
                 (long)getpid()) >= (int)sizeof path)
        return;
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

bool report_part_leave(const char *folder, const struct report_text *part)
{
    char path[PATH_MAX];
    const int reason = write_new(folder, REPORT_PART_PREFIX, path, part->text, part->length);
    if (reason == ENOENT)
        return false;
    if (note_owner == getpid())
        unlink(note);
    if (!reason)
        return true;
    log_message(LOG_ERROR, "MUBLAS_REPORT_PARTS: cannot write in %s: %s; this process reports by itself", folder,
                strerror(reason));
    leave_reason(folder, reason);
    return false;
}

/* The thread notes which it had blocked before, and the frame that holds them. */
static __thread volatile bool is_holding __attribute__((tls_model("initial-exec")));
static __thread bool had_limit __attribute__((tls_model("initial-exec")));
static __thread bool had_pipe __attribute__((tls_model("initial-exec")));
static __thread const void *frame __attribute__((tls_model("initial-exec")));

static void fill_write_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGXFSZ);
    sigaddset(signals, SIGPIPE);
}

/* Between the two calls what would end the program gives errors alone (report_file.h). For the calling
 * thread. */
void write_signals_hold(sigset_t *before)
{
    sigset_t held;
    fill_write_signals(&held);
    pthread_sigmask(SIG_BLOCK, &held, before);
    had_limit = sigismember(before, SIGXFSZ) == 1;
    had_pipe = sigismember(before, SIGPIPE) == 1;
    frame = FRAME_HERE();
    is_holding = true;
}

/* The signals that writing has sent wait for this thread alone. */
void write_signals_return(const sigset_t *before)
{
    static const struct timespec at_once = {0, 0};
    sigset_t held;
    fill_write_signals(&held);
    is_holding = false;
    while (sigtimedwait(&held, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void write_signals_leave(const struct jump *jump)
{
    sigset_t ours;
    if (!is_holding || !jump_leaves(jump, frame))
        return;
    is_holding = false;
    fill_write_signals(&ours);
    if (had_limit)
        sigdelset(&ours, SIGXFSZ);
    if (had_pipe)
        sigdelset(&ours, SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}
