#include "command/run/run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

bool program_file_find(const char *name, char *path, size_t size)
{
    const char *directories = getenv("PATH");
    if (strchr(name, '/') || !directories)
        return snprintf(path, size, "%s", name) < (int)size && access(path, F_OK) == 0;
    for (const char *next = directories; next; next = strchr(next, ':')) {
        next += *next == ':';
        int length = (int)strcspn(next, ":");
        if (snprintf(path, size, "%.*s/%s", length ? length : 1, length ? next : ".", name) < (int)size &&
            access(path, X_OK) == 0)
            return true;
    }
    return false;
}

const char *program_file_refusal(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return strerror(errno);
    if (file.st_mode & S_ISUID)
        return "it is set-user-id, and the loader preloads nothing into such programs";
    if ((file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
        return "it is set-group-id, and the loader preloads nothing into such programs";
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return "it has file capabilities, and the loader preloads nothing into such programs";
    return NULL;
}

/* The program that `env` would run: its first argument that is neither an option nor
 * a variable. */
static const char *behind_env(char *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (*word != '-' && !strchr(word, '='))
            return word;
    return NULL;
}

bool program_file_interpreter(const char *path, char *interpreter, size_t size)
{
    char line[PATH_MAX];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    ssize_t length = read(file, line, sizeof line - 1);
    close(file);
    if (length < 2 || line[0] != '#' || line[1] != '!')
        return false;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *arguments = NULL;
    const char *program = strtok_r(line + 2, " \t\r", &arguments);
    const char *slash = program ? strrchr(program, '/') : NULL;
    if (program && strcmp(slash ? slash + 1 : program, "env") == 0)
        program = behind_env(arguments);
    return program && snprintf(interpreter, size, "%s", program) < (int)size;
}

bool program_file_follow(char *path, size_t size)
{
    enum { SCRIPTS_MAX = 4 /* scripts that run scripts; the kernel has the same limit */ };
    char interpreter[PATH_MAX];
    for (int i = 0; i < SCRIPTS_MAX && program_file_interpreter(path, interpreter, sizeof interpreter); i++)
        if (!program_file_find(interpreter, path, size))
            return false;
    return true;
}

const char program_is_static[] = "it is statically linked: it has no loader that could preload mublas";
const char program_is_foreign[] = "it is built for another machine than this mublas";

static bool read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    return pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* A static position-independent program says so; the loader itself, which has no loader either, does not. */
static bool is_program(int file, const Elf64_Phdr *dynamic)
{
    enum { ENTRIES_MOST = 1024 };
    Elf64_Dyn entry;
    for (uint64_t i = 0; i < dynamic->p_filesz / sizeof entry && i < ENTRIES_MOST; i++)
        if (!read_at(file, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry) || entry.d_tag == DT_NULL)
            return false;
        else if (entry.d_tag == DT_FLAGS_1)
            return (entry.d_un.d_val & DF_1_PIE) != 0;
    return false;
}

static bool is_static(int file, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment, dynamic = {.p_type = PT_NULL};
    for (int i = 0; i < header->e_phnum; i++) {
        if (header->e_phentsize != sizeof segment ||
            !read_at(file, &segment, sizeof segment, header->e_phoff + (uint64_t)i * sizeof segment) ||
            segment.p_type == PT_INTERP)
            return false;
        if (segment.p_type == PT_DYNAMIC)
            dynamic = segment;
    }
    return header->e_type == ET_EXEC || (header->e_type == ET_DYN && is_program(file, &dynamic));
}

/* This command is such a file itself. */
static bool is_native(const Elf64_Ehdr *header)
{
    static Elf64_Ehdr own;
    const int file = own.e_machine ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (!read_at(file, &own, sizeof own, 0))
            own.e_machine = EM_NONE;
        close(file);
    }
    return own.e_machine == EM_NONE || (memcmp(header->e_ident, own.e_ident, EI_VERSION) == 0 &&
                                        header->e_machine == own.e_machine);
}

const char *program_file_unreachable(const char *path)
{
    Elf64_Ehdr header;
    const char *reason = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    if (read_at(file, &header, sizeof header, 0) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        reason = !is_native(&header)          ? program_is_foreign
                 : is_static(file, &header) ? program_is_static
                                            : NULL;
    close(file);
    return reason;
}
