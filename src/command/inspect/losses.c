#include "command/inspect/name_choice.h"
#include "command/inspect/report.h"
#include "command/run/program_file.h"

/* kind: CHOICE_BLAS or CHOICE_LAPACK. */
static int count_of(const struct link_map *map, int object, enum interception end, int kind)
{
    struct name_choice choice = {object, end, kind, CHOICE_ANY_HOST};
    return name_choice_count(map, &choice);
}

/* For those behind INTERCEPTION_CAUGHT, of BLAS. */
static const char *blas_reason(const struct link_map *map, int object, enum interception end)
{
    bool has_lapack = map->objects[object].elf.has_lapack;
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

/* The same of LAPACK. */
static const char *lapack_reason(int object, enum interception end)
{
    switch (end) {
    case INTERCEPTION_PROGRAM:
        return object == 0 ? "a LAPACK is linked statically into the program, and exported: the loader asks the program"
                            " before any preloaded library"
                          : "the loader finds them in the program itself, before any preloaded library";
    case INTERCEPTION_SYMBOLIC:
        return "its LAPACK is linked with -Bsymbolic: its own calls never leave it";
    case INTERCEPTION_PROTECTED:
        return "it has them as protected symbols: its own calls never leave it";
    case INTERCEPTION_BOUND:
        return "it defines them, and its own calls, if any, were bound when it was linked (as by -Bsymbolic-functions)";
    case INTERCEPTION_INSIDE:
        return "a LAPACK is linked statically into it, and hidden from the loader";
    default:
        return "";
    }
}

/* A host BLAS that calls itself is no loss; one with a LAPACK in it is, where none of
 * that LAPACK's calls goes through the loader. A LAPACK's calls of its own drivers are few: none is. */
static bool is_loss(const struct link_map *map, int object, enum interception end, int kind)
{
    if (end <= INTERCEPTION_CAUGHT || count_of(map, object, end, kind) == 0)
        return false;
    if (end == INTERCEPTION_PROGRAM || end == INTERCEPTION_INSIDE || !interception_is_host(map, object))
        return true;
    return kind == CHOICE_BLAS && map->objects[object].elf.has_lapack &&
           count_of(map, object, INTERCEPTION_CAUGHT, kind) == 0;
}

static void print_loss(FILE *stream, const struct link_map *map, const struct name_choice *choice, bool all)
{
    const bool is_lapack = choice->interface == CHOICE_LAPACK;
    const int count = name_choice_count(map, choice);
    fprintf(stream, "  %s: %d %sroutine%s:", map->objects[choice->object].path, count, is_lapack ? "LAPACK " : "",
            count == 1 ? "" : "s");
    name_choice_print(stream, map, choice, all);
    fprintf(stream, "\n    %s\n", is_lapack ? lapack_reason(choice->object, choice->end)
                                            : blas_reason(map, choice->object, choice->end));
}

const char *losses_refusal(const struct link_map *map)
{
    const struct elf_object *elf = &map->objects[0].elf;
    if (!elf->is_native)
        return "it is not for the machine that this mublas is for";
    if (elf->is_static)
        return "it is statically linked: no loader comes in that could preload anything";
    return elf->is_program ? program_file_refusal(map->objects[0].path) : NULL;
}

void losses_print(FILE *stream, const struct link_map *map, const char *refusal, bool all)
{
    bool any = refusal != NULL;
    if (refusal)
        fprintf(stream, "cannot be intercepted:\n  %s: %s\n", map->objects[0].path, refusal);
    for (int i = 0; i < 2 * map->count; i++)
        for (int end = 0; end < INTERCEPTION_COUNT; end++) {
            const struct name_choice choice = {i / 2, (enum interception)end, i % 2 ? CHOICE_LAPACK : CHOICE_BLAS,
                                               CHOICE_ANY_HOST};
            if (!is_loss(map, choice.object, choice.end, choice.interface))
                continue;
            if (!any)
                fputs("cannot be intercepted:\n", stream);
            any = true;
            print_loss(stream, map, &choice, all);
        }
}
