/* The part of link_map.h that says in a line what mublas can do for a program, and for interpreters and
 * scripts what their plug-ins and the programs that they start get: files of these show no BLAS
 * themselves. */
#include "command/inspect/link_map.h"
#include "command/run/run.h"
#include "host/symbols.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    int caught, offloaded;  /* routines, each once */
    int offloaded_inside;   /* of a LAPACK's own calls */
    bool has_losses;
    const char *refusal;
};

/* Calls by the program and its libraries, or by a LAPACK. A BLAS' calls of itself count as neither. */
static bool is_caught(const struct program_map *map, int name, bool inside)
{
    for (int i = 0; i < map->count; i++) {
        const struct elf_object *const elf = &map->objects[i].elf;
        if (interception_of(map, i, name) != INTERCEPTION_CAUGHT)
            continue;
        const bool is_own = !elf->has_lapack && !(elf->uses[name] & USE_EXPORTED);
        if (inside ? elf->has_lapack : is_own)
            return true;
    }
    return false;
}

static struct tally tally_of(const struct program_map *map)
{
    struct tally tally = {.refusal = losses_refusal(map)};
    if (tally.refusal)
        return tally;
    for (int name = 0; name < SYMBOL_COUNT; name++) {
        const bool is_offloaded = symbol_is_offloaded((enum symbol)name), own = is_caught(map, name, false);
        tally.caught += own;
        tally.offloaded += own && is_offloaded;
        tally.offloaded_inside += is_offloaded && is_caught(map, name, true);
    }
    tally.has_losses = losses_any(map);
    return tally;
}

/* Files of a program that its own file does not show, to be looked for from the folder above its bin. */
enum { PATTERNS_MOST = 8, FILES_MOST = 8 };
static const struct known_program {
    const char *stem; /* of the names that it goes by */
    const char *what;
    const char *patterns[PATTERNS_MOST];
} known_programs[] = {
#define PYTHON_PLACES(file) \
    "local/lib/python3*/dist-packages/" file, "lib/python3*/site-packages/" file, \
        "lib/python3*/dist-packages/" file
    {"python", "NumPy and SciPy",
     {PYTHON_PLACES("numpy/linalg/_umath_linalg*.so"), PYTHON_PLACES("scipy/linalg/_fblas*.so")}},
    {"R", "the program that R starts, and its LAPACK module",
     {"lib/R/bin/exec/R", "lib64/R/bin/exec/R", "lib/R/modules/lapack.so", "lib64/R/modules/lapack.so"}},
    {"octave", "the program that octave starts", {"bin/octave-cli", "bin/octave-cli-[0-9]*"}},
};

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct known_program *known_program_of(const char *path)
{
    const char *const name = base_of(path);
    for (size_t i = 0; i < sizeof known_programs / sizeof *known_programs; i++) {
        const size_t length = strlen(known_programs[i].stem);
        if (strncmp(name, known_programs[i].stem, length) == 0 &&
            (strspn(name + length, "0123456789.-cli") == strlen(name + length) ||
             strcmp(name, "Rscript") == 0))
            return &known_programs[i];
    }
    return NULL;
}

/* Files that may be seen of the program's own, by its path or by that of the file which it is a link to. */
static void find_files(const struct known_program *known, const char *path, glob_t *found)
{
    char folder[PATH_MAX], pattern[PATH_MAX];
    for (int i = 0; i < PATTERNS_MOST && known->patterns[i]; i++) {
        if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder || !strchr(folder, '/'))
            return;
        *strrchr(folder, '/') = '\0';
        if (snprintf(pattern, sizeof pattern, "%s/../%s", folder, known->patterns[i]) < (int)sizeof pattern)
            glob(pattern, found->gl_pathc > 0 ? GLOB_APPEND : 0, NULL, found);
    }
}

static struct tally print_file(FILE *stream, const char *path)
{
    struct program_map map;
    struct tally tally = {.caught = 0};
    const char *reason = link_map_make(path, &map);
    if (!reason)
        tally = tally_of(&map);
    reason = reason ? reason : tally.refusal;
    if (reason)
        fprintf(stream, "  %s: %s\n", path, reason);
    else
        fprintf(stream, "  %s: %d routine%s, %d of which can run on the GPU%s\n", path, tally.caught,
                tally.caught == 1 ? "" : "s", tally.offloaded,
                tally.has_losses ? "; others cannot be intercepted (mublas info -- FILE says why)" : "");
    link_map_clear(&map);
    return tally;
}

/* Several names may lead to a file. */
static bool is_new(char *const *paths, size_t number)
{
    char own[PATH_MAX], other[PATH_MAX];
    for (size_t i = 0; i < number && realpath(paths[number], own); i++)
        if (realpath(paths[i], other) && strcmp(own, other) == 0)
            return false;
    return true;
}

/* Returns the most routines of one of its files that can run on the device; -1: none was found. */
static int print_files(FILE *stream, const struct known_program *known, const char *path)
{
    glob_t found = {.gl_pathc = 0};
    char target[PATH_MAX];
    int most = -1;
    find_files(known, path, &found);
    if (found.gl_pathc == 0 && realpath(path, target))
        find_files(known, target, &found);
    if (found.gl_pathc > 0)
        fprintf(stream, "found for it (%s), with mublas:\n", known->what);
    for (size_t i = 0; i < found.gl_pathc && i < FILES_MOST; i++) {
        if (!is_new(found.gl_pathv, i))
            continue;
        char *const whole = realpath(found.gl_pathv[i], NULL);
        const struct tally tally = print_file(stream, whole ? whole : found.gl_pathv[i]);
        most = tally.offloaded > most ? tally.offloaded : most;
        free(whole);
    }
    globfree(&found);
    return most;
}

static void print_others(FILE *stream, const struct program_map *map, const char *asked, int of_files)
{
    const char *const program = map->objects[0].path;
    const bool is_script = strcmp(asked, program) != 0;
    if (of_files > 0)
        fprintf(stream,
                "verdict: yes, by what it loads or starts: calls of up to %d routine%s in the files above come to "
                "mublas and can run on the GPU\n", of_files, of_files == 1 ? "" : "s");
    else if (is_script)
        fprintf(stream,
                "verdict: %s itself calls no BLAS; programs that the script starts get mublas, too, and each "
                "has its part in the report: mublas info -- PROGRAM looks into one\n", program);
    else
        fputs("verdict: it calls no BLAS by itself; plug-ins that it loads and programs that it starts get mublas, "
              "too: mublas info -- FILE looks into one\n", stream);
}

static bool is_host(const struct elf_object *elf)
{
    for (int name = 0; name < SYMBOL_COUNT && !elf->is_program; name++)
        if (elf->uses[name] & USE_EXPORTED)
            return true;
    return false;
}

static void print_own(FILE *stream, const struct tally *tally, const struct elf_object *elf)
{
    if (tally->refusal)
        fprintf(stream, "verdict: no, mublas gets none of its calls: %s\n", tally->refusal);
    else if (elf->is_mublas)
        fputs("verdict: it is mublas itself\n", stream);
    else if (tally->caught == 0 && is_host(elf))
        fputs("verdict: it is a BLAS or LAPACK itself: calls that others make of it come to mublas\n", stream);
    else if (tally->offloaded > 0)
        fprintf(stream, "verdict: %s: %d routine%s that it calls come%s to mublas and can run on the GPU%s\n",
                tally->has_losses ? "in part" : "yes", tally->offloaded, tally->offloaded == 1 ? "" : "s",
                tally->offloaded == 1 ? "s" : "",
                tally->has_losses ? "; others cannot be intercepted, as said above" : "");
    else if (tally->offloaded_inside > 0 && tally->caught > 0)
        fprintf(stream,
                "verdict: yes: calls that its LAPACK makes of %d routines come to mublas and can run on the GPU\n",
                tally->offloaded_inside);
    else if (tally->has_losses)
        fputs("verdict: no: its BLAS or LAPACK cannot be intercepted, as said above\n", stream);
    else if (tally->caught > 0)
        fputs("verdict: no: its calls come to mublas, but none of their routines can run on the GPU\n", stream);
    else
        fputs("verdict: no: it calls no BLAS or LAPACK\n", stream);
}

void verdict_print(FILE *stream, const struct program_map *map, const char *asked)
{
    const struct elf_object *const elf = &map->objects[0].elf;
    const struct known_program *known = known_program_of(asked);
    const struct tally tally = tally_of(map);
    const char *const of = known ? asked : map->objects[0].path;
    known = known ? known : known_program_of(of);
    const int of_files = known && !tally.refusal ? print_files(stream, known, of) : -1;
    const bool may_have_others = strcmp(asked, map->objects[0].path) != 0 || known || elf->opens_libraries ||
                                 elf->starts_programs;
    if (!tally.refusal && tally.caught == 0 && !tally.has_losses && elf->is_program && may_have_others)
        print_others(stream, map, asked, of_files);
    else
        print_own(stream, &tally, elf);
}
