/* transfer.h - the engine of staging.c: rows of program memory through a lane's
 * pinned staging, in pieces, packing one piece while another is on its way; long ones with helpers
 * (shared_transfer.h). */
#ifndef MUBLAS_TRANSFER_H
#define MUBLAS_TRANSFER_H

#include "gpu/lane.h"

#include <stdbool.h>

/* Of row r only the bytes [low + r * low_step, high + r * high_step) are the program's to be read or
 * written: others may lie in memory that cannot even be read. */
struct clip {
    size_t low, low_step, high, high_step;
};

/* `height` rows of `width` bytes between program memory and the device. Rows of a
 * vector with negative increment go backwards on the host, so its pitch is signed. */
struct transfer {
    struct lane *lane;
    CUdeviceptr device;
    size_t device_pitch;
    unsigned char *host;
    ptrdiff_t host_pitch;
    size_t width, height;
    const struct clip *clip; /* NULL: whole rows */
    bool *touched;
};

/* Pack and queue; all of the host's rows have been read on return. Of what the clip leaves out
 * the device's bytes are undefined. The pitches are changed where rows join. */
enum status transfer_upload(struct transfer *transfer);

/* Complete on return. Waits for everything queued on the stream before. */
enum status transfer_download(struct transfer *transfer);

/* Several of one lane, one after the other or with helpers at once; the first failure ends it. On a thread of
 * mublas' own STATUS_INACCESSIBLE, with nothing done: memory that the program's thread alone may touch. */
enum { TRANSFER_TOGETHER_MOST = 16 };
enum status transfer_upload_all(struct transfer *transfers, unsigned count);
enum status transfer_download_all(struct transfer *transfers, unsigned count);

/* By the calling thread alone. */
enum status transfer_upload_alone(struct transfer *transfer);
enum status transfer_download_alone(struct transfer *transfer);

/* All rows to and from memory where they follow each other without gaps; the clip is not looked at. */
void transfer_pack(void *packed, const struct transfer *transfer);
void transfer_unpack(const struct transfer *transfer, const void *packed);

#endif
