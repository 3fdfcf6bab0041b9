/* cusolver_bodies.h - everything of one type; ends its macros. */
#include "emulated_driver/cusolver_eigen32.h"
#include "emulated_driver/cusolver_reflectors32.h"
#undef TYPE
#undef REAL
#undef SYMMETRIC
#undef ORTHOGONAL
#undef PLAIN
