#include "scalapack/grid.h"
#include "common/loader.h"
#include "common/whole_number.h"
#include "lapack/families.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

int64_t distribution_count(int64_t count, int64_t block, int me, int source, int processes)
{
    const int64_t distance = (processes + me - source) % processes;
    const int64_t blocks = count / block, extra = blocks % processes;
    int64_t mine = blocks / processes * block;
    if (distance < extra)
        mine += block;
    else if (distance == extra)
        mine += count % block;
    return mine;
}

int distribution_owner(int64_t index, int64_t block, int source, int processes)
{
    return (int)((index / block + source) % processes);
}

int64_t distribution_local(int64_t index, int64_t block, int processes)
{
    return index / block / processes * block + index % block;
}

/* The first block, not before that of `index`, that process `me` has. */
static int64_t first_block(int64_t index, int64_t block, int me, int source, int processes)
{
    const int64_t number = index / block;
    const int64_t behind = (me - source - number) % processes;
    return number + (behind < 0 ? behind + processes : behind);
}

/* One copy in either direction. */
struct copy {
    const struct distribution *of;
    const struct grid_place *place;
    enum blas_part part;
    size_t element;
    unsigned char *local, *whole;
    int64_t whole_ld;
    bool takes;
};

static void copy_rows(const struct copy *copy, unsigned char *local_column, unsigned char *whole_column,
                      int64_t low, int64_t high)
{
    const struct distribution *const of = copy->of;
    const int64_t block = of->row_block, begin = of->first_row + low, end = of->first_row + high;
    for (int64_t number = first_block(begin, block, copy->place->row, of->row_source, copy->place->rows);
         number * block < end; number += copy->place->rows) {
        const int64_t from = larger(number * block, begin), to = smaller((number + 1) * block, end);
        unsigned char *const local =
            local_column + (size_t)distribution_local(from, block, copy->place->rows) * copy->element;
        unsigned char *const whole = whole_column + (size_t)(from - of->first_row) * copy->element;
        const size_t bytes = (size_t)(to - from) * copy->element;
        if (copy->takes)
            memcpy(local, whole, bytes);
        else
            memcpy(whole, local, bytes);
    }
}

static void copy_column(const struct copy *copy, int64_t global)
{
    const struct distribution *const of = copy->of;
    const int64_t column = global - of->first_column;
    const int64_t low = copy->part == PART_LOWER ? column : 0;
    const int64_t high = copy->part == PART_UPPER ? smaller(column + 1, of->rows) : of->rows;
    const int64_t local = distribution_local(global, of->column_block, copy->place->columns);
    if (low < high)
        copy_rows(copy, copy->local + (size_t)(local * of->ld) * copy->element,
                  copy->whole + (size_t)(column * copy->whole_ld) * copy->element, low, high);
}

static void copy_all(const struct copy *copy)
{
    const struct distribution *const of = copy->of;
    const int64_t block = of->column_block, end = of->first_column + of->columns;
    int64_t number =
        first_block(of->first_column, block, copy->place->column, of->column_source, copy->place->columns);
    for (; number * block < end; number += copy->place->columns)
        for (int64_t global = larger(number * block, of->first_column);
             global < smaller((number + 1) * block, end); global++)
            copy_column(copy, global);
}

void distribution_put(const struct distribution *distribution, const struct grid_place *place,
                      enum blas_part part, size_t element_bytes, const void *local, void *whole,
                      int64_t whole_ld)
{
    const struct copy copy = {distribution, place, part, element_bytes, (unsigned char *)(uintptr_t)local,
                              whole, whole_ld, false};
    copy_all(&copy);
}

void distribution_take(const struct distribution *distribution, const struct grid_place *place,
                       enum blas_part part, size_t element_bytes, void *local, const void *whole,
                       int64_t whole_ld)
{
    const struct copy copy = {distribution, place, part, element_bytes, local,
                              (unsigned char *)(uintptr_t)whole, whole_ld, true};
    copy_all(&copy);
}

typedef void gridinfo_function(const int *context, int *rows, int *columns, int *row, int *column);
typedef void combine_function(const int *context, const char *scope, const char *topology, const int *m,
                              const int *n, int32_t *numbers, const int *ld, int *row_of, int *column_of,
                              const int *ld_of, const int *to_row, const int *to_column,
                              size_t scope_length, size_t topology_length);

static struct {
    gridinfo_function *gridinfo;
    combine_function *igamn2d, *igamx2d;
} blacs;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look_up(void *handle, const char *name)
{
    void *const found = handle ? loader_symbol(handle, name) : NULL;
    return found ? found : loader_symbol(RTLD_DEFAULT, name);
}

static void find_from(void *handle)
{
    blacs.igamn2d = (combine_function *)look_up(handle, "igamn2d_");
    blacs.igamx2d = (combine_function *)look_up(handle, "igamx2d_");
    blacs.gridinfo = (gridinfo_function *)look_up(handle, "blacs_gridinfo_");
}

bool blacs_find(const void *code)
{
    Dl_info object;
    pthread_mutex_lock(&lock);
    if (!blacs.gridinfo) {
        const bool is_known = dladdr(code, &object) && object.dli_fname;
        void *const handle = is_known ? loader_open(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        find_from(handle); /* the handle is kept, and so is the library */
    }
    const bool found = blacs.igamn2d && blacs.igamx2d && blacs.gridinfo;
    pthread_mutex_unlock(&lock);
    return found;
}

/* A library with integers of 64 bits writes so many; the low half is what both write. */
struct grid_place blacs_place(int context)
{
    enum { ROWS, COLUMNS, ROW, COLUMN, COUNT };
    const int64_t handle = context;
    int64_t told[COUNT] = {-1, -1, -1, -1};
    blacs.gridinfo((const int *)&handle, (int *)&told[ROWS], (int *)&told[COLUMNS], (int *)&told[ROW],
                   (int *)&told[COLUMN]);
    return (struct grid_place){(int)told[ROWS], (int)told[COLUMNS], (int)told[ROW], (int)told[COLUMN]};
}

/* To all processes, without telling whose number it was. */
static void combine(combine_function *function, int context, int32_t *numbers, int count)
{
    static const int one = 1, nobody = -1;
    int unused = 0;
    function(&context, "All", " ", &count, &one, numbers, &count, &unused, &unused, &nobody, &nobody, &nobody,
             3, 1);
}

void blacs_smallest(int context, int32_t *numbers, int count)
{
    combine(blacs.igamn2d, context, numbers, count);
}

void blacs_largest(int context, int32_t *numbers, int count)
{
    combine(blacs.igamx2d, context, numbers, count);
}

#define FAMILY_OF_EIGEN(family) LAPACK_##family
#define FAMILY_OF_FACTOR(family) LAPACK_##family
#define FAMILY_OF_REDUCTION(family) LAPACK_##family
#define FAMILY_OF_PRODUCT(family) FAMILY_##family
static const struct parallel_routine routines[PARALLEL_COUNT] = {
#include "scalapack/parallel_rows.inc"
};

const struct parallel_routine *parallel_routine_of(enum parallel_symbol symbol)
{
    return &routines[symbol];
}
