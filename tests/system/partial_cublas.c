/* A cuBLAS of which most is missing; nobody is to make a handle of it. */
#include <stdlib.h>

int cublasCreate_v2(void **handle);
int cublasSetStream_v2(void *handle, void *stream);

int cublasCreate_v2(void **handle)
{
    (void)handle;
    abort();
}

int cublasSetStream_v2(void *handle, void *stream)
{
    (void)handle;
    (void)stream;
    abort();
}
