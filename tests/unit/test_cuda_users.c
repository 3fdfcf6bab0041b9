/* Which loaded objects make a program one that uses CUDA itself? Also where their files are not whole. */
#include "mirror/pinning/pins.h"
#include "tap.h"
#include "unit_test.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPENER "tests/unit/.libs/driver_opener.so"
#define USER "tests/unit/.libs/driver_user.so"
#define HARMLESS "tests/unit/.libs/loaded_caller.so"

static char copy[] = "/tmp/mublas-XXXXXX";

struct file {
    char *bytes;
    size_t size;
};

static struct file read_file(const char *path)
{
    struct stat status;
    const int number = open(path, O_RDONLY);
    if (number < 0 || fstat(number, &status) != 0)
        abort();
    struct file file = {malloc((size_t)status.st_size), (size_t)status.st_size};
    if (!file.bytes || pread(number, file.bytes, file.size, 0) != (ssize_t)file.size)
        abort();
    close(number);
    return file;
}

/* Makes the copy: a new file, since an old one may be loaded. */
static void write_copy(const struct file *file)
{
    unlink(copy);
    const int number = open(copy, O_WRONLY | O_CREAT | O_EXCL, 0700);
    if (number < 0 || pwrite(number, file->bytes, file->size, 0) != (ssize_t)file->size)
        abort();
    close(number);
}

static ElfW(Ehdr) *header_of(const struct file *file)
{
    return (void *)file->bytes;
}

static ElfW(Shdr) *sections_of(const struct file *file)
{
    return (void *)(file->bytes + header_of(file)->e_shoff);
}

/* The first, which is none, where there is none of that name. */
static ElfW(Shdr) *section_named(const struct file *file, const char *name)
{
    ElfW(Shdr) *sections = sections_of(file);
    const char *names = file->bytes + sections[header_of(file)->e_shstrndx].sh_offset;
    for (int i = 0; i < header_of(file)->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, name) == 0)
            return &sections[i];
    return sections;
}

/* Cut to that size once it is loaded; 0: not. */
static off_t cut;

/* In a child: what is found stays, and some of it may end the process. */
static bool present_with(const char *library)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (cuda_users_present() || !dlopen(library, RTLD_NOW | RTLD_LOCAL))
            _exit(2);
        if (cut > 0 && truncate(library, cut) != 0)
            _exit(3);
        _exit(cuda_users_present());
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        tap_ok(false, "%s can be loaded and looked into (status %d)", library, status);
    return WEXITSTATUS(status) == 1;
}

enum lie { SIZE, OFFSET, BOTH, NAMES, NAMES_OFFSET, TABLE, COUNT, LIES };

static bool present_with_lie(const char *library, enum lie lie)
{
    struct file file = read_file(library);
    ElfW(Ehdr) *header = header_of(&file);
    ElfW(Shdr) *constants = section_named(&file, ".rodata"), *names = &sections_of(&file)[header->e_shstrndx];
    const uint64_t beyond = file.size + (64 << 20);
    switch (lie) {
    case SIZE: constants->sh_size = beyond; break;
    case OFFSET: constants->sh_offset = beyond; break;
    case BOTH: constants->sh_offset = UINT64_MAX - 4096, constants->sh_size = UINT64_MAX - 1; break;
    case NAMES: names->sh_size = UINT64_MAX; break;
    case NAMES_OFFSET: names->sh_offset = beyond; break;
    case TABLE: header->e_shoff = UINT64_MAX - 64; break;
    default: header->e_shnum = 0; break;
    }
    write_copy(&file);
    free(file.bytes);
    return present_with(copy);
}

static void test_lies(void)
{
    int told = 0, harmless = 0;
    for (enum lie lie = SIZE; lie < LIES; lie++)
        harmless += !present_with_lie(HARMLESS, lie);
    tap_ok(harmless == LIES, "section headers that lie do no harm");
    tap_ok(present_with_lie(OPENER, SIZE),
           "constants said to be longer than the file are read as far as they go");
    for (enum lie lie = NAMES; lie < LIES; lie++)
        told += present_with_lie(OPENER, lie);
    tap_ok(told == LIES - NAMES, "where sections cannot be told memory tells");
    told = 0;
    for (enum lie lie = SIZE; lie < LIES; lie++)
        told += present_with_lie(USER, lie);
    tap_ok(told == LIES, "and who links the driver is always seen");
}

static void test_cuts(void)
{
    const struct file harmless = read_file(HARMLESS), opener = read_file(OPENER), user = read_file(USER);
    int survived = 0, tries = 0;
    for (cut = 4096; cut < (off_t)harmless.size; cut += 1000, tries++) {
        write_copy(&harmless);
        survived += !present_with(copy);
    }
    tap_ok(tries > 5 && survived == tries, "a library that was cut short since it was loaded does no harm");
    for (cut = 4096; cut < (off_t)opener.size || cut < (off_t)user.size; cut += 1000) {
        write_copy(&opener);
        present_with(copy);
        write_copy(&user);
        present_with(copy);
    }
    cut = (off_t)opener.size - 1;
    write_copy(&opener);
    tap_ok(present_with(copy), "it tells as long as its constants are there");
    cut = 0;
    free(harmless.bytes), free(opener.bytes), free(user.bytes);
}

UNIT_TEST(test_cuda_users)
{
    const int number = mkstemp(copy);
    if (number < 0)
        abort();
    close(number);
    tap_ok(!cuda_users_present(), "this program does not use CUDA");
    tap_ok(!present_with("libcuda.so.1"), "nor does it when mublas loads the driver");
    tap_ok(!present_with("libcublas.so.13"), "or cuBLAS, which links the driver");
    tap_ok(!present_with("libm.so.6"), "or somebody another library");
    tap_ok(present_with("tests/unit/.libs/device_code.so"), "a library with device code tells");
    tap_ok(present_with("tests/unit/.libs/driver_user.so"), "so does one that links the driver");
    tap_ok(present_with("tests/unit/.libs/driver_opener.so"), "and one that opens it by its name");
    test_lies();
    test_cuts();
    unlink(copy);
    return tap_done();
}
