/* library_search.h - finds a library as glibc's loader does, without running it. It does not know the
 * "legacy" capability folders of glibc before 2.37 and the audit interface. */
#ifndef MUBLAS_LIBRARY_SEARCH_H
#define MUBLAS_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The machine that the file must be for. */
struct library_kind {
    bool is_64bit;
    uint16_t machine; /* EM_* */
};

/* `text` with the values of $ORIGIN, $LIB and $PLATFORM; to be freed. NULL: out of memory. */
char *library_search_expand(const char *text, const char *origin);

/* Searches a list of folders separated by ":" or ";" (an empty one is the present folder), in which `origin`
 * stands for $ORIGIN. Returns a path to be freed, or NULL. */
char *library_search_list(const char *list, const char *origin, const char *name, struct library_kind kind);

/* The same in the loader's cache, and in the folders that it searches by default. */
char *library_search_cache(const char *name, struct library_kind kind);
char *library_search_default(const char *name, struct library_kind kind);

#endif
