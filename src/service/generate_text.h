/* generate_text.h - the texts of parameters in driver.def and solver.def, for the two programs that the build
 * runs. */
#ifndef MUBLAS_GENERATE_TEXT_H
#define MUBLAS_GENERATE_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETERS_MOST = 32, WORD_MOST = 64 };

/* Takes the blanks at both ends away. */
static inline void trim(char *text)
{
    size_t length = strlen(text), blanks = strspn(text, " ");
    memmove(text, text + blanks, length - blanks + 1);
    length -= blanks;
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

/* Takes the word out of the text; false: it is not there. */
static inline bool take_word(char *text, const char *word)
{
    char *const found = strstr(text, word);
    if (!found)
        return false;
    memmove(found, found + strlen(word), strlen(found + strlen(word)) + 1);
    return true;
}

/* Takes the name at the end of a parameter out of the text, which then is its type. False: it is too long. */
static inline bool take_name(char *text, char name[WORD_MOST])
{
    char *at = text + strlen(text);
    while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        at--;
    if (strlen(at) >= WORD_MOST)
        return false;
    strcpy(name, at);
    *at = '\0';
    trim(text);
    return true;
}

#endif
