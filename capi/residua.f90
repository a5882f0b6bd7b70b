! residua in Fortran: linear systems A x = b that double precision cannot solve, real and complex, of kinds 8 and 16.
!
!     use residua
!     type(residua_solver) :: s
!     call s%set("digits", "30")
!     call s%dense(a)                   ! a(:,:), real or complex, of kind 8 or 16
!     call s%solve(b, x)                ! b and x of one type, of rank 1, or of rank 2 for several right-hand sides
!     print *, s%digits(), x            ! correct digits of x
!
! Errors     Every subroutine takes stat as its last argument: 0, or a residua_code of residua.h, whose reason is
!            residua_message(). Without it an error stops the program with the reason. Not converging is no error: see status().
! Numbers    of kinds 8 and 16 are taken exactly, in the range of real(8), which is narrower than that of real(16). x is
!            rounded to its kind; decimal() has all of its digits. With a complex matrix b and x are complex.
! Indices    are counted from 1.
! Copies     A residua_solver must not be assigned to another: both would free what is behind it.
!
! Compile and link:  gfortran residua_c.f90 residua.f90 main.f90 -lresidua
module residua
    use, intrinsic :: iso_c_binding
    use residua_base
    use residua_c
    implicit none
    private
    public :: residua_solver, residua_message

    integer, parameter, public :: residua_quad = selected_real_kind(33, 4931)
    integer, parameter, public :: residua_converged = 0, residua_not_converged = 1, residua_stagnated = 2, &
        residua_breakdown = 3, residua_interrupted = 4, residua_time_limit = 5
    integer, parameter :: dp = c_double, qp = residua_quad
    integer, parameter :: by_columns = 1, pairs = 256  ! RESIDUA_PAIRS

    ! Of residua_base:
    ! set(name, value [, stat]): an option by the name that it has on the command line, without dashes
    ! read(path [, stat]): a file of any format that residua_system_read takes
    ! status([column]): residua_converged or another; digits([column]): how many of x are known to be correct; 0: none, unknown
    ! decimal(i [, digits] [, column]): number i of x as text, of a complex x part i: 2 k - 1 is the real part of number k, 2 k
    ! the imaginary one; report([column]): the JSON of docs/command-line.md
    type, extends(residua_handles) :: residua_solver
    contains
        private
        ! dense(a [, stat]): a matrix
        generic, public :: dense => dense_8, dense_16, dense_c8, dense_c16
        ! csc(rows, col_begin, row, value [, stat]): by columns; entry p of column j, col_begin(j) <= p < col_begin(j + 1),
        ! is value(p) in row row(p). csr(cols, row_begin, column, value [, stat]) is the same by rows
        generic, public :: csc => csc_8, csc_16, csc_c8, csc_c16
        generic, public :: csr => csr_8, csr_16, csr_c8, csr_c16
        ! coo(rows, cols, row, column, value [, stat]): by coordinates; entries in one place are added
        generic, public :: coo => coo_8, coo_16, coo_c8, coo_c16
        ! solve(b, x [, transposed] [, stat]): A x = b, or A' x = b, conjugated; what belongs to the matrix is made once, and kept
        generic, public :: solve => solve_8, solve_16, solve_columns_8, solve_columns_16, &
            solve_c8, solve_c16, solve_columns_c8, solve_columns_c16
        procedure :: dense_8, dense_16, dense_c8, dense_c16, csc_8, csc_16, csc_c8, csc_c16
        procedure :: csr_8, csr_16, csr_c8, csr_c16, coo_8, coo_16, coo_c8, coo_c16
        procedure :: solve_8, solve_16, solve_columns_8, solve_columns_16
        procedure :: solve_c8, solve_c16, solve_columns_c8, solve_columns_c16
    end type

contains

    ! The doubles whose sum is x, side by side.
    pure subroutine split(x, parts)
        real(qp), intent(in) :: x(:)
        real(dp), allocatable, intent(out) :: parts(:, :)
        real(qp) :: rest
        integer :: i, k
        allocate (parts(terms, size(x)))
        do i = 1, size(x)
            rest = x(i)
            do k = 1, terms
                parts(k, i) = real(rest, dp)
                rest = rest - real(parts(k, i), qp)
            end do
        end do
    end subroutine

    ! The real and the imaginary parts in turn.
    pure function parts_of(z) result(x)
        complex(qp), intent(in) :: z(:)
        real(qp) :: x(2*size(z))
        x(1::2) = real(z, qp)
        x(2::2) = aimag(z)
    end function

    ! Each as a number of the library, while the array is there; two are a complex one.
    function sums(parts, is_complex) result(from)
        real(dp), intent(in), contiguous, target :: parts(:, :)
        logical, intent(in) :: is_complex
        type(numbers) :: from
        if (is_complex) from%kind = from%kind + pairs
        if (size(parts) > 0) from%at = c_loc(parts)
    end function

    ! A matrix of x, by columns; two numbers of x are a complex one.
    subroutine make_dense(self, x, is_complex, sizes, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: x(:)
        logical, intent(in) :: is_complex
        integer, intent(in) :: sizes(2)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(x, parts)
        code = c_dense(int(sizes(1), i8), int(sizes(2), i8), sums(parts, is_complex), by_columns, 0_i8, system)
        call take(self, code, system, stat)
    end subroutine

    ! A matrix by rows or by columns, which the lines are, with `inner` numbers in a line.
    subroutine make_lines(self, x, is_complex, by_rows, inner, begin, place, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: x(:)
        logical, intent(in) :: is_complex, by_rows
        integer, intent(in) :: inner, begin(:), place(:)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(numbers) :: from
        type(c_ptr) :: system
        integer(i8) :: lines
        integer(c_int) :: code
        call split(x, parts)
        from = sums(parts, is_complex)
        lines = size(begin, kind=i8) - 1
        if (by_rows) then
            code = c_csr(lines, int(inner, i8), int(begin, i8), int(place, i8), from, 1, system)
        else
            code = c_csc(int(inner, i8), lines, int(begin, i8), int(place, i8), from, 1, system)
        end if
        call take(self, code, system, stat)
    end subroutine

    subroutine make_coo(self, x, is_complex, sizes, row, column, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: x(:)
        logical, intent(in) :: is_complex
        integer, intent(in) :: sizes(2), row(:), column(:)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(x, parts)
        code = c_coo(int(sizes(1), i8), int(sizes(2), i8), size(x, kind=i8)/merge(2, 1, is_complex), int(row, i8), &
                     int(column, i8), sums(parts, is_complex), 1, system)
        call take(self, code, system, stat)
    end subroutine

    ! Columns of b and x, one after the other.
    subroutine solve_all(self, b, b_columns, x, x_columns, is_complex, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: b(:)
        real(qp), intent(out) :: x(:)
        integer, intent(in) :: b_columns, x_columns
        logical, intent(in) :: is_complex
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        integer(c_int) :: code, other
        integer :: j, each, stride
        other = 0
        if (present(transposed)) other = merge(1, 0, transposed)
        code = 0
        if (.not. c_associated(self%solver)) code = c_solver_new(self%system, self%options, self%solver)
        call c_solution_free(self%solution)
        self%solution = c_null_ptr
        call split(b, parts)
        stride = size(b)/(max(b_columns, 1)*merge(2, 1, is_complex))
        if (code == 0) code = c_solve(self%solver, other, int(b_columns, i8), sums(parts, is_complex), int(stride, i8), &
                                      self%solution)
        deallocate (parts)
        each = size(x)/max(x_columns, 1)
        allocate (parts(terms, each))
        do j = 1, x_columns
            parts = 0
            if (code == 0) code = c_terms(c_x(self%solution), int(j - 1, i8), terms, parts, size(parts, kind=i8))
            x(each*(j - 1) + 1:each*j) = real(parts(1, :), qp) + (real(parts(2, :), qp) + real(parts(3, :), qp))
        end do
        call finish(code, stat)
    end subroutine

    ! The numbers whose real and imaginary parts these are, in turn.
    pure function complex_of(x) result(z)
        real(qp), intent(in) :: x(:)
        complex(qp) :: z(size(x)/2)
        z = cmplx(x(1::2), x(2::2), qp)
    end function

    subroutine dense_8(self, a, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        call make_dense(self, real(reshape(a, [size(a)]), qp), .false., shape(a), stat)
    end subroutine

    subroutine dense_16(self, a, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        call make_dense(self, reshape(a, [size(a)]), .false., shape(a), stat)
    end subroutine

    subroutine dense_c8(self, a, stat)
        class(residua_solver), intent(inout) :: self
        complex(dp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        call make_dense(self, parts_of(cmplx(reshape(a, [size(a)]), kind=qp)), .true., shape(a), stat)
    end subroutine

    subroutine dense_c16(self, a, stat)
        class(residua_solver), intent(inout) :: self
        complex(qp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        call make_dense(self, parts_of(reshape(a, [size(a)])), .true., shape(a), stat)
    end subroutine

    subroutine csc_8(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, real(value, qp), .false., .false., rows, col_begin, row, stat)
    end subroutine

    subroutine csc_16(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, value, .false., .false., rows, col_begin, row, stat)
    end subroutine

    subroutine csc_c8(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        complex(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, parts_of(cmplx(value, kind=qp)), .true., .false., rows, col_begin, row, stat)
    end subroutine

    subroutine csc_c16(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        complex(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, parts_of(value), .true., .false., rows, col_begin, row, stat)
    end subroutine

    subroutine csr_8(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, real(value, qp), .false., .true., cols, row_begin, column, stat)
    end subroutine

    subroutine csr_16(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, value, .false., .true., cols, row_begin, column, stat)
    end subroutine

    subroutine csr_c8(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        complex(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, parts_of(cmplx(value, kind=qp)), .true., .true., cols, row_begin, column, stat)
    end subroutine

    subroutine csr_c16(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        complex(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_lines(self, parts_of(value), .true., .true., cols, row_begin, column, stat)
    end subroutine

    subroutine coo_8(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_coo(self, real(value, qp), .false., [rows, cols], row, column, stat)
    end subroutine

    subroutine coo_16(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_coo(self, value, .false., [rows, cols], row, column, stat)
    end subroutine

    subroutine coo_c8(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        complex(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_coo(self, parts_of(cmplx(value, kind=qp)), .true., [rows, cols], row, column, stat)
    end subroutine

    subroutine coo_c16(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        complex(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call make_coo(self, parts_of(value), .true., [rows, cols], row, column, stat)
    end subroutine

    subroutine solve_8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: b(:)
        real(dp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(size(x))
        call solve_all(self, real(b, qp), 1, y, 1, .false., transposed, stat)
        x = real(y, dp)
    end subroutine

    subroutine solve_columns_8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: b(:, :)
        real(dp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(size(x))
        call solve_all(self, real(reshape(b, [size(b)]), qp), size(b, 2), y, size(x, 2), .false., transposed, stat)
        x = reshape(real(y, dp), shape(x))
    end subroutine

    subroutine solve_16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: b(:)
        real(qp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(size(x))
        call solve_all(self, b, 1, y, 1, .false., transposed, stat)
        x = y
    end subroutine

    subroutine solve_columns_16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: b(:, :)
        real(qp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(size(x))
        call solve_all(self, reshape(b, [size(b)]), size(b, 2), y, size(x, 2), .false., transposed, stat)
        x = reshape(y, shape(x))
    end subroutine

    subroutine solve_c8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        complex(dp), intent(in) :: b(:)
        complex(dp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(2*size(x))
        call solve_all(self, parts_of(cmplx(b, kind=qp)), 1, y, 1, .true., transposed, stat)
        x = cmplx(complex_of(y), kind=dp)
    end subroutine

    subroutine solve_columns_c8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        complex(dp), intent(in) :: b(:, :)
        complex(dp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(2*size(x))
        call solve_all(self, parts_of(cmplx(reshape(b, [size(b)]), kind=qp)), size(b, 2), y, size(x, 2), .true., &
                       transposed, stat)
        x = reshape(cmplx(complex_of(y), kind=dp), shape(x))
    end subroutine

    subroutine solve_c16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        complex(qp), intent(in) :: b(:)
        complex(qp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(2*size(x))
        call solve_all(self, parts_of(b), 1, y, 1, .true., transposed, stat)
        x = complex_of(y)
    end subroutine

    subroutine solve_columns_c16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        complex(qp), intent(in) :: b(:, :)
        complex(qp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: y(2*size(x))
        call solve_all(self, parts_of(reshape(b, [size(b)])), size(b, 2), y, size(x, 2), .true., transposed, stat)
        x = reshape(complex_of(y), shape(x))
    end subroutine

end module
