/* costs.h - what moving, pinning and scanning host memory costs, and from which sizes on a way of doing that
 * pays: the one table from which this layer weighs one way against another. No result depends on it.
 *
 * Behind each figure stands where it was measured. H100: an H100 SXM beside 16 cores, PCIe gen5. H200:
 * an H200's host. A name after that is a program of bench/, with its output in bench/results. */
#ifndef MUBLAS_COSTS_H
#define MUBLAS_COSTS_H

/* Rates, bytes a microsecond: */
#define FIRST_UPLOAD_RATE 8000.0     /* a matrix goes up for the first time, staged (H100) */
#define SCATTERED_UPLOAD_RATE 3000.0 /* pages here and there, staged; 1500 were seen (H100) */
#define REWRITTEN_UPLOAD_RATE 4500.0 /* what the host's threads have just written; 3400 to 4900 (H100) */
#define STAGED_RESULT_RATE 6000.0    /* a result to memory without a pin to be relied on; 5900 (H100) */

/* Times, microseconds: */
#define STAGED_RESULT_US 25.0 /* a staged result is home later than one by DMA (H100, small_results) ... */
#define PIN_US 700.0          /* a pin; 0.3 to 1.6 ms in a running program (H100) ... */
#define REWRITING_US_PER_BYTE (1.5 / 4096) /* the program writes to protected pages, a fault each (H100) */
#define SCAN_REQUEST_US 1.0   /* a scan's system call; each page of 4 KiB 1.1 to 2.6 ns more (H100) */
#define SCAN_NOISE_US 20.0    /* a scan beside a kernel: less than this may be chance */
#define SCAN_HELPER_US 30.0   /* so much scanning is worth another thread: 128 MiB by two took 47 us instead
                               * of 80, 2 GiB by five 0.24 ms instead of 1.4 (H100) */

/* Microseconds a byte: */
#define STAGED_RESULT_US_PER_BYTE 0.12e-3 /* ... and so much for each byte */
#define PIN_US_PER_BYTE 0.04e-3           /* ... and so much for each byte; 26 ms for 512 MiB (H100) */
#define REPIN_US_PER_BYTE 0.03e-3         /* a large pin in place of another: undoing that one, and uploading
                                           * what the new one has made unknown (H200, grown_results) */
#define GATHER_US_PER_BYTE (0.3 / 1024)   /* gathering into huge pages; 0.2 to 0.4 s a GiB (H100) */

/* The cost of staging a rest beside a pin, in results of the rest's length: it goes in pieces, with faults. A
 * dgemm of order 1409 takes 465 us instead of 357 when all but its last 290 KB are pinned, a dsyr2k 495
 * instead of 290; of order 740, with 470 KB, 280 instead of 132, and 750 instead of 126 (H200,
 * grown_results). */
#define REST_FACTOR 1.5
#define REST_FACTOR_TRIANGLE 4.0

/* Sizes, bytes: */
enum {
    PIN_BYTES_MIN = 16 << 20, /* worth a pin at its first upload; smaller results: ledger/account.h */
    RESULT_BYTES_MIN = 64 << 10, /* a result worth a pin in time */
    /* The same of a triangle, which goes by DMA in a dozen pieces: dsyrk of order 96 takes 66 us so and 49
     * staged, of order 300 92 and 147 (H100). */
    RESULT_BYTES_MIN_TRIANGLE = 256 << 10,
    DMA_GAP_BYTES_MOST = 64 << 10,  /* rides along between two pieces by DMA: a copy's fixed cost */
    SCAN_GAP_BYTES_MOST = 1 << 20,  /* is scanned along between two operands: what another request costs */
    STAGED_SPLIT_BYTES = 256 << 10, /* a strip is searched for clean parts: a staged copy takes 10 us */
    SHARED_TRANSFER_BYTES_MIN = 8 << 20, /* worth waking helpers for, some 10 us (H100, transfers) */
    SHARED_SCAN_BYTES_MIN = 64 << 20,    /* the same of a scan */
    LOOK_BYTES = 8 << 20, /* a device reads while the kernel is asked of a mirror's memory, 1 us (H100) */
};

#endif
