/* exit_status.h - exit statuses that commands share (mublas(1)). */
#ifndef MUBLAS_EXIT_STATUS_H
#define MUBLAS_EXIT_STATUS_H

enum { EXIT_BAD_COMMAND_LINE = 2, EXIT_NO_DEVICE = 3 };

#endif
