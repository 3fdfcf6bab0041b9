/* The log goes to standard error as it was at the start, and not to what the program opens in its place. */
#include "common/log.h"
#include "tap.h"
#include "unit_test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mublas-log-XXXXXX";
static char first[64], second[64];

static long bytes_of(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 ? (long)state.st_size : -1;
}

static void put_at_two(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || dup2(file, STDERR_FILENO) < 0)
        exit(99);
    if (file != STDERR_FILENO)
        close(file);
}

static void test_lines(void)
{
    char line[64] = "";
    errno = 5;
    log_message(LOG_ERROR, "%s %d", "number", 7);
    const int kept = errno, file = open(first, O_RDONLY);
    const ssize_t length = read(file, line, sizeof line - 1);
    close(file);
    tap_ok(length == 17 && strcmp(line, "mublas: number 7\n") == 0 && kept == 5,
           "a line, and errno as it was");
}

static void test_replaced(void)
{
    const long before = bytes_of(first);
    put_at_two(second);
    errno = 5;
    log_message(LOG_ERROR, "not for this file");
    log_complaint("nor this");
    tap_ok(bytes_of(second) == 0 && errno == 5 && !log_has_standard_error(),
           "nothing in a file that came later");
    close(STDERR_FILENO);
    log_message(LOG_ERROR, "nowhere");
    tap_ok(errno == 5 && !log_has_standard_error(),
           "nothing at all while the descriptor is closed, errno as it was");
    put_at_two(first);
    log_message(LOG_ERROR, "again");
    tap_ok(bytes_of(first) == before + (long)strlen("mublas: again\n"), "and again when it is what it was");
}

static void test_closed_at_start(void)
{
    close(STDERR_FILENO);
    log_note_standard_error();
    put_at_two(second);
    log_message(LOG_ERROR, "not for this file");
    tap_ok(bytes_of(second) == 0, "nothing if there was no standard error at the start");
}

UNIT_TEST(test_log)
{
    const int saved = dup(STDERR_FILENO);
    if (!mkdtemp(folder))
        return 99;
    snprintf(first, sizeof first, "%s/first", folder);
    snprintf(second, sizeof second, "%s/second", folder);
    put_at_two(first);
    log_note_standard_error();
    test_lines();
    test_replaced();
    test_closed_at_start();
    dup2(saved, STDERR_FILENO);
    unlink(first);
    unlink(second);
    rmdir(folder);
    return tap_done();
}
