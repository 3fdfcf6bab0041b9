/* A part of a LAPACK, made of another with 32-bit integers: of the library that WHOLE_LAPACK names.
 * -DHAS_dsyevd...: it has these routines and no other. -DINTEGER=long: its integers have 64 bits.
 * -DPREFIX=scipy_ -DSUFFIX=_64_: its names are written so. -DAPART, with -D_GNU_SOURCE: the BLAS that is in
 * the process by plain names is not for the other. Not instrumented: it hands on more words of the stack than
 * routines take. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef INTEGER
#define INTEGER int
#endif
#ifndef SUFFIX
#define PREFIX
#define SUFFIX _
#endif
#define JOIN(prefix, routine, suffix) prefix##routine##suffix
#define JOIN_EXPANDED(prefix, routine, suffix) JOIN(prefix, routine, suffix)

#define WORDS                                                                                                   \
    intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h, intptr_t i, \
        intptr_t j, intptr_t k, intptr_t l, intptr_t m, intptr_t n, intptr_t o, intptr_t p, intptr_t q,         \
        intptr_t r, intptr_t s, intptr_t t, intptr_t u, intptr_t v, intptr_t w, intptr_t x
#define WORD_VALUES a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x
enum { WORD_COUNT = 24 };
typedef void any_routine(WORDS);

static any_routine *whole(const char *symbol)
{
    static void *library;
#ifdef APART
    if (!library)
        library = dlmopen(LM_ID_NEWLM, getenv("WHOLE_LAPACK"), RTLD_NOW);
#else
    if (!library)
        library = dlopen(getenv("WHOLE_LAPACK"), RTLD_NOW | RTLD_LOCAL);
#endif
    any_routine *const routine = library ? (any_routine *)dlsym(library, symbol) : NULL;
    if (!routine) {
        fprintf(stderr, "lapack_part: %s\n", dlerror());
        abort();
    }
    return routine;
}

/* From integers of 32 bits to those of the caller, in place. */
static void widen(intptr_t address, int count)
{
    while (count-- > 0) {
        int number;
        memcpy(&number, (const char *)address + count * sizeof number, sizeof number);
        const INTEGER wide = number;
        memcpy((char *)address + count * sizeof wide, &wide, sizeof wide);
    }
}

/* A letter for each argument: the order (n) and other integers (i), those that are answers (o), a workspace
 * of integers whose first is an answer (w), twice as many answers as the order (s), and whatever has no
 * integers (p). */
__attribute__((unused)) static void call_whole(const char *symbol, const char *letters, const intptr_t *given)
{
    int numbers[WORD_COUNT] = {0}, order = 0;
    intptr_t y[WORD_COUNT];
    memcpy(y, given, sizeof y);
    for (int at = 0; letters[at]; at++)
        if (strchr("nio", letters[at])) {
            numbers[at] = (int)*(const INTEGER *)given[at];
            y[at] = (intptr_t)&numbers[at];
            order = letters[at] == 'n' ? numbers[at] : order;
        }
    whole(symbol)(y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8], y[9], y[10], y[11], y[12], y[13],
                  y[14], y[15], y[16], y[17], y[18], y[19], y[20], y[21], y[22], y[23]);
    for (int at = 0; letters[at]; at++)
        if (letters[at] == 'o')
            *(INTEGER *)given[at] = numbers[at];
        else if (letters[at] == 'w' || letters[at] == 's')
            widen(given[at], letters[at] == 'w' ? 1 : 2 * order);
}

#define ROUTINE(name, letters)                                 \
    void JOIN_EXPANDED(PREFIX, name, SUFFIX)(WORDS);           \
    void JOIN_EXPANDED(PREFIX, name, SUFFIX)(WORDS)            \
    {                                                          \
        const intptr_t words[] = {WORD_VALUES};                \
        call_whole(#name "_", letters, words);                 \
    }

#ifdef HAS_dsyevd
ROUTINE(dsyevd, "ppnpippiwio")
#endif
#ifdef HAS_dsyevr
ROUTINE(dsyevr, "pppnpippiipoppispiwio")
#endif
#ifdef HAS_dgeev
ROUTINE(dgeev, "ppnpipppipipio")
#endif
#ifdef HAS_dgebal
ROUTINE(dgebal, "pnpioopo")
ROUTINE(dgebak, "ppniipipio")
#endif
#ifdef HAS_dstev
ROUTINE(dstev, "pnpppipo")
#endif
#ifdef HAS_dstedc
ROUTINE(dstedc, "pnpppipiwio")
#endif
#ifdef HAS_dpotrf
ROUTINE(dpotrf, "pnpio")
#endif
#ifdef HAS_ilaver
ROUTINE(ilaver, "ooo")
#endif
