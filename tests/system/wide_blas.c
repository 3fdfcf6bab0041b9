/* Host BLAS libraries with 64-bit integers and with the wheels' names, made of one with 32-bit
 * integers: the library that NARROW_BLAS names. With PLAIN_NAMES: dgemv_ and
 * cblas_dgemv take 64-bit integers, as in Debian's libblas64.so.3; otherwise dgemv_64_,
 * cblas_dgemv64_, cblas_dgemv_64 and the scipy_ names of both widths.
 * Integers that do not fit become the largest or smallest 32-bit one: as illegal as they
 * were, and as good where only one column or element is there to be reached.
 *
 * Words and floating arguments are as interface_call.c says. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The routines and their arguments by the letters of interface_call.h. */
#define ROUTINES                 \
    ROUTINE(dger, "onns1i2i3l")  \
    ROUTINE(isamax, "n1i")       \
    ROUTINE(saxpy, "ns1i2i")     \
    ROUTINE(daxpy, "ns1i2i")     \
    ROUTINE(caxpy, "ns1i2i")     \
    ROUTINE(zaxpy, "ns1i2i")     \
    ROUTINE(sgemv, "otnns1l2is3i") \
    ROUTINE(dgemv, "otnns1l2is3i") \
    ROUTINE(cgemv, "otnns1l2is3i") \
    ROUTINE(zgemv, "otnns1l2is3i") \
    ROUTINE(ssymv, "ouns1l2is3i") \
    ROUTINE(dsymv, "ouns1l2is3i") \
    ROUTINE(chemv, "ouns1l2is3i") \
    ROUTINE(zhemv, "ouns1l2is3i") \
    ROUTINE(sspmv, "ouns12is3i") \
    ROUTINE(dspmv, "ouns12is3i") \
    ROUTINE(chpmv, "ouns12is3i") \
    ROUTINE(zhpmv, "ouns12is3i") \
    ROUTINE(strmv, "outdn1l2i")  \
    ROUTINE(dtrmv, "outdn1l2i")  \
    ROUTINE(ctrmv, "outdn1l2i")  \
    ROUTINE(ztrmv, "outdn1l2i")  \
    ROUTINE(sgemm, "ottnnks1l2ls3l") \
    ROUTINE(dgemm, "ottnnks1l2ls3l") \
    ROUTINE(cgemm, "ottnnks1l2ls3l") \
    ROUTINE(zgemm, "ottnnks1l2ls3l") \
    ROUTINE(ssymm, "oeunns1l2ls3l") \
    ROUTINE(dsymm, "oeunns1l2ls3l") \
    ROUTINE(csymm, "oeunns1l2ls3l") \
    ROUTINE(zsymm, "oeunns1l2ls3l") \
    ROUTINE(chemm, "oeunns1l2ls3l") \
    ROUTINE(zhemm, "oeunns1l2ls3l") \
    ROUTINE(ssyrk, "outnks1ls2l") \
    ROUTINE(dsyrk, "outnks1ls2l") \
    ROUTINE(csyrk, "outnks1ls2l") \
    ROUTINE(zsyrk, "outnks1ls2l") \
    ROUTINE(cherk, "outnkr1lr2l") \
    ROUTINE(zherk, "outnkr1lr2l") \
    ROUTINE(ssyr2k, "outnks1l2ls3l") \
    ROUTINE(dsyr2k, "outnks1l2ls3l") \
    ROUTINE(csyr2k, "outnks1l2ls3l") \
    ROUTINE(zsyr2k, "outnks1l2ls3l") \
    ROUTINE(cher2k, "outnks1l2lr3l") \
    ROUTINE(zher2k, "outnks1l2lr3l") \
    ROUTINE(strmm, "oeutdnns1l2l") \
    ROUTINE(dtrmm, "oeutdnns1l2l") \
    ROUTINE(ctrmm, "oeutdnns1l2l") \
    ROUTINE(ztrmm, "oeutdnns1l2l") \
    ROUTINE(strsm, "oeutdnns1l2l") \
    ROUTINE(dtrsm, "oeutdnns1l2l") \
    ROUTINE(ctrsm, "oeutdnns1l2l") \
    ROUTINE(ztrsm, "oeutdnns1l2l")

#define WORDS                                                                                                   \
    int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h, int64_t i, int64_t j, \
        int64_t k, int64_t l, int64_t m, int64_t n, int64_t o, int64_t p, double x, double y
#define WORD_VALUES a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p

typedef int64_t any_routine(WORDS);

/* The plain names of the narrow library must not be taken for those of this one. */
static void *open_narrow(void)
{
    const char *path = getenv("NARROW_BLAS");
#ifdef PLAIN_NAMES
    void *library = path ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : NULL;
#else
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
#endif
    if (!library) {
        fprintf(stderr, "wide_blas: NARROW_BLAS=%s: %s\n", path ? path : "", path ? dlerror() : "not set");
        abort();
    }
    return library;
}

static any_routine *narrow_routine(const char *symbol)
{
    static void *library;
    if (!library)
        library = open_narrow();
    any_routine *routine = (any_routine *)dlsym(library, symbol);
    if (!routine) {
        fprintf(stderr, "wide_blas: the narrow library has no %s\n", symbol);
        abort();
    }
    return routine;
}

static int64_t narrow(int64_t wide)
{
    return wide > INT_MAX ? INT_MAX : wide < INT_MIN ? INT_MIN : wide;
}

static int64_t call_narrow(const char *symbol, const int64_t *w, double x, double y)
{
    int64_t result = narrow_routine(symbol)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
                                            w[11], w[12], w[13], w[14], w[15], x, y);
    return (int32_t)result;
}

__attribute__((unused)) static int64_t from_fortran(const char *symbol, const char *letters, int64_t *words,
                                                    double x, double y)
{
    int32_t integers[16];
    if (*letters == 'o')
        letters++;
    for (int word = 0; letters[word]; word++)
        if (strchr("nkli", letters[word])) {
            integers[word] = (int32_t)narrow(*(const int64_t *)(intptr_t)words[word]);
            words[word] = (intptr_t)&integers[word];
        }
    return call_narrow(symbol, words, x, y);
}

__attribute__((unused)) static int64_t from_cblas(const char *symbol, const char *letters, int64_t *words,
                                                  double x, double y)
{
    char type = symbol[strlen("cblas_")];
    for (int word = 0; *letters; letters++) {
        if (*letters == 'r' || (*letters == 's' && (type == 's' || type == 'd')))
            continue; /* a floating argument */
        if (strchr("nkli", *letters))
            words[word] = narrow(words[word]);
        word++;
    }
    return call_narrow(symbol, words, x, y);
}

__attribute__((unused)) static int64_t unchanged(const char *symbol, const char *letters, int64_t *words,
                                                 double x, double y)
{
    (void)letters;
    return call_narrow(symbol, words, x, y);
}

#define EXPORT(name, convert, symbol, letters)                        \
    int64_t name(WORDS);                                              \
    int64_t name(WORDS)                                               \
    {                                                                 \
        int64_t words[] = {WORD_VALUES};                              \
        return convert(symbol, letters, words, x, y);                 \
    }

#ifdef PLAIN_NAMES
#define ROUTINE(name, letters)                            \
    EXPORT(name##_, from_fortran, #name "_", letters)     \
    EXPORT(cblas_##name, from_cblas, "cblas_" #name, letters)
#else
#define ROUTINE(name, letters)                                             \
    EXPORT(name##_64_, from_fortran, #name "_", letters)                   \
    EXPORT(scipy_##name##_64_, from_fortran, #name "_", letters)           \
    EXPORT(scipy_##name##_, unchanged, #name "_", letters)                 \
    EXPORT(cblas_##name##64_, from_cblas, "cblas_" #name, letters)         \
    EXPORT(cblas_##name##_64, from_cblas, "cblas_" #name, letters)         \
    EXPORT(scipy_cblas_##name##64_, from_cblas, "cblas_" #name, letters)   \
    EXPORT(scipy_cblas_##name, unchanged, "cblas_" #name, letters)
#endif
ROUTINES
