/* The symbols of stubs.S as libmublas.so has them. */
#define WHOLE_LIBRARY
#include "scalapack/stubs.S"
