! Every routine of the Fortran module, with scalars of the host and of the device, on small
! integers: that each reaches its C function with its arguments in order. The C tests look
! at the arithmetic. Prints what is wrong; the last line is "all right" or the count.
program every_routine
    use mublas
    implicit none
    integer(c_int64_t), parameter :: i1 = 1, i2 = 2, i3 = 3
    type(c_ptr) :: handle, a, x, y, alpha, beta
    integer :: wrong = 0
    character :: letter

    if (mublas_create(handle) /= mublas_success) then
        write (*, '(a)') mublas_last_error(c_null_ptr)
        error stop 1
    end if
    call on_host()
    call note(mublas_set_pointer_mode(handle, mublas_pointer_device), 'mublas_set_pointer_mode')
    call on_device()
    call shapes()
    call errors()
    call note(mublas_destroy(handle), 'mublas_destroy')
    if (wrong > 0) then
        write (*, '(i0, a)') wrong, ' wrong'
        error stop 1
    end if
    write (*, '(a)') 'all right'

contains

    ! op(A) = A: 2 A x + 3 y of 2 rows and 1 column, of order 2; 2 x + y; L x.
    subroutine on_host()
        call start('s')
        call expect(mublas_gemv(handle, mublas_no_trans, i2, i1, 2.0, a, i3, x, i2, 3.0, y, i1), 'sgemv', [14., 22.])
        call start('s')
        call expect(mublas_symv(handle, mublas_upper, i2, 2.0, a, i3, x, i2, 3.0, y, i1), 'ssymv', [26., 52.])
        call start('s')
        call expect(mublas_axpy(handle, i2, 2.0, x, i2, y, i1), 'saxpy', [6., 12.])
        call start('d')
        call expect(mublas_gemv(handle, mublas_no_trans, i2, i1, 2d0, a, i3, x, i2, 3d0, y, i1), 'dgemv', [14., 22.])
        call start('d')
        call expect(mublas_symv(handle, mublas_upper, i2, 2d0, a, i3, x, i2, 3d0, y, i1), 'dsymv', [26., 52.])
        call start('d')
        call expect(mublas_axpy(handle, i2, 2d0, x, i2, y, i1), 'daxpy', [6., 12.])
        call start('c')
        call expect(mublas_gemv(handle, mublas_no_trans, i2, i1, (2., 0.), a, i3, x, i2, (3., 0.), y, i1), 'cgemv', &
                    [14., 22.])
        call start('c')
        call expect(mublas_hemv(handle, mublas_upper, i2, (2., 0.), a, i3, x, i2, (3., 0.), y, i1), 'chemv', [26., 52.])
        call start('c')
        call expect(mublas_axpy(handle, i2, (2., 0.), x, i2, y, i1), 'caxpy', [6., 12.])
        call start('z')
        call expect(mublas_gemv(handle, mublas_no_trans, i2, i1, (2d0, 0d0), a, i3, x, i2, (3d0, 0d0), y, i1), &
                    'zgemv', [14., 22.])
        call start('z')
        call expect(mublas_hemv(handle, mublas_upper, i2, (2d0, 0d0), a, i3, x, i2, (3d0, 0d0), y, i1), 'zhemv', &
                    [26., 52.])
        call start('z')
        call expect(mublas_axpy(handle, i2, (2d0, 0d0), x, i2, y, i1), 'zaxpy', [6., 12.])
        call start('w')
        call expect(mublas_symv(handle, mublas_upper, i2, mublas_double_double(2, 0), a, i3, x, i2, &
                                mublas_double_double(3, 0), y, i1), 'wsymv', [26., 52.])
    end subroutine

    subroutine on_device()
        call start('s')
        call expect(mublas_sgemv(handle, mublas_trans, i2, i1, alpha, a, i3, x, i1, beta, y, i1), 'sgemv', [14.])
        call start('d')
        call expect(mublas_dgemv(handle, mublas_trans, i2, i1, alpha, a, i3, x, i1, beta, y, i1), 'dgemv', [14.])
        call start('c')
        call expect(mublas_cgemv(handle, mublas_conj_trans, i2, i1, alpha, a, i3, x, i1, beta, y, i1), 'cgemv', [14.])
        call start('z')
        call expect(mublas_zgemv(handle, mublas_conj_trans, i2, i1, alpha, a, i3, x, i1, beta, y, i1), 'zgemv', [14.])
        call start('s')
        call expect(mublas_ssymv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'ssymv', [26., 52.])
        call start('d')
        call expect(mublas_dsymv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'dsymv', [26., 52.])
        call start('w')
        call expect(mublas_wsymv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'wsymv', [26., 52.])
        call start('c')
        call expect(mublas_chemv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'chemv', [26., 52.])
        call start('z')
        call expect(mublas_zhemv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'zhemv', [26., 52.])
        call start('s')
        call expect(mublas_saxpy(handle, i2, alpha, x, i2, y, i1), 'saxpy', [6., 12.])
        call start('d')
        call expect(mublas_daxpy(handle, i2, alpha, x, i2, y, i1), 'daxpy', [6., 12.])
        call start('c')
        call expect(mublas_caxpy(handle, i2, alpha, x, i2, y, i1), 'caxpy', [6., 12.])
        call start('z')
        call expect(mublas_zaxpy(handle, i2, alpha, x, i2, y, i1), 'zaxpy', [6., 12.])
        call start('s')
        call expect(mublas_strmv(handle, mublas_lower, mublas_no_trans, mublas_unit, i2, a, i3, y, i1), 'strmv', [4., 14.])
        call start('d')
        call expect(mublas_dtrmv(handle, mublas_lower, mublas_no_trans, mublas_unit, i2, a, i3, y, i1), 'dtrmv', [4., 14.])
        call start('c')
        call expect(mublas_ctrmv(handle, mublas_lower, mublas_no_trans, mublas_unit, i2, a, i3, y, i1), 'ctrmv', [4., 14.])
        call start('z')
        call expect(mublas_ztrmv(handle, mublas_lower, mublas_no_trans, mublas_unit, i2, a, i3, y, i1), 'ztrmv', [4., 14.])
    end subroutine

    ! In device pointer mode.
    subroutine shapes()
        type(mublas_launch_shape) :: shape, latest
        call start('d')
        shape = mublas_launch_shape(edge=64, threads_x=8, threads_y=4, leaf_columns=2, blocks_per_multiprocessor=1, &
                                    team_groups=4, order=mublas_order_along, variant=mublas_both_halves)
        call note(mublas_set_launch_shape(handle, shape), 'mublas_set_launch_shape')
        call expect(mublas_dsymv(handle, mublas_lower, i2, alpha, a, i3, x, i2, beta, y, i1), 'dsymv', [26., 52.])
        call note(mublas_get_latest_shape(handle, latest), 'mublas_get_latest_shape')
        call same(latest, shape)
        call note(mublas_get_launch_shape(handle, latest), 'mublas_get_launch_shape')
        call same(latest, shape)
        shape = mublas_launch_shape()
        call note(mublas_set_launch_shape(handle, shape), 'mublas_set_launch_shape')
        call note(mublas_get_launch_shape(handle, latest), 'mublas_get_launch_shape')
        call same(latest, shape)
    end subroutine

    subroutine same(one, two)
        type(mublas_launch_shape), intent(in) :: one, two
        if (one%edge == two%edge .and. one%threads_x == two%threads_x .and. one%threads_y == two%threads_y .and. &
            one%leaf_columns == two%leaf_columns .and. one%team_groups == two%team_groups .and. &
            one%blocks_per_multiprocessor == two%blocks_per_multiprocessor .and. &
            one%order == two%order .and. one%variant == two%variant) return
        wrong = wrong + 1
        write (*, '(a, 16i5)') 'a shape: ', one, two
    end subroutine

    subroutine errors()
        integer(c_int) :: status
        call start('d')
        status = mublas_dsymv(handle, mublas_lower, i2, alpha, a, i1, x, i2, beta, y, i1)
        if (status /= mublas_bad_argument .or. mublas_status_text(status) /= 'bad argument' .or. &
            mublas_last_error(handle) /= 'mublas_dsymv: lda is 1, less than n, which is 2') then
            wrong = wrong + 1
            write (*, '(4a)') 'an error: ', mublas_status_text(status), ': ', mublas_last_error(handle)
        end if
    end subroutine

    subroutine note(status, what)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: what
        if (status == mublas_success) return
        wrong = wrong + 1
        write (*, '(5a)') what, ': ', mublas_status_text(status), ': ', mublas_last_error(handle)
    end subroutine

    ! A = (1 2; 2 5) with lda 3, x = (1, 3) with increment 2, y = (4, 6), of this type.
    subroutine start(type_letter)
        character, intent(in) :: type_letter
        letter = type_letter
        a = to_device([1., 2., 0., 2., 5., 0.])
        x = to_device([1., 0., 3.])
        y = to_device([4., 6.])
        alpha = to_device([2.])
        beta = to_device([3.])
    end subroutine

    function to_device(values) result(pointer)
        real, intent(in) :: values(:)
        type(c_ptr) :: pointer
        real(c_float), allocatable, target :: single(:)
        real(c_double), allocatable, target :: double(:)
        complex(c_float_complex), allocatable, target :: single_complex(:)
        complex(c_double_complex), allocatable, target :: double_complex(:)
        single = values
        double = values
        single_complex = values
        double_complex = values   ! a double-double, too: the second part is 0
        select case (letter)
        case ('s')
            pointer = copied(c_loc(single), 4*size(values))
        case ('d')
            pointer = copied(c_loc(double), 8*size(values))
        case ('c')
            pointer = copied(c_loc(single_complex), 8*size(values))
        case default
            pointer = copied(c_loc(double_complex), 16*size(values))
        end select
    end function

    function copied(host, bytes) result(pointer)
        type(c_ptr), intent(in) :: host
        integer, intent(in) :: bytes
        type(c_ptr) :: pointer
        call note(mublas_device_allocate(handle, int(bytes, c_size_t), pointer), 'mublas_device_allocate')
        call note(mublas_copy_to_device(handle, pointer, host, int(bytes, c_size_t)), 'mublas_copy_to_device')
    end function

    subroutine expect(status, name, expected)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: name
        real, intent(in) :: expected(:)
        real(c_float), target :: single(4)
        real(c_double), target :: double(4)
        real(c_double) :: got(size(expected))
        integer :: step
        call note(status, name)
        step = 1
        if (letter == 'c' .or. letter == 'z' .or. letter == 'w') step = 2
        if (letter == 's' .or. letter == 'c') then
            call note(mublas_copy_to_host(handle, c_loc(single), y, int(4*step*size(expected), c_size_t)), name)
            got = single(:step*size(expected):step)
        else
            call note(mublas_copy_to_host(handle, c_loc(double), y, int(8*step*size(expected), c_size_t)), name)
            got = double(:step*size(expected):step)
        end if
        if (any(got /= expected)) then
            wrong = wrong + 1
            write (*, '(2a, 4f8.2)') name, ': ', got, expected
        end if
    end subroutine
end program
