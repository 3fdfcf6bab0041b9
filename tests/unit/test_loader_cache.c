/* The loader's cache: what is found in it, and files that are cut short or lie. */
#include "command/inspect/link_map.h"
#include "tap.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_BYTES = 48, ENTRY_BYTES = 24, ENTRIES = 3, OLD_BYTES = 16 + 12, ROUNDS = 3000 };

static char path[] = "/tmp/mublas-XXXXXX";
static unsigned char bytes[512];
static size_t size;

/* Offsets of strings count from the header, which may stand behind one in the older format. */
static void make(bool with_old)
{
    static const char *const strings[] = {"libone.so.1", "/lib/one", "libtwo.so.2",
                                          "/lib/two", "libone.so.1", "/usr/one"};
    const size_t start = with_old ? (OLD_BYTES + 7) / 8 * 8 : 0;
    const uint32_t entries = ENTRIES, old_entries = 1;
    memset(bytes, 0, sizeof bytes);
    if (with_old) {
        memcpy(bytes, "ld.so-1.7.0", 11);
        memcpy(bytes + 12, &old_entries, sizeof old_entries);
    }
    memcpy(bytes + start, "glibc-ld.so.cache1.1", 20);
    memcpy(bytes + start + 20, &entries, sizeof entries);
    size = start + HEADER_BYTES + ENTRIES * ENTRY_BYTES;
    for (int i = 0; i < 2 * ENTRIES; i++) {
        const uint32_t offset = (uint32_t)(size - start);
        memcpy(bytes + start + HEADER_BYTES + i / 2 * ENTRY_BYTES + 4 + i % 2 * 4, &offset, sizeof offset);
        memcpy(bytes + size, strings[i], strlen(strings[i]) + 1);
        size += strlen(strings[i]) + 1;
    }
}

static char found[4096];

static bool note(const char *text, void *argument)
{
    (void)argument;
    const size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s ", text);
    return false;
}

/* Looks in so many bytes of the file; false: refused. */
static bool look(size_t length, const char *name)
{
    const int file = open(path, O_WRONLY | O_TRUNC);
    if (file < 0 || write(file, bytes, length) != (ssize_t)length)
        abort();
    close(file);
    struct loader_cache *cache = loader_cache_open(path);
    *found = '\0';
    if (cache)
        loader_cache_visit(cache, name, note, NULL);
    loader_cache_close(cache);
    return cache != NULL;
}

static void test_whole(bool with_old)
{
    make(with_old);
    tap_ok(look(size, "libone.so.1") && strcmp(found, "/lib/one /usr/one ") == 0, "all of a name are found%s",
           with_old ? ", behind the older format" : "");
    tap_ok(look(size, "libthree.so.3") && !*found, "none of one that is not there");
}

static void test_cut(void)
{
    int refused = 0, wrong = 0;
    for (size_t length = 0; length < size; length++) {
        refused += !look(length, "libone.so.1");
        wrong += strncmp("/lib/one /usr/one ", found, strlen(found) > 0 ? strlen(found) - 1 : 0) != 0;
    }
    tap_ok(refused == HEADER_BYTES + ENTRIES * ENTRY_BYTES && wrong == 0,
           "a file that is cut short is refused, or known as far as it goes");
}

static void test_lies(unsigned seed)
{
    const uint32_t many = UINT32_MAX;
    memcpy(bytes + 20, &many, sizeof many);
    tap_ok(!look(size, "libone.so.1"), "more entries than there is room for are refused");
    make(false);
    memcpy(bytes + HEADER_BYTES + 8, &many, sizeof many);
    tap_ok(look(size, "libone.so.1") && strcmp(found, "/usr/one ") == 0, "a path beyond the end is left out");
    make(true);
    memcpy(bytes + 12, &many, sizeof many);
    tap_ok(!look(size, "libone.so.1"), "an older part longer than the file is refused");
    srandom(seed);
    int opened = 0;
    for (int round = 0; round < ROUNDS; round++) {
        make(round % 2);
        for (int change = 0; change < 4; change++)
            bytes[(size_t)random() % size] = (unsigned char)random();
        opened += look(size - (size_t)random() % 8, "libone.so.1");
    }
    tap_ok(opened > 0 && opened < ROUNDS, "%d of %d files with random bytes can be opened (seed %u)",
           opened, ROUNDS, seed);
}

int main(int count, char **arguments)
{
    const int file = mkstemp(path);
    if (file < 0)
        abort();
    close(file);
    test_whole(true);
    test_whole(false);
    test_cut();
    test_lies(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
    unlink(path);
    return tap_done();
}
