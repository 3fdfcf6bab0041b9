/* A preloaded library's traces in a program: a line each of
 *   what its own malloc, realloc, calloc and free were called for before main,
 *   what errno, dlerror and the floating-point flags were when main began.
 * With "calls", also what dlerror() has after BLAS calls of names that the process has, small and large. With
 * "changed", the environment is overwritten and cleared before these. With "unread", whether an error of the
 * program's own is still there after small ones. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C library's own, under these: exported by it, declared nowhere. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);

static atomic_bool in_main;
static atomic_int mallocs, callocs, reallocs, frees;

static void note(atomic_int *counter)
{
    if (!in_main)
        ++*counter;
}

void *malloc(size_t bytes)
{
    note(&mallocs);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note(&callocs);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    note(&reallocs);
    return __libc_realloc(memory, bytes);
}

void free(void *memory)
{
    note(&frees);
    __libc_free(memory);
}

typedef double dot_function(const int *, const double *, const int *, const double *, const int *);
typedef void product_function(const char *, const int *, const int *, const double *, const double *,
                              const int *, const double *, const int *, const double *, double *, const int *,
                              size_t);

static bool dot_is_right(dot_function *dot)
{
    const double vector[3] = {1, 2, 3};
    const int n = 3, one = 1;
    return dot(&n, vector, &one, vector, &one) == 14;
}

static bool product_is_right(product_function *gemv, int n)
{
    const double alpha = 1, beta = 0;
    const int one = 1;
    double *a = calloc((size_t)n * (size_t)n + 2 * (size_t)n, sizeof *a);
    double *x = a + (size_t)n * (size_t)n, *y = x + n;
    for (int i = 0; i < n; i++)
        a[i] = x[i] = 1;
    gemv("T", &n, &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
    const bool right = y[0] == n && y[n - 1] == 0;
    free(a);
    return right;
}

static bool calls_are_right(bool leave_error, bool with_large)
{
    dot_function *dot = (dot_function *)dlsym(RTLD_DEFAULT, "ddot_");
    product_function *gemv = (product_function *)dlsym(RTLD_DEFAULT, "dgemv_");
    if (leave_error)
        dlsym(RTLD_DEFAULT, "no_such_name");
    return dot && gemv && dot_is_right(dot) && product_is_right(gemv, 8) &&
           (!with_large || product_is_right(gemv, 1500));
}

/* As programs do that show their state in the list of processes. */
static void change_environment(char **environment)
{
    for (char **entry = environment; *entry; entry++)
        if (strncmp(*entry, "MUBLAS_", 7) == 0)
            memset(*entry, 'x', strlen(*entry));
    clearenv();
    setenv("MUBLAS_OFFLOAD", "never", 1);
    setenv("MUBLAS_REPORT", "0", 1);
}

int main(int count, char **arguments, char **environment)
{
    in_main = true;
    const int first_errno = errno;
    const char *first_error = dlerror();
    const int flags = fetestexcept(FE_ALL_EXCEPT);
    printf("malloc %d calloc %d realloc %d free %d\n", mallocs, callocs, reallocs, frees);
    printf("errno %d dlerror %s flags %d\n", first_errno, first_error ? first_error : "none", flags);
    const char *what = count > 1 ? arguments[1] : "";
    const bool leave_error = strcmp(what, "unread") == 0;
    if (strcmp(what, "changed") == 0)
        change_environment(environment);
    if (*what) {
        printf("calls %s\n", calls_are_right(leave_error, !leave_error) ? "right" : "WRONG");
        const char *error = dlerror();
        printf("then %s\n", !error ? "none" : strstr(error, "no_such_name") ? "its own" : error);
    }
    return 0;
}
