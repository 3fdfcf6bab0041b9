! The lowest eigenvalues and eigenvectors of a symmetric matrix, with everything on the GPU.
!
!     gfortran -o lowest_states $(pkg-config --variable=fortran_module mublas) lowest_states.f90 \
!         $(pkg-config --libs mublas)
!     ./lowest_states [N]
!
! The matrix is that of second differences, 2 with -1 beside it, made full by a reflection I - 2 u u'. Its
! eigenvalues are 2 - 2 cos(k pi / (N + 1)). Exit status: 0, 1 when a value or a vector is wrong or a call
! fails, 2 for a bad argument.
program lowest_states
    use mublas
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    integer, parameter :: wanted = 3
    real(c_double), parameter :: pi = 3.14159265358979324d0
    real(c_double), allocatable, target :: a(:, :), vectors(:, :), values(:)
    type(c_ptr) :: handle, device_a, device_w, device_m, device_info, workspace
    integer(c_int), target :: m, info
    integer(c_size_t) :: bytes
    integer(c_int64_t) :: n
    real(c_double) :: residual, exact
    integer :: k

    interface
        subroutine leave(exit_status) bind(c, name='exit')
            import :: c_int
            integer(c_int), value :: exit_status
        end subroutine
    end interface

    n = order()
    allocate (a(n, n), vectors(n, wanted), values(wanted))
    call make_matrix()
    if (mublas_create(handle) /= mublas_success) call fail(1, mublas_last_error(c_null_ptr))
    call check(mublas_device_allocate(handle, int(8*n*n, c_size_t), device_a))
    call check(mublas_device_allocate(handle, int(8*n, c_size_t), device_w))
    call check(mublas_device_allocate(handle, 4_c_size_t, device_m))
    call check(mublas_device_allocate(handle, 4_c_size_t, device_info))
    call check(mublas_copy_to_device(handle, device_a, c_loc(a), int(8*n*n, c_size_t)))

    ! How much workspace the call needs; then the call, which returns at once.
    call check(mublas_syevdx_workspace(handle, mublas_double, mublas_vectors, mublas_indices, mublas_lower, &
                                       n, n, 1_c_int64_t, int(wanted, c_int64_t), bytes))
    call check(mublas_device_allocate(handle, bytes, workspace))
    call check(mublas_dsyevdx(handle, mublas_vectors, mublas_indices, mublas_lower, n, device_a, n, 0d0, 0d0, &
                              1_c_int64_t, int(wanted, c_int64_t), device_m, device_w, workspace, bytes, &
                              device_info))

    ! Copies wait for it.
    call check(mublas_copy_to_host(handle, c_loc(info), device_info, 4_c_size_t))
    call check(mublas_copy_to_host(handle, c_loc(m), device_m, 4_c_size_t))
    if (info /= 0 .or. m /= wanted) call fail(1, 'info is not 0, or m not what was asked for')
    call check(mublas_copy_to_host(handle, c_loc(values), device_w, int(8*wanted, c_size_t)))
    call check(mublas_copy_to_host(handle, c_loc(vectors), device_a, int(8*n*wanted, c_size_t)))
    call check(mublas_destroy(handle))
    do k = 1, wanted
        exact = 2 - 2*cos(k*pi/(n + 1))
        residual = norm2(matmul(a, vectors(:, k)) - values(k)*vectors(:, k))
        write (*, '(a, i0, a, es20.13, a, es9.2)') 'state ', k, ': ', values(k), ', residual ', residual
        if (.not. max(abs(values(k) - exact), residual) < 1d-13*n) call fail(1, 'the state is wrong')
    end do

contains

    ! B = H T H with H = I - 2 u u', |u| = 1: T - 2 u (T u)' - 2 (T u) u' + 4 (u'T u) u u'.
    subroutine make_matrix()
        real(c_double) :: u(n), tu(n)
        integer(c_int64_t) :: i, j
        u = [(1d0/i, i = 1, n)]
        u = u/norm2(u)
        tu = 2*u
        tu(1:n - 1) = tu(1:n - 1) - u(2:n)
        tu(2:n) = tu(2:n) - u(1:n - 1)
        do j = 1, n
            a(:, j) = 4*dot_product(u, tu)*u(j)*u - 2*tu(j)*u - 2*u(j)*tu
            a(j, j) = a(j, j) + 2
            if (j > 1) a(j - 1, j) = a(j - 1, j) - 1
            if (j < n) a(j + 1, j) = a(j + 1, j) - 1
        end do
    end subroutine

    function order() result(n)
        integer(c_int64_t) :: n
        character(len=32) :: text
        integer :: error
        n = 1000
        if (command_argument_count() == 0) return
        call get_command_argument(1, text)
        error = 1
        if (len_trim(text) > 0 .and. verify(trim(text), '0123456789') == 0) read (text, *, iostat=error) n
        if (error == 0 .and. n >= 2*wanted .and. n <= 20000) return
        call fail(2, "N must be a whole number from 6 to 20000, not '"//trim(text)//"'")
    end function

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= mublas_success) call fail(1, mublas_last_error(handle))
    end subroutine

    subroutine fail(exit_status, text)
        integer(c_int), intent(in) :: exit_status
        character(len=*), intent(in) :: text
        write (error_unit, '(2a)') 'lowest_states: ', text
        call leave(exit_status)
    end subroutine
end program
