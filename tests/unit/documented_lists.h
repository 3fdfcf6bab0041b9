/* documented_lists.h - the argument lists of the parallel routines as ScaLAPACK and the PBLAS document them, by
 * hand: what tests hold routines.def against. */
#ifndef MUBLAS_TESTS_DOCUMENTED_LISTS_H
#define MUBLAS_TESTS_DOCUMENTED_LISTS_H

#include "lapack/families.h"
#include "scalapack/grid.h"

#include <string.h>

/* `matrices`: letter, rows, columns (o: by SIDE), flag or -, and r read, u updated, w written. The Fortran
 * comments of ScaLAPACK 2.2 and the PBLAS are the source. */
static const struct documented {
    const char *types, *name, *arguments, *matrices;
    int kind, family;
} documented[] = {
    {"sd", "syev", "JOBZ UPLO N A IA JA DESCA W Z IZ JZ DESCZ WORK LWORK INFO", "A n n uplo r, Z n n - w",
     KIND_EIGEN, LAPACK_SYEV},
    {"cz", "heev", "JOBZ UPLO N A IA JA DESCA W Z IZ JZ DESCZ WORK LWORK RWORK LRWORK INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEV},
    {"sd", "syevd", "JOBZ UPLO N A IA JA DESCA W Z IZ JZ DESCZ WORK LWORK IWORK LIWORK INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVD},
    {"cz", "heevd", "JOBZ UPLO N A IA JA DESCA W Z IZ JZ DESCZ WORK LWORK RWORK LRWORK IWORK LIWORK INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVD},
    {"sd", "syevr",
     "JOBZ RANGE UPLO N A IA JA DESCA VL VU IL IU M NZ W Z IZ JZ DESCZ WORK LWORK IWORK LIWORK INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVR},
    {"cz", "heevr",
     "JOBZ RANGE UPLO N A IA JA DESCA VL VU IL IU M NZ W Z IZ JZ DESCZ WORK LWORK RWORK LRWORK IWORK LIWORK "
     "INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVR},
    {"sd", "syevx",
     "JOBZ RANGE UPLO N A IA JA DESCA VL VU IL IU ABSTOL M NZ W ORFAC Z IZ JZ DESCZ WORK LWORK IWORK LIWORK "
     "IFAIL ICLUSTR GAP INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVX},
    {"cz", "heevx",
     "JOBZ RANGE UPLO N A IA JA DESCA VL VU IL IU ABSTOL M NZ W ORFAC Z IZ JZ DESCZ WORK LWORK RWORK LRWORK "
     "IWORK LIWORK IFAIL ICLUSTR GAP INFO",
     "A n n uplo r, Z n n - w", KIND_EIGEN, LAPACK_SYEVX},
    {"sd", "sygvx",
     "IBTYPE JOBZ RANGE UPLO N A IA JA DESCA B IB JB DESCB VL VU IL IU ABSTOL M NZ W ORFAC Z IZ JZ DESCZ WORK "
     "LWORK IWORK LIWORK IFAIL ICLUSTR GAP INFO",
     "A n n uplo r, B n n uplo u, Z n n - w", KIND_EIGEN, LAPACK_SYGVX},
    {"cz", "hegvx",
     "IBTYPE JOBZ RANGE UPLO N A IA JA DESCA B IB JB DESCB VL VU IL IU ABSTOL M NZ W ORFAC Z IZ JZ DESCZ WORK "
     "LWORK RWORK LRWORK IWORK LIWORK IFAIL ICLUSTR GAP INFO",
     "A n n uplo r, B n n uplo u, Z n n - w", KIND_EIGEN, LAPACK_SYGVX},
    {"sdcz", "potrf", "UPLO N A IA JA DESCA INFO", "A n n uplo u", KIND_FACTOR, LAPACK_POTRF},
    {"sdcz", "potri", "UPLO N A IA JA DESCA INFO", "A n n uplo u", KIND_FACTOR, LAPACK_POTRI},
    {"sdcz", "potrs", "UPLO N NRHS A IA JA DESCA B IB JB DESCB INFO", "A n n uplo r, B n nrhs - u", KIND_FACTOR,
     LAPACK_POTRS},
    {"sdcz", "trtri", "UPLO DIAG N A IA JA DESCA INFO", "A n n uplo u", KIND_FACTOR, LAPACK_TRTRI},
    {"sdcz", "getrf", "M N A IA JA DESCA IPIV INFO", "A m n - u", KIND_FACTOR, LAPACK_GETRF},
    {"sdcz", "getrs", "TRANS N NRHS A IA JA DESCA IPIV B IB JB DESCB INFO", "A n n - r, B n nrhs - u",
     KIND_FACTOR, LAPACK_GETRS},
    {"sd", "sygst", "IBTYPE UPLO N A IA JA DESCA B IB JB DESCB SCALE INFO", "A n n uplo u, B n n uplo r",
     KIND_REDUCTION, LAPACK_SYGST},
    {"cz", "hegst", "IBTYPE UPLO N A IA JA DESCA B IB JB DESCB SCALE INFO", "A n n uplo u, B n n uplo r",
     KIND_REDUCTION, LAPACK_SYGST},
    {"sd", "syngst", "IBTYPE UPLO N A IA JA DESCA B IB JB DESCB SCALE WORK LWORK INFO",
     "A n n uplo u, B n n uplo r", KIND_REDUCTION, LAPACK_SYGST},
    {"cz", "hengst", "IBTYPE UPLO N A IA JA DESCA B IB JB DESCB SCALE WORK LWORK INFO",
     "A n n uplo u, B n n uplo r", KIND_REDUCTION, LAPACK_SYGST},
    {"sdcz", "gemm", "TRANSA TRANSB M N K ALPHA A IA JA DESCA B IB JB DESCB BETA C IC JC DESCC",
     "A m k trans r, B k n transb r, C m n - u", KIND_PRODUCT, FAMILY_GEMM},
    {"sdcz", "symm", "SIDE UPLO M N ALPHA A IA JA DESCA B IB JB DESCB BETA C IC JC DESCC",
     "A o o uplo r, B m n - r, C m n - u", KIND_PRODUCT, FAMILY_SYMM},
    {"cz", "hemm", "SIDE UPLO M N ALPHA A IA JA DESCA B IB JB DESCB BETA C IC JC DESCC",
     "A o o uplo r, B m n - r, C m n - u", KIND_PRODUCT, FAMILY_HEMM},
    {"sdcz", "syrk", "UPLO TRANS N K ALPHA A IA JA DESCA BETA C IC JC DESCC", "A n k trans r, C n n uplo u",
     KIND_PRODUCT, FAMILY_SYRK},
    {"cz", "herk", "UPLO TRANS N K ALPHA A IA JA DESCA BETA C IC JC DESCC", "A n k trans r, C n n uplo u",
     KIND_PRODUCT, FAMILY_HERK},
    {"sdcz", "trmm", "SIDE UPLO TRANS DIAG M N ALPHA A IA JA DESCA B IB JB DESCB", "A o o uplo r, B m n - u",
     KIND_PRODUCT, FAMILY_TRMM},
    {"sdcz", "trsm", "SIDE UPLO TRANS DIAG M N ALPHA A IA JA DESCA B IB JB DESCB", "A o o uplo r, B m n - u",
     KIND_PRODUCT, FAMILY_TRSM},
};
enum { DOCUMENTED = sizeof documented / sizeof *documented };

/* The row of "pdsyevd", say; NULL: it is not in the list. */
static inline const struct documented *documented_find(const char *name)
{
    for (int i = 0; i < DOCUMENTED; i++)
        if (strcmp(name + 2, documented[i].name) == 0 && strchr(documented[i].types, name[1]))
            return &documented[i];
    return NULL;
}

/* The place of a word in a list, from 1; 0: the list has no such word. */
static inline int documented_place(const char *list, const char *word)
{
    const size_t length = strlen(word);
    int place = 1;
    for (const char *at = list; *at; place++) {
        const size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return place;
        at += here;
        at += *at == ' ';
    }
    return 0;
}

#endif
