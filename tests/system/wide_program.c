/* A program that is linked with mublas' libblas64.so.3: its integers have 64 bits. */
#include <stdint.h>
#include <stdio.h>

int64_t isamax_(const int64_t *n, const float *x, const int64_t *incx);

int main(void)
{
    static const int64_t size = (int64_t)0xffffffff00000003, three = 3, one = 1; /* negative; 3 in 32 bits */
    static const float x[] = {1, 2, 1};
    int none = (int)isamax_(&size, x, &one), second = (int)isamax_(&three, x, &one);
    printf("%d %d\n", none, second);
    return none != 0 || second != 2;
}
