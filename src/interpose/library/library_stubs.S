/* The symbols of forward.S as libmublas.so has them. */
#define WHOLE_LIBRARY
#include "interpose/entries/forward.S"
