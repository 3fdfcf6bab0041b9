/* symbol_index.h - find a BLAS symbol of symbols.def by its exported name. */
#ifndef MUBLAS_SYMBOL_INDEX_H
#define MUBLAS_SYMBOL_INDEX_H

/* An enum symbol, or -1 for other names. Thread-safe. */
int symbol_index_find(const char *name);

#endif
