/* generate_words.h - the words of routines.def's signatures, for the two programs that the build runs. */
#ifndef MUBLAS_GENERATE_WORDS_H
#define MUBLAS_GENERATE_WORDS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MOST = 32, NAME_MOST = 16 };

/* Ends the program with a line on the word of this row. */
static inline void refuse(const char *row, const char *word)
{
    fprintf(stderr, "routines.def, row %s: '%s' cannot be read\n", row, word);
    exit(1);
}

/* Is it one of the list's words, which have a blank between? */
static inline bool is_one_of(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (const char *found = list; (found = strstr(found, word)) != NULL; found++)
        if ((found == list || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

#endif
