/* digest_file.h - the kept digests: lines of "name digest", rows of them as digest_table.awk makes them, # comments. */
#ifndef MUBLAS_DIGEST_FILE_H
#define MUBLAS_DIGEST_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct digest_file; /* opaque */

/* NULL, with errno set, when the file cannot be read; a malformed line is EINVAL. */
struct digest_file *digest_file_read(const char *path);
void digest_file_free(struct digest_file *file);

/* False when the file has no such name. */
bool digest_file_find(const struct digest_file *file, const char *name, uint64_t *digest);

/* Print the line of a result, or, where there are kept digests, what is wrong with it beside them. False: it
 * differs, or none is kept. */
bool digest_file_report(const struct digest_file *kept, const char *name, uint64_t digest);

/* With DIGESTS_SERVICE=1 in the environment the device is a service's: before it wakes, and then whether it is. */
void digests_offer_service(void);
bool digests_are_served(void);

#endif
