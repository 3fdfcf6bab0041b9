/* precision.h - the type of one inclusion of level*.inc. Define PRECISION_S or
 * PRECISION_D before including this, any number of times; it leaves
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

/* An integer of the caller's BLAS. */
#define INTEGER int32_t

#define JOIN_EXPANDED(left, right) left##right
#define JOIN(left, right) JOIN_EXPANDED(left, right)

#define ROUTINE(base) JOIN(ROUTINE_, PRECISION(base))      /* number in routines.h */
#define ENTRY(base) JOIN(entry_, PRECISION(base))          /* what forward.S jumps to */
#define SIGNATURE(base) JOIN(signature_, PRECISION(base))  /* function type */
#define PACK(base) JOIN(pack_, PRECISION(base))            /* check the arguments, fill a blas_call */
#define PERFORM(base) JOIN(perform_, PRECISION(base))      /* run a legal call, false if it is none */
#define HOST(base) ((SIGNATURE(base) *)host_functions[ROUTINE(base)])

/* The scalar argument `value` as a union blas_scalar. */
#define PACK_SCALAR(value) ((union blas_scalar){.SCALAR_MEMBER = (value)})

#endif
