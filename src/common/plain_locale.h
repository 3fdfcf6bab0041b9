/* plain_locale.h - texts of mublas are the same in every locale: numbers have points and no groups of digits.
 *
 * A program may have set a locale with a decimal comma, for all its threads or for the calling one. Numbers
 * that are not whole are printed and read between the two calls, in one thread; neither call allocates or
 * fails, and errno stays. Nothing of the program's runs in between. */
#ifndef MUBLAS_PLAIN_LOCALE_H
#define MUBLAS_PLAIN_LOCALE_H

#include <locale.h>

/* The calling thread's locale, to be given to plain_locale_end. */
static inline locale_t plain_locale_begin(void)
{
    /* The C library has this one ready: it opens no file for it. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void plain_locale_end(locale_t of_program)
{
    uselocale(of_program);
}

#endif
