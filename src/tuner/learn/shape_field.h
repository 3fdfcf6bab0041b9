/* shape_field.h - the field of shapes that shape_timer.c times side by side, its state and its verdicts. */
#ifndef MUBLAS_SHAPE_FIELD_H
#define MUBLAS_SHAPE_FIELD_H

#include "tuner/learn/device_timing.h"
#include "tuner/learn/shape_timer.h"

enum { SHAPE_ROUNDS_MOST = 31, AHEAD = 2 /* places of the reference before the others, at most */ };

struct contestant {
    const struct launch_shape *shape;
    struct graph_replay graph; /* none: launched call by call */
    double times[SHAPE_ROUNDS_MOST];
    int rounds;
    bool in;
};

struct shape_field {
    struct shape_timer *timer;
    const struct blas_call *call;
    struct contestant *contestants; /* the shapes, then the built-in one: the reference */
    size_t count;                   /* of the shapes */
    struct launch_shape built_in;
    size_t *who; /* plays next */
    double *times;
    double steady; /* the reference's time where it counts; 0: not known yet */
    int lost;      /* rounds in a row */
    int calls;     /* of a contestant, each time */
    bool by_graphs;
};

/* False: no memory; shape_field_free then, too. */
bool shape_field_make(struct shape_field *field, size_t count);
void shape_field_free(struct shape_field *field);

/* Does a round with this time of the reference count? If the device has another pace for good, earlier
 * rounds are forgotten. */
bool shape_field_is_steady(struct shape_field *field, double reference);

/* Shapes slower than `within` times the best leave; 0: none. How many stay. */
size_t shape_field_narrow(struct shape_field *field, double within);

/* Is the best surely the best, or as good as equal to what is not surely slower? */
bool shape_field_is_settled(const struct shape_field *field, double equal);

struct tuning_time contestant_time(const struct contestant *contestant, int calls);

/* Raise the lane's workspace to what any of the shapes needs for the call. Inside device_enter. */
enum status shape_verify_prepare(struct shape_timer *timer, const struct blas_call *call,
                                 const struct launch_shape *shapes, size_t count);

/* Do shapes give the bits that the built-in one gives? Run each once, after preparing;
 * `partial`: as in timing_plan. */
enum shape_outcome { SHAPE_CANNOT, SHAPE_WRONG, SHAPE_RIGHT };
enum status shape_verify(struct shape_timer *timer, const struct blas_call *call,
                         const struct launch_shape *shapes, size_t count, bool partial,
                         enum shape_outcome *outcomes);

#endif
