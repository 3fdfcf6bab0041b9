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
int SYMMETRIC(trd_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda,
                              const void *d, const void *e, const void *tau, int *lwork);
int SYMMETRIC(trd)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, void *d, void *e, void *tau,
                   void *work, int lwork, int *info);
int ORTHOGONAL(gtr_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda,
                               const void *tau, int *lwork);
int ORTHOGONAL(gtr)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, const void *tau, void *work,
                    int lwork, int *info);
int ORTHOGONAL(mtr_bufferSize)(cusolverDnHandle_t handle, int side, int uplo, int trans, int m, int n,
                               const void *a, int lda, const void *tau, const void *c, int ldc, int *lwork);
int ORTHOGONAL(mtr)(cusolverDnHandle_t handle, int side, int uplo, int trans, int m, int n, void *a, int lda,
                    void *tau, void *c, int ldc, void *work, int lwork, int *info);
int ORTHOGONAL(gqr_bufferSize)(cusolverDnHandle_t handle, int m, int n, int k, const void *a, int lda,
                               const void *tau, int *lwork);
int ORTHOGONAL(gqr)(cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda, const void *tau,
                    void *work, int lwork, int *info);
int ORTHOGONAL(mqr_bufferSize)(cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,
                               const void *a, int lda, const void *tau, const void *c, int ldc, int *lwork);
int ORTHOGONAL(mqr)(cusolverDnHandle_t handle, int side, int trans, int m, int n, int k, const void *a,
                    int lda, const void *tau, void *c, int ldc, void *work, int lwork, int *info);
int PLAIN(potri_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda, int *lwork);
int PLAIN(potri)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, void *work, int lwork,
                 int *info);

#undef REAL
#undef SYMMETRIC
#undef ORTHOGONAL
#undef PLAIN
