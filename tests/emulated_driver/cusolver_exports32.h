/* cusolver_exports32.h - the 32-bit interface of one type, for cusolver_exports.h; ends its macros. */
int SYMMETRIC(gvd_bufferSize)(cusolverDnHandle_t handle, int itype, int jobz, int uplo, int n, const void *a,
                                     int lda, const void *b, int ldb, const void *w, int *lwork);
int SYMMETRIC(gvd)(cusolverDnHandle_t handle, int itype, int jobz, int uplo, int n, void *a, int lda, void *b,
                          int ldb, void *w, void *work, int lwork, int *info);
int SYMMETRIC(gvdx_bufferSize)(cusolverDnHandle_t handle, int itype, int jobz, int range, int uplo, int n,
                                      const void *a, int lda, const void *b, int ldb, REAL vl, REAL vu, int il,
                                      int iu, int *found, const void *w, int *lwork);
int SYMMETRIC(gvdx)(cusolverDnHandle_t handle, int itype, int jobz, int range, int uplo, int n, void *a,
                           int lda, void *b, int ldb, REAL vl, REAL vu, int il, int iu, int *found, void *w,
                           void *work, int lwork, int *info);

#undef REAL
#undef SYMMETRIC
