! The largest eigenvalue of a symmetric matrix by Lanczos' method, wholly on the GPU: the
! matrix and all vectors stay there, and only dot products come back.
!
!     gfortran -o lanczos $(pkg-config --variable=fortran_module mublas) lanczos.f90 $(pkg-config --libs mublas)
!     ./lanczos [N]
!
! The matrix is min(i, j), whose largest eigenvalue is 1/(4 sin(pi/(4n + 2))**2).
! Exit status: 0, 1 when the eigenvalue is wrong or a call fails, 2 for a bad argument.
program lanczos
    use mublas
    use, intrinsic :: iso_fortran_env, only: real64, int64, error_unit
    implicit none
    integer(int64), parameter :: one = 1
    real(real64), parameter :: pi = acos(-1.0_real64)
    integer(int64) :: n, steps, j
    type(c_ptr) :: handle, a, basis, dots, w
    real(real64), allocatable :: diagonal(:), off_diagonal(:)
    real(real64) :: norm, computed, exact

    interface
        subroutine leave(exit_status) bind(c, name='exit')
            import :: c_int
            integer(c_int), value :: exit_status
        end subroutine
    end interface

    n = 200
    if (command_argument_count() > 0) call read_size(n)
    steps = min(n, 20_int64)
    allocate (diagonal(steps), off_diagonal(steps))
    call check(mublas_create(handle), c_null_ptr)
    call make_matrix()
    basis = device_memory(n*(steps + 1))
    w = device_memory(n)
    dots = device_memory(steps + 1)
    call fill(vector(one), n, 1/sqrt(real(n, real64)))

    do j = 1, steps
        call check(mublas_symv(handle, mublas_lower, n, 1.0_real64, a, n, vector(j), one, 0.0_real64, w, one), handle)
        diagonal(j) = dot(vector(j), w)
        call orthogonalise(j)
        call orthogonalise(j)
        norm = sqrt(dot(w, w))
        off_diagonal(j) = norm
        if (norm <= n*epsilon(norm)*diagonal(1)) exit
        call scaled_copy(1/norm, w, vector(j + 1))
    end do
    steps = min(j, steps)

    computed = largest_eigenvalue(diagonal(:steps), off_diagonal(:steps))
    exact = 1/(4*sin(pi/(4*n + 2))**2)
    write (*, '(a, i0, a, i0, a)') 'n = ', n, ', ', steps, ' steps'
    write (*, '(a, es23.16)') 'computed ', computed
    write (*, '(a, es23.16)') 'exact    ', exact
    call check(mublas_device_free(handle, a), handle)
    call check(mublas_device_free(handle, basis), handle)
    call check(mublas_device_free(handle, w), handle)
    call check(mublas_device_free(handle, dots), handle)
    call check(mublas_destroy(handle), c_null_ptr)
    if (.not. abs(computed - exact) <= 1e-12_real64*exact) call fail(1, 'the eigenvalue is wrong')

contains

    subroutine fail(exit_status, message)
        integer, intent(in) :: exit_status
        character(len=*), intent(in) :: message
        write (error_unit, '(2a)') 'lanczos: ', message
        flush (error_unit)
        call leave(int(exit_status, c_int))
    end subroutine

    ! Digits alone, few enough that the bytes of the matrix fit 64 bits.
    subroutine read_size(size)
        integer(int64), intent(out) :: size
        character(len=:), allocatable :: text
        integer :: length
        call get_command_argument(1, length=length)
        allocate (character(len=length) :: text)
        call get_command_argument(1, text)
        size = 0
        if (length >= 1 .and. length <= 9 .and. verify(text, '0123456789') == 0) read (text, *) size
        if (size < 2) call fail(2, "N must be a whole number from 2 to 999999999, not '"//text//"'")
        if (command_argument_count() > 1) call fail(2, 'one argument too many; usage: lanczos [N]')
    end subroutine

    subroutine check_memory(status)
        integer, intent(in) :: status
        character(len=80) :: message
        if (status == 0) return
        write (message, '(a, i0, a, es9.2, a)') 'out of memory: N = ', n, ' needs ', 8*real(n, real64)**2/2**30, ' GiB'
        call fail(1, trim(message))
    end subroutine

    subroutine check(status, where)
        integer(c_int), intent(in) :: status
        type(c_ptr), intent(in) :: where
        if (status == mublas_success) return
        call fail(1, mublas_status_text(status)//': '//mublas_last_error(where))
    end subroutine

    function device_memory(numbers) result(pointer)
        integer(int64), intent(in) :: numbers
        type(c_ptr) :: pointer
        call check(mublas_device_allocate(handle, 8_c_size_t*numbers, pointer), handle)
    end function

    subroutine make_matrix()
        real(real64), allocatable, target :: values(:, :)
        integer(int64) :: row, column
        integer :: status
        allocate (values(n, n), stat=status)
        call check_memory(status)
        do column = 1, n
            values(:, column) = [(real(min(row, column), real64), row=1, n)]
        end do
        a = device_memory(n*n)
        call check(mublas_copy_to_device(handle, a, c_loc(values), 8_c_size_t*n*n), handle)
    end subroutine

    subroutine fill(pointer, count, value)
        type(c_ptr), intent(in) :: pointer
        integer(int64), intent(in) :: count
        real(real64), intent(in) :: value
        real(real64), allocatable, target :: values(:)
        integer :: status
        allocate (values(count), source=value, stat=status)
        call check_memory(status)
        call check(mublas_copy_to_device(handle, pointer, c_loc(values), 8_c_size_t*count), handle)
    end subroutine

    ! Column k of the basis.
    function vector(k) result(pointer)
        integer(int64), intent(in) :: k
        type(c_ptr) :: pointer
        pointer = mublas_address(basis, 8_c_size_t*n*(k - 1))
    end function

    ! x as a matrix of one column: its transpose times y.
    function dot(x, y) result(value)
        type(c_ptr), intent(in) :: x, y
        real(real64), target :: value
        call check(mublas_gemv(handle, mublas_trans, n, one, 1.0_real64, x, n, y, one, 0.0_real64, dots, one), handle)
        call check(mublas_copy_to_host(handle, c_loc(value), dots, 8_c_size_t), handle)
    end function

    ! w = w - V V**T w, V the first k vectors of the basis.
    subroutine orthogonalise(k)
        integer(int64), intent(in) :: k
        call check(mublas_gemv(handle, mublas_trans, n, k, 1.0_real64, basis, n, w, one, 0.0_real64, dots, one), handle)
        call check(mublas_gemv(handle, mublas_no_trans, n, k, -1.0_real64, basis, n, dots, one, 1.0_real64, w, one), &
                   handle)
    end subroutine

    subroutine scaled_copy(factor, from, to)
        real(real64), intent(in) :: factor
        type(c_ptr), intent(in) :: from, to
        call fill(to, n, 0.0_real64)
        call check(mublas_axpy(handle, n, factor, from, one, to, one), handle)
    end subroutine

    ! Of a symmetric tridiagonal matrix, by bisection on the count of eigenvalues above.
    function largest_eigenvalue(d, e) result(middle)
        real(real64), intent(in) :: d(:), e(:)
        real(real64) :: low, high, middle
        low = minval(d)
        high = maxval(abs(d)) + 2*maxval(abs(e))
        do
            middle = low + (high - low)/2
            if (middle <= low .or. middle >= high) exit
            if (has_eigenvalue_above(d, e, middle)) then
                low = middle
            else
                high = middle
            end if
        end do
    end function

    function has_eigenvalue_above(d, e, bound) result(above)
        real(real64), intent(in) :: d(:), e(:), bound
        logical :: above
        real(real64) :: pivot
        integer :: i
        pivot = d(1) - bound
        above = pivot > 0
        do i = 2, size(d)
            if (pivot == 0) pivot = tiny(pivot)
            pivot = d(i) - bound - e(i - 1)**2/pivot
            above = above .or. pivot > 0
        end do
    end function
end program
