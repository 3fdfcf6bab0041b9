/* Files that are whole or not there; what is no file stays what it is. */
#include "tuner/file_replace.h"
#include "tuner/regular_file.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mublas-file-XXXXXX", fault[FILE_FAULT_BYTES];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int number;
    char *path = paths[number++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static bool holds(const char *name, const char *text)
{
    char read[64] = "";
    FILE *stream = regular_file_open(path_of(name));
    const size_t got = stream ? fread(read, 1, sizeof read - 1, stream) : 0;
    if (stream)
        fclose(stream);
    return stream && got == strlen(text) && memcmp(read, text, got) == 0;
}

static bool is_kind(const char *name, mode_t kind)
{
    struct stat state;
    return lstat(path_of(name), &state) == 0 && (state.st_mode & S_IFMT) == kind;
}

static void test_files(void)
{
    tap_ok(file_is_replaceable(path_of("a/b/c/file"), fault) && is_kind("a/b/c", S_IFDIR) &&
               access(path_of("a/b/c/file"), F_OK) != 0 && rmdir(path_of("a/b/c")) == 0,
           "the folders of a path are made, and nothing is left in them");
    tap_ok(file_replace(path_of("a/b/c/file"), "one", 3, fault) && holds("a/b/c/file", "one") &&
               file_replace(path_of("a/b/c/file"), "three", 5, fault) && holds("a/b/c/file", "three"),
           "a file is written, and replaced");
    tap_ok(!file_replace(path_of("a/b/c/file/x"), "x", 1, fault) && strstr(fault, "Not a directory") &&
               !file_is_replaceable(path_of("a/b/c/file/x"), fault) && strstr(fault, "Not a directory"),
           "beyond a file: %s", fault);
    tap_ok(!file_is_replaceable(path_of("a/b/"), fault) && strstr(fault, "not the name"), "a/b/: %s", fault);
    tap_ok(!file_replace("/proc/nothing/file", "x", 1, fault) && strstr(fault, "no folder can be made") &&
               !file_is_replaceable("/proc/nothing/file", fault) && strstr(fault, "no folder can be made"),
           "where no folder can be: %s", fault);
    tap_ok(!regular_file_open(path_of("nothing")) && strcmp(regular_file_fault(), "No such file or directory") == 0,
           "nothing to read: no such file");
}

static void test_other(const char *name, mode_t kind, const char *why)
{
    tap_ok(!file_replace(path_of(name), "x", 1, fault) && strstr(fault, why) && is_kind(name, kind) &&
               !file_is_replaceable(path_of(name), fault) && strstr(fault, why),
           "%s stays: %s", name, fault);
}

static void test_others(void)
{
    if (mkfifo(path_of("fifo"), 0600) != 0 || symlink("file", path_of("link")) != 0 ||
        symlink("nowhere", path_of("dangling")) != 0)
        exit(1);
    test_other("fifo", S_IFIFO, "not a regular file");
    test_other("link", S_IFLNK, "symbolic link");
    test_other("dangling", S_IFLNK, "symbolic link");
    test_other("a", S_IFDIR, "Is a directory");
    tap_ok(!regular_file_open(path_of("fifo")) && strcmp(regular_file_fault(), "not a regular file") == 0 &&
               !regular_file_open(path_of("a")) && strcmp(regular_file_fault(), "not a regular file") == 0,
           "a fifo is not waited for, and a folder not read");
}

/* A folder like /tmp. */
static void test_sticky(void)
{
    enum { NOBODY = 65534 };
    if (geteuid() != 0) {
        tap_skip("another user's file in a sticky folder", "only root can be two users");
        return;
    }
    if (chmod(folder, 0711) != 0 || mkdir(path_of("sticky"), 0700) != 0 ||
        chmod(path_of("sticky"), 01777) != 0 || !file_replace(path_of("sticky/roots"), "one", 3, fault) ||
        seteuid(NOBODY) != 0)
        exit(1);
    tap_ok(file_replace(path_of("sticky/own"), "one", 3, fault) &&
               file_replace(path_of("sticky/own"), "two", 3, fault) && holds("sticky/own", "two"),
           "in a sticky folder one's own file is replaced");
    tap_ok(!file_is_replaceable(path_of("sticky/roots"), fault) && strstr(fault, "another user's") &&
               !file_replace(path_of("sticky/roots"), "x", 1, fault) && holds("sticky/roots", "one"),
           "and no other: %s", fault);
    if (seteuid(0) != 0)
        exit(1);
    tap_ok(file_replace(path_of("sticky/own"), "root", 4, fault) && holds("sticky/own", "root"), "but by root");
}

static void test_aside(void)
{
    const char *file = path_of("a/b/c/file"), *aside = path_of("a/b/c/aside");
    tap_ok(file_set_aside(file, aside, fault) && holds("a/b/c/aside", "three") && holds("a/b/c/file", "three") &&
               file_replace(path_of("a/b/c/file"), "new", 3, fault) && holds("a/b/c/aside", "three") &&
               holds("a/b/c/file", "new"),
           "a file that is set aside is there until it is replaced, and aside then");
    tap_ok(!file_set_aside(path_of("a/b/c/file"), path_of("a/b/c/aside"), fault) && strstr(fault, "File exists") &&
               holds("a/b/c/aside", "three") && holds("a/b/c/file", "new"),
           "not in the place of another one");
    tap_ok(!file_set_aside(path_of("a/b/c/file"), path_of("dangling"), fault) && is_kind("dangling", S_IFLNK),
           "nor of a link");
}

int main(void)
{
    static const char *const names[] = {"sticky/own", "sticky/roots", "sticky", "a/b/c/aside", "a/b/c/file",
                                        "a/b/c", "a/b", "a", "fifo", "link", "dangling"};
    if (!mkdtemp(folder))
        return 1;
    test_files();
    test_others();
    test_aside();
    test_sticky();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    tap_ok(rmdir(folder) == 0, "nothing else is left");
    return tap_done();
}
