/* stedc_sections.h - what stedc.c tests of a type besides solutions. True: all is right. */
#ifndef MUBLAS_TESTS_STEDC_SECTIONS_H
#define MUBLAS_TESTS_STEDC_SECTIONS_H

#include "../random.h"

bool stedc_query(char type);                          /* workspace queries answer as the host's */
bool stedc_refuse(char type);                         /* illegal arguments are LAPACK's to name */
bool stedc_numbers(char type, struct random *random); /* not finite, or near overflow or underflow */

#endif
