#include "digest_file.h"
#include "service/client/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char name[64];
    uint64_t digest;
};

struct digest_file {
    size_t count, capacity;
    struct entry *entries; /* sorted by name */
};

static int compare_entries(const void *one, const void *two)
{
    return strcmp(((const struct entry *)one)->name, ((const struct entry *)two)->name);
}

static void add(struct digest_file *file, const struct entry *entry)
{
    if (file->count == file->capacity) {
        file->capacity = 2 * file->capacity + 256;
        file->entries = realloc(file->entries, file->capacity * sizeof *file->entries);
        if (!file->entries)
            abort();
    }
    file->entries[file->count++] = *entry;
}

/* The name of a row with the word in the place of its star. */
static bool name_entry(struct entry *entry, const char *row, const char *word)
{
    const char *const star = strchr(row, '*');
    const int length = star ? snprintf(entry->name, sizeof entry->name, "%.*s%s%s", (int)(star - row), row, word,
                                       star + 1) : 0;
    return length > 0 && (size_t)length < sizeof entry->name;
}

static bool add_line(struct digest_file *file, char *line)
{
    static const char blanks[] = " \n";
    char *rest, *const row = strtok_r(line, blanks, &rest), *pair = row ? strtok_r(NULL, blanks, &rest) : NULL;
    if (!row || *row == '#')
        return true;
    bool good = pair;
    for (; good && pair; pair = strtok_r(NULL, blanks, &rest)) {
        struct entry entry;
        char *const equals = strchr(pair, '='), *const digits = equals ? equals + 1 : pair, *end;
        if (equals)
            *equals = '\0';
        else
            snprintf(entry.name, sizeof entry.name, "%s", row);
        entry.digest = strtoull(digits, &end, 16);
        good = *digits && !*end && (!equals || name_entry(&entry, row, pair));
        if (good)
            add(file, &entry);
    }
    return good;
}

struct digest_file *digest_file_read(const char *path)
{
    char line[1024];
    bool good = true;
    FILE *stream = fopen(path, "r");
    struct digest_file *file = calloc(1, sizeof *file);
    if (!stream || !file) {
        free(file);
        return NULL;
    }
    while (good && fgets(line, sizeof line, stream))
        good = add_line(file, line);
    fclose(stream);
    if (!good) {
        digest_file_free(file);
        errno = EINVAL;
        return NULL;
    }
    qsort(file->entries, file->count, sizeof *file->entries, compare_entries);
    return file;
}

void digest_file_free(struct digest_file *file)
{
    free(file->entries);
    free(file);
}

bool digest_file_find(const struct digest_file *file, const char *name, uint64_t *digest)
{
    struct entry wanted, *found;
    snprintf(wanted.name, sizeof wanted.name, "%s", name);
    found = bsearch(&wanted, file->entries, file->count, sizeof *file->entries, compare_entries);
    if (found)
        *digest = found->digest;
    return found != NULL;
}

bool digest_file_report(const struct digest_file *kept, const char *name, uint64_t digest)
{
    uint64_t wanted;
    if (!kept) {
        printf("%-28s %016llx\n", name, (unsigned long long)digest);
        return true;
    }
    if (!digest_file_find(kept, name, &wanted)) {
        printf("%s: no digest kept\n", name);
        return false;
    }
    if (wanted != digest)
        printf("%s: %016llx, kept was %016llx\n", name, (unsigned long long)digest,
               (unsigned long long)wanted);
    return wanted == digest;
}

static bool is_service_wanted(void)
{
    return getenv("DIGESTS_SERVICE") != NULL;
}

void digests_offer_service(void)
{
    if (is_service_wanted())
        service_offer();
}

bool digests_are_served(void)
{
    return !is_service_wanted() || link_socket() >= 0;
}
