/* Settings: forms, bad values named in one line, defaults kept. Each case reads the
 * environment in a child, since settings are read once per process. */
#include "common/settings.h"
#include "common/log.h"
#include "tap.h"
#include "unit_test.h"

#include <errno.h>
#include <fcntl.h>
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
    outcome = read_with("MUBLAS_DEVICE", "2,0");
    tap_ok(outcome.seen.device.count == 2 && outcome.seen.device.ordinals[0] == 2 &&
               outcome.seen.device.ordinals[1] == 0 && !outcome.seen.device.all && !*outcome.errors,
           "MUBLAS_DEVICE=2,0 is two devices in that order");
    outcome = read_with("MUBLAS_DEVICE", "all");
    tap_ok(outcome.seen.device.all && !*outcome.errors, "MUBLAS_DEVICE=all");
    outcome = read_with("HOME", "/");
    tap_ok(outcome.seen.offload == OFFLOAD_AUTO && outcome.seen.device.count == 0 && !outcome.seen.device.all && outcome.seen.tracking && !*outcome.errors, "defaults are silent");
}

static void test_bad_values(void)
{
    static const char *const cases[][2] = {
        {"MUBLAS_OFFLOAD", "allways"}, {"MUBLAS_OFFLOAD", ""},          {"MUBLAS_VERBOSE", "-1"},
        {"MUBLAS_VERBOSE", "x"},       {"MUBLAS_DEVICE", "1.5"},        {"MUBLAS_DEVICE_MEMORY", "120%"},
        {"MUBLAS_DEVICE_MEMORY", "4X"}, {"MUBLAS_DEVICE_MEMORY", "99999999999999999999"},
        {"MUBLAS_DEVICE_MEMORY", "99999999999G"}, {"MUBLAS_TRACKING", "yes"},
        {"MUBLAS_DEVICE", "0,"},       {"MUBLAS_DEVICE", "0,0"},        {"MUBLAS_DEVICE", "1;2"},
        {"MUBLAS_DEVICE", "-1"},       {"MUBLAS_DEVICE", "alle"},       {"MUBLAS_DEVICE", "0,1,2,3,4,5,6,7,8"},
    };
    struct outcome fallback = read_with("HOME", "/");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = read_with(cases[i][0], cases[i][1]);
        tap_ok(is_one_line_with(outcome.errors, cases[i][0], cases[i][1]), "%s='%s' is named in one line",
               cases[i][0], cases[i][1]);
        tap_ok(outcome.seen.offload == fallback.seen.offload && outcome.seen.verbose == fallback.seen.verbose &&
                   outcome.seen.device_memory.value == fallback.seen.device_memory.value &&
                   outcome.seen.device_memory.is_percent && outcome.seen.tracking &&
                   outcome.seen.device.count == 0 && !outcome.seen.device.all,
               "and the default holds");
    }
    struct outcome outcome = read_with("MUBLAS_OFLOAD", "never");
    tap_ok(is_one_line_with(outcome.errors, "MUBLAS_OFLOAD", "mublas info"), "an unknown name is pointed out");
}

static void set_all(const char *offload, const char *report, const char *unknown)
{
    setenv("MUBLAS_OFFLOAD", offload, 1);
    setenv("MUBLAS_REPORT", report, 1);
    setenv(unknown, "1", 1);
}

/* In a child: what settings are after a copy, with the environment changed in each way since. */
static bool keeps_copies(int way)
{
    static char room[] = "MUBLAS_RECIPE=first";
    bool are_faulty = true;
    set_all("always", "file", "HOME");
    putenv(room);
    errno = 7;
    const bool is_read = settings_copied(&are_faulty)->offload == OFFLOAD_ALWAYS && !are_faulty && errno == 7;
    memset(room + 14, 'x', 5);
    if (way == 0)
        set_all("never", "0", "MUBLAS_OFLOAD");
    else if (way == 1)
        clearenv();
    const struct settings *kept = settings();
    return is_read && kept->offload == OFFLOAD_ALWAYS && settings_report_wanted() && strcmp(kept->report, "file") == 0 &&
           strcmp(kept->recipe, "first") == 0;
}

/* Nothing is written before settings() is called. */
static bool says_late(int unused)
{
    (void)unused;
    bool are_faulty = false;
    int errors[2];
    char text[512];
    set_all("perhaps", "1", "MUBLAS_OFLOAD");
    if (pipe2(errors, O_NONBLOCK) != 0 || dup2(errors[1], STDERR_FILENO) < 0)
        return false;
    log_note_standard_error();
    const bool is_silent = settings_copied(&are_faulty)->offload == OFFLOAD_AUTO && are_faulty &&
                           settings_report_wanted() && read(errors[0], text, sizeof text) < 0;
    clearenv();
    settings();
    const ssize_t length = read(errors[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return is_silent && strstr(text, "perhaps") && strstr(text, "MUBLAS_OFLOAD");
}

/* More than there is room for at hand. */
static bool keeps_long_copies(int unused)
{
    (void)unused;
    enum { LENGTH = 100000 };
    char *path = malloc(LENGTH + 1);
    bool are_faulty;
    memset(path, 'p', LENGTH);
    path[LENGTH] = '\0';
    setenv("MUBLAS_HOST_BLAS", path, 1);
    settings_copied(&are_faulty);
    clearenv();
    return strcmp(settings()->host_blas, path) == 0;
}

/* cuSOLVER's and cuBLAS' settings are two. */
static bool keeps_solver(int unused)
{
    (void)unused;
    setenv("MUBLAS_CUSOLVER", "/there/libcusolver.so", 1);
    unsetenv("MUBLAS_CUBLAS");
    return strcmp(settings()->cusolver, "/there/libcusolver.so") == 0 && !*settings()->cublas;
}

static bool is_true_in_child(bool is_good(int), int way)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0)
        _exit(!is_good(way));
    return waitpid(child, &status, 0) == child && status == 0;
}

static void test_copies(void)
{
    tap_ok(is_true_in_child(keeps_copies, 0), "a copy holds whatever is set later, errno as well");
    tap_ok(is_true_in_child(keeps_copies, 1), "and when the environment is cleared");
    tap_ok(is_true_in_child(keeps_long_copies, 0), "long as it may be");
    tap_ok(is_true_in_child(keeps_solver, 0), "MUBLAS_CUSOLVER names a library, and no cuBLAS");
    tap_ok(is_true_in_child(says_late, 0), "it is made without a word: settings() says what is wrong");
}

UNIT_TEST(test_settings)
{
    test_copies();
    test_good_values();
    test_bad_values();
    return tap_done();
}
