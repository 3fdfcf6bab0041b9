/* rewritten.c - a matrix rewritten before each of EXTRA calls: residency cannot help, and
 * watching for writes costs. The writing is measured too, since it may be slowed down. */
#include "changing.h"

#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    struct run run = run_begin("rewritten", count, arguments, 18);
    struct changing changing = changing_create(run.n, run.extra);
    size_t size = (size_t)run.n * (size_t)run.n;
    double *matrix = allocate(size);
    memset(matrix, 0, size * sizeof *matrix);
    while (run_next(&run)) {
        run_start(&run);
        for (int call = 0; call < run.extra; call++) {
            changing_write(&changing, call, matrix);
            run_call_begins(&run);
            changing_call(&changing, call, matrix);
            run_call_ends(&run);
        }
        run_stop(&run);
        changing_digest(&changing, &run);
        run_checked(&run, changing_check(&changing), -1);
    }
    free(matrix);
    changing_destroy(&changing);
    return run_finish(&run);
}
