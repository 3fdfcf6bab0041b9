/* Apart from the function that counts them, which the tests' programs have no use for. */
#include "interpose/sandbox.h"

atomic_int sandbox_announcements;
