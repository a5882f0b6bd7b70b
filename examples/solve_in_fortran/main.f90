! The Hilbert matrix of order 20 in real(16). Its condition number is 2e28, so that real(8) has no digit of x right, and real(16)
! five at most. b is a row sum, so x should be all ones.
program solve_in_fortran
    use residua
    implicit none
    integer, parameter :: qp = residua_quad, n = 20
    real(qp) :: a(n, n), b(n), x(n)
    type(residua_solver) :: s
    integer :: i, j
    a = reshape([((5342931457063200._qp / (i + j - 1), i=1, n), j=1, n)], [n, n])  ! times the common denominator
    b = sum(a, dim=2)
    call s%set("digits", "30")
    call s%dense(a)
    call s%solve(b, x)
    print "(a, l1, a, f0.4)", "30 digits: ", s%digits() >= 30, ", x(1) = ", x(1)
end program
