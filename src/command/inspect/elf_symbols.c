/* The part of link_map.h for names of functions: lists of them, and how they appear in a file. */
#include "command/inspect/link_map.h"
#include "common/interruption.h"
#include "host/host_search.h"
#include "host/symbols.h"
#include "scalapack/grid.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 4 };

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Appends a copy. False: out of memory. */
static bool name_list_add(struct name_list *list, const char *name)
{
    if (list->count == list->room) {
        const int room = list->room ? 2 * list->room : 16;
        char **grown = reallocarray(list->names, (size_t)room, sizeof *grown);
        if (!grown)
            return false;
        list->names = grown;
        list->room = room;
    }
    char *copy = strdup(name);
    if (copy)
        list->names[list->count++] = copy;
    return copy != NULL;
}

static void name_list_sort(struct name_list *list)
{
    if (list->count > 0)
        qsort(list->names, (size_t)list->count, sizeof *list->names, compare);
}

bool name_list_has(const struct name_list *list, const char *name)
{
    return list->count > 0 && bsearch(&name, list->names, (size_t)list->count, sizeof *list->names, compare);
}

void name_list_clear(struct name_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct name_list){0};
}

void name_line_add(struct name_line *line, const char *name)
{
    if (line->shown == NAMES_SHOWN && !line->all && line->left > 1) {
        fprintf(line->stream, " and %d more", line->left);
        line->left = 0;
        return;
    }
    fprintf(line->stream, " %s", name);
    line->shown++;
    line->left--;
}

static enum symbol sorted[SYMBOL_COUNT];
static struct once sorted_once = ONCE_INIT;

static int compare_symbols(const void *left, const void *right)
{
    return strcmp(symbol_name(*(const enum symbol *)left), symbol_name(*(const enum symbol *)right));
}

static int compare_name(const void *name, const void *symbol)
{
    return strcmp(name, symbol_name(*(const enum symbol *)symbol));
}

static void sort_symbols(void)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        sorted[i] = (enum symbol)i;
    qsort(sorted, SYMBOL_COUNT, sizeof *sorted, compare_symbols);
}

int symbol_named(const char *name)
{
    once_run(&sorted_once, sort_symbols);
    const enum symbol *found = bsearch(name, sorted, SYMBOL_COUNT, sizeof *sorted, compare_name);
    return found ? (int)*found : -1;
}

/* The table's names have no underscore. */
bool parallel_named(const char *name)
{
    const size_t length = strlen(name);
    if (*name != 'p' || name[length - 1] != '_')
        return false;
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        const char *const routine = parallel_routine_of((enum parallel_symbol)i)->name;
        if (strlen(routine) == length - 1 && memcmp(routine, name, length - 1) == 0)
            return true;
    }
    return false;
}

struct reading {
    Elf *elf;
    struct elf_object *object;
    size_t dynsym; /* index of its section, 0: none */
};

static bool starts_programs(const char *name)
{
    static const char *const names[] = {"execve", "execv", "execvp", "execvpe", "execl", "execlp", "posix_spawn",
                                        "posix_spawnp", "system", "popen"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Notes what else tells something about the object. */
static void note_symbol(struct elf_object *object, const char *name, bool defined)
{
    if (!defined) {
        object->opens_libraries |= strcmp(name, "dlopen") == 0;
        object->opens_namespaces |= strcmp(name, "dlmopen") == 0;
        object->starts_programs |= starts_programs(name);
    } else {
        object->has_lapack |= strstr(name, "dsytrd_") != NULL;
        object->is_mublas |= strcmp(name, HOST_LIBRARY_MARKER) == 0;
        object->passes_lapack |= strcmp(name, HOST_LIBRARY_PASSING_MARKER) == 0;
        object->is_mublas |= object->passes_lapack;
        object->is_wide_mublas |= strcmp(name, HOST_LIBRARY_WIDE_MARKER) == 0;
    }
}

static bool is_code(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static int dynamic_use(const GElf_Sym *symbol)
{
    int visibility = GELF_ST_VISIBILITY(symbol->st_other);
    if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
        return 0;
    if (symbol->st_shndx == SHN_UNDEF)
        return USE_IMPORTED;
    return visibility == STV_DEFAULT ? USE_EXPORTED :
           visibility == STV_PROTECTED ? USE_EXPORTED | USE_PROTECTED : 0;
}

static void note_parallel(struct elf_object *object, const char *name, bool is_dynamic,
                          const GElf_Sym *symbol)
{
    if (symbol->st_shndx == SHN_UNDEF || !parallel_named(name))
        return;
    object->has_scalapack = true;
    object->exports_scalapack |= is_dynamic && (dynamic_use(symbol) & USE_EXPORTED);
}

/* Lists a name that is no symbol of mublas'. False: out of memory. */
static bool note_other(struct elf_object *object, const char *name, int use)
{
    const size_t length = strlen(name);
    if (length < 2 || name[length - 1] != '_' || name[0] == '_')
        return true;
    return use & USE_IMPORTED ? name_list_add(&object->other_imports, name)
                              : !(use & USE_EXPORTED) || name_list_add(&object->other_exports, name);
}

static const char *read_symbols(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
    struct elf_object *object = reading->object;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    if (!data)
        return "it is damaged: its symbols cannot be read";
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *text = elf_strptr(reading->elf, header->sh_link, symbol.st_name);
        if (!text)
            continue;
        if (header->sh_type == SHT_DYNSYM)
            note_symbol(object, text, symbol.st_shndx != SHN_UNDEF);
        if (!is_code(&symbol))
            continue;
        note_parallel(object, text, header->sh_type == SHT_DYNSYM, &symbol);
        int name = symbol_named(text);
        if (name == -1) {
            if (header->sh_type == SHT_DYNSYM && !note_other(object, text, dynamic_use(&symbol)))
                return "out of memory";
            continue;
        }
        if (header->sh_type == SHT_DYNSYM)
            object->uses[name] |= (uint8_t)dynamic_use(&symbol);
        else if (symbol.st_shndx != SHN_UNDEF)
            object->uses[name] |= USE_INSIDE;
    }
    return NULL;
}

static bool get_relocation(Elf_Data *data, bool with_addend, int index, uint64_t *info)
{
    GElf_Rela added;
    GElf_Rel plain;
    if (with_addend ? !gelf_getrela(data, index, &added) : !gelf_getrel(data, index, &plain))
        return false;
    *info = with_addend ? added.r_info : plain.r_info;
    return true;
}

static const char *read_relocations(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbols = elf_getscn(reading->elf, header->sh_link);
    Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
    GElf_Shdr symbol_header;
    GElf_Sym symbol;
    uint64_t info;
    if (!data || !symbol_data || !gelf_getshdr(symbols, &symbol_header))
        return "it is damaged: its relocations cannot be read";
    for (int i = 0; get_relocation(data, header->sh_type == SHT_RELA, i, &info); i++) {
        int index = (int)GELF_R_SYM(info);
        if (index == 0 || !gelf_getsym(symbol_data, index, &symbol))
            continue;
        reading->object->calls_itself |=
            symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        const char *text = elf_strptr(reading->elf, symbol_header.sh_link, symbol.st_name);
        int name = text ? symbol_named(text) : -1;
        if (name != -1)
            reading->object->uses[name] |= USE_RELOCATED;
    }
    return NULL;
}

/* Reads symbols, or in a second walk relocations, which need the section of the symbols. */
static const char *read_sections(struct reading *reading, bool relocations)
{
    const char *reason = NULL;
    for (Elf_Scn *section = NULL; !reason && (section = elf_nextscn(reading->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return "it is damaged: a section header cannot be read";
        bool relocates = header.sh_type == SHT_REL || header.sh_type == SHT_RELA;
        if (relocations && relocates && reading->dynsym && header.sh_link == reading->dynsym)
            reason = read_relocations(reading, section, &header);
        if (relocations || (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB))
            continue;
        if (header.sh_type == SHT_DYNSYM)
            reading->dynsym = elf_ndxscn(section);
        reading->object->has_dynamic_symbols |= header.sh_type == SHT_DYNSYM;
        reading->object->has_full_symbols |= header.sh_type == SHT_SYMTAB;
        reason = read_symbols(reading, section, &header);
    }
    return reason;
}

const char *elf_symbols_read(Elf *elf, struct elf_object *object)
{
    struct reading reading = {elf, object, 0};
    const char *reason = read_sections(&reading, false);
    name_list_sort(&object->other_exports);
    return reason ? reason : read_sections(&reading, true);
}
