! mublas - the native API of mublas.h for Fortran. What the functions do, their
! errors and the rules for streams, threads and graphs are described there.
!
! Compile this file with the program and link with -lmublas:
!     gfortran $(pkg-config --variable=fortran_module mublas) program.f90 $(pkg-config --libs mublas)
!
! Handles, device addresses and streams are type(c_ptr); functions give a status. Scalars are
! Fortran values or, in the pointer mode mublas_pointer_device, device addresses. The
! generic names mublas_axpy, mublas_gemv, mublas_symv and mublas_hemv go by the kind of alpha.
module mublas
    use, intrinsic :: iso_c_binding
    implicit none
    public

    enum, bind(c)   ! status
        enumerator :: mublas_success = 0, mublas_no_device, mublas_out_of_memory, mublas_not_supported
        enumerator :: mublas_bad_argument, mublas_bad_handle, mublas_device_error, mublas_device_lost
    end enum
    enum, bind(c)
        enumerator :: mublas_pointer_host = 0, mublas_pointer_device = 1
    end enum
    integer(c_int), parameter :: mublas_lower = iachar('L'), mublas_upper = iachar('U')
    integer(c_int), parameter :: mublas_non_unit = iachar('N'), mublas_unit = iachar('U')
    integer(c_int), parameter :: mublas_no_trans = iachar('N'), mublas_trans = iachar('T')
    integer(c_int), parameter :: mublas_conj_trans = iachar('C'), mublas_conj = iachar('R')
    integer(c_int), parameter :: mublas_single = iachar('S'), mublas_double = iachar('D')
    integer(c_int), parameter :: mublas_complex = iachar('C'), mublas_double_complex = iachar('Z')
    integer(c_int), parameter :: mublas_left = iachar('L'), mublas_right = iachar('R')
    integer(c_int), parameter :: mublas_no_vectors = iachar('N'), mublas_vectors = iachar('V')
    integer(c_int), parameter :: mublas_all = iachar('A'), mublas_interval = iachar('V')
    integer(c_int), parameter :: mublas_indices = iachar('I')
    integer(c_int), parameter :: mublas_compz_none = iachar('N'), mublas_compz_tridiagonal = iachar('I')
    integer(c_int), parameter :: mublas_compz_original = iachar('V')
    integer(c_int), parameter :: mublas_q = iachar('Q'), mublas_p = iachar('P')

    type, bind(c) :: mublas_double_double
        real(c_double) :: high, low
    end type

    type, bind(c) :: mublas_occupancy
        real(c_double) :: warp, block, grid
        integer(c_int64_t) :: blocks
        integer(c_int) :: threads_per_block, active_blocks
    end type

    enum, bind(c)
        enumerator :: mublas_order_down = 0, mublas_order_along
    end enum
    enum, bind(c)
        enumerator :: mublas_last_arriver = 0, mublas_in_order, mublas_both_halves, mublas_strips
    end enum

    ! As it is made it leaves the choice to mublas.
    type, bind(c) :: mublas_launch_shape
        integer(c_int) :: edge = 0, threads_x = 0, threads_y = 0, leaf_columns = 0
        integer(c_int) :: blocks_per_multiprocessor = 0, team_groups = 0
        integer(c_int) :: order = mublas_order_down, variant = mublas_last_arriver
    end type

    interface
        function mublas_version() bind(c) result(version)
            import
            integer(c_int) :: version
        end function
        function mublas_create(handle) bind(c) result(status)
            import
            type(c_ptr), intent(out) :: handle
            integer(c_int) :: status
        end function
        function mublas_create_on_device(handle, device) bind(c) result(status)
            import
            type(c_ptr), intent(out) :: handle
            integer(c_int), value :: device
            integer(c_int) :: status
        end function
        function mublas_destroy(handle) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: status
        end function
        function mublas_set_stream(handle, stream) bind(c) result(status)
            import
            type(c_ptr), value :: handle, stream
            integer(c_int) :: status
        end function
        function mublas_get_stream(handle, stream) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            type(c_ptr), intent(out) :: stream
            integer(c_int) :: status
        end function
        function mublas_set_pointer_mode(handle, mode) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: mode
            integer(c_int) :: status
        end function
        function mublas_get_pointer_mode(handle, mode) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), intent(out) :: mode
            integer(c_int) :: status
        end function
        function mublas_synchronise(handle) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: status
        end function
        function mublas_get_occupancy(handle, occupancy) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            type(mublas_occupancy), intent(out) :: occupancy
            integer(c_int) :: status
        end function
        function mublas_set_launch_shape(handle, shape) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            type(mublas_launch_shape), intent(in) :: shape
            integer(c_int) :: status
        end function
        function mublas_get_launch_shape(handle, shape) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            type(mublas_launch_shape), intent(out) :: shape
            integer(c_int) :: status
        end function
        function mublas_get_latest_shape(handle, shape) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            type(mublas_launch_shape), intent(out) :: shape
            integer(c_int) :: status
        end function
        function mublas_device_allocate(handle, bytes, pointer) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(out) :: pointer
            integer(c_int) :: status
        end function
        function mublas_device_free(handle, pointer) bind(c) result(status)
            import
            type(c_ptr), value :: handle, pointer
            integer(c_int) :: status
        end function
        ! `host`: the address of the first element, c_loc(array)
        function mublas_copy_to_device(handle, device, host, bytes) bind(c) result(status)
            import
            type(c_ptr), value :: handle, device, host
            integer(c_size_t), value :: bytes
            integer(c_int) :: status
        end function
        function mublas_copy_to_host(handle, host, device, bytes) bind(c) result(status)
            import
            type(c_ptr), value :: handle, device, host
            integer(c_size_t), value :: bytes
            integer(c_int) :: status
        end function
        function mublas_last_error_c(handle) bind(c, name='mublas_last_error') result(text)
            import
            type(c_ptr), value :: handle
            type(c_ptr) :: text
        end function
        function mublas_status_text_c(status) bind(c, name='mublas_status_text') result(text)
            import
            integer(c_int), value :: status
            type(c_ptr) :: text
        end function
    end interface

    interface mublas_saxpy
        function mublas_saxpy_host(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_saxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            real(c_float), intent(in) :: alpha
            integer(c_int) :: status
        end function
        function mublas_saxpy_device(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_saxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y, alpha
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_daxpy
        function mublas_daxpy_host(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_daxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            real(c_double), intent(in) :: alpha
            integer(c_int) :: status
        end function
        function mublas_daxpy_device(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_daxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y, alpha
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_caxpy
        function mublas_caxpy_host(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_caxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            complex(c_float_complex), intent(in) :: alpha
            integer(c_int) :: status
        end function
        function mublas_caxpy_device(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_caxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y, alpha
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_zaxpy
        function mublas_zaxpy_host(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_zaxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y
            integer(c_int64_t), value :: n, incx, incy
            complex(c_double_complex), intent(in) :: alpha
            integer(c_int) :: status
        end function
        function mublas_zaxpy_device(handle, n, alpha, x, incx, y, incy) &
            bind(c, name='mublas_zaxpy') result(status)
            import
            type(c_ptr), value :: handle, x, y, alpha
            integer(c_int64_t), value :: n, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_sgemv
        function mublas_sgemv_host(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_sgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            real(c_float), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_sgemv_device(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_sgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_dgemv
        function mublas_dgemv_host(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_dgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            real(c_double), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_dgemv_device(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_dgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_cgemv
        function mublas_cgemv_host(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_cgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            complex(c_float_complex), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_cgemv_device(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_cgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_zgemv
        function mublas_zgemv_host(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_zgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            complex(c_double_complex), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_zgemv_device(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_zgemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: trans
            integer(c_int64_t), value :: m, n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_ssymv
        function mublas_ssymv_host(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_ssymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            real(c_float), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_ssymv_device(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_ssymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_dsymv
        function mublas_dsymv_host(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_dsymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            real(c_double), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_dsymv_device(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_dsymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_wsymv
        function mublas_wsymv_host(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_wsymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            type(mublas_double_double), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_wsymv_device(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_wsymv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_chemv
        function mublas_chemv_host(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_chemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            complex(c_float_complex), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_chemv_device(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_chemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface mublas_zhemv
        function mublas_zhemv_host(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_zhemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            complex(c_double_complex), intent(in) :: alpha, beta
            integer(c_int) :: status
        end function
        function mublas_zhemv_device(handle, uplo, n, alpha, a, lda, x, incx, beta, y, incy) &
            bind(c, name='mublas_zhemv') result(status)
            import
            type(c_ptr), value :: handle, a, x, y, alpha, beta
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda, incx, incy
            integer(c_int) :: status
        end function
    end interface
    interface
        function mublas_strmv(handle, uplo, trans, diag, n, a, lda, x, incx) &
            bind(c, name='mublas_strmv') result(status)
            import
            type(c_ptr), value :: handle, a, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function
        function mublas_dtrmv(handle, uplo, trans, diag, n, a, lda, x, incx) &
            bind(c, name='mublas_dtrmv') result(status)
            import
            type(c_ptr), value :: handle, a, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function
        function mublas_ctrmv(handle, uplo, trans, diag, n, a, lda, x, incx) &
            bind(c, name='mublas_ctrmv') result(status)
            import
            type(c_ptr), value :: handle, a, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function
        function mublas_ztrmv(handle, uplo, trans, diag, n, a, lda, x, incx) &
            bind(c, name='mublas_ztrmv') result(status)
            import
            type(c_ptr), value :: handle, a, x
            integer(c_int), value :: uplo, trans, diag
            integer(c_int64_t), value :: n, lda, incx
            integer(c_int) :: status
        end function
    end interface

    interface mublas_axpy
        procedure mublas_saxpy_host, mublas_daxpy_host, mublas_caxpy_host, mublas_zaxpy_host
    end interface
    interface mublas_gemv
        procedure mublas_sgemv_host, mublas_dgemv_host, mublas_cgemv_host, mublas_zgemv_host
    end interface
    interface mublas_symv
        procedure mublas_ssymv_host, mublas_dsymv_host, mublas_wsymv_host
    end interface
    interface mublas_hemv
        procedure mublas_chemv_host, mublas_zhemv_host
    end interface

    private :: mublas_last_error_c, mublas_status_text_c, text_of

    ! Eigenproblems. Matrices, vectors, workspace, m and info are device addresses; vl and vu are values.
    interface
        function mublas_ssytrd(handle, uplo, n, a, lda, d, e, tau, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tau, workspace
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dsytrd(handle, uplo, n, a, lda, d, e, tau, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tau, workspace
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_chetrd(handle, uplo, n, a, lda, d, e, tau, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tau, workspace
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zhetrd(handle, uplo, n, a, lda, d, e, tau, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tau, workspace
            integer(c_int), value :: uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_sormtr(handle, side, uplo, trans, m, n, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: side, uplo, trans
            integer(c_int64_t), value :: m, n, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dormtr(handle, side, uplo, trans, m, n, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: side, uplo, trans
            integer(c_int64_t), value :: m, n, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cunmtr(handle, side, uplo, trans, m, n, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: side, uplo, trans
            integer(c_int64_t), value :: m, n, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zunmtr(handle, side, uplo, trans, m, n, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: side, uplo, trans
            integer(c_int64_t), value :: m, n, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_sstedc(handle, compz, n, d, e, z, ldz, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, d, e, z, workspace, info
            integer(c_int), value :: compz
            integer(c_int64_t), value :: n, ldz
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dstedc(handle, compz, n, d, e, z, ldz, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, d, e, z, workspace, info
            integer(c_int), value :: compz
            integer(c_int64_t), value :: n, ldz
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cstedc(handle, compz, n, d, e, z, ldz, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, d, e, z, workspace, info
            integer(c_int), value :: compz
            integer(c_int64_t), value :: n, ldz
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zstedc(handle, compz, n, d, e, z, ldz, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, d, e, z, workspace, info
            integer(c_int), value :: compz
            integer(c_int64_t), value :: n, ldz
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_ssyevd(handle, vectors, uplo, n, a, lda, w, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, w, workspace, info
            integer(c_int), value :: vectors, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dsyevd(handle, vectors, uplo, n, a, lda, w, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, w, workspace, info
            integer(c_int), value :: vectors, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cheevd(handle, vectors, uplo, n, a, lda, w, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, w, workspace, info
            integer(c_int), value :: vectors, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zheevd(handle, vectors, uplo, n, a, lda, w, workspace, workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, w, workspace, info
            integer(c_int), value :: vectors, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_ssyevdx(handle, vectors, range, uplo, n, a, lda, vl, vu, il, iu, m, w, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, m, w, workspace, info
            integer(c_int), value :: vectors, range, uplo
            integer(c_int64_t), value :: n, lda, il, iu
            real(c_float), value :: vl, vu
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dsyevdx(handle, vectors, range, uplo, n, a, lda, vl, vu, il, iu, m, w, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, m, w, workspace, info
            integer(c_int), value :: vectors, range, uplo
            integer(c_int64_t), value :: n, lda, il, iu
            real(c_double), value :: vl, vu
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cheevdx(handle, vectors, range, uplo, n, a, lda, vl, vu, il, iu, m, w, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, m, w, workspace, info
            integer(c_int), value :: vectors, range, uplo
            integer(c_int64_t), value :: n, lda, il, iu
            real(c_float), value :: vl, vu
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zheevdx(handle, vectors, range, uplo, n, a, lda, vl, vu, il, iu, m, w, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, m, w, workspace, info
            integer(c_int), value :: vectors, range, uplo
            integer(c_int64_t), value :: n, lda, il, iu
            real(c_double), value :: vl, vu
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_sgebrd(handle, m, n, a, lda, d, e, tauq, taup, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tauq, taup, workspace
            integer(c_int64_t), value :: m, n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dgebrd(handle, m, n, a, lda, d, e, tauq, taup, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tauq, taup, workspace
            integer(c_int64_t), value :: m, n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cgebrd(handle, m, n, a, lda, d, e, tauq, taup, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tauq, taup, workspace
            integer(c_int64_t), value :: m, n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zgebrd(handle, m, n, a, lda, d, e, tauq, taup, workspace, workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, d, e, tauq, taup, workspace
            integer(c_int64_t), value :: m, n, lda
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_sormbr(handle, vect, side, trans, m, n, k, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: vect, side, trans
            integer(c_int64_t), value :: m, n, k, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dormbr(handle, vect, side, trans, m, n, k, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: vect, side, trans
            integer(c_int64_t), value :: m, n, k, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cunmbr(handle, vect, side, trans, m, n, k, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: vect, side, trans
            integer(c_int64_t), value :: m, n, k, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zunmbr(handle, vect, side, trans, m, n, k, a, lda, tau, c, ldc, workspace, &
            workspace_bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, tau, c, workspace
            integer(c_int), value :: vect, side, trans
            integer(c_int64_t), value :: m, n, k, lda, ldc
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_sgesdd(handle, vectors, m, n, a, lda, s, u, ldu, v, ldv, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, s, u, v, workspace, info
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: m, n, lda, ldu, ldv
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_dgesdd(handle, vectors, m, n, a, lda, s, u, ldu, v, ldv, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, s, u, v, workspace, info
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: m, n, lda, ldu, ldv
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_cgesdd(handle, vectors, m, n, a, lda, s, u, ldu, v, ldv, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, s, u, v, workspace, info
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: m, n, lda, ldu, ldv
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_zgesdd(handle, vectors, m, n, a, lda, s, u, ldu, v, ldv, workspace, &
            workspace_bytes, info) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle, a, s, u, v, workspace, info
            integer(c_int), value :: vectors
            integer(c_int64_t), value :: m, n, lda, ldu, ldv
            integer(c_size_t), value :: workspace_bytes
            integer(c_int) :: status
        end function
        function mublas_gesdd_workspace(handle, kind, vectors, m, n, lda, ldu, ldv, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, vectors
            integer(c_int64_t), value :: m, n, lda, ldu, ldv
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_gebrd_workspace(handle, kind, m, n, lda, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind
            integer(c_int64_t), value :: m, n, lda
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_ormbr_workspace(handle, kind, vect, side, trans, m, n, k, lda, ldc, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, vect, side, trans
            integer(c_int64_t), value :: m, n, k, lda, ldc
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_sytrd_workspace(handle, kind, uplo, n, lda, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_ormtr_workspace(handle, kind, side, uplo, trans, m, n, lda, ldc, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, side, uplo, trans
            integer(c_int64_t), value :: m, n, lda, ldc
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_stedc_workspace(handle, kind, compz, n, ldz, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, compz
            integer(c_int64_t), value :: n, ldz
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_syevd_workspace(handle, kind, vectors, uplo, n, lda, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, vectors, uplo
            integer(c_int64_t), value :: n, lda
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
        function mublas_syevdx_workspace(handle, kind, vectors, range, uplo, n, lda, il, iu, bytes) &
            bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: kind, vectors, range, uplo
            integer(c_int64_t), value :: n, lda, il, iu
            integer(c_size_t), intent(out) :: bytes
            integer(c_int) :: status
        end function
    end interface

contains

    ! What went wrong with the handle; c_null_ptr: in the latest mublas_create.
    function mublas_last_error(handle) result(text)
        type(c_ptr), intent(in) :: handle
        character(len=:), allocatable :: text
        text = text_of(mublas_last_error_c(handle))
    end function

    function mublas_status_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: text
        text = text_of(mublas_status_text_c(status))
    end function

    ! The device address `bytes` further on: of A(i, j), for a matrix at `pointer`, it is
    ! mublas_address(pointer, element_bytes*((i - 1) + (j - 1)*lda)).
    function mublas_address(pointer, bytes) result(address)
        type(c_ptr), intent(in) :: pointer
        integer(c_size_t), intent(in) :: bytes
        type(c_ptr) :: address
        address = transfer(transfer(pointer, 0_c_intptr_t) + int(bytes, c_intptr_t), address)
    end function

    function text_of(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: length, i
        call c_f_pointer(address, letters, [1000])
        length = 0
        do while (letters(length + 1) /= c_null_char)
            length = length + 1
        end do
        allocate (character(len=length) :: text)
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function
end module
