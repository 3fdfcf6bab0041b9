/* cusolver_eigen32.h - sygvd and sygvdx of one type, for cusolver_typed.c: TYPE is LAPACK's letter, REAL
 * the C type of values, SYMMETRIC(name) the exported name with sy or he before it. */

int SYMMETRIC(gvd_bufferSize)(cusolverDnHandle_t handle, int itype, int jobz, int uplo, int n, const void *a,
                              int lda, const void *b, int ldb, const void *w, int *lwork)
{
    ENTER(handle);
    const struct solver_call call = solver_eigen_call(__func__, TYPE, solver_itype(__func__, itype), jobz,
                                                      uplo, n, (void *)a, lda, (void *)w, (void *)b, ldb);
    return solver_query_elements(&call, lwork);
}

int SYMMETRIC(gvd)(cusolverDnHandle_t handle, int itype, int jobz, int uplo, int n, void *a, int lda, void *b,
                   int ldb, void *w, void *work, int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call =
        solver_eigen_call(__func__, TYPE, solver_itype(__func__, itype), jobz, uplo, n, a, lda, w, b, ldb);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}

int SYMMETRIC(gvdx_bufferSize)(cusolverDnHandle_t handle, int itype, int jobz, int range, int uplo, int n,
                               const void *a, int lda, const void *b, int ldb, REAL vl, REAL vu, int il,
                               int iu, int *found, const void *w, int *lwork)
{
    ENTER(handle);
    (void)vl, (void)vu, (void)found;
    struct solver_call call = solver_eigen_call(__func__, TYPE, solver_itype(__func__, itype), jobz, uplo, n,
                                                (void *)a, lda, (void *)w, (void *)b, ldb);
    solver_eigen_range(&call, range, 0, 1, il, iu);
    return solver_query_elements(&call, lwork);
}

int SYMMETRIC(gvdx)(cusolverDnHandle_t handle, int itype, int jobz, int range, int uplo, int n, void *a,
                    int lda, void *b, int ldb, REAL vl, REAL vu, int il, int iu, int *found, void *w,
                    void *work, int lwork, int *info)
{
    ENTER(handle);
    struct solver_call call =
        solver_eigen_call(__func__, TYPE, solver_itype(__func__, itype), jobz, uplo, n, a, lda, w, b, ldb);
    solver_eigen_range(&call, range, (double)vl, (double)vu, il, iu);
    if (!(call.found_int = found) || emulated_is_accessible((CUdeviceptr)(uintptr_t)found, 1))
        solver_abort("%s: the count is not on the host", __func__);
    SOLVER_WORK(call, work, lwork, info);
    return solver_submit(handle, &call);
}
