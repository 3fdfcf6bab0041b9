/* plural.h - "1 call", "2 calls". */
#ifndef MUBLAS_PLURAL_H
#define MUBLAS_PLURAL_H

/* What follows a noun that is counted. */
static inline const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

#endif
