! residua in Fortran: real linear systems A x = b that double precision cannot solve, in real(8) and real(16).
!
!     use residua
!     type(residua_solver) :: s
!     call s%set("digits", "30")
!     call s%dense(a)                   ! a(:,:), real(8) or real(16)
!     call s%solve(b, x)                ! b and x likewise, of rank 1, or of rank 2 for several right-hand sides
!     print *, s%digits(), x            ! correct digits of x
!
! Errors     Every subroutine takes stat as its last argument: 0, or a residua_code of residua.h, whose reason is
!            residua_message(). Without it an error stops the program with the reason. Not converging is no error: see status().
! Numbers    real(8) and real(16) are taken exactly, in the range of real(8), which is narrower than that of real(16). x is
!            rounded to its kind; decimal() has all of its digits.
! Indices    are counted from 1.
! Copies     A residua_solver must not be assigned to another: both would free what is behind it.
!
! Compile it with residua_c.f90 and the program, and link libresidua:
!     gfortran residua_c.f90 residua.f90 main.f90 -lresidua
module residua
    use, intrinsic :: iso_c_binding
    use residua_c
    implicit none
    private
    public :: residua_solver, residua_message

    integer, parameter, public :: residua_quad = selected_real_kind(33, 4931)
    integer, parameter, public :: residua_converged = 0, residua_not_converged = 1, residua_stagnated = 2, &
        residua_breakdown = 3, residua_interrupted = 4, residua_time_limit = 5
    integer, parameter :: dp = c_double, qp = residua_quad, i8 = c_int64_t
    integer, parameter :: by_columns = 1

    type :: residua_solver
        private
        type(c_ptr) :: system = c_null_ptr, options = c_null_ptr, solver = c_null_ptr, solution = c_null_ptr
    contains
        private
        ! set(name, value [, stat]): an option by the name that it has on the command line, without dashes
        procedure, public :: set
        ! dense(a [, stat]): a matrix
        generic, public :: dense => dense_8, dense_16
        ! csc(rows, col_begin, row, value [, stat]): by columns; entry p of column j, col_begin(j) <= p < col_begin(j + 1),
        ! is value(p) in row row(p). csr(cols, row_begin, column, value [, stat]) is the same by rows
        generic, public :: csc => csc_8, csc_16
        generic, public :: csr => csr_8, csr_16
        ! coo(rows, cols, row, column, value [, stat]): by coordinates; entries in one place are added
        generic, public :: coo => coo_8, coo_16
        ! read(path [, stat]): a file of any format that residua_system_read takes
        procedure, public :: read => read_file
        ! solve(b, x [, transposed] [, stat]): A x = b, or A' x = b; what belongs to the matrix is made once, and kept
        generic, public :: solve => solve_8, solve_16, solve_columns_8, solve_columns_16
        ! status([column]): residua_converged or another; digits([column]): how many of x are known to be correct; 0: none, unknown
        procedure, public :: status
        procedure, public :: digits => correct_digits
        ! decimal(i [, digits] [, column]): number i of x as text; report([column]): the JSON of docs/command-line.md
        procedure, public :: decimal
        procedure, public :: report
        procedure :: dense_8, dense_16, csc_8, csc_16, csr_8, csr_16, coo_8, coo_16
        procedure :: solve_8, solve_16, solve_columns_8, solve_columns_16
        final :: free
    end type

contains

    ! What the last call that failed has said, in one line.
    function residua_message() result(message)
        character(len=:), allocatable :: message
        message = text_at(c_error())
    end function

    function text_at(from) result(text)
        type(c_ptr), intent(in) :: from
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: k
        call c_f_pointer(from, letters, [strlen(from)])
        allocate (character(len=size(letters)) :: text)
        do k = 1, size(letters)
            text(k:k) = letters(k)
        end do
    end function

    subroutine finish(code, stat)
        integer(c_int), intent(in) :: code
        integer, intent(out), optional :: stat
        if (present(stat)) then
            stat = code
        else if (code /= 0) then
            error stop residua_message()
        end if
    end subroutine

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

    ! Each as a number of the library, while the array is there.
    function sums(parts) result(from)
        real(dp), intent(in), contiguous, target :: parts(:, :)
        type(numbers) :: from
        if (size(parts) > 0) from%at = c_loc(parts)
    end function

    subroutine drop(s)
        type(residua_solver), intent(inout) :: s
        call c_solution_free(s%solution)
        call c_solver_free(s%solver)
        s%solution = c_null_ptr
        s%solver = c_null_ptr
    end subroutine

    subroutine free(s)
        type(residua_solver), intent(inout) :: s
        call drop(s)
        call c_options_free(s%options)
        call c_system_free(s%system)
        s%options = c_null_ptr
        s%system = c_null_ptr
    end subroutine

    ! The new matrix, if it could be made.
    subroutine take(s, code, system, stat)
        type(residua_solver), intent(inout) :: s
        integer(c_int), intent(in) :: code
        type(c_ptr), intent(in) :: system
        integer, intent(out), optional :: stat
        if (code == 0) then
            call drop(s)
            call c_system_free(s%system)
            s%system = system
        end if
        call finish(code, stat)
    end subroutine

    subroutine set(self, name, value, stat)
        class(residua_solver), intent(inout) :: self
        character(len=*), intent(in) :: name, value
        integer, intent(out), optional :: stat
        integer(c_int) :: code
        code = 0
        if (.not. c_associated(self%options)) code = c_options_new(self%options)
        if (code == 0) code = c_options_set(self%options, trim(name)//c_null_char, trim(value)//c_null_char)
        if (code == 0) call drop(self)
        call finish(code, stat)
    end subroutine

    subroutine dense_16(self, a, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(reshape(a, [size(a)]), parts)
        code = c_dense(size(a, 1, i8), size(a, 2, i8), sums(parts), by_columns, 0_i8, system)
        call take(self, code, system, stat)
    end subroutine

    subroutine dense_8(self, a, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: a(:, :)
        integer, intent(out), optional :: stat
        call dense_16(self, real(a, qp), stat)
    end subroutine

    subroutine csc_16(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(value, parts)
        code = c_csc(int(rows, i8), size(col_begin, kind=i8) - 1, int(col_begin, i8), int(row, i8), sums(parts), 1, system)
        call take(self, code, system, stat)
    end subroutine

    subroutine csc_8(self, rows, col_begin, row, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, col_begin(:), row(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call csc_16(self, rows, col_begin, row, real(value, qp), stat)
    end subroutine

    subroutine csr_16(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(value, parts)
        code = c_csr(size(row_begin, kind=i8) - 1, int(cols, i8), int(row_begin, i8), int(column, i8), sums(parts), 1, system)
        call take(self, code, system, stat)
    end subroutine

    subroutine csr_8(self, cols, row_begin, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: cols, row_begin(:), column(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call csr_16(self, cols, row_begin, column, real(value, qp), stat)
    end subroutine

    subroutine coo_16(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        real(qp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        type(c_ptr) :: system
        integer(c_int) :: code
        call split(value, parts)
        code = c_coo(int(rows, i8), int(cols, i8), size(value, kind=i8), int(row, i8), int(column, i8), sums(parts), 1, &
                     system)
        call take(self, code, system, stat)
    end subroutine

    subroutine coo_8(self, rows, cols, row, column, value, stat)
        class(residua_solver), intent(inout) :: self
        integer, intent(in) :: rows, cols, row(:), column(:)
        real(dp), intent(in) :: value(:)
        integer, intent(out), optional :: stat
        call coo_16(self, rows, cols, row, column, real(value, qp), stat)
    end subroutine

    subroutine read_file(self, path, stat)
        class(residua_solver), intent(inout) :: self
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        type(c_ptr) :: system
        integer(c_int) :: code
        code = c_read(trim(path)//c_null_char, c_null_ptr, system)
        call take(self, code, system, stat)
    end subroutine

    subroutine solve_columns_16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: b(:, :)
        real(qp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(dp), allocatable :: parts(:, :)
        integer(c_int) :: code, other
        integer :: j
        other = 0
        if (present(transposed)) other = merge(1, 0, transposed)
        code = 0
        if (.not. c_associated(self%solver)) code = c_solver_new(self%system, self%options, self%solver)
        call c_solution_free(self%solution)
        self%solution = c_null_ptr
        call split(reshape(b, [size(b)]), parts)
        if (code == 0) code = c_solve(self%solver, other, size(b, 2, i8), sums(parts), size(b, 1, i8), self%solution)
        deallocate (parts)
        allocate (parts(terms, size(x, 1)))
        do j = 1, size(x, 2)
            parts = 0
            if (code == 0) code = c_terms(c_x(self%solution), int(j - 1, i8), terms, parts, size(parts, kind=i8))
            x(:, j) = real(parts(1, :), qp) + (real(parts(2, :), qp) + real(parts(3, :), qp))
        end do
        call finish(code, stat)
    end subroutine

    subroutine solve_columns_8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: b(:, :)
        real(dp), intent(out) :: x(:, :)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: longer(size(x, 1), size(x, 2))
        call solve_columns_16(self, real(b, qp), longer, transposed, stat)
        x = real(longer, dp)
    end subroutine

    subroutine solve_16(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(qp), intent(in) :: b(:)
        real(qp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: column(size(x), 1)
        call solve_columns_16(self, reshape(b, [size(b), 1]), column, transposed, stat)
        x = column(:, 1)
    end subroutine

    subroutine solve_8(self, b, x, transposed, stat)
        class(residua_solver), intent(inout) :: self
        real(dp), intent(in) :: b(:)
        real(dp), intent(out) :: x(:)
        logical, intent(in), optional :: transposed
        integer, intent(out), optional :: stat
        real(qp) :: longer(size(x))
        call solve_16(self, real(b, qp), longer, transposed, stat)
        x = real(longer, dp)
    end subroutine

    ! The column that is meant, from 0; the first by default.
    pure integer(i8) function place(column)
        integer, intent(in), optional :: column
        place = 0
        if (present(column)) place = int(column, i8) - 1
    end function

    integer function status(self, column)
        class(residua_solver), intent(in) :: self
        integer, intent(in), optional :: column
        integer(c_int) :: correct
        call finish(c_status(self%solution, place(column), status, correct))
    end function

    integer function correct_digits(self, column)
        class(residua_solver), intent(in) :: self
        integer, intent(in), optional :: column
        integer(c_int) :: ended
        call finish(c_status(self%solution, place(column), ended, correct_digits))
    end function

    function decimal(self, i, digits, column) result(text)
        class(residua_solver), intent(in) :: self
        integer, intent(in) :: i
        integer, intent(in), optional :: digits, column
        character(len=:), allocatable :: text
        character(kind=c_char), allocatable :: letters(:)
        integer(c_size_t) :: needed, again
        integer(c_int) :: wanted
        integer :: k
        wanted = 0
        if (present(digits)) wanted = digits
        allocate (letters(1))
        call finish(c_decimal(c_x(self%solution), place(column), int(i, i8) - 1, wanted, letters, 0_c_size_t, needed))
        deallocate (letters)
        allocate (letters(needed))
        call finish(c_decimal(c_x(self%solution), place(column), int(i, i8) - 1, wanted, letters, needed, again))
        allocate (character(len=needed - 1) :: text)
        do k = 1, len(text)
            text(k:k) = letters(k)
        end do
    end function

    function report(self, column) result(json)
        class(residua_solver), intent(in) :: self
        integer, intent(in), optional :: column
        character(len=:), allocatable :: json
        type(c_ptr) :: text
        call finish(c_report(self%solution, place(column), text))
        json = text_at(text)
    end function

end module
