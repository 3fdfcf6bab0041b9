/* roof_image: the fatbin of roof.cu (named by MUBLAS_ROOF_IMAGE), or, where the build had
 * no nvcc, a line of text that starts with "mublas:". */
	.section .rodata
	.balign 64
	.hidden roof_image
	.globl roof_image
	.type roof_image, %object
roof_image:
#ifdef MUBLAS_ROOF_IMAGE
	.incbin MUBLAS_ROOF_IMAGE
#else
	.ascii "mublas: built without nvcc, no roof"
#endif
	.byte 0
	.size roof_image, . - roof_image
	.section .note.GNU-stack, "", %progbits
