/* A library that brings BLAS along, has matrices in its own memory, and goes again. */
#include "blas_program.h"

enum { SIZE = 96 };

int passing_calls(const double *matrix, int n);
double *passing_matrix(void);

static double zeroed[SIZE * SIZE];              /* pages of nobody's file */
static double initialised[SIZE * SIZE] = {1};   /* pages of the library's file */

double *passing_matrix(void)
{
    return zeroed;
}

static int calls_right(const double *matrix, int n)
{
    int right = 0;
    for (int routine = 0; routine < SSYMV; routine++)
        right += call_is_right((enum routine_under_test)routine, matrix, n, n, n, 1.5, 0.5, routine);
    return right;
}

/* Calls on `matrix` and on its own: how many are right, of 8 or with a matrix of 12. */
int passing_calls(const double *matrix, int n)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        zeroed[i] = initialised[i] = (double)(i * 37 % 63) / 32 + zeroed[i] / 4;
    return calls_right(zeroed, SIZE) + calls_right(initialised, SIZE) + (matrix ? calls_right(matrix, n) : 0);
}
