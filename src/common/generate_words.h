/* generate_words.h - the words of signatures in the tables of routines, for the two programs that the build
 * runs. */
#ifndef MUBLAS_GENERATE_WORDS_H
#define MUBLAS_GENERATE_WORDS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MOST = 32, NAME_MOST = 16, ROW_MOST = 512 };

/* Ends the program with a line on the word of this row. */
static inline void refuse(const char *row, const char *word)
{
    fprintf(stderr, "routines.def, row %s: '%s' cannot be read\n", row, word);
    exit(1);
}

/* For strtok_r. */
static inline void copy_signature(const char *row, const char *signature, char copy[ROW_MOST])
{
    if (strlen(signature) >= ROW_MOST)
        refuse(row, signature);
    strcpy(copy, signature);
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
