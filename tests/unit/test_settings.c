/* Settings: forms, bad values named in one line, defaults kept. Each case reads the
 * environment in a child, since settings are read once per process. */
#include "common/settings.h"
#include "common/log.h"
#include "tap.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
    char errors[2048];
    struct settings seen;
};

static struct outcome read_with(const char *name, const char *value)
{
    struct outcome outcome;
    int errors[2], values[2];
    memset(&outcome, 0, sizeof outcome);
    if (pipe(errors) || pipe(values))
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        dup2(errors[1], STDERR_FILENO);
        log_note_standard_error();
        setenv(name, value, 1);
        ssize_t written = write(values[1], settings(), sizeof(struct settings));
        _exit(written != sizeof(struct settings));
    }
    close(errors[1]);
    close(values[1]);
    ssize_t length = read(errors[0], outcome.errors, sizeof outcome.errors - 1);
    outcome.errors[length > 0 ? length : 0] = '\0';
    if (read(values[0], &outcome.seen, sizeof outcome.seen) != sizeof outcome.seen)
        exit(99);
    waitpid(child, NULL, 0);
    close(errors[0]);
    close(values[0]);
    return outcome;
}

static bool is_one_line_with(const char *text, const char *first, const char *second)
{
    const char *end = strchr(text, '\n');
    return end && !end[1] && strstr(text, first) && strstr(text, second);
}

static void test_good_values(void)
{
    struct outcome outcome = read_with("MUBLAS_OFFLOAD", "always");
    tap_ok(outcome.seen.offload == OFFLOAD_ALWAYS && !*outcome.errors, "MUBLAS_OFFLOAD=always");
    outcome = read_with("MUBLAS_DEVICE_MEMORY", "3G");
    tap_ok(memory_amount_bytes(outcome.seen.device_memory, 5) == 3ull << 30, "3G is 3 GiB");
    outcome = read_with("MUBLAS_DEVICE_MEMORY", "25%");
    tap_ok(memory_amount_bytes(outcome.seen.device_memory, 1000) == 250, "25%% of 1000 is 250");
    outcome = read_with("MUBLAS_VERBOSE", "3");
    tap_ok(outcome.seen.verbose == 3 && !*outcome.errors, "MUBLAS_VERBOSE=3");
    outcome = read_with("HOME", "/");
    tap_ok(outcome.seen.offload == OFFLOAD_AUTO && outcome.seen.tracking && !*outcome.errors, "defaults are silent");
}

static void test_bad_values(void)
{
    static const char *const cases[][2] = {
        {"MUBLAS_OFFLOAD", "allways"}, {"MUBLAS_OFFLOAD", ""},          {"MUBLAS_VERBOSE", "-1"},
        {"MUBLAS_VERBOSE", "x"},       {"MUBLAS_DEVICE", "1.5"},        {"MUBLAS_DEVICE_MEMORY", "120%"},
        {"MUBLAS_DEVICE_MEMORY", "4X"}, {"MUBLAS_DEVICE_MEMORY", "99999999999999999999"},
        {"MUBLAS_DEVICE_MEMORY", "99999999999G"}, {"MUBLAS_TRACKING", "yes"},
    };
    struct outcome fallback = read_with("HOME", "/");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = read_with(cases[i][0], cases[i][1]);
        tap_ok(is_one_line_with(outcome.errors, cases[i][0], cases[i][1]), "%s='%s' is named in one line",
               cases[i][0], cases[i][1]);
        tap_ok(outcome.seen.offload == fallback.seen.offload && outcome.seen.verbose == fallback.seen.verbose &&
                   outcome.seen.device_memory.value == fallback.seen.device_memory.value &&
                   outcome.seen.device_memory.is_percent && outcome.seen.tracking,
               "and the default holds");
    }
    struct outcome outcome = read_with("MUBLAS_OFLOAD", "never");
    tap_ok(is_one_line_with(outcome.errors, "MUBLAS_OFLOAD", "mublas info"), "an unknown name is pointed out");
}

int main(void)
{
    test_good_values();
    test_bad_values();
    return tap_done();
}
