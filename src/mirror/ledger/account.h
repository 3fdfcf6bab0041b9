/* account.h - accounts, as of a ski rental: what residency of some pages would save, has cost and has
 * earned; and what a lack of pins, and of huge pages under them, has cost. The owner locks, but where any
 * thread may call. */
#ifndef MUBLAS_ACCOUNT_H
#define MUBLAS_ACCOUNT_H

#include "mirror/operand.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Costs of moving, pinning and scanning host memory, and sizes from which on a way of doing that pays: the
 * one table from which this layer weighs one way against another. No result depends on it.
 *
 * Behind each figure stands where it was measured. H100: an H100 SXM beside 16 cores, PCIe gen5. H200: an
 * H200's host. A name after that is a program of bench/, with its output in bench/results. */

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

/* Accounts of residency. Each host-run call that residency would have made faster adds what was lost to the
 * account of its operands; the policy uploads when the account covers the upload, which is never worse than
 * twice the best decision in hindsight. When residency is lost the account starts anew, and must cover twice
 * as much each time, or four times if it had not paid.
 *
 * The host alone uses such a matrix untracked, so one that is rewritten between uses looks like one that is
 * constant and worth residency. A few elements at places drawn from a fixed sequence (rewrite_samples) tell
 * the two apart, for about a microsecond. They depend on the operands' bytes and nothing else, so a
 * program's decisions repeat. Only elements that the call may read are read. The account is charged for
 * what the host rewrites between its own uses, which would have had to go up again, so that only what stays
 * the same for long enough, or what the device would have written itself, is ever bought. Residency that is
 * lost all the same before it has paid makes all that is bought for calls of that kind twice as dear, and
 * one that pays makes it cheaper again: whoever rewrites many matrices in one way loses a few. The longer a
 * matrix was seen to stay the same the less it pays for the others' losses.
 *
 * A matrix that the program rewrites and then uses often, again and again, pays each time: what its uses save
 * from one rewriting to the next is known from the last two such periods, of which the lesser counts; of routes
 * the first is believed. If that is more than the way up and the program's faults, it goes up with its first use
 * after a rewriting, and no loss is seen in that. A LAPACK route's result, which
 * needs no way up, stays if what its uses save is more than the faults. For that the samples are looked at
 * before each route, and renewed behind one that writes the matrix.
 *
 * An account's worth is what was spent on it and what its residency has earned since: a call that writes to
 * it on the host would lose that, and pay for another upload (policy.h). A mirror has an account for each
 * matrix in it as far as calls tell: neighbouring allocations are one mapping, and what the host does to a
 * workspace must not count against the matrix beside it. Operands of which one lies in the other for the
 * most part share an account: a factorisation's submatrices do.
 *
 * Policy data: no page's validity depends on it. */
enum { REWRITE_SAMPLES_MAX = 16 };

/* Has the program rewritten a matrix since it was last used? All zero at first. */
struct rewrite_samples {
    struct sample {
        uintptr_t address; /* 0: not taken */
        uint64_t value;    /* of the first 4 or 8 bytes there */
    } taken[REWRITE_SAMPLES_MAX];
    uint64_t sequence;
};

/* The share, 0 to 1, of the samples in the operand that differ from what they were; all
 * are of this operand, as it is now, afterwards. */
double rewrite_samples_renew(struct rewrite_samples *samples, const struct operand *operand);

/* The samples' matrix is being rewritten for a known reason. */
void rewrite_samples_forget(struct rewrite_samples *samples);

/* BLAS calls that write no matrix use it, and LAPACK routes. */
enum account_use { ACCOUNT_BLAS, ACCOUNT_ROUTES, ACCOUNT_USES };

/* An account of some pages; none: unused. */
struct account {
    struct page_range pages;
    double credit_us;  /* what residency would have saved so far */
    double worth_us;   /* what residency was bought for, and has earned since: lost with it */
    double price_us;   /* its worth when it was last bought */
    unsigned setbacks; /* times it was lost to the host's writes since it last paid; before that: twice */
    unsigned buyer;    /* the kind of call that it was last bought for */
    bool settled;      /* its worth has doubled since, or was lost */
    bool was_rewritten; /* before the last use by the host that looked */
    unsigned steady;   /* uses in a row by the host that found nothing changed */
    double period_us[ACCOUNT_USES]; /* that residency has saved, or would have, since it was last rewritten, */
    double last_us[ACCOUNT_USES];   /* ... in the period before that, */
    double usual_us[ACCOUNT_USES];  /* ... and in that or the one before it, whichever is less (of routes: at
                                       first in that) */
    bool is_known;                  /* such a period was before */
    bool was_used;                  /* since it was last rewritten */
    enum blas_part part;            /* of it, that a route has left on the device; PART_FULL: all, or none has */
    struct rewrite_samples samples; /* of what is not resident, once it has credit; for routes always */
    uint64_t used;     /* of the counter of uses */
};

enum { ACCOUNTS_MAX = 32 };

/* A mirror's. */
struct accounts {
    struct account of[ACCOUNTS_MAX];
    uint64_t uses;
};

/* Losses of all residency bought for one kind of call. */
struct kind_losses {
    unsigned setbacks; /* residency that was lost before it had paid */
    unsigned steady;   /* uses without a change, the most that such residency was bought after */
};

static inline enum account_use account_use_of(const struct operand *operand)
{
    return operand->kind >= OPERAND_ROUTE_KINDS ? ACCOUNT_ROUTES : ACCOUNT_BLAS;
}

/* That of these pages. NULL: none yet. */
struct account *account_find(struct accounts *accounts, struct page_range pages);

/* Widened to these pages; a new one in place of the least recently used if there is none. */
struct account *account_open(struct accounts *accounts, struct page_range pages);

/* Take over the accounts of a smaller mirror, which begins `shift` pages behind this one's begin. */
void accounts_inherit(struct accounts *accounts, const struct accounts *old, size_t shift);

/* Before a call that may run on the host, or a route: what the program has rewritten since the last use
 * would have gone up again, unless the device had written it. True: that is most of it. */
bool account_look_for_changes(struct account *account, const struct operand *operand, uint64_t bytes);

/* A call that found it as the last one did: residency has saved so much, or would have. 0 for a call that
 * found it rewritten, but is a use. */
void account_note_use(struct account *account, enum account_use use, double saved_us);

/* The program has rewritten most of it; nothing is new where it was not used since. */
void account_note_rewritten(struct account *account);

/* Does residency of so many bytes, which the program rewrites, save more each time than it costs? That is the faults
 * of the rewriting and, unless a route leaves its result there, the way up. */
bool account_recurs(const struct account *account, enum account_use use, uint64_t bytes, bool is_result);

/* How often its price must be doubled for a call of the kind that has these losses. */
unsigned account_setbacks(const struct account *account, const struct kind_losses *losses);

/* The pages on the device do not pay: as if they had never been uploaded. `losses`: of its buyer. */
void account_give_up(struct account *account, struct kind_losses *losses);

/* A call on the device has earned so much, or cost where less than 0. False: it is given up. */
bool account_earn(struct account *account, struct kind_losses *losses, double us);

/* Some of its pages have gone up for the first time, or once more. */
void account_pay_first(struct account *account, uint64_t bytes);
void account_pay_again(struct account *account, uint64_t bytes);

/* It was most of what there is of it on the device: bought, for a call of that kind. */
void account_note_bought(struct account *account, unsigned kind);

/* These bytes of a result came home by staging, where they were counted on to come by DMA. */
void account_pay_staged_result(struct account *account, uint64_t bytes);

/* Accounts of pins and of huge pages under them. A result below PIN_BYTES_MIN is staged: the CPU copies it at
 * 8 GB/s, and its pages must be opened for that and protected again, of which every processor that runs the
 * program has to hear. To pinned memory it goes at 50 GB/s and with none of that, but a pin takes time
 * (above). Once what staging has cost some pages would have paid for a pin they are to be pinned (pins.h);
 * also what sticks out of a pin, of a result of any size. Each next pin of them must be worth four times as
 * much, since the host's writes have made the last one useless. That is a function of sizes, not of clocks.
 *
 * A scan of 4 KiB pages takes ten times as long as one of huge pages, but gathering (above) is worth some
 * thousand calls' scans. The time that scans of a pin's pages kept calls waiting, beyond their kernels, is
 * summed up until it reaches what gathering and pinning anew are thought to cost. The clock decides nothing
 * but that: no result and no choice of host or device depends on it. */

/* The cost of gathering memory into huge pages so far. */
struct gathering_cost {
    atomic_uint_least64_t bytes, nanoseconds;
};

/* Have scans of a pin's small pages cost as much as gathering them into huge ones would? */
struct gathering_account {
    double waited_us;    /* that scans of its pages kept calls waiting */
    double waited_bytes; /* of its pages, which a scan had on average */
    bool is_due;         /* so much that they are to be gathered */
    bool stays_small;    /* which did not help */
};

/* Would gathering `bytes` cost no more than `waited_us`? Goes by what was learned, at first by a guess. */
bool gathering_pays(const struct gathering_cost *cost, double waited_us, uint64_t bytes);

/* Gathering that many bytes and pinning them anew took so long. Any thread. */
void gathering_learn(struct gathering_cost *cost, uint64_t bytes, uint64_t nanoseconds);

/* A scan of so many of its bytes kept a call waiting. True: it is due. */
bool gathering_account_add(struct gathering_account *account, const struct gathering_cost *cost,
                           uint64_t bytes, double us);

/* The waiting of another pin, which this one replaces, counts for this one. */
void gathering_account_inherit(struct gathering_account *account, const struct gathering_account *old);

enum { STAGED_RESULTS_MAX = 16 };

/* The cost of staging results that come home to the same pages. All zero at first. */
struct staged_results {
    struct staged_result {
        struct page_range pages;
        double lost_us; /* that staging has cost since the last pin */
        double factor;  /* of the next pin's price; 0: unused */
    } of[STAGED_RESULTS_MAX];
    unsigned next;
};

/* Results that span fewer bytes stay staged. */
size_t staged_results_least_bytes(enum blas_part part);

/* So many results that span these bytes, without gaps, are worth the first pin: at least 1, at most 30. */
unsigned staged_results_until_pin(size_t bytes);

/* A result that was staged has come home to these pages: a triangle's costs twice as much as all of them
 * would, since of each column its ends go up again. */
void staged_results_note(struct staged_results *results, struct page_range pages,
                         const struct operand *result);

/* Most of it came home to a pin, and so many bytes that stick out of the pin were staged. */
void staged_results_note_rest(struct staged_results *results, struct page_range pages, enum blas_part part,
                              uint64_t staged);

/* Is it time to pin them? The second: the answer is taken, whether or not they are pinned then. */
bool staged_results_are_due(struct staged_results *results, struct page_range pages);
bool staged_results_take_due(struct staged_results *results, struct page_range pages);

#endif
