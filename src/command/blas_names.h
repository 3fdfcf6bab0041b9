/* blas_names.h - the symbols that mublas answers for, for those who look at programs.
 *
 * A name is numbered from 0 to blas_names_count() - 1, family by family; a family is
 * one interface (Fortran or CBLAS, with its prefix and suffix). */
#ifndef MUBLAS_BLAS_NAMES_H
#define MUBLAS_BLAS_NAMES_H

#include <stdbool.h>

enum { BLAS_NAME_NONE = -1 };

int blas_names_count(void);

/* The number of an exact symbol, or BLAS_NAME_NONE. */
int blas_names_find(const char *symbol);

/* The symbol itself. Static storage. */
const char *blas_names_symbol(int name);

/* True for routines that mublas can run on the device. */
bool blas_names_is_offloaded(int name);

int blas_families_count(void);
int blas_names_family(int name);

/* Such as "Fortran names NAME_64_, 64-bit integers". Static storage. */
const char *blas_family_description(int family);

#endif
