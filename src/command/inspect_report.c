#include "command/inspect_report.h"
#include "command/inspect_notes.h"
#include "command/name_choice.h"
#include "command/program_file.h"
#include "interpose/host_paths.h"
#include "interpose/symbols.h"

#include <stdlib.h>
#include <string.h>

struct report {
    FILE *stream;
    const struct link_map *map;
    bool verbose;
};

static const char *path_of(const struct report *report, int object)
{
    return report->map->objects[object].path;
}

static int count_of(const struct report *report, int object, enum interception end)
{
    struct name_choice choice = {object, end, CHOICE_ANY, CHOICE_ANY_HOST};
    return name_choice_count(report->map, &choice);
}

/* "2 routines as cblas_NAME64_ (64-bit integers)" */
static void print_count(FILE *stream, int count, int interface)
{
    enum integer_width width = interface_width((enum interface)interface);
    fprintf(stream, "%d routine%s as %s", count, count == 1 ? "" : "s", interface_form((enum interface)interface));
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

/* A library may be a BLAS itself. True: it is. */
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

static void print_host(const struct report *report, int host)
{
    const struct linked_object *object = &report->map->objects[host];
    fprintf(report->stream, "host BLAS: %s", object->path);
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
        if (count == 0)
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

/* Plain names mean what the first library of mublas, which the loader comes to, takes them for. */
static bool means_wide(const struct report *report, int interface)
{
    for (int i = 0; i < report->map->count; i++)
        if (report->map->objects[i].elf.is_mublas)
            return report->map->objects[i].elf.is_wide_mublas &&
                   interface_width((enum interface)interface) == WIDTH_DETECTED;
    return false;
}

/* For what no library here defines, mublas finds a BLAS by itself. What this command has
 * loaded to look into is not the program's. */
static void print_fallback(const struct report *report, int interface)
{
    struct name_choice choice = {CHOICE_ANY, INTERCEPTION_CAUGHT, interface, -1};
    struct host_library library;
    int count = name_choice_count(report->map, &choice);
    if (count == 0)
        return;
    const char *sentinel = symbol_name(interface_sentinel((enum interface)interface));
    if (host_paths_search(sentinel, means_wide(report, interface), &library))
        fprintf(report->stream, "host BLAS: %s, %s", library.path, library.origin);
    else if (host_paths_search_plain((enum interface)interface, &library))
        fprintf(report->stream, "host BLAS: %s, %s, by plain names, which take 64-bit integers in it", library.path,
                library.origin);
    else
        fputs("host BLAS: none found; set MUBLAS_HOST_BLAS", report->stream);
    fputs("\n  for ", report->stream);
    print_count(report->stream, count, interface);
    fputs(has_mublas(report) ? ", which only mublas defines here:" : ", which no library here defines:", report->stream);
    name_choice_print(report->stream, report->map, &choice, report->verbose);
    fputs("\n  (a library that is loaded by then comes first)\n", report->stream);
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
        fprintf(report->stream, "mublas: %s, found %s: calls come to it even where nothing is preloaded\n",
                path_of(report, i), report->map->objects[i].how);
        if (host_paths_search("dgemm_", report->map->objects[i].elf.is_wide_mublas, &library))
            fprintf(report->stream, "  with %s as host BLAS, %s\n", library.path, library.origin);
    }
}

static void print_hosts(const struct report *report, bool is_blas)
{
    struct name_choice choice = {CHOICE_ANY, INTERCEPTION_CAUGHT, CHOICE_ANY, CHOICE_ANY_HOST};
    if (!is_blas && name_choice_count(report->map, &choice) == 0)
        fputs("host BLAS: none is linked, neither by it nor by its libraries\n", report->stream);
    for (choice.host = 0; choice.host < report->map->count; choice.host++)
        if (name_choice_count(report->map, &choice) > 0)
            print_host(report, choice.host);
    for (int interface = 0; interface < INTERFACE_COUNT; interface++)
        print_fallback(report, interface);
}

/* A host whose BLAS calls its own BLAS: mublas leaves such calls alone. */
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
        fprintf(report->stream, ", %d of which can run on the GPU\n", name_choice_offloaded(report->map, &choice));
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
        if (is_mere_host(report, i) || count_of(report, i, INTERCEPTION_CAUGHT) == 0)
            continue;
        if (!any)
            fputs("intercepted:\n", report->stream);
        any = true;
        print_caught(report, i);
    }
    if (!any)
        fputs("intercepted: nothing\n", report->stream);
}

/* For those behind INTERCEPTION_CAUGHT. */
static const char *reason_of(const struct report *report, int object, enum interception end)
{
    bool has_lapack = report->map->objects[object].elf.has_lapack;
    switch (end) {
    case INTERCEPTION_PROGRAM:
        return object == 0 ? "a BLAS is linked statically into the program, and exported: the loader asks the program"
                            " before any preloaded library"
                          : "the loader finds them in the program itself, before any preloaded library";
    case INTERCEPTION_SYMBOLIC:
        return has_lapack ? "it is linked with -Bsymbolic: what the LAPACK in it calls never leaves it"
                          : "it defines them and is linked with -Bsymbolic: its own calls never leave it";
    case INTERCEPTION_PROTECTED:
        return has_lapack ? "it has them as protected symbols: what the LAPACK in it calls never leaves it"
                          : "it defines them as protected symbols: its own calls never leave it";
    case INTERCEPTION_BOUND:
        return has_lapack ? "what the LAPACK in it calls was bound when it was linked (as by -Bsymbolic-functions)"
                          : "it defines them, and its own calls, if any, were bound when it was linked (as by"
                            " -Bsymbolic-functions)";
    case INTERCEPTION_INSIDE:
        return "a BLAS is linked statically into it, and hidden from the loader";
    default:
        return "";
    }
}

/* A host BLAS that calls itself is no loss; one with a LAPACK in it is, where none of
 * that LAPACK's calls goes through the loader. */
static bool is_loss(const struct report *report, int object, enum interception end)
{
    if (end <= INTERCEPTION_CAUGHT || count_of(report, object, end) == 0)
        return false;
    if (end == INTERCEPTION_PROGRAM || end == INTERCEPTION_INSIDE || !interception_is_host(report->map, object))
        return true;
    return report->map->objects[object].elf.has_lapack && count_of(report, object, INTERCEPTION_CAUGHT) == 0;
}

static void print_loss(const struct report *report, int object, enum interception end)
{
    struct name_choice choice = {object, end, CHOICE_ANY, CHOICE_ANY_HOST};
    int count = name_choice_count(report->map, &choice);
    fprintf(report->stream, "  %s: %d routine%s:", path_of(report, object), count, count == 1 ? "" : "s");
    name_choice_print(report->stream, report->map, &choice, report->verbose);
    fprintf(report->stream, "\n    %s\n", reason_of(report, object, end));
}

/* Why nothing at all of a program comes to mublas; NULL if something may. */
static const char *refusal_of(const struct report *report)
{
    const struct elf_object *elf = &report->map->objects[0].elf;
    if (!elf->is_native)
        return "it is not for the machine that this mublas is for";
    if (elf->is_static)
        return "it is statically linked: no loader comes in that could preload anything";
    return elf->is_program ? program_file_refusal(path_of(report, 0)) : NULL;
}

static void print_lost(const struct report *report, const char *refusal)
{
    bool any = refusal != NULL;
    if (refusal)
        fprintf(report->stream, "cannot be intercepted:\n  %s: %s\n", path_of(report, 0), refusal);
    for (int i = 0; i < report->map->count; i++)
        for (int end = 0; end < INTERCEPTION_COUNT; end++) {
            if (!is_loss(report, i, (enum interception)end))
                continue;
            if (!any)
                fputs("cannot be intercepted:\n", report->stream);
            any = true;
            print_loss(report, i, (enum interception)end);
        }
}

void inspect_report(FILE *stream, const struct link_map *map, bool verbose)
{
    struct report report = {stream, map, verbose};
    const char *refusal = refusal_of(&report);
    print_program(&report);
    if (!refusal) {
        bool is_blas = print_definitions(&report);
        print_mublas(&report);
        print_hosts(&report, is_blas);
        print_intercepted(&report);
    }
    print_lost(&report, refusal);
    if (!refusal)
        inspect_notes_print(stream, map);
}
