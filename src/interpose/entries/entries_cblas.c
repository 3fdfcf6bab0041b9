/* entries_cblas.c - where calls of CBLAS symbols past the gates of forward.S arrive: one body
 * per routine family (level*.inc), included once per type and integer width. */
#include "interpose/entries/entry.h"
#include "interpose/entries/language_cblas.h"

#define INTEGER_BITS 32
#include "interpose/entries/every_precision.inc"
#undef INTEGER_BITS

#define INTEGER_BITS 64
#include "interpose/entries/every_precision.inc"
