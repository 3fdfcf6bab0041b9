/* link_map.h - a program and all libraries that its loader would load with it, what each of these files
 * says of itself, what would become of its BLAS, LAPACK and ScaLAPACK calls with mublas preloaded, and how
 * `mublas info -- PROGRAM` says so.
 *
 * Nothing of the files runs; files that lie about themselves are refused or misread, never worse. The
 * loader asks the program itself first, then mublas, then everything else. */
#ifndef MUBLAS_LINK_MAP_H
#define MUBLAS_LINK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names of functions in a file. All zero: empty. */
struct name_list {
    char **names;
    int count, room;
};

/* Sorts the names; name_list_has needs that. */
bool name_list_has(const struct name_list *list, const char *name);

void name_list_clear(struct name_list *list);

/* Prints names on one line, each after a blank: all, or the first few and how many more there are. */
struct name_line {
    FILE *stream;
    int left; /* names to print; the caller sets it to their number */
    bool all;
    int shown;
};
void name_line_add(struct name_line *line, const char *name);

/* Is it the exported name of a parallel routine that can run on the device (scalapack/routines.def)? */
bool parallel_named(const char *name);

/* The BLAS symbol of this exported name, an enum symbol; -1: none. Thread-safe. */
int symbol_named(const char *name);

/* How a BLAS symbol appears. */
enum symbol_use {
    USE_IMPORTED = 1,   /* asked of the loader, defined elsewhere */
    USE_EXPORTED = 2,   /* defined here, for everybody */
    USE_RELOCATED = 4,  /* calls from here go through the loader */
    USE_PROTECTED = 8,  /* exported, but calls from here never leave the object */
    USE_INSIDE = 16     /* defined here and hidden from the loader */
};

/* One program or shared library, which libelf reads: the libraries that it wants, and how each BLAS symbol
 * appears in it. */
struct elf_object {
    uint16_t machine;           /* EM_* */
    bool is_64bit;
    bool is_native;             /* what this build of mublas can be loaded into */
    bool is_program;            /* has an interpreter, or is statically linked */
    bool is_static;             /* runs without a loader */
    bool is_symbolic;           /* DT_SYMBOLIC: looks in itself first */
    bool has_sections;          /* if not, nothing below is known */
    bool has_dynamic_symbols;   /* it has the symbols that the loader sees */
    bool has_full_symbols;      /* false when stripped: USE_INSIDE cannot be seen */
    bool skips_default_folders; /* DF_1_NODEFLIB */
    bool opens_libraries;       /* imports dlopen */
    bool opens_namespaces;      /* imports dlmopen */
    bool starts_programs;       /* imports execve, posix_spawn or the like */
    bool has_lapack;            /* defines dsytrd_ or the like */
    bool has_scalapack;         /* defines pdsyevd_ or another routine of scalapack/routines.def, anyhow, */
    bool exports_scalapack;     /* ... and for everybody */
    bool is_mublas;
    bool is_wide_mublas;        /* ... as libblas64.so.3 */
    bool passes_lapack;         /* ... as liblapack.so.3 */
    bool calls_itself;          /* calls functions of its own through the loader */
    char *interpreter, *soname, *rpath, *runpath; /* NULL: none */
    char **needed;              /* DT_NEEDED, in order */
    int needed_count;
    uint8_t *uses;              /* enum symbol_use, by enum symbol */
    /* Other functions with Fortran names; the exports in order. */
    struct name_list other_imports, other_exports;
};

/* Returns NULL, or why the file cannot be read; the reason does not name the file. Clear in both cases. */
const char *elf_object_read(const char *path, struct elf_object *object);
void elf_object_clear(struct elf_object *object);

/* The part of elf_object_read that reads symbols and relocations: fills in `uses` and what else the symbols
 * tell. */
struct Elf;
const char *elf_symbols_read(struct Elf *elf, struct elf_object *object);

/* True when the file, by its first bytes, is one that the loader loads beside a program for this machine. */
bool elf_object_matches(const char *path, bool is_64bit, uint16_t machine);

/* "x86-64", "32-bit x86", or a number. Static storage. */
const char *elf_object_machine(const struct elf_object *object);

/* The loader's cache of libraries, /etc/ld.so.cache in glibc's format since 2.2 (header
 * "glibc-ld.so.cache1.1", with or without the older one before it). */
struct loader_cache;

/* NULL when the file cannot be read or is in another format. */
struct loader_cache *loader_cache_open(const char *path);
void loader_cache_close(struct loader_cache *cache);

/* Call `visit` with each path that the cache has for `name`, until it returns true. */
void loader_cache_visit(const struct loader_cache *cache, const char *name,
                        bool (*visit)(const char *path, void *argument), void *argument);

struct linked_object {
    struct elf_object elf;
    const char *reason; /* why it cannot be read; NULL: `elf` is good */
    char *path;
    char *origin;       /* its folder */
    const char *how;    /* how the loader finds it, a phrase; static */
    int parent;         /* index of the object that asks for it first, -1 for the first and preloaded ones */
    unsigned long device, inode;
};

/* A library that the loader would not find. */
struct missing_library {
    const char *name;
    int parent;
};

/* Objects come in the loader's order, which is that of symbol look-up: the inspected object, what LD_PRELOAD
 * names (but for mublas), then level by level what they need. */
struct program_map {
    struct linked_object *objects;
    int count;
    struct missing_library *missing;
    int missing_count;
};

/* Finds libraries as glibc's loader does, but for the "legacy" capability folders of glibc before 2.37 and
 * the audit interface. Does not follow the libraries of a program for another machine. Returns NULL, or why
 * the program itself cannot be read. Clear in both cases. */
const char *link_map_make(const char *path, struct program_map *map);
void link_map_clear(struct program_map *map);

/* Objects are numbered as in struct program_map, names by enum symbol. */

/* The end of an object's calls of a BLAS name. */
enum interception {
    INTERCEPTION_NONE,      /* the object does not call the name, or only wraps the Fortran routine by it */
    INTERCEPTION_CAUGHT,    /* its calls come to mublas */
    INTERCEPTION_PROGRAM,   /* they go to the program's own definition */
    INTERCEPTION_SYMBOLIC,  /* bound to its own, exported definition: DT_SYMBOLIC, */
    INTERCEPTION_PROTECTED, /* ... or a protected symbol, */
    INTERCEPTION_BOUND,     /* ... or the linker bound it otherwise; a name without calls looks the same */
    INTERCEPTION_INSIDE,    /* defined in the object and hidden from the loader: static BLAS */
    INTERCEPTION_COUNT
};

enum interception interception_of(const struct program_map *map, int object, int name);

/* The index of the library that mublas would take the routine from; -1: none of these. */
int interception_host(const struct program_map *map, int name);

/* True when another object's calls would end in this one. */
bool interception_is_host(const struct program_map *map, int object);

/* BLAS names that have the end `end` in an object (CHOICE_ANY: in any), an interface (CHOICE_ANY: any;
 * CHOICE_BLAS and CHOICE_LAPACK: any of these) and a host library (-1: none; CHOICE_ANY_HOST: any or
 * none). */
enum { CHOICE_ANY = -1, CHOICE_ANY_HOST = -2, CHOICE_BLAS = -3, CHOICE_LAPACK = -4 };
struct name_choice {
    int object;
    enum interception end;
    int interface;
    int host;
};

int name_choice_count(const struct program_map *map, const struct name_choice *choice);

/* How many of these can run on the device. */
int name_choice_offloaded(const struct program_map *map, const struct name_choice *choice);

/* Prints them as name_line_add does. */
void name_choice_print(FILE *stream, const struct program_map *map, const struct name_choice *choice,
                       bool all);

/* Prints which objects call which routines of src/scalapack/routines.def, of which library, and whether ELPA
 * is there; nothing for other programs. `all`: every name, not the first few. */
void parallel_calls_print(FILE *stream, const struct program_map *map, bool all);

/* Why the calls of an object's own ScaLAPACK cannot be intercepted; NULL: it has none. Static storage. */
const char *parallel_loss(const struct program_map *map, int object);

/* Prints all parts, with those below. `all`, here and below: every name and library, not the first few.
 * `asked`: the file that was asked for, a script or the program itself. */
void inspect_report(FILE *stream, const struct program_map *map, const char *asked, bool all);

/* Prints, for interpreters that are known, what mublas gets of the plug-ins and programs that lie where theirs
 * do; and in one line what it can do for the program. */
void verdict_print(FILE *stream, const struct program_map *map, const char *asked);

/* Why mublas gets none of the program's calls; NULL: it may get some. Static storage. */
const char *losses_refusal(const struct program_map *map);

/* Is there a name that cannot be intercepted? Not after a refusal. */
bool losses_any(const struct program_map *map);

/* Prints that refusal, or which names of which object cannot be intercepted and why. */
void losses_print(FILE *stream, const struct program_map *map, const char *refusal, bool all);

#endif
