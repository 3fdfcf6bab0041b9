/* The reference CBLAS's two variables. Netlib's CBLAS testers set them to say how their
 * cblas_xerbla is to number arguments; other BLAS libraries have none. */
int RowMajorStrg, CBLAS_CallFromC;
