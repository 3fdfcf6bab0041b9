/* What sets libblas64.so.3 apart from libblas.so.3. */
#include "interpose/host_search.h"

bool host_search_wide = true;
