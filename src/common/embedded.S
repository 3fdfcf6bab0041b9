/* Files that the library carries. */

	.macro begin_file name
	.hidden \name
	.globl \name
	.type \name, %object
\name:
	.endm

	.section .rodata
	.balign 64

/* The fatbin of the kernels (named by MUBLAS_KERNELS_IMAGE), or, where the build had no nvcc, a line of text
 * that starts with "mublas:". */
	begin_file mublas_kernels_image
#ifdef MUBLAS_KERNELS_IMAGE
	.incbin MUBLAS_KERNELS_IMAGE
#else
	.ascii "mublas: built without nvcc, no kernels"
#endif
	.byte 0
	.size mublas_kernels_image, . - mublas_kernels_image

/* The recipes that come with mublas: each made by `mublas tune` on its device and listed in tuner/local.mk. */
	begin_file mublas_built_in_recipes
	.incbin MUBLAS_RECIPES
	.size mublas_built_in_recipes, . - mublas_built_in_recipes
	begin_file mublas_built_in_recipes_end
	.byte 0
	.section .note.GNU-stack, "", %progbits
