! eigensolver [--tridiagonal] [--eigenvalues FILE] N [SEED]
!
! Eigenvalues of a random symmetric matrix by plain LAPACK: dsyevd with all
! eigenvectors, or with --tridiagonal dsytrd and dsterf, eigenvalues alone.
! Prints the time, how well the results satisfy their definition, with unit and
! limit, and a digest of the eigenvalues' bits.
! --eigenvalues also writes them to FILE, one a line.
! Exit status: 0, 1 when LAPACK fails or a check does not hold, 2 for bad arguments.
program eigensolver
    use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
    implicit none
    integer, parameter :: largest_n = 32000   ! 2 n**2 must fit a default integer
    ! LAPACK's own testers hold their linear solvers to 30 (dtest.in), and symmetric eigensolvers to 50 (sep.in).
    real(real64), parameter :: tolerance = 30, tester_tolerance = 50
    integer :: n, seed
    logical :: tridiagonal
    character(len=:), allocatable :: file
    real(real64), allocatable :: a(:, :), eigenvalues(:)
    logical :: good
    integer :: status

    interface
        function dlansy(norm, uplo, n, a, lda, work)
            import :: real64
            character, intent(in) :: norm, uplo
            integer, intent(in) :: n, lda
            real(real64), intent(in) :: a(lda, *)
            real(real64) :: work(*), dlansy
        end function
    end interface

    call read_arguments(n, seed, tridiagonal, file)
    allocate (a(n, n), eigenvalues(n), stat=status)
    call check_memory(status)
    call fill_symmetric(a, seed)
    write (*, '(a, i0)') 'n              ', n
    write (*, '(a, i0)') 'seed           ', seed
    if (tridiagonal) then
        call solve_tridiagonal(a, eigenvalues, good)
    else
        call solve_with_vectors(a, eigenvalues, good)
    end if
    write (*, '(a, z16.16)') 'digest         ', digest(eigenvalues)
    if (allocated(file)) call write_eigenvalues(eigenvalues, file)
    if (.not. good) call fail(1, 'a check does not hold')

contains

    subroutine fail(exit_status, message)
        integer, intent(in) :: exit_status
        character(len=*), intent(in) :: message
        write (error_unit, '(2a)') 'eigensolver: ', message
        flush (error_unit)
        if (exit_status == 1) stop 1, quiet=.true.
        stop 2, quiet=.true.
    end subroutine

    function argument(position) result(text)
        integer, intent(in) :: position
        character(len=:), allocatable :: text
        integer :: length
        call get_command_argument(position, length=length)
        allocate (character(len=length) :: text)
        if (length > 0) call get_command_argument(position, text)
    end function

    ! A whole number between low and high, written in digits alone.
    integer function whole_number(text, name, low, high)
        character(len=*), intent(in) :: text, name
        integer, intent(in) :: low, high
        integer(int64) :: value
        character(len=80) :: message
        value = -1
        if (len(text) >= 1 .and. len(text) <= 10 .and. verify(text, '0123456789') == 0) read (text, *) value
        write (message, '(a, " must be a whole number from ", i0, " to ", i0, ", not ")') name, low, high
        if (value < low .or. value > high) call fail(2, trim(message)//" '"//text//"'")
        whole_number = int(value)
    end function

    subroutine read_arguments(n, seed, tridiagonal, file)
        integer, intent(out) :: n, seed
        logical, intent(out) :: tridiagonal
        character(len=:), allocatable, intent(out) :: file
        character(len=*), parameter :: usage = 'usage: eigensolver [--tridiagonal] [--eigenvalues FILE] N [SEED]'
        character(len=:), allocatable :: text
        integer :: position, numbers
        tridiagonal = .false.
        numbers = 0
        n = 0
        seed = 1
        position = 1
        do while (position <= command_argument_count())
            text = argument(position)
            if (text == '--tridiagonal') then
                tridiagonal = .true.
            else if (text == '--eigenvalues') then
                position = position + 1
                if (position > command_argument_count()) call fail(2, '--eigenvalues needs the name of a file')
                file = argument(position)
            else if (index(text, '-') == 1) then
                call fail(2, "unknown option '"//text//"'; "//usage)
            else
                numbers = numbers + 1
                if (numbers == 1) n = whole_number(text, 'N', 1, largest_n)
                if (numbers == 2) seed = whole_number(text, 'SEED', 1, 2147483562)
            end if
            position = position + 1
        end do
        if (numbers < 1 .or. numbers > 2) call fail(2, usage)
    end subroutine

    ! Uniform in (-1, 1), by L'Ecuyer's combined generator (CACM 31, 1988): the
    ! same bits with every compiler, no product needs more than 47 bits.
    real(real64) function uniform(state)
        integer(int64), intent(inout) :: state(2)
        integer(int64) :: difference
        state(1) = mod(40014_int64*state(1), 2147483563_int64)
        state(2) = mod(40692_int64*state(2), 2147483399_int64)
        difference = modulo(state(1) - state(2), 2147483562_int64) + 1
        uniform = 2*(real(difference, real64)/2147483563.0_real64) - 1
    end function

    subroutine fill_symmetric(a, seed)
        real(real64), intent(out) :: a(:, :)
        integer, intent(in) :: seed
        integer(int64) :: state(2)
        integer :: i, j
        state(1) = seed
        state(2) = mod(seed, 2147483398) + 1
        do j = 1, size(a, 2)
            do i = j, size(a, 1)
                a(i, j) = uniform(state)
                a(j, i) = a(i, j)
            end do
        end do
    end subroutine

    real(real64) function seconds()
        integer(int64) :: now, rate
        call system_clock(now, rate)
        seconds = real(now, real64)/real(rate, real64)
    end function

    subroutine check_info(info, routine)
        integer, intent(in) :: info
        character(len=*), intent(in) :: routine
        character(len=60) :: message
        if (info == 0) return
        write (message, '(2a, i0)') routine, ' failed with info = ', info
        call fail(1, trim(message))
    end subroutine

    subroutine check_memory(status)
        integer, intent(in) :: status
        character(len=80) :: message
        if (status == 0) return
        write (message, '(a, i0, a, f0.1, a)') 'out of memory: each matrix of N = ', n, ' needs ', &
            8*real(n, real64)**2/2**30, ' GiB'
        call fail(1, trim(message))
    end subroutine

    subroutine write_check(name, error, unit)
        character(len=*), intent(in) :: name, unit
        real(real64), intent(in) :: error
        write (*, '(a, es10.2, 3a, i0, a, i0, a)') name, error, '   of ', unit, '; limit: ', nint(tolerance), &
            ' (of LAPACK''s testers: ', nint(tester_tolerance), ')'
    end subroutine

    ! |A V - V L| and |V' V - I| in the 1-norm.
    subroutine solve_with_vectors(a, eigenvalues, good)
        real(real64), intent(in) :: a(:, :)
        real(real64), intent(out) :: eigenvalues(:)
        logical, intent(out) :: good
        real(real64), allocatable :: v(:, :), product(:, :), work(:)
        integer, allocatable :: integer_work(:)
        real(real64) :: start, residual, orthogonality, norm
        integer :: j, info, status
        allocate (v, source=a, stat=status)
        call check_memory(status)
        allocate (work(1 + 6*n + 2*n**2), integer_work(3 + 5*n), stat=status)
        call check_memory(status)
        start = seconds()
        call dsyevd('V', 'L', n, v, n, eigenvalues, work, size(work), integer_work, size(integer_work), info)
        write (*, '(a, f9.3, a)') 'dsyevd        ', seconds() - start, ' s'
        call check_info(info, 'dsyevd')
        deallocate (work)
        allocate (product(n, n), stat=status)
        call check_memory(status)
        norm = one_norm(a)
        call dgemm('N', 'N', n, n, n, 1.0_real64, a, n, v, n, 0.0_real64, product, n)
        do j = 1, n
            product(:, j) = product(:, j) - eigenvalues(j)*v(:, j)
        end do
        residual = one_norm(product)/(n*norm*epsilon(norm))
        call dgemm('T', 'N', n, n, n, 1.0_real64, v, n, v, n, 0.0_real64, product, n)
        do j = 1, n
            product(j, j) = product(j, j) - 1
        end do
        orthogonality = one_norm(product)/(n*epsilon(norm))
        call write_check('residual       ', residual, '|A V - V L| in n |A| eps')
        call write_check('orthogonality  ', orthogonality, "|V'V - I| in n eps")
        good = residual <= tolerance .and. orthogonality <= tolerance
    end subroutine

    real(real64) function one_norm(matrix)
        real(real64), intent(in) :: matrix(:, :)
        integer :: j
        real(real64) :: column
        one_norm = 0
        do j = 1, size(matrix, 2)
            column = sum(abs(matrix(:, j)))
            if (.not. column <= one_norm) one_norm = column   ! a NaN stays
        end do
    end function

    ! The eigenvalues' sum is the trace, their 2-norm the Frobenius norm.
    subroutine solve_tridiagonal(a, eigenvalues, good)
        real(real64), intent(inout) :: a(:, :)
        real(real64), intent(out) :: eigenvalues(:)
        logical, intent(out) :: good
        real(real64), allocatable :: off_diagonal(:), tau(:), work(:)
        real(real64) :: start, trace, norm, trace_error, norm_error
        integer :: i, info, status
        allocate (off_diagonal(n), tau(n), work(64*n), stat=status)
        call check_memory(status)
        norm = dlansy('F', 'L', n, a, n, work)
        trace = sum([(a(i, i), i=1, n)])
        start = seconds()
        call dsytrd('L', n, a, n, eigenvalues, off_diagonal, tau, work, size(work), info)
        write (*, '(a, f9.3, a)') 'dsytrd        ', seconds() - start, ' s'
        call check_info(info, 'dsytrd')
        start = seconds()
        call dsterf(n, eigenvalues, off_diagonal, info)
        write (*, '(a, f9.3, a)') 'dsterf        ', seconds() - start, ' s'
        call check_info(info, 'dsterf')
        trace_error = abs(sum(eigenvalues) - trace)/(n*norm*epsilon(norm))
        norm_error = abs(norm2(eigenvalues) - norm)/(n*norm*epsilon(norm))
        call write_check('trace          ', trace_error, '|sum(L) - trace(A)| in n |A| eps')
        call write_check('frobenius      ', norm_error, '||L| - |A|| in n |A| eps')
        good = trace_error <= tolerance .and. norm_error <= tolerance
    end subroutine

    ! 64-bit FNV-1a over the bytes of the values, lowest byte first. Computed in
    ! 32-bit halves, because an overflowing product is undefined in Fortran:
    ! the prime is 2**40 + 435, so only the upper half sees the shifted part.
    integer(int64) function digest(values)
        real(real64), intent(in) :: values(:)
        integer(int64), parameter :: mask = 4294967295_int64
        integer(int64) :: high, low, bits, product
        integer :: i, byte
        high = int(z'cbf29ce4', int64)
        low = int(z'84222325', int64)
        do i = 1, size(values)
            bits = transfer(values(i), bits)
            do byte = 0, 7
                low = ieor(low, ibits(bits, 8*byte, 8))
                product = 435*low
                high = iand(435*high + ishft(product, -32) + ishft(low, 8), mask)
                low = iand(product, mask)
            end do
        end do
        digest = ior(ishft(high, 32), low)
    end function

    subroutine write_eigenvalues(values, file)
        real(real64), intent(in) :: values(:)
        character(len=*), intent(in) :: file
        integer :: unit, status
        open (newunit=unit, file=file, status='replace', action='write', iostat=status)
        if (status /= 0) call fail(2, "cannot write '"//file//"'")
        write (unit, '(es24.16e3)') values
        close (unit)
    end subroutine
end program
