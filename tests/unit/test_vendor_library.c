/* Which of several candidates is chosen, and what is said of the others. */
#include "common/log.h"
#include "gpu/vendor/vendor_library.h"
#include "tap.h"
#include "unit_test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "tests/unit/.libs/"
#define POOR FOLDER "vendor_poor.so"
#define REFUSING FOLDER "vendor_refusing.so"
#define SAME_REFUSING FOLDER "../.libs/vendor_refusing.so"
#define GOOD FOLDER "vendor_good.so"

static vendor_function *create_function, *work_function, *extra_function;
static int creations;
static bool is_wrong;

static int create(void)
{
    creations++;
    return ((int (*)(void))create_function)();
}

static const struct vendor_symbol symbols[] = {
    {"vendor_create", &create_function, false}, {"vendor_work", &work_function, false},
    {"vendor_extra", &extra_function, true}, {NULL, NULL, false}};

static struct vendor_library library_of(const char *const *candidates)
{
    return (struct vendor_library){.name = "Vendor",
                                   .consequence = "nothing is offloaded",
                                   .setting = "MUBLAS_VENDOR",
                                   .candidates = candidates,
                                   .symbols = symbols,
                                   .create = create};
}

static char words[4096];

/* Open it; what is logged goes to words. */
static bool opens_of(const struct vendor_library *library, const char *named)
{
    char path[] = "/tmp/mublas-XXXXXX";
    const int file = mkstemp(path), before = dup(STDERR_FILENO);
    creations = 0;
    dup2(file, STDERR_FILENO);
    log_note_standard_error();
    const bool good = vendor_library_open(library, named);
    dup2(before, STDERR_FILENO);
    log_note_standard_error();
    const ssize_t bytes = pread(file, words, sizeof words - 1, 0);
    words[bytes > 0 ? bytes : 0] = '\0';
    close(file), close(before), unlink(path);
    return good;
}

static bool opens(const char *const *candidates, const char *named)
{
    const struct vendor_library library = library_of(candidates);
    return opens_of(&library, named);
}

static bool is_loaded(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

static void test_find(void)
{
    const struct vendor_library library =
        library_of((const char *const[]){"libnowhere.so.9", REFUSING, GOOD, NULL});
    const char *found = vendor_library_find(&library, "");
    tap_ok(found && strcmp(found, REFUSING) == 0, "the first that is there is found");
    tap_ok(!is_loaded(REFUSING) && !is_loaded(GOOD), "and none is loaded for that");
    found = vendor_library_find(&library, GOOD);
    tap_ok(found && strcmp(found, GOOD) == 0, "one that was named takes the place of all");
    tap_ok(!vendor_library_find(&library, "/nowhere/library.so"), "also where it is not there");
    const struct vendor_library none = library_of((const char *const[]){"libnowhere.so.9", NULL});
    tap_ok(!vendor_library_find(&none, ""), "and none of those that are not");
    const struct vendor_library system = library_of(
        (const char *const[]){"libnowhere.so.9", "libm.so.6", NULL});
    found = vendor_library_find(&system, "");
    tap_ok(found && strcmp(found, "libm.so.6") == 0, "a name is looked for as the loader does");
    tap_ok(!dlerror(), "no error is left behind");
}

static void test_refused(void)
{
    tap_ok(!opens((const char *const[]){"libnowhere.so.9", POOR, REFUSING, SAME_REFUSING, NULL}, "") &&
               !create_function && !work_function,
           "without a good one nothing is opened");
    tap_ok(creations == 1, "one file by two names is tried once");
    tap_ok(strstr(words, POOR ": it lacks vendor_work") && strstr(words, REFUSING ": ") &&
               strstr(words, "status 7") && strstr(words, "nothing is offloaded") &&
               strchr(words, '\n')[1] == '\0',
           "one line says what is wrong with each");
    tap_ok(!opens((const char *const[]){GOOD, NULL}, REFUSING) && strstr(words, REFUSING ": "),
           "nor where one that was named is refused");
    tap_ok(!opens((const char *const[]){GOOD, NULL}, "/nowhere/library.so") && creations == 0 &&
               strstr(words, "MUBLAS_VENDOR=/nowhere/library.so cannot be used"),
           "or is not there");
}

static const char *trial(void)
{
    return ((int (*)(void))work_function)() == 42 && is_wrong ? "42 is wrong" : NULL;
}

static void test_trial(void)
{
    struct vendor_library library = library_of((const char *const[]){GOOD, NULL});
    library.trial = trial;
    is_wrong = true;
    tap_ok(!opens_of(&library, "") && creations == 1 && !work_function && strstr(words, GOOD ": 42 is wrong"),
           "one that fails its trial is refused, with what was wrong");
    is_wrong = false;
    tap_ok(opens_of(&library, "") && work_function && !*words, "and one that passes is not");
    library.create = NULL;
    tap_ok(opens_of(&library, "") && creations == 0, "a trial may be all that there is");
}

static void test_chosen(void)
{
    tap_ok(opens((const char *const[]){"libnowhere.so.9", POOR, REFUSING, GOOD, SAME_REFUSING, NULL}, "") &&
               creations == 2 && !*words,
           "the first good one is chosen, with no warning of the others");
    tap_ok(create_function && work_function && ((int (*)(void))work_function)() == 42,
           "and its symbols are there");
    tap_ok(!extra_function, "that it lacks what is optional is no fault");
}

UNIT_TEST(test_vendor_library)
{
    unsetenv("MUBLAS_VERBOSE");
    test_find();
    test_refused();
    test_chosen();
    test_trial();
    return tap_done();
}
