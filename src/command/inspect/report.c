#include "command/inspect/link_map.h"
#include "host/host_search.h"
#include "host/symbols.h"

#include <stdlib.h>
#include <string.h>

/* BLAS libraries define these, too; and what mublas has of its own between its libraries is no LAPACK.
 * Parallel routines are told elsewhere. */
static bool is_helper(const char *name)
{
    static const char *const helpers[] = {"xerbla_", "lsame_", "xerbla_array_", "xerbla_64_", "lsame_64_"};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strcmp(name, helpers[i]) == 0)
            return true;
    return strncmp(name, "mublas_", 7) == 0 || parallel_named(name);
}

/* The library with a LAPACK that the loader takes the name from; -1: none. */
static int lapack_of(const struct program_map *map, const char *name)
{
    for (int i = map->objects[0].elf.is_program; i < map->count && !is_helper(name); i++)
        if (!map->objects[i].reason && name_list_has(&map->objects[i].elf.other_exports, name))
            return map->objects[i].elf.has_lapack ? i : -1;
    return -1;
}

static bool is_left(const struct program_map *map, int object, int name, int library)
{
    return lapack_of(map, map->objects[object].elf.other_imports.names[name]) == library;
}

static int count_left(const struct program_map *map, int object, int library)
{
    int count = 0;
    for (int i = 0; i < map->objects[object].elf.other_imports.count; i++)
        count += is_left(map, object, i, library);
    return count;
}

static void print_left(FILE *stream, const struct program_map *map, int object, int library, bool all)
{
    struct name_line line = {.stream = stream, .left = count_left(map, object, library), .all = all};
    fprintf(stream, "  %s: %d routine%s of %s:", map->objects[object].path, line.left,
            line.left == 1 ? "" : "s", map->objects[library].path);
    for (int i = 0; line.left > 0; i++)
        if (is_left(map, object, i, library))
            name_line_add(&line, map->objects[object].elf.other_imports.names[i]);
    fputc('\n', stream);
}

/* Prints the LAPACK routines that mublas leaves to the program's LAPACK: a heading and a line for each object
 * that calls some. */
static void lapack_left_print(FILE *stream, const struct program_map *map, bool all)
{
    bool any = false;
    for (int library = map->objects[0].elf.is_program; library < map->count; library++)
        for (int i = 0; i < map->count && map->objects[library].elf.has_lapack; i++) {
            if (map->objects[i].reason || count_left(map, i, library) == 0)
                continue;
            if (!any)
                fputs("LAPACK that is left to the host as a whole:\n", stream);
            any = true;
            print_left(stream, map, i, library, all);
        }
}

enum { OPENERS_SHOWN = 3 };

static bool has_blas(const struct elf_object *elf)
{
    for (int name = 0; name < SYMBOL_COUNT; name++)
        if (elf->uses[name])
            return true;
    return false;
}

static void print_unread(FILE *stream, const struct program_map *map)
{
    for (int i = 0; i < map->count; i++) {
        const struct linked_object *object = &map->objects[i];
        if (object->reason)
            fprintf(stream, "not looked into: %s: %s\n", object->path, object->reason);
        else if (!object->elf.has_sections && object->elf.is_native)
            fprintf(stream, "not looked into: %s: its section headers were removed\n", object->path);
    }
    for (int i = 0; i < map->missing_count; i++)
        fprintf(stream, "the loader does not find %s, which %s needs\n", map->missing[i].name,
                map->objects[map->missing[i].parent].path);
}

static void print_openers(FILE *stream, const struct program_map *map)
{
    int count = 0;
    for (int i = 0; i < map->count; i++)
        if (map->objects[i].elf.opens_libraries && ++count <= OPENERS_SHOWN)
            fprintf(stream, "%s%s", count > 1 ? ", " : "note: libraries may be opened at run time (by ",
                    map->objects[i].path);
    if (count > OPENERS_SHOWN)
        fprintf(stream, " and %d more", count - OPENERS_SHOWN);
    if (count > 0)
        fputs("): their BLAS calls are intercepted too,\n"
              "  unless it is done with RTLD_DEEPBIND, which no file shows;"
              " look into each with mublas info -- LIBRARY\n",
              stream);
    for (int i = 0; i < map->count; i++)
        if (map->objects[i].elf.opens_namespaces)
            fprintf(stream,
                    "note: %s opens libraries by dlmopen,"
                    " and mublas is not in the namespaces that this makes\n", map->objects[i].path);
}

/* Prints what could not be seen in the program, and what it may do at run time. Not after a refusal. */
static void notes_print(FILE *stream, const struct program_map *map)
{
    const struct linked_object *first = &map->objects[0];
    print_unread(stream, map);
    if (!first->elf.has_full_symbols && first->elf.has_sections && !has_blas(&first->elf))
        fprintf(stream, "note: %s is stripped: a BLAS linked statically into it does not show\n",
                first->path);
    if (!first->elf.is_program)
        fputs("note: these are the libraries that it gets by itself; a process may have loaded others"
              " of the same names\n", stream);
    if (first->elf.interpreter && strstr(first->elf.interpreter, "musl"))
        fprintf(stream, "note: the program's loader is %s; libraries were looked up as glibc's does\n",
                first->elf.interpreter);
    print_openers(stream, map);
}

struct report {
    FILE *stream;
    const struct program_map *map;
    bool verbose;
};

static const char *path_of(const struct report *report, int object)
{
    return report->map->objects[object].path;
}

/* "2 routines as cblas_NAME64_ (64-bit integers)" */
static void print_count(FILE *stream, int count, int interface)
{
    enum integer_width width = interface_width((enum interface)interface);
    fprintf(stream, "%d routine%s as %s", count, count == 1 ? "" : "s",
            interface_form((enum interface)interface));
    if (width != WIDTH_DETECTED)
        fprintf(stream, " (%d-bit integers)", (int)width);
}

static void print_program(const struct report *report)
{
    const struct elf_object *elf = &report->map->objects[0].elf;
    int libraries = report->map->count - 1;
    fprintf(report->stream, "%s: %s (%s", elf->is_program ? "program" : "library", path_of(report, 0),
            elf_object_machine(elf));
    if (elf->is_static)
        fputs(", statically linked", report->stream);
    else if (elf->is_native)
        fprintf(report->stream, ", %d librar%s loaded with it", libraries, libraries == 1 ? "y" : "ies");
    fputs(")\n", report->stream);
    for (int i = 1; i < report->map->count && report->verbose; i++)
        fprintf(report->stream, "  %s, found %s\n", path_of(report, i), report->map->objects[i].how);
}

/* Prints which BLAS routines a library defines. True: it defines some. */
static bool print_definitions(const struct report *report)
{
    const struct elf_object *elf = &report->map->objects[0].elf;
    int counts[INTERFACE_COUNT] = {0};
    bool any = false;
    for (int name = 0; name < SYMBOL_COUNT; name++)
        if (!elf->is_program && !elf->is_mublas && (elf->uses[name] & USE_EXPORTED))
            counts[symbol_interface((enum symbol)name)]++;
    for (int interface = 0; interface < INTERFACE_COUNT; interface++) {
        if (counts[interface] == 0)
            continue;
        any = true;
        fputs("  defines ", report->stream);
        print_count(report->stream, counts[interface], interface);
        fputc('\n', report->stream);
    }
    return any;
}

static const char *text_of(int kind)
{
    return kind == CHOICE_LAPACK ? "LAPACK" : "BLAS";
}

static int kind_of(int interface)
{
    return interface_is_lapack((enum interface)interface) ? CHOICE_LAPACK : CHOICE_BLAS;
}

static void print_host(const struct report *report, int host, int kind)
{
    const struct linked_object *object = &report->map->objects[host];
    fprintf(report->stream, "host %s: %s", text_of(kind), object->path);
    if (host == 0)
        fputs(", itself\n", report->stream);
    else if (object->parent < 0)
        fprintf(report->stream, ", found %s\n", object->how);
    else
        fprintf(report->stream, ", found %s for %s\n", object->how, path_of(report, object->parent));
    char *file = realpath(object->path, NULL);
    if (file && strcmp(file, object->path) != 0)
        fprintf(report->stream, "  (the file %s)\n", file);
    free(file);
    for (int interface = 0; interface < INTERFACE_COUNT; interface++) {
        struct name_choice choice = {CHOICE_ANY, INTERCEPTION_CAUGHT, interface, host};
        int count = name_choice_count(report->map, &choice);
        if (count == 0 || kind_of(interface) != kind)
            continue;
        fputs("  for ", report->stream);
        print_count(report->stream, count, interface);
        fputc('\n', report->stream);
    }
}

static bool has_mublas(const struct report *report)
{
    for (int i = 1; i < report->map->count; i++)
        if (report->map->objects[i].elf.is_mublas)
            return true;
    return false;
}

/* Plain names have the integers that the first library of mublas in the loader's order takes. */
static bool means_wide(const struct report *report, int interface)
{
    for (int i = 0; i < report->map->count; i++)
        if (report->map->objects[i].elf.is_mublas)
            return report->map->objects[i].elf.is_wide_mublas &&
                   interface_width((enum interface)interface) == WIDTH_DETECTED;
    return false;
}

/* mublas itself finds a BLAS for what no library here defines. Libraries that this command has loaded do not
 * count. */
static void print_fallback(const struct report *report, int interface)
{
    struct name_choice choice = {CHOICE_ANY, INTERCEPTION_CAUGHT, interface, -1};
    struct host_library library;
    int count = name_choice_count(report->map, &choice);
    if (count == 0)
        return;
    const char *sentinel = symbol_name(interface_sentinel((enum interface)interface));
    fprintf(report->stream, "host %s: ", text_of(kind_of(interface)));
    if (host_paths_search(sentinel, means_wide(report, interface), &library))
        fprintf(report->stream, "%s, %s", library.path, library.origin);
    else if (host_paths_search_plain((enum interface)interface, &library))
        fprintf(report->stream, "%s, %s, by plain names, which take 64-bit integers in it", library.path,
                library.origin);
    else
        fputs("none found; set MUBLAS_HOST_BLAS", report->stream);
    fputs("\n  for ", report->stream);
    print_count(report->stream, count, interface);
    fputs(has_mublas(report) ? ", which only mublas defines here:" : ", which no library here defines:",
          report->stream);
    name_choice_print(report->stream, report->map, &choice, report->verbose);
    fputs("\n  (a library that the program has loaded by then comes first)\n", report->stream);
}

/* A LAPACK before mublas in the loader's order gets the program's calls itself. */
static void print_lapack_before(const struct report *report, int mublas)
{
    for (int name = 0; name < SYMBOL_COUNT; name++) {
        const bool has_route = interface_is_lapack(symbol_interface((enum symbol)name)) &&
                               (report->map->objects[mublas].elf.uses[name] & USE_EXPORTED);
        const int host = has_route ? interception_host(report->map, name) : -1;
        if (host < 0 || host > mublas)
            continue;
        fprintf(report->stream,
                "  but %s comes before it: LAPACK is called there, unless mublas is preloaded or -lmublas"
                " is linked before -llapack\n",
                path_of(report, host));
        return;
    }
}

static void print_mublas(const struct report *report)
{
    struct host_library library;
    for (int i = 0; i < report->map->count; i++) {
        if (!report->map->objects[i].elf.is_mublas)
            continue;
        if (i == 0) {
            fprintf(report->stream, "mublas: %s, itself\n", path_of(report, i));
            continue;
        }
        const bool passes = report->map->objects[i].elf.passes_lapack;
        fprintf(report->stream, "mublas: %s, found %s: %s to it even where nothing is preloaded\n",
                path_of(report, i), report->map->objects[i].how, passes ? "LAPACK calls come" : "calls come");
        if (!passes && host_paths_search("dgemm_", report->map->objects[i].elf.is_wide_mublas, &library))
            fprintf(report->stream, "  with %s as host BLAS, %s\n", library.path, library.origin);
        print_lapack_before(report, i);
    }
}

static void print_hosts(const struct report *report, bool is_blas)
{
    struct name_choice choice = {CHOICE_ANY, INTERCEPTION_CAUGHT, CHOICE_BLAS, CHOICE_ANY_HOST};
    if (!is_blas && name_choice_count(report->map, &choice) == 0)
        fputs("host BLAS: neither it nor its libraries link one\n", report->stream);
    for (int kind = CHOICE_BLAS; kind >= CHOICE_LAPACK; kind--)
        for (int host = 0; host < report->map->count; host++) {
            choice = (struct name_choice){CHOICE_ANY, INTERCEPTION_CAUGHT, kind, host};
            if (name_choice_count(report->map, &choice) > 0)
                print_host(report, host, kind);
        }
    for (int interface = 0; interface < INTERFACE_COUNT; interface++)
        print_fallback(report, interface);
}

/* True for a host BLAS whose only calls are to itself: mublas leaves them alone. */
static bool is_mere_host(const struct report *report, int object)
{
    return interception_is_host(report->map, object) && !report->map->objects[object].elf.has_lapack;
}

static void print_caught(const struct report *report, int object)
{
    fprintf(report->stream, "  %s%s\n", path_of(report, object),
            interception_is_host(report->map, object) ? ", calling itself:" : ":");
    for (int interface = 0; interface < INTERFACE_COUNT; interface++) {
        struct name_choice choice = {object, INTERCEPTION_CAUGHT, interface, CHOICE_ANY_HOST};
        int count = name_choice_count(report->map, &choice);
        if (count == 0)
            continue;
        fputs("    ", report->stream);
        print_count(report->stream, count, interface);
        fprintf(report->stream, ", %d of which can run on the GPU\n",
                name_choice_offloaded(report->map, &choice));
        if (report->verbose) {
            fputs("     ", report->stream);
            name_choice_print(report->stream, report->map, &choice, true);
            fputc('\n', report->stream);
        }
    }
}

static void print_intercepted(const struct report *report)
{
    bool any = false;
    for (int i = 0; i < report->map->count; i++) {
        struct name_choice choice = {i, INTERCEPTION_CAUGHT, CHOICE_ANY, CHOICE_ANY_HOST};
        if (is_mere_host(report, i) || name_choice_count(report->map, &choice) == 0)
            continue;
        if (!any)
            fputs("intercepted:\n", report->stream);
        any = true;
        print_caught(report, i);
    }
    if (!any)
        fputs(report->map->objects[0].elf.is_program ? "intercepted: nothing that it calls by itself\n"
                                                      : "intercepted: nothing\n", report->stream);
}

void inspect_report(FILE *stream, const struct program_map *map, const char *asked, bool verbose)
{
    struct report report = {stream, map, verbose};
    const char *refusal = losses_refusal(map);
    print_program(&report);
    if (!refusal) {
        bool is_blas = print_definitions(&report);
        print_mublas(&report);
        print_hosts(&report, is_blas);
        print_intercepted(&report);
        parallel_calls_print(stream, map, verbose);
        lapack_left_print(stream, map, verbose);
    }
    losses_print(stream, map, refusal, verbose);
    if (!refusal)
        notes_print(stream, map);
    verdict_print(stream, map, asked);
}
