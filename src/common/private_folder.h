/* private_folder.h - folders and files of this user and nobody else's, in places that others write to.
 *
 * Whoever may write /tmp may leave a folder, a link or a socket there under a name that is expected. So links are not
 * followed, and owner and rights are looked at behind the open descriptor, never by name. Thread-safe. */
#ifndef MUBLAS_PRIVATE_FOLDER_H
#define MUBLAS_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Is the open file of this kind (S_IFREG, S_IFDIR), of this user, and without rights of others? */
bool private_file_is(int file, mode_t kind);

/* XDG_RUNTIME_DIR, where that is the user's alone, or /tmp. */
const char *private_folder_place(void);

/* Opens a folder of this user and nobody else's. -1: errno says why. The caller closes it. */
int private_folder_open(const char *path);

#endif
