/* A host BLAS that has hardly anything, and one routine with a signature that no
 * BLAS has: whatever stub passes that on passes everything on. */
void dgemm_(void);
double drotmg_(int i1, double d1, long i2, double d2, int i3, double d3, long i4, double d4, int i5,
               double d5, long i6, double d6, int i7, double d7, long i8, double d8, int i9, double d9);

void dgemm_(void)
{
}

double drotmg_(int i1, double d1, long i2, double d2, int i3, double d3, long i4, double d4, int i5,
               double d5, long i6, double d6, int i7, double d7, long i8, double d8, int i9, double d9)
{
    return i1 + 2 * d1 + 3 * (double)i2 + 5 * d2 + 7 * i3 + 11 * d3 + 13 * (double)i4 + 17 * d4 + 19 * i5 +
           23 * d5 + 29 * (double)i6 + 31 * d6 + 37 * i7 + 41 * d7 + 43 * (double)i8 + 47 * d8 + 53 * i9 +
           59 * d9;
}
