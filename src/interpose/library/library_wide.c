/* The symbols that set libblas64.so.3 apart from libblas.so.3. */
#include "host/host_search.h"

bool host_search_wide = true;

extern const char mublas_takes_64_bits_by_plain_names; /* HOST_LIBRARY_WIDE_MARKER */
__attribute__((visibility("default"))) const char mublas_takes_64_bits_by_plain_names = 1;
