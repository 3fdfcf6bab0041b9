/* library_search.h - where glibc's loader finds a library, looked up without running
 * it. Left out of its rules: the "legacy" capability folders of glibc before 2.37 and
 * the audit interface. */
#ifndef MUBLAS_LIBRARY_SEARCH_H
#define MUBLAS_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* What the searched file must be for. */
struct library_kind {
    bool is_64bit;
    uint16_t machine; /* EM_* */
};

/* `text` with $ORIGIN, $LIB and $PLATFORM put in; to be freed. NULL: out of memory. */
char *library_search_expand(const char *text, const char *origin);

/* `name` in a list of folders separated by ":" or ";" (an empty one is the present
 * folder); `origin` stands for $ORIGIN in them. A path to be freed, or NULL. */
char *library_search_list(const char *list, const char *origin, const char *name, struct library_kind kind);

/* The same by the loader's cache, and in the folders that it searches by default. */
char *library_search_cache(const char *name, struct library_kind kind);
char *library_search_default(const char *name, struct library_kind kind);

#endif
