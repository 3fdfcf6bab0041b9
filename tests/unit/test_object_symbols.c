/* Symbols by objects' own tables: as dlsym says, of libraries with either kind of hash table. */
#include "common/loader.h"
#include "tap.h"
#include "unit_test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const char *part; /* of its path */
    struct object_symbols object;
};

static int read_if_named(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct search *search = argument;
    (void)size;
    if (!strstr(info->dlpi_name, search->part))
        return 0;
    object_symbols_read(info, &search->object);
    return 1;
}

static bool find_object(const char *part, struct object_symbols *object)
{
    struct search search = {.part = part};
    const bool found = dl_iterate_phdr(read_if_named, &search) != 0;
    *object = search.object;
    return found;
}

static bool is_of(const struct object_symbols *object, const void *address)
{
    uintptr_t start, end;
    return address && object_symbols_segment(object, (uintptr_t)address, &start, &end);
}

static int type_of(const ElfW(Sym) *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info);
}

/* Every name that the object has or wants; the strings stand behind the symbols. */
static void compare_all(const struct object_symbols *object, void *handle, const char *what, int least)
{
    const size_t count = (size_t)((const char *)object->strings - (const char *)object->symbols) /
                         sizeof(ElfW(Sym));
    int compared = 0, differ = 0;
    for (size_t i = 1; i < count; i++) {
        const char *name = object->strings + object->symbols[i].st_name;
        const void *found, *right = dlsym(handle, name);
        const bool is_found = object_symbols_find(object, name, &found);
        if (type_of(&object->symbols[i]) == STT_GNU_IFUNC || type_of(&object->symbols[i]) == STT_TLS ||
            !*name)
            continue;
        const bool is_right = is_of(object, right) ? is_found && (found == right || !found) : !is_found;
        compared++;
        differ += !is_right;
        if (!is_right)
            printf("# %s: %s, %p, dlsym %p\n", name, is_found ? "found" : "not found", found, right);
    }
    tap_ok(differ == 0 && compared >= least, "%s: %d names are as dlsym says", what, compared);
}

static void test_c_library(void)
{
    struct object_symbols object, program;
    const void *address = &program;
    void *handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!tap_ok(handle && find_object("libc.so.6", &object), "the C library is there"))
        return;
    compare_all(&object, handle, "by GNU hashes", 1000);
    struct object_symbols other_hash = object;
    if (object.hash) {
        other_hash.gnu_hash = NULL;
        compare_all(&other_hash, handle, "the same by the older table", 1000);
    }
    tap_ok(object_symbols_find(&object, "strlen", &address) && !address,
           "a routine that tells its code itself: its name alone");
    tap_ok(!object_symbols_find(&object, "no_such_name", &address), "a name that nobody has");
    tap_ok(find_object("", &program) && object_symbols_needs(&program, &object) &&
               !object_symbols_needs(&object, &program),
           "who asks for whom");
}

static void test_module(const char *path, bool has_gnu_hash)
{
    struct object_symbols object;
    const void *address;
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!tap_ok(handle && find_object(path, &object), "%s: %s", path, handle ? "opened" : dlerror()))
        return;
    tap_ok((object.gnu_hash != NULL) == has_gnu_hash && (object.hash != NULL) != has_gnu_hash,
           "it has the table that is meant");
    compare_all(&object, handle, path, 5);
    tap_ok(object_symbols_find(&object, "plain_name", &address) && address == dlsym(handle, "plain_name") &&
               object_symbols_find(&object, "weak_name", &address) && address == dlsym(handle, "weak_name"),
           "what is defined, weak or not");
    tap_ok(!object_symbols_find(&object, "hidden_name", &address) &&
               !object_symbols_find(&object, "static_name", &address),
           "not what others cannot see");
    tap_ok(!object_symbols_find(&object, "wanted_name", &address), "nor what it wants itself");
    tap_ok(!object_symbols_find(&object, "old_name", &address), "nor what is of an old version alone");
}

UNIT_TEST(test_object_symbols)
{
    test_c_library();
    test_module("tests/unit/.libs/symbols_gnu.so", true);
    test_module("tests/unit/.libs/symbols_sysv.so", false);
    return tap_done();
}
