/* cusolver_reflectors32.h - sytrd, orgtr, orgqr, ormqr and potri of one type, for cusolver_typed.c:
 * TYPE is LAPACK's letter, SYMMETRIC(name), ORTHOGONAL(name) and PLAIN(name) the exported names. */
int SYMMETRIC(trd_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda,
                              const void *d, const void *e, const void *tau, int *lwork)
{
    ENTER(handle);
    const struct solver_call call =
        solver_sytrd_call(__func__, TYPE, uplo, n, (void *)a, lda, (void *)d, (void *)e, (void *)tau);
    return solver_query_elements(&call, lwork);
}

int SYMMETRIC(trd)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, void *d, void *e, void *tau,
                   void *work, int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call = solver_sytrd_call(__func__, TYPE, uplo, n, a, lda, d, e, tau);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}

int ORTHOGONAL(gtr_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda,
                               const void *tau, int *lwork)
{
    ENTER(handle);
    const struct solver_call call = solver_orgtr_call(__func__, TYPE, uplo, n, (void *)a, lda, (void *)tau);
    return solver_query_elements(&call, lwork);
}

int ORTHOGONAL(gtr)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, const void *tau, void *work,
                    int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call = solver_orgtr_call(__func__, TYPE, uplo, n, a, lda, (void *)tau);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}

int ORTHOGONAL(gqr_bufferSize)(cusolverDnHandle_t handle, int m, int n, int k, const void *a, int lda,
                               const void *tau, int *lwork)
{
    ENTER(handle);
    const struct solver_call call = solver_orgqr_call(__func__, TYPE, m, n, k, (void *)a, lda, (void *)tau);
    return solver_query_elements(&call, lwork);
}

int ORTHOGONAL(gqr)(cusolverDnHandle_t handle, int m, int n, int k, void *a, int lda, const void *tau,
                    void *work, int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call = solver_orgqr_call(__func__, TYPE, m, n, k, a, lda, (void *)tau);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}

int ORTHOGONAL(mqr_bufferSize)(cusolverDnHandle_t handle, int side, int trans, int m, int n, int k,
                               const void *a, int lda, const void *tau, const void *c, int ldc, int *lwork)
{
    ENTER(handle);
    const struct solver_call call = solver_ormqr_call(__func__, TYPE, side, trans, m, n, k, (void *)a, lda,
                                                      (void *)tau, (void *)c, ldc);
    return solver_query_elements(&call, lwork);
}

int ORTHOGONAL(mqr)(cusolverDnHandle_t handle, int side, int trans, int m, int n, int k, const void *a,
                    int lda, const void *tau, void *c, int ldc, void *work, int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call =
        solver_ormqr_call(__func__, TYPE, side, trans, m, n, k, (void *)a, lda, (void *)tau, c, ldc);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}

int PLAIN(potri_bufferSize)(cusolverDnHandle_t handle, int uplo, int n, const void *a, int lda, int *lwork)
{
    ENTER(handle);
    const struct solver_call call = solver_potri_call(__func__, TYPE, uplo, n, (void *)a, lda);
    return solver_query_elements(&call, lwork);
}

int PLAIN(potri)(cusolverDnHandle_t handle, int uplo, int n, void *a, int lda, void *work, int lwork,
                 int *info)
{
    ENTER(handle);
    struct solver_call call = solver_potri_call(__func__, TYPE, uplo, n, a, lda);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}
