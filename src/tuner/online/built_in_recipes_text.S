/* The recipes that come with mublas: each made by `mublas tune` on its device and
 * listed in local.mk. */
	.section .rodata
	.hidden mublas_built_in_recipes
	.globl mublas_built_in_recipes
	.type mublas_built_in_recipes, %object
mublas_built_in_recipes:
	.incbin MUBLAS_RECIPES
	.size mublas_built_in_recipes, . - mublas_built_in_recipes
	.hidden mublas_built_in_recipes_end
	.globl mublas_built_in_recipes_end
mublas_built_in_recipes_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
