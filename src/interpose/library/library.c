/* The symbols that libmublas.so exports beyond the shim (exports.map.in), a whole libblas.so.3 by that.
 *
 * The error handlers hand over to the host BLAS's own: whether a wrong argument ends
 * the program, and what is said, stays as it was. A program's own handler comes before
 * both, since the host looks it up in the program's search order. If the host has
 * none, the words are the reference BLAS's, and the call returns. */
#include "host/host_search.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool host_search_by_path = true;

#define EXPORTED __attribute__((visibility("default")))
#define FORTRAN_HANDLER(name) \
    EXPORTED void name(const char *routine, const void *info, size_t routine_length)
#define FORTRAN_ARRAY_HANDLER(name) \
    EXPORTED void name(const char *routine, const void *routine_length, const void *info)
#define C_HANDLER(name) \
    EXPORTED void name(int64_t info, const char *routine, const char *format, ...)

FORTRAN_HANDLER(xerbla_);
FORTRAN_HANDLER(xerbla_64_);
FORTRAN_ARRAY_HANDLER(xerbla_array_);
FORTRAN_ARRAY_HANDLER(xerbla_array_64_);
C_HANDLER(cblas_xerbla);
C_HANDLER(cblas_xerbla_64);
C_HANDLER(cblas_xerbla64_);
EXPORTED int lsame_(const char *a, const char *b, size_t a_length, size_t b_length);
EXPORTED int64_t lsame_64_(const char *a, const char *b, size_t a_length, size_t b_length);

/* The reference CBLAS tells its error handler by these who is calling. */
EXPORTED extern int RowMajorStrg, CBLAS_CallFromC;
int RowMajorStrg, CBLAS_CallFromC;

typedef void fortran_handler(const char *, const void *, size_t);
typedef void c_handler(int64_t, const char *, const char *, ...);

/* The host's own function, NULL if it has none. */
static host_function *find_in_host(const char *sentinel, const char *symbol)
{
    const int saved_errno = errno;
    struct host_library library;
    host_function *found = host_search(sentinel, &library) ? host_library_function(&library, symbol) : NULL;
    errno = saved_errno;
    return found;
}

/* Arguments come as 32-bit or as 64-bit integers: the low half is right for both. */
static int low_half(const void *integer)
{
    int value;
    memcpy(&value, integer, sizeof value);
    return value;
}

/* Callers in C often leave the hidden length out: 6 characters are always there. */
static void handle_fortran(host_function *of_host, const char *routine, const void *info,
                           size_t routine_length)
{
    if (of_host)
        ((fortran_handler *)of_host)(routine, info, routine_length);
    else
        fprintf(stderr, " ** On entry to %-6.6s parameter number %2d had an illegal value\n", routine,
                low_half(info));
}

void xerbla_(const char *routine, const void *info, size_t routine_length)
{
    handle_fortran(find_in_host("dgemm_", "xerbla_"), routine, info, routine_length);
}

void xerbla_64_(const char *routine, const void *info, size_t routine_length)
{
    handle_fortran(find_in_host("dgemm_64_", "xerbla_64_"), routine, info, routine_length);
}

/* As the reference does: a name of up to 32 characters from an array. */
static void handle_array(fortran_handler *handle, const char *routine, const void *routine_length,
                         const void *info)
{
    enum { NAME_MAX = 32 };
    char name[NAME_MAX];
    int length = low_half(routine_length);
    memset(name, ' ', sizeof name);
    if (length > 0)
        memcpy(name, routine, length < NAME_MAX ? (size_t)length : NAME_MAX);
    handle(name, info, sizeof name);
}

void xerbla_array_(const char *routine, const void *routine_length, const void *info)
{
    handle_array(xerbla_, routine, routine_length, info);
}

void xerbla_array_64_(const char *routine, const void *routine_length, const void *info)
{
    handle_array(xerbla_64_, routine, routine_length, info);
}

static void handle_c(host_function *of_host, int64_t info, const char *routine, const char *format,
                     va_list arguments)
{
    char text[256] = "";
    if (format)
        vsnprintf(text, sizeof text, format, arguments);
    if (of_host) {
        ((c_handler *)of_host)(info, routine, "%s", text);
        return;
    }
    if ((int)info != 0)
        fprintf(stderr, "Parameter %d to routine %s was incorrect\n", (int)info, routine);
    fputs(text, stderr);
}

void cblas_xerbla(int64_t info, const char *routine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    handle_c(find_in_host("dgemm_", "cblas_xerbla"), info, routine, format, arguments);
    va_end(arguments);
}

void cblas_xerbla_64(int64_t info, const char *routine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    handle_c(find_in_host("cblas_dgemm_64", "cblas_xerbla_64"), info, routine, format, arguments);
    va_end(arguments);
}

void cblas_xerbla64_(int64_t info, const char *routine, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    handle_c(find_in_host("cblas_dgemm64_", "cblas_xerbla64_"), info, routine, format, arguments);
    va_end(arguments);
}

int lsame_(const char *a, const char *b, size_t a_length, size_t b_length)
{
    (void)a_length;
    (void)b_length;
    return toupper((unsigned char)*a) == toupper((unsigned char)*b);
}

int64_t lsame_64_(const char *a, const char *b, size_t a_length, size_t b_length)
{
    return lsame_(a, b, a_length, b_length);
}
