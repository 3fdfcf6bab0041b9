/* elf_symbols.h - the part of elf_object.h that reads symbols and relocations. */
#ifndef MUBLAS_ELF_SYMBOLS_H
#define MUBLAS_ELF_SYMBOLS_H

#include "command/inspect/elf_object.h"

#include <libelf.h>

/* Fill in `uses` and what else the symbols tell. NULL, or why they cannot be read. */
const char *elf_symbols_read(Elf *elf, struct elf_object *object);

#endif
