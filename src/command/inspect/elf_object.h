/* elf_object.h - what one program or shared library says of itself: which libraries
 * it wants, and how each BLAS symbol appears in it. Reads the file with libelf and
 * runs nothing; files that lie about themselves are refused or misread, never worse. */
#ifndef MUBLAS_ELF_OBJECT_H
#define MUBLAS_ELF_OBJECT_H

#include "command/inspect/function_names.h"

#include <stdbool.h>
#include <stdint.h>

/* How a BLAS symbol appears. */
enum symbol_use {
    USE_IMPORTED = 1,   /* asked of the loader, defined elsewhere */
    USE_EXPORTED = 2,   /* defined here, for everybody */
    USE_RELOCATED = 4,  /* calls from here go through the loader */
    USE_PROTECTED = 8,  /* exported, but calls from here never leave the object */
    USE_INSIDE = 16     /* defined here and hidden from the loader */
};

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

#endif
