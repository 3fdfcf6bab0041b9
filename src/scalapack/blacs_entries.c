/* The BLACS' routines that make and end contexts (stubs.S): the host's do it, and mublas takes note. */
#include "common/program_state.h"
#include "scalapack/blacs.h"
#include "scalapack/contexts.h"
#include "scalapack/counts.h"
#include "scalapack/host_routine.h"
#include "scalapack/membership.h"

/* For stubs.S. */
void parallel_blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                              size_t length);
void parallel_Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void parallel_blacs_gridmap_(int *context, const int *map, const int *ld, const int *rows,
                             const int *columns);
void parallel_Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns);
void parallel_blacs_gridexit_(const int *context);
void parallel_Cblacs_gridexit(int context);
void parallel_blacs_exit_(const int *goes_on);
void parallel_Cblacs_exit(int goes_on);

typedef void gridinit(int *, const char *, const int *, const int *, size_t);
typedef void c_gridinit(int *, const char *, int, int);
typedef void gridmap(int *, const int *, const int *, const int *, const int *);
typedef void c_gridmap(int *, const int *, int, int, int);
typedef void with_address(const int *);
typedef void with_value(int);

/* Making a grid synchronises its members: what each has done before is there after it. */
static void before_grid(bool is_inner)
{
    struct program_state program;
    program_state_set_aside(&program);
    if (!is_inner) {
        membership_register();
        counts_grid_made();
    }
    program_state_return(&program);
}

static void after_grid(bool is_inner, host_function *host, const int *context)
{
    struct program_state program;
    program_state_set_aside(&program);
    if (!is_inner && blacs_find((const void *)(uintptr_t)host))
        contexts_note(*context);
    program_state_return(&program);
}

void parallel_blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                              size_t length)
{
    bool is_inner;
    host_function *const host =
        host_blacs_of(BLACS_blacs_gridinit_, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((gridinit *)host)(context, order, rows, columns, length);
    after_grid(is_inner, host, context);
}

void parallel_Cblacs_gridinit(int *context, const char *order, int rows, int columns)
{
    bool is_inner;
    host_function *const host =
        host_blacs_of(BLACS_Cblacs_gridinit, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((c_gridinit *)host)(context, order, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_blacs_gridmap_(int *context, const int *map, const int *ld, const int *rows,
                             const int *columns)
{
    bool is_inner;
    host_function *const host = host_blacs_of(BLACS_blacs_gridmap_, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((gridmap *)host)(context, map, ld, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns)
{
    bool is_inner;
    host_function *const host = host_blacs_of(BLACS_Cblacs_gridmap, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((c_gridmap *)host)(context, map, ld, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_blacs_gridexit_(const int *context)
{
    contexts_drop(*context);
    ((with_address *)host_blacs_of(BLACS_blacs_gridexit_, __builtin_return_address(0), NULL))(context);
}

void parallel_Cblacs_gridexit(int context)
{
    contexts_drop(context);
    ((with_value *)host_blacs_of(BLACS_Cblacs_gridexit, __builtin_return_address(0), NULL))(context);
}

void parallel_blacs_exit_(const int *goes_on)
{
    contexts_drop_all();
    ((with_address *)host_blacs_of(BLACS_blacs_exit_, __builtin_return_address(0), NULL))(goes_on);
}

void parallel_Cblacs_exit(int goes_on)
{
    contexts_drop_all();
    ((with_value *)host_blacs_of(BLACS_Cblacs_exit, __builtin_return_address(0), NULL))(goes_on);
}
