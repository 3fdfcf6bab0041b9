/* precision.h - the type and integer width of one inclusion of level*.inc. Define
 * PRECISION_S or PRECISION_D, and INTEGER_WIDTH as 32 or 64, before including this, any
 * number of times; it leaves
 *   SCALAR           the C type of an element
 *   SCALAR_MEMBER    its member of union blas_scalar
 *   ELEMENT_TYPE     its enum blas_type
 *   PRECISION(base)  base with the type's letter in front: PRECISION(symv) is dsymv
 * and, made of these, the names that the bodies use. */

#undef SCALAR
#undef SCALAR_MEMBER
#undef ELEMENT_TYPE
#undef PRECISION

#if defined PRECISION_S
#define SCALAR float
#define SCALAR_MEMBER s
#define ELEMENT_TYPE TYPE_S
#define PRECISION(base) s##base
#elif defined PRECISION_D
#define SCALAR double
#define SCALAR_MEMBER d
#define ELEMENT_TYPE TYPE_D
#define PRECISION(base) d##base
#else
#error "define PRECISION_S or PRECISION_D"
#endif

#ifndef MUBLAS_PRECISION_H
#define MUBLAS_PRECISION_H

#define JOIN_EXPANDED(left, right) left##right
#define JOIN(left, right) JOIN_EXPANDED(left, right)

/* An integer of the caller's BLAS: int32_t or int64_t. */
#define INTEGER JOIN(JOIN(int, INTEGER_WIDTH), _t)

/* Of one type and width: */
#define VARIANT(what, base) JOIN(JOIN(what, INTEGER_WIDTH), JOIN(_, PRECISION(base)))
#define SIGNATURE(base) VARIANT(signature, base) /* function type */
#define PACK(base) VARIANT(pack, base)           /* check the arguments, fill a blas_call */
#define PERFORM(base) VARIANT(perform, base)     /* run a legal call, false if it is none */

/* The scalar argument `value` as a union blas_scalar. */
#define PACK_SCALAR(value) ((union blas_scalar){.SCALAR_MEMBER = (value)})

#endif
