/* tuning_table.h - reading the data file of tuning (tuning_data.h) back. */
#ifndef MUBLAS_TUNING_TABLE_H
#define MUBLAS_TUNING_TABLE_H

#include "gpu/launch_shape.h"
#include "tuner/tuning_class.h"

#include <stdbool.h>
#include <stddef.h>

/* The stages of tuning_data.h; cuBLAS's time where a peer was timed too, its shape not looked at. */
enum tuning_stage {
    TUNED_SIEVE, TUNED_FINAL, TUNED_DEFAULT, TUNED_RULES, TUNED_OCCUPANCY, TUNED_BEST, TUNED_HELD,
    TUNED_CHOSEN, TUNED_RIVAL, /* of evaluations: judged_sizes.h */
    TUNED_CUBLAS,
    TUNED_STAGES
};

struct tuning_row {
    int class;
    enum tuning_form form;
    int64_t m, n; /* m = n but for gemv */
    enum tuning_stage stage;
    struct launch_shape shape;
    double us, low_us, high_us;
};

struct tuning_table {
    char device[96], made[80];
    struct tuning_row *rows; /* sorted by class, form, n, m, stage, us */
    size_t count, room;
};

/* False: `fault` names file and line; the table holds nothing. A last line without an end
 * is left out: tuning may be writing it. */
enum { TUNING_FAULT_BYTES = 512 };
bool tuning_table_read(const char *path, struct tuning_table *table, char fault[TUNING_FAULT_BYTES]);
void tuning_table_free(struct tuning_table *table);

/* Add a row; after the last one, sort. False: out of memory. */
bool tuning_table_add(struct tuning_table *table, const struct tuning_row *row);
void tuning_table_sort(struct tuning_table *table);

/* sqrt(m n): where a row lies among the sizes of its form. */
double tuning_row_size(const struct tuning_row *row);

/* Bytes that the call of a row moves at least, vectors included: each element of a matrix once. */
double tuning_row_bytes(const struct tuning_row *row);

#endif
