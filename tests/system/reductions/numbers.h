/* numbers.h - matrices of the four types for programs that call LAPACK's reductions: elements as complex
 * numbers of double precision, memory that shows what was written. */
#ifndef MUBLAS_TESTS_NUMBERS_H
#define MUBLAS_TESTS_NUMBERS_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

typedef double complex number;

bool type_is_single(char type);
bool type_is_complex(char type);
size_t type_bytes(char type);      /* of an element */
double type_epsilon(char type);

/* Columns of `ld` elements, of which the first `rows` are the matrix's. What was not set is NaN. */
struct matrix {
    char type; /* s d c z */
    int rows, columns, ld;
    unsigned char *memory, *before; /* `before`: as it was at matrix_remember */
};

struct matrix matrix_make(char type, int rows, int columns, int gap);
void matrix_free(struct matrix *matrix);
number matrix_get(const struct matrix *matrix, int row, int column);
void matrix_set(struct matrix *matrix, int row, int column, number value);
void matrix_remember(struct matrix *matrix);
number matrix_before(const struct matrix *matrix, int row, int column);

/* Is everything outside `part` as it was, bit for bit? U, L: a triangle with the diagonal; F: all elements;
 * N: none. */
bool matrix_is_untouched(const struct matrix *matrix, char part);

/* Random elements, in modulus about 1; of the type. */
number random_number(char type);
void matrix_fill(struct matrix *matrix, char part);

/* The Hermitian matrix of the triangle, the remembered one or the present. */
number hermitian_get(const struct matrix *matrix, char uplo, bool before, int row, int column);

/* Real number of a type's precision. */
double real_get(char type, const void *reals, int index);

/* Counted and printed as TAP; `what` as printf has it. */
void test(bool passed, const char *what, ...) __attribute__((format(printf, 2, 3)));
int tests_end(void);

#endif
