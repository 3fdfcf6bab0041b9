/* A plug-in that is linked with one of the libraries of numbered_blas.c. The same code but
 * for that one's name: two of them may take each other's place in memory, return addresses
 * and all. It also calls BLAS while it is unloaded: from a destructor, from an exit handler
 * that is older than the first call, as destructors of C++ objects do, and from a destructor
 * with a priority, which comes after all of those. */
#include <stddef.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t trans_length);
double dasum_(const int *n, const double *x, const int *incx);
int numbered_call(int calls);
int numbered_by_pointer(void);

/* As C++ compilers have it; atexit itself is not the library's own under ThreadSanitizer. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);
extern void *__dso_handle __attribute__((visibility("hidden")));

extern int *numbered_wrong, numbered_first;
extern void (*numbered_at_end)(void);
void (*numbered_at_end)(void); /* called at the end as well */
int *numbered_wrong; /* counts what calls at the end find wrong */
int numbered_first; /* the BLAS that was found first, which calls at the end are to find; or set from outside
                     */

static const int one = 1;
static const double number = 1;

/* One that passes its gate, but never pays: wide, short columns. */
static int number_of_wide(void)
{
    enum { ROWS = 9, COLUMNS = 2187 };
    static const double matrix[ROWS * COLUMNS] = {1}, vector[COLUMNS] = {1};
    static const int rows = ROWS, columns = COLUMNS;
    double y[ROWS] = {0};
    dgemv_("N", &rows, &columns, &number, matrix, &rows, vector, &one, &number, y, &one, 1);
    return (int)y[0];
}

/* The number of the BLAS that is called; -1: not always the same. */
__attribute__((noinline)) int numbered_call(int calls)
{
    int found = 0;
    for (int i = 0; i < calls; i++) {
        double y = 0;
        int forwarded = (int)ddot_(&one, &number, &one, &number, &one);
        dgemv_("N", &one, &one, &number, &number, &one, &number, &one, &number, &y, &one, 1);
        int gated = (int)y;
        if (forwarded != gated || forwarded != number_of_wide() || (found != 0 && found != forwarded))
            return -1;
        found = forwarded;
    }
    if (!numbered_first)
        numbered_first = found;
    return found;
}

/* The same from one place by pointers to different routines, as libffi calls. */
int numbered_by_pointer(void)
{
    typedef void any_function(void);
    typedef double any_routine(const int *, const double *, const int *, const double *, const int *);
    static any_function *volatile routines[] = {(any_function *)ddot_, (any_function *)dasum_};
    int found[4];
    for (int i = 0; i < 4; i++)
        found[i] = (int)((any_routine *)routines[i % 2])(&one, &number, &one, &number, &one);
    return found[0] == -found[1] && found[2] == found[0] && found[3] == found[1] ? found[0] : -1;
}

static void call_at_the_end(void *unused)
{
    (void)unused;
    if (numbered_wrong && numbered_call(3) != numbered_first)
        ++*numbered_wrong;
    if (numbered_at_end)
        numbered_at_end();
}

__attribute__((constructor)) static void begin(void)
{
    __cxa_atexit(call_at_the_end, NULL, &__dso_handle);
}

__attribute__((destructor)) static void end(void)
{
    call_at_the_end(NULL);
}

__attribute__((destructor(101))) static void end_last(void)
{
    call_at_the_end(NULL);
}
