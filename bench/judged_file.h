/* judged_file.h - the calls and times of an earlier run of bench/crossovers, from its output file: by them
 * another recipe of the same machine can be judged, on any machine. */
#ifndef MUBLAS_BENCH_JUDGED_FILE_H
#define MUBLAS_BENCH_JUDGED_FILE_H

#include "judged_calls.h"

/* The first line of such a file. */
extern const char judged_file_header[];

/* Those of routine r go to judged[r * count] and after; what there are fewer of gets infinite times. Their
 * rounds count, however they were summed up then. False: complained, in one line that begins with `who` and
 * names the file and the line. */
bool judged_file_read(const char *path, const char *who, int count, struct judged_call *judged);

#endif
