/* The part of link_map.h that tells which calls mublas would get, by object and name, and those of
 * ScaLAPACK. */
#include "command/inspect/link_map.h"
#include "host/symbols.h"

#include <stdio.h>
#include <string.h>

static int uses_of(const struct program_map *map, int object, int name)
{
    const struct linked_object *linked = &map->objects[object];
    return linked->reason || linked->elf.is_mublas ? 0 : linked->elf.uses[name];
}

/* The Fortran routine, by its plain name, that the C name stands for; -1: none. */
static int fortran_symbol(enum symbol symbol)
{
    static const char prefix[] = "cblas_";
    char text[40];
    const char *name = symbol_name(symbol_plain(symbol));
    if (!interface_is_cblas(symbol_interface(symbol)) || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    name += sizeof prefix - 1;
    int length = (int)strlen(name);
    if (length > 4 && strcmp(name + length - 4, "_sub") == 0)
        length -= 4;
    return snprintf(text, sizeof text, "%.*s_", length, name) < (int)sizeof text ? symbol_named(text) : -1;
}

/* True when the object defines the C name and asks the loader for the Fortran routine: then the definition is
 * a wrapper, not a BLAS, and the routine that it calls counts. */
static bool is_wrapper(const struct program_map *map, int object, int name)
{
    if (!(uses_of(map, object, name) & (USE_EXPORTED | USE_INSIDE)))
        return false;
    const int plain = fortran_symbol((enum symbol)name);
    for (int interface = INTERFACE_NAME_; plain >= 0 && interface < INTERFACE_cblas_NAME; interface++)
        if (uses_of(map, object, plain + interface - INTERFACE_NAME_) & USE_IMPORTED)
            return true;
    return false;
}

static enum interception through_loader(const struct program_map *map, int name)
{
    bool program_first = map->objects[0].elf.is_program && (uses_of(map, 0, name) & USE_EXPORTED);
    if (!program_first)
        return INTERCEPTION_CAUGHT;
    return is_wrapper(map, 0, name) ? INTERCEPTION_NONE : INTERCEPTION_PROGRAM;
}

static enum interception end_of(const struct program_map *map, int object, int name)
{
    const struct elf_object *elf = &map->objects[object].elf;
    int uses = uses_of(map, object, name);
    if (uses & USE_EXPORTED) {
        if (object == 0 && elf->is_program)
            return INTERCEPTION_PROGRAM;
        if (uses & USE_PROTECTED)
            return INTERCEPTION_PROTECTED;
        if (elf->is_symbolic)
            return INTERCEPTION_SYMBOLIC;
        if (uses & USE_RELOCATED)
            return through_loader(map, name);
        return elf->calls_itself ? INTERCEPTION_NONE : INTERCEPTION_BOUND;
    }
    if (uses & USE_IMPORTED)
        return through_loader(map, name);
    return uses & USE_INSIDE ? INTERCEPTION_INSIDE : INTERCEPTION_NONE;
}

enum interception interception_of(const struct program_map *map, int object, int name)
{
    const enum interception end = end_of(map, object, name);
    return end > INTERCEPTION_CAUGHT && is_wrapper(map, object, name) ? INTERCEPTION_NONE : end;
}

int interception_host(const struct program_map *map, int name)
{
    for (int i = map->objects[0].elf.is_program; i < map->count; i++)
        if (uses_of(map, i, name) & USE_EXPORTED)
            return i;
    return -1;
}

static bool is_asked_by_others(const struct program_map *map, int object, int name)
{
    for (int i = 0; i < map->count; i++)
        if (i != object && interception_of(map, i, name) == INTERCEPTION_CAUGHT)
            return true;
    return false;
}

bool interception_is_host(const struct program_map *map, int object)
{
    for (int name = 0; name < SYMBOL_COUNT; name++)
        if (interception_host(map, name) == object && is_asked_by_others(map, object, name))
            return true;
    return false;
}

static bool is_of_interface(int chosen, enum interface interface)
{
    if (chosen == CHOICE_BLAS || chosen == CHOICE_LAPACK)
        return interface_is_lapack(interface) == (chosen == CHOICE_LAPACK);
    return chosen == CHOICE_ANY || chosen == (int)interface;
}

static bool is_chosen(const struct program_map *map, const struct name_choice *choice, int name)
{
    if (!is_of_interface(choice->interface, symbol_interface((enum symbol)name)))
        return false;
    if (choice->host != CHOICE_ANY_HOST && interception_host(map, name) != choice->host)
        return false;
    if (choice->object != CHOICE_ANY)
        return interception_of(map, choice->object, name) == choice->end;
    for (int i = 0; i < map->count; i++)
        if (interception_of(map, i, name) == choice->end)
            return true;
    return false;
}

int name_choice_count(const struct program_map *map, const struct name_choice *choice)
{
    int count = 0;
    for (int name = 0; name < SYMBOL_COUNT; name++)
        count += is_chosen(map, choice, name);
    return count;
}

int name_choice_offloaded(const struct program_map *map, const struct name_choice *choice)
{
    int count = 0;
    for (int name = 0; name < SYMBOL_COUNT; name++)
        count += symbol_is_offloaded((enum symbol)name) && is_chosen(map, choice, name);
    return count;
}

void name_choice_print(FILE *stream, const struct program_map *map, const struct name_choice *choice,
                       bool all)
{
    struct name_line line = {.stream = stream, .left = name_choice_count(map, choice), .all = all};
    for (int name = 0; line.left > 0; name++)
        if (is_chosen(map, choice, name))
            name_line_add(&line, symbol_name((enum symbol)name));
}

#define STATIC "ScaLAPACK is linked statically into it: its calls never come to the loader"

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The names alone tell: distributions and vendors tell the libraries apart so. */
static bool has_wide_integers(const char *path)
{
    const char *const name = base_of(path);
    return begins(name, "libscalapack64") || begins(name, "libmkl_scalapack_ilp64") ||
           (begins(name, "libmkl_blacs_") && strstr(name, "ilp64"));
}

static bool is_elpa(const char *path)
{
    return begins(base_of(path), "libelpa");
}

const char *parallel_loss(const struct program_map *map, int object)
{
    const struct linked_object *const of = &map->objects[object];
    if (of->reason || of->elf.is_mublas || !of->elf.has_scalapack)
        return NULL;
    return of->elf.is_program || !of->elf.exports_scalapack ? STATIC : NULL;
}

static int count_calls(const struct elf_object *elf)
{
    int count = 0;
    for (int i = 0; i < elf->other_imports.count; i++)
        count += parallel_named(elf->other_imports.names[i]);
    return count;
}

/* The library that the loader takes a name from; -1: none. */
static int library_of(const struct program_map *map, const char *name)
{
    for (int i = 0; i < map->count; i++)
        if (!map->objects[i].reason && !map->objects[i].elf.is_mublas &&
            name_list_has(&map->objects[i].elf.other_exports, name))
            return i;
    return -1;
}

static int library_of_calls(const struct program_map *map, const struct elf_object *elf)
{
    for (int i = 0; i < elf->other_imports.count; i++)
        if (parallel_named(elf->other_imports.names[i]))
            return library_of(map, elf->other_imports.names[i]);
    return -1;
}

static void print_names(FILE *stream, const struct elf_object *elf, bool all)
{
    struct name_line line = {.stream = stream, .left = count_calls(elf), .all = all};
    for (int i = 0; line.left > 0; i++)
        if (parallel_named(elf->other_imports.names[i]))
            name_line_add(&line, elf->other_imports.names[i]);
    fputc('\n', stream);
}

static void print_calls(FILE *stream, const struct program_map *map, int object, bool all)
{
    const struct elf_object *const elf = &map->objects[object].elf;
    const int library = library_of_calls(map, elf), count = count_calls(elf);
    fprintf(stream, "  %s: %d routine%s of %s:", map->objects[object].path, count, count == 1 ? "" : "s",
            library < 0 ? "no library here" : map->objects[library].path);
    print_names(stream, elf, all);
    if (library >= 0 && has_wide_integers(map->objects[library].path))
        fputs("    they stay on the host: their integers have 64 bits\n", stream);
}

/* A ScaLAPACK's calls of itself pass. */
static bool is_caller(const struct linked_object *object)
{
    return !object->reason && !object->elf.is_mublas && !object->elf.exports_scalapack &&
           count_calls(&object->elf) > 0;
}

void parallel_calls_print(FILE *stream, const struct program_map *map, bool all)
{
    bool any = false;
    for (int i = 0; i < map->count; i++) {
        if (!is_caller(&map->objects[i]))
            continue;
        if (!any)
            fputs("parallel routines that can run on the GPU, in jobs of one machine (doc/parallel.md):\n", stream);
        any = true;
        print_calls(stream, map, i, all);
    }
    for (int i = 0; i < map->count; i++)
        if (is_elpa(map->objects[i].path))
            fprintf(stream, "ELPA: %s: its eigensolvers stay on the host; BLAS calls in them are intercepted\n",
                    map->objects[i].path);
}
