! The module residua: numbers of both kinds, every form of a matrix, several right-hand sides, misuse.
program fortran_test
    use residua
    implicit none
    integer, parameter :: dp = kind(1d0), qp = residua_quad
    real(qp), parameter :: tiny = 2._qp**(-80), large = 2._qp**80 + 1
    ! singular in real(8); A x = (1 + 2^-80, 0) has x = (2^80 + 1, -2^80 - 1)
    real(qp), parameter :: a(2, 2) = reshape([1 + tiny, 2._qp, 1._qp, 2._qp], [2, 2]), b(2) = [1 + tiny, 0._qp]
    integer :: checks = 0, faults = 0

    call quads()
    call doubles()
    call complex_numbers()
    call misuse()
    print "(i0, a, i0, a)", checks, " checks, ", faults, " faults"
    if (faults > 0) error stop 1

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        checks = checks + 1
        if (.not. holds) then
            faults = faults + 1
            print "(4a)", "fails: ", what, "; the last error is ", residua_message()
        end if
    end subroutine

    subroutine check_x(s, form)
        type(residua_solver), intent(inout) :: s
        character(len=*), intent(in) :: form
        real(qp) :: x(2)
        call s%set("digits", "30")
        call s%solve(b, x)
        call check(maxval(abs(x - [large, -large])) < large * 1e-30_qp, form)
        call check(s%status() == residua_converged .and. s%digits() >= 30, form//", its digits")
        call check(s%decimal(1, 25) == "1.208925819614629174706177e+24", form//", as text")
    end subroutine

    subroutine quads()
        type(residua_solver) :: dense, strided, csc, csr, coo
        real(qp) :: gaps(4, 3)
        call dense%dense(a)
        call check_x(dense, "dense")
        gaps = huge(1._qp)
        gaps(1::2, 1:3:2) = a
        call strided%dense(gaps(1::2, 1:3:2))
        call check_x(strided, "dense, a part of an array")
        call csc%csc(2, [1, 3, 5], [1, 2, 1, 2], [a(1, 1), a(2, 1), a(1, 2), a(2, 2)])
        call check_x(csc, "csc")
        call csr%csr(2, [1, 3, 5], [1, 2, 1, 2], [a(1, 1), a(1, 2), a(2, 1), a(2, 2)])
        call check_x(csr, "csr")
        call coo%coo(2, 2, [2, 2, 1, 1, 1], [2, 1, 2, 1, 1], [a(2, 2), a(2, 1), a(1, 2), 1._qp, tiny])
        call check_x(coo, "coo")
        call check(index(coo%report(), '"status":"converged"') > 0, "report")
    end subroutine

    subroutine doubles()
        type(residua_solver) :: s
        real(dp) :: x(2), several(2, 2), right(2, 2)
        call s%dense(reshape([4._dp, 0._dp, 1._dp, 3._dp], [2, 2]))
        call s%solve([6._dp, 9._dp], x)
        call check(x(1) == 0.75_dp .and. x(2) == 3, "real(8)")
        call s%solve([6._dp, 9._dp], x, transposed=.true.)
        call check(x(1) == 1.5_dp .and. x(2) == 2.5_dp, "transposed")
        right = reshape([6._dp, 9._dp, 4._dp, 0._dp], [2, 2])
        call s%solve(right, several)
        call check(all(several(:, 1) == [0.75_dp, 3._dp]) .and. all(several(:, 2) == [1._dp, 0._dp]), "two columns")
        call check(s%decimal(2, 3, column=1) == "3.00e+00" .and. s%status(2) == residua_converged, "a column")
        call s%csc(2, [1, 3, 4], [2, 1, 2], [1._dp, 2._dp, 4._dp])
        call s%solve([2._dp, 5._dp], x)
        call check(x(1) == 1 .and. x(2) == 1, "csc of real(8)")
    end subroutine

    ! The matrix above times i, and right-hand sides times complex numbers.
    subroutine complex_numbers()
        type(residua_solver) :: s(4), of_kind_8
        complex(qp), parameter :: i = (0, 1), z(2, 2) = i*a
        complex(qp) :: x(2), many(2, 2)
        complex(dp) :: y(2), several(2, 2)
        complex(dp), parameter :: w(2, 2) = reshape([(4, 1), (0, 0), (1, -2), (0, 3)], [2, 2])
        integer :: k
        call s(1)%dense(z)
        call s(2)%csc(2, [1, 3, 5], [1, 2, 1, 2], [z(1, 1), z(2, 1), z(1, 2), z(2, 2)])
        call s(3)%csr(2, [1, 3, 5], [1, 2, 1, 2], [z(1, 1), z(1, 2), z(2, 1), z(2, 2)])
        call s(4)%coo(2, 2, [2, 2, 1, 1, 1], [2, 1, 2, 1, 1], [z(2, 2), z(2, 1), z(1, 2), i, i*tiny])
        do k = 1, 4
            call s(k)%set("digits", "30")
            call s(k)%solve(b*(2 + 3*i), x)  ! x = (2 + 3 i) / i times that of a
            call check(maxval(abs(x - (3 - 2*i)*[large, -large])) < large*1e-29_qp, "complex(16)")
            call check(s(k)%digits() >= 30 .and. s(k)%decimal(2, 5) == "-2.4179e+24", "its digits and parts")
        end do
        call s(1)%solve(reshape([b*i, b*(1 + 0*i)], [2, 2]), many)
        call check(abs(many(1, 1) - large) < large*1e-29_qp .and. abs(many(1, 2) + i*large) < large*1e-29_qp, "two columns")
        call of_kind_8%dense(w)
        call of_kind_8%solve(matmul(w, [(1._dp, -2._dp), (0._dp, 3._dp)]), y)
        call check(all(abs(y - [(1, -2), (0, 3)]) < 1e-15_dp), "complex(8)")
        call of_kind_8%solve(matmul(conjg(transpose(w)), [(1._dp, -2._dp), (0._dp, 3._dp)]), y, transposed=.true.)
        call check(all(abs(y - [(1, -2), (0, 3)]) < 1e-15_dp), "conjugated and transposed")
        call of_kind_8%solve(w, several)
        call check(all(abs(several - reshape([1, 0, 0, 1], [2, 2])) < 1e-15_dp), "several of complex(8)")
        call of_kind_8%coo(1, 1, [1], [1], [(0._dp, 2._dp)])
        call of_kind_8%solve([(2._dp, 0._dp)], y(1:1))
        call check(y(1) == (0, -1), "coo of complex(8)")
        call of_kind_8%csr(1, [1, 2], [1], [(0._dp, 2._dp)])
        call of_kind_8%solve([(4._dp, 0._dp)], y(1:1))
        call check(y(1) == (0, -2), "csr of complex(8)")
    end subroutine

    subroutine misuse()
        type(residua_solver) :: s
        real(dp) :: x(2)
        complex(dp) :: z(2)
        integer :: stat
        call s%solve([1._dp, 2._dp], x, stat=stat)
        call check(stat == 1 .and. index(residua_message(), "system is NULL") > 0, "no matrix")
        call s%set("digit", "30", stat)
        call check(stat == 2 .and. index(residua_message(), 'no option "digit"') > 0, "an option that is not there")
        call s%csr(2, [1, 2, 3], [1, 3], [1._dp, 1._dp], stat)
        call check(stat == 1 .and. index(residua_message(), "column[1] is 3") > 0, "a column outside")
        call s%dense(reshape([1._qp, 0._qp, 0._qp, huge(1._qp)], [2, 2]), stat)
        call check(stat == 1 .and. index(residua_message(), "not a finite number") > 0, "beyond the range of real(8)")
        call s%read("no/such/file.mtx", stat)
        call check(stat == 1 .and. index(residua_message(), "no/such/file.mtx") > 0, "a file that is not there")
        call s%dense(reshape([4._dp, 0._dp, 1._dp, 3._dp], [2, 2]), stat)
        call s%solve([1._dp], x, stat=stat)
        call check(stat == 1 .and. index(residua_message(), "less than the 2 numbers") > 0, "a b that is too short")
        call s%solve([1._dp, 2._dp], x(1:1), stat=stat)
        call check(stat == 1 .and. index(residua_message(), "x has") > 0, "an x that is too short")
        call s%solve([(1._dp, 0._dp), (2._dp, 0._dp)], z, stat=stat)
        call check(stat == 1 .and. index(residua_message(), "b is complex, and the matrix is real") > 0, "a complex b")
        call s%dense(reshape([(1._dp, 1._dp)], [1, 1]))
        call s%solve([1._dp], x(1:1), stat=stat)
        call check(stat == 1 .and. index(residua_message(), "room for") > 0, "a real x of a complex matrix")
    end subroutine
end program
