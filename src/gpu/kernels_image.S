/* mublas_kernels_image: the fatbin of the kernels (named by MUBLAS_KERNELS_IMAGE),
 * or, where the build had no nvcc, a line of text that starts with "mublas:". */
	.section .rodata
	.balign 64
	.hidden mublas_kernels_image
	.globl mublas_kernels_image
	.type mublas_kernels_image, %object
mublas_kernels_image:
#ifdef MUBLAS_KERNELS_IMAGE
	.incbin MUBLAS_KERNELS_IMAGE
#else
	.ascii "mublas: built without nvcc, no kernels"
#endif
	.byte 0
	.size mublas_kernels_image, . - mublas_kernels_image
	.section .note.GNU-stack, "", %progbits
