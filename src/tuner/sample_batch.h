/* sample_batch.h - samples of curves that are to be timed next, gathered, since changing sides takes time:
 * those of one side are timed on end, then those of the other, where the next batch begins. */
#ifndef MUBLAS_SAMPLE_BATCH_H
#define MUBLAS_SAMPLE_BATCH_H

#include "tuner/call_sampler.h"
#include "tuner/sample_moments.h"

enum {
    SAMPLE_BATCH = 64,
    SAMPLE_KINDS = FAMILY_COUNT * TYPE_COUNT /* calls of one are one routine's, of one type */
};

struct sample_request {
    int class;
    double amount, asked; /* by which the call was chosen */
    struct blas_call call;
    int set;      /* of the device's, which the call has */
    double columns; /* narrow_shares.h */
    bool on_host; /* too, or on the device alone */
    bool expected[CALL_SIDES]; /* the side's curve has a time for it that was not measured */
};

/* All zero but for the first three: nothing gathered. */
struct sample_batch {
    const struct call_sampler *sampler;
    struct learned_times *times; /* where samples go */
    struct moments_table *moments;
    struct sample_request requests[SAMPLE_BATCH];
    int count;
    bool device_first;
    bool scouting; /* calls of all classes take turns: such times count until there are others */
    double impossible[TIMED_CLASSES]; /* the least amount that could not be timed; 0: there is none */
};

/* Does the class exist, and is it wanted? The second: and is it of this kind, 0 to SAMPLE_KINDS - 1? */
bool sample_batch_wants(const struct sample_batch *batch, int class);
bool sample_batch_is_of_kind(const struct sample_batch *batch, int class, int kind);

/* Can there be a sample at about this amount that is not there yet, or is there one of the device alone,
 * though the host does not take long (any more: a disturbed time may have said so)? No more once the class has
 * TIME_CURVE_SAMPLES. */
bool sample_batch_lacks(const struct sample_batch *batch, int class, double amount);

/* The same, and the host does not take long there. */
bool sample_batch_lacks_both(const struct sample_batch *batch, int class, double amount);

/* One of the latter kind, for sample_batch_add. False: there is none. */
bool sample_batch_find_alone(const struct sample_batch *batch, int class, double *amount);

/* A sample at about this amount, if one is lacking and does not take too long; on the device alone where
 * just the host does. Until it is timed, its curves have what their other samples let expect there, but for
 * scouting. Times what is gathered when it is enough. */
void sample_batch_add(struct sample_batch *batch, int class, double amount);

/* A sample once more, on the sides on which there is one. */
void sample_batch_again(struct sample_batch *batch, int class, double amount);

/* Time what is gathered. */
void sample_batch_time(struct sample_batch *batch);

/* What is gathered is not to be timed: the curves are without it. */
void sample_batch_forget(struct sample_batch *batch);

/* Is the host expected to take too long for a sample? */
bool sample_batch_host_takes_long(const struct sample_batch *batch, int class, double amount);

#endif
