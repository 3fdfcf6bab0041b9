/* interfaces.h - the forms in which BLAS libraries export a routine.
 *
 * FORTRAN_INTERFACES(ROW, arguments) and CBLAS_INTERFACES(ROW, arguments) expand to
 *   ROW(prefix, suffix, width, arguments)
 * once per form; the exported symbol is prefix##name##suffix. width, the bits of an
 * integer argument, is 32, 64, or DETECTED: the name does not tell, the library does.
 * NAME_64_ and cblas_NAME64_ are OpenBLAS's 64-bit names, cblas_NAME_64 is the
 * reference's (3.12); NumPy's and SciPy's wheels have scipy_ in front.
 * LAPACK_INTERFACES has LAPACK's, which are the Fortran forms again: a program may have its LAPACK from
 * another library than its BLAS. */
#ifndef MUBLAS_INTERFACES_H
#define MUBLAS_INTERFACES_H

#define FORTRAN_INTERFACES(ROW, ...)      \
    ROW(, _, DETECTED, __VA_ARGS__)       \
    ROW(, _64_, 64, __VA_ARGS__)          \
    ROW(scipy_, _, 32, __VA_ARGS__)       \
    ROW(scipy_, _64_, 64, __VA_ARGS__)

#define LAPACK_INTERFACES FORTRAN_INTERFACES

#define CBLAS_INTERFACES(ROW, ...)        \
    ROW(cblas_, , DETECTED, __VA_ARGS__)  \
    ROW(cblas_, 64_, 64, __VA_ARGS__)     \
    ROW(cblas_, _64, 64, __VA_ARGS__)     \
    ROW(scipy_cblas_, , 32, __VA_ARGS__)  \
    ROW(scipy_cblas_, 64_, 64, __VA_ARGS__)

#endif
