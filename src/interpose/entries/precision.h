/* precision.h - the type and integer width of a part of blas_entries.inc. Define one of
 * PRECISION_S, _D, _C, _Z, and INTEGER_BITS as 32 or 64, before including this, any
 * number of times; it leaves
 *   SCALAR           the C type of an element
 *   ELEMENT_TYPE     its enum blas_type
 *   REAL_SCALAR      the real type of its precision
 *   IS_COMPLEX       1 or 0
 *   PRECISION(base)  base with the type's letter in front: PRECISION(trmv) is dtrmv
 *   PACK_SCALAR(v)   a SCALAR as a union blas_scalar, PACK_REAL(v) a REAL_SCALAR
 *   INTEGER          an integer of the caller's BLAS
 * and the names that the bodies use. */

#undef SCALAR
#undef ELEMENT_TYPE
#undef REAL_SCALAR
#undef IS_COMPLEX
#undef PACK_REAL
#undef PRECISION_LETTER
#undef PACK_SCALAR
#undef INTEGER

#if defined PRECISION_S
#define SCALAR float
#define REAL_SCALAR float
#define ELEMENT_TYPE TYPE_S
#define PRECISION_LETTER s
#define PACK_SCALAR(value) ((union blas_scalar){.s = (value)})
#elif defined PRECISION_D
#define SCALAR double
#define REAL_SCALAR double
#define ELEMENT_TYPE TYPE_D
#define PRECISION_LETTER d
#define PACK_SCALAR(value) ((union blas_scalar){.d = (value)})
#elif defined PRECISION_C
#define SCALAR float _Complex
#define REAL_SCALAR float
#define ELEMENT_TYPE TYPE_C
#define PRECISION_LETTER c
#define PACK_SCALAR(value) ((union blas_scalar){.c = {__real__(value), __imag__(value)}})
#elif defined PRECISION_Z
#define SCALAR double _Complex
#define REAL_SCALAR double
#define ELEMENT_TYPE TYPE_Z
#define PRECISION_LETTER z
#define PACK_SCALAR(value) ((union blas_scalar){.z = {__real__(value), __imag__(value)}})
#else
#error "define PRECISION_S, PRECISION_D, PRECISION_C or PRECISION_Z"
#endif

#if defined PRECISION_S || defined PRECISION_D
#define IS_COMPLEX 0
#define PACK_REAL(value) PACK_SCALAR(value)
#else
#define IS_COMPLEX 1
#define PACK_REAL(value) PACK_SCALAR((SCALAR)(value))
#endif

#if INTEGER_BITS == 32
#define INTEGER int32_t
#elif INTEGER_BITS == 64
#define INTEGER int64_t
#else
#error "define INTEGER_BITS as 32 or 64"
#endif

#ifndef MUBLAS_PRECISION_H
#define MUBLAS_PRECISION_H

#define JOIN_EXPANDED(left, middle, right) left##middle##right
#define JOIN(left, middle, right) JOIN_EXPANDED(left, middle, right)

#define PRECISION(base) JOIN(PRECISION_LETTER, base, )
/* A static name of this inclusion: LOCAL(pack, ROUTINE) is pack32_dgemv. */
#define LOCAL(kind, base) JOIN(JOIN(kind, INTEGER_BITS, _), PRECISION_LETTER, base)

#endif
