/* Files that are whole or not there; what is no file stays what it is. */
#include "command/tune/tune.h"
#include "common/text.h"
#include "tap.h"
#include "unit_test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    tap_ok(!regular_file_open(path_of("nothing")) &&
               strcmp(regular_file_fault(), "No such file or directory") == 0,
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

static bool make_open_folder(const char *name, mode_t mode)
{
    return mkdir(path_of(name), 0700) == 0 && chmod(path_of(name), mode) == 0;
}

static bool writes(const char *name, const char *text)
{
    return file_replace(path_of(name), text, strlen(text), fault) && holds(name, text);
}

/* Folders like /tmp: root's and another user's; and one in which all may do everything. */
static void test_sticky(void)
{
    enum { NOBODY = 65534 };
    if (geteuid() != 0 || seteuid(NOBODY) != 0 || seteuid(0) != 0 || chown(folder, NOBODY, (gid_t)-1) != 0 ||
        chown(folder, 0, (gid_t)-1) != 0) {
        tap_skip("another user's file in a sticky folder", "only root can be two users");
        return;
    }
    if (chmod(folder, 0711) != 0 || !make_open_folder("sticky", 01777) || !make_open_folder("open", 0777) ||
        !make_open_folder("theirs", 01777) || !writes("sticky/roots", "one") ||
        !writes("open/roots", "one") || !writes("theirs/roots", "one") ||
        chown(path_of("theirs"), NOBODY, (gid_t)-1) != 0 || seteuid(NOBODY) != 0)
        exit(1);
    tap_ok(writes("sticky/own", "one") && writes("sticky/own", "two"),
           "in a sticky folder one's own file is replaced");
    tap_ok(!file_is_replaceable(path_of("sticky/roots"), fault) && strstr(fault, "another user's") &&
               !file_replace(path_of("sticky/roots"), "x", 1, fault) && holds("sticky/roots", "one"),
           "and no other: %s", fault);
    tap_ok(writes("theirs/roots", "two"), "but by whose folder it is");
    tap_ok(writes("open/roots", "two"), "and in a folder that is not sticky");
    tap_ok(writes("theirs/own", "one") && seteuid(0) == 0 && writes("theirs/own", "root"), "and by root");
}

/* As in a container, by a process of its own. */
static void test_mounted(void)
{
    enum { REFUSED, NOT_REFUSED, CANNOT };
    const char *file = path_of("a/b/c/file");
    int status = 0;
    const pid_t process = fork();
    if (process == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || mount(file, file, NULL, MS_BIND, NULL) != 0)
            _exit(CANNOT);
        _exit(!file_is_replaceable(file, fault) && strstr(fault, "mounted") &&
                      !file_replace(file, "x", 1, fault)
                  ? REFUSED
                  : NOT_REFUSED);
    }
    if (process < 0 || waitpid(process, &status, 0) != process || !WIFEXITED(status))
        exit(1);
    if (WEXITSTATUS(status) == CANNOT)
        tap_skip("a file that is mounted by itself", "nothing may be mounted here");
    else
        tap_ok(WEXITSTATUS(status) == REFUSED, "a file that is mounted by itself stays");
}

UNIT_TEST(test_file_replace)
{
    static const char *const names[] = {"sticky/own", "sticky/roots", "sticky", "open/roots", "open",
                                        "theirs/own", "theirs/roots", "theirs", "a/b/c/file",
                                        "a/b/c", "a/b", "a", "fifo", "link", "dangling"};
    if (!mkdtemp(folder))
        return 1;
    test_files();
    test_others();
    test_sticky();
    test_mounted();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    tap_ok(rmdir(folder) == 0, "nothing else is left");
    return tap_done();
}
