! Every routine for eigenproblems and singular values of the Fortran module, on A = (2 1; 1 2) with lda 3, whose
! eigenvalues are 1 and 3: that each reaches its C function with its arguments in order. Prints what is wrong; the
! last line is "all right" or the count. To be preprocessed: EACH calls the function of this type. Names follow its
! commas at once.
#define EACH(S, D, C, Z, ARGUMENTS) \
select case (letter); \
case ('s'); status = mublas_/**/S ARGUMENTS; \
case ('d'); status = mublas_/**/D ARGUMENTS; \
case ('c'); status = mublas_/**/C ARGUMENTS; \
case default; status = mublas_/**/Z ARGUMENTS; \
end select
program every_eigen_routine
    use mublas
    implicit none
    integer(c_int64_t), parameter :: i1 = 1, i2 = 2, i3 = 3
    character, parameter :: letters(4) = ['s', 'd', 'c', 'z']
    type(c_ptr) :: handle, a, c, d, e, tau, w, m, info, workspace
    integer(c_size_t) :: bytes
    integer(c_int) :: type_of
    integer :: wrong = 0, i
    character :: letter

    if (mublas_create(handle) /= mublas_success) then
        write (*, '(a)') mublas_last_error(c_null_ptr)
        error stop 1
    end if
    do i = 1, size(letters)
        letter = letters(i)
        type_of = ichar(letter) - 32
        call start()
        call reduce()
        call multiply()
        call divide()
        call solve()
        call solve_part()
        call reduce_general()
        call multiply_general()
        call decompose_general()
    end do
    call note(mublas_destroy(handle), 'mublas_destroy')
    if (wrong > 0) then
        write (*, '(i0, a)') wrong, ' wrong'
        error stop 1
    end if
    write (*, '(a)') 'all right'

contains

    subroutine start()
        a = allocated(96)
        c = allocated(96)
        d = allocated(16)
        e = allocated(16)
        tau = allocated(32)
        w = allocated(32)
        m = allocated(4)
        info = allocated(4)
    end subroutine

    ! T is A itself.
    subroutine reduce()
        integer(c_int) :: status
        call put_matrix(a)
        call note(mublas_sytrd_workspace(handle, type_of, mublas_lower, i2, i3, bytes), &
                'mublas_sytrd_workspace')
        workspace = allocated(int(bytes))
        EACH(ssytrd,dsytrd,chetrd,zhetrd, (handle, mublas_lower, i2, a, i3, d, e, tau, workspace, bytes))
        call note(status, 'sytrd')
        call expect(d, [2d0, 2d0], 1, 'sytrd: d')
        call expect(e, [1d0], 1, 'sytrd: e')
    end subroutine

    ! Q is the identity.
    subroutine multiply()
        integer(c_int) :: status
        call put_matrix(c)
        call note(mublas_ormtr_workspace(handle, type_of, mublas_left, mublas_lower, mublas_no_trans, i2, &
                i2, i3, i3, bytes), 'mublas_ormtr_workspace')
        workspace = allocated(int(bytes))
        EACH(sormtr,dormtr,cunmtr,zunmtr, \
             (handle, mublas_left, mublas_lower, mublas_no_trans, i2, i2, a, i3, tau, c, i3, workspace, bytes))
        call note(status, 'ormtr')
        call expect(c, [2d0, 1d0], parts(), 'ormtr')
    end subroutine

    subroutine divide()
        integer(c_int) :: status
        call note(mublas_stedc_workspace(handle, type_of, mublas_compz_tridiagonal, i2, i3, bytes), &
                  'mublas_stedc_workspace')
        workspace = allocated(int(bytes))
        EACH(sstedc,dstedc,cstedc,zstedc, \
             (handle, mublas_compz_tridiagonal, i2, d, e, c, i3, workspace, bytes, info))
        call note(status, 'stedc')
        call expect_integer(info, 0, 'stedc: info')
        call expect(d, [1d0, 3d0], 1, 'stedc: d')
        call expect(c, [sqrt(0.5d0), sqrt(0.5d0)], parts(), 'stedc: z', signs=.false.)
    end subroutine

    subroutine solve()
        integer(c_int) :: status
        call put_matrix(a)
        call note(mublas_syevd_workspace(handle, type_of, mublas_vectors, mublas_lower, i2, i3, bytes), &
                  'mublas_syevd_workspace')
        workspace = allocated(int(bytes))
        EACH(ssyevd,dsyevd,cheevd,zheevd, \
             (handle, mublas_vectors, mublas_lower, i2, a, i3, w, workspace, bytes, info))
        call note(status, 'syevd')
        call expect_integer(info, 0, 'syevd: info')
        call expect(w, [1d0, 3d0], 1, 'syevd: w')
        call expect(a, [sqrt(0.5d0), sqrt(0.5d0)], parts(), 'syevd: a', signs=.false.)
    end subroutine

    ! The second value alone, by its interval.
    subroutine solve_part()
        integer(c_int) :: status
        call put_matrix(a)
        call note(mublas_syevdx_workspace(handle, type_of, mublas_vectors, mublas_interval, mublas_lower, &
                i2, i3, i1, i1, bytes), 'mublas_syevdx_workspace')
        workspace = allocated(int(bytes))
        select case (letter)
        case ('s')
            status = mublas_ssyevdx(handle, mublas_vectors, mublas_interval, mublas_lower, i2, a, i3, 2., &
                    4., i1, i1, m, w, workspace, bytes, info)
        case ('d')
            status = mublas_dsyevdx(handle, mublas_vectors, mublas_interval, mublas_lower, i2, a, i3, 2d0, &
                    4d0, i1, i1, m, w, workspace, bytes, info)
        case ('c')
            status = mublas_cheevdx(handle, mublas_vectors, mublas_interval, mublas_lower, i2, a, i3, 2., &
                    4., i1, i1, m, w, workspace, bytes, info)
        case default
            status = mublas_zheevdx(handle, mublas_vectors, mublas_interval, mublas_lower, i2, a, i3, 2d0, &
                    4d0, i1, i1, m, w, workspace, bytes, info)
        end select
        call note(status, 'syevdx')
        call expect_integer(info, 0, 'syevdx: info')
        call expect_integer(m, 1, 'syevdx: m')
        call expect(w, [3d0], 1, 'syevdx: w')
        call expect(a, [sqrt(0.5d0), sqrt(0.5d0)], parts(), 'syevdx: a', signs=.false.)
    end subroutine

    ! Q' A = B; P is the identity.
    subroutine reduce_general()
        integer(c_int) :: status
        call put_matrix(a)
        call note(mublas_gebrd_workspace(handle, type_of, i2, i2, i3, bytes), 'mublas_gebrd_workspace')
        workspace = allocated(int(bytes))
        EACH(sgebrd,dgebrd,cgebrd,zgebrd, (handle, i2, i2, a, i3, d, e, tau, w, workspace, bytes))
        call note(status, 'gebrd')
        call expect(d, [sqrt(5d0), 3/sqrt(5d0)], 1, 'gebrd: d', signs=.false.)
        call expect(e, [4/sqrt(5d0)], 1, 'gebrd: e', signs=.false.)
        call expect(tau, [1 + 2/sqrt(5d0), 0d0], parts(), 'gebrd: tauq')
        call expect(w, [0d0, 0d0], parts(), 'gebrd: taup')
    end subroutine

    ! The first column of Q' A.
    subroutine multiply_general()
        integer(c_int) :: status
        call put_matrix(c)
        call note(mublas_ormbr_workspace(handle, type_of, mublas_q, mublas_left, mublas_conj_trans, i2, i2, &
                i2, i3, i3, bytes), 'mublas_ormbr_workspace')
        workspace = allocated(int(bytes))
        EACH(sormbr,dormbr,cunmbr,zunmbr, \
             (handle, mublas_q, mublas_left, mublas_conj_trans, i2, i2, i2, a, i3, tau, c, i3, workspace, bytes))
        call note(status, 'ormbr')
        call expect(c, [-sqrt(5d0), 0d0], parts(), 'ormbr')
    end subroutine

    ! U and V are both the eigenvectors of A.
    subroutine decompose_general()
        integer(c_int) :: status
        type(c_ptr) :: v
        v = allocated(96)
        call put_matrix(a)
        call note(mublas_gesdd_workspace(handle, type_of, mublas_vectors, i2, i2, i3, i3, i3, bytes), &
                'mublas_gesdd_workspace')
        workspace = allocated(int(bytes))
        EACH(sgesdd,dgesdd,cgesdd,zgesdd, \
             (handle, mublas_vectors, i2, i2, a, i3, w, c, i3, v, i3, workspace, bytes, info))
        call note(status, 'gesdd')
        call expect_integer(info, 0, 'gesdd: info')
        call expect(w, [3d0, 1d0], 1, 'gesdd: s')
        call expect(c, [sqrt(0.5d0), sqrt(0.5d0)], parts(), 'gesdd: u', signs=.false.)
        call expect(v, [sqrt(0.5d0), sqrt(0.5d0)], parts(), 'gesdd: v', signs=.false.)
    end subroutine

    integer function parts()
        parts = merge(2, 1, letter == 'c' .or. letter == 'z')
    end function

    logical function is_single()
        is_single = letter == 's' .or. letter == 'c'
    end function

    function allocated(size_in_bytes) result(pointer)
        integer, intent(in) :: size_in_bytes
        type(c_ptr) :: pointer
        call note(mublas_device_allocate(handle, int(size_in_bytes, c_size_t), pointer), &
                'mublas_device_allocate')
    end function

    ! Both triangles.
    subroutine put_matrix(pointer)
        type(c_ptr), intent(in) :: pointer
        real(c_float), target :: single(12)
        real(c_double), target :: double(12)
        double = 0
        double(1) = 2
        double(1 + parts()) = 1
        double(1 + 3*parts()) = 1
        double(1 + 4*parts()) = 2
        single = real(double)
        if (is_single()) then
            call note(mublas_copy_to_device(handle, pointer, c_loc(single), int(24*parts(), c_size_t)), &
                    'to the device')
        else
            call note(mublas_copy_to_device(handle, pointer, c_loc(double), int(48*parts(), c_size_t)), &
                    'to the device')
        end if
    end subroutine

    ! Every `step`-th real number.
    subroutine expect(pointer, expected, step, what, signs)
        type(c_ptr), intent(in) :: pointer
        real(c_double), intent(in) :: expected(:)
        integer, intent(in) :: step
        character(len=*), intent(in) :: what
        logical, intent(in), optional :: signs
        real(c_float), target :: single(4)
        real(c_double), target :: double(4)
        integer :: count
        real(c_double) :: got(size(expected))
        count = step*(size(expected) - 1) + 1
        if (is_single()) then
            call note(mublas_copy_to_host(handle, c_loc(single), pointer, int(4*count, c_size_t)), &
                    'to the host')
            double(:count) = single(:count)
        else
            call note(mublas_copy_to_host(handle, c_loc(double), pointer, int(8*count, c_size_t)), &
                    'to the host')
        end if
        got = double(1:count:step)
        if (present(signs)) got = abs(got)
        if (all(abs(got - expected) < 1d-6)) return
        wrong = wrong + 1
        write (*, '(3a, 4g16.8)') letter, ', ', what, got
    end subroutine

    subroutine expect_integer(pointer, expected, what)
        type(c_ptr), intent(in) :: pointer
        integer, intent(in) :: expected
        character(len=*), intent(in) :: what
        integer(c_int), target :: got
        call note(mublas_copy_to_host(handle, c_loc(got), pointer, 4_c_size_t), 'to the host')
        if (got == expected) return
        wrong = wrong + 1
        write (*, '(3a, i0)') letter, ', ', what, got
    end subroutine

    subroutine note(status, what)
        integer(c_int), intent(in) :: status
        character(len=*), intent(in) :: what
        if (status == mublas_success) return
        wrong = wrong + 1
        write (*, '(7a)') letter, ', ', what, ': ', mublas_status_text(status), ': ', &
                mublas_last_error(handle)
    end subroutine
end program
