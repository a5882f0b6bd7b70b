! The functions of residua.h that the module residua calls, as C has them.
module residua_c
    use, intrinsic :: iso_c_binding
    implicit none
    public
    integer, parameter, private :: dp = c_double, i8 = c_int64_t

    integer, parameter :: terms = 3  ! doubles that hold a real(16)

    ! residua_numbers
    type, bind(c) :: numbers
        integer(c_int32_t) :: kind = 2, each = terms  ! RESIDUA_TERMS
        type(c_ptr) :: at = c_null_ptr, sign = c_null_ptr, exponent = c_null_ptr
    end type

    interface
        function c_error() bind(c, name="residua_error") result(text)
            import
            type(c_ptr) :: text
        end function
        function c_options_new(options) bind(c, name="residua_options_new") result(code)
            import
            type(c_ptr), intent(out) :: options
            integer(c_int) :: code
        end function
        function c_options_set(options, name, value) bind(c, name="residua_options_set") result(code)
            import
            type(c_ptr), value :: options
            character(kind=c_char), intent(in) :: name(*), value(*)
            integer(c_int) :: code
        end function
        function c_dense(rows, cols, value, order, stride, system) bind(c, name="residua_system_dense") result(code)
            import
            integer(i8), value :: rows, cols, stride
            type(numbers), value :: value
            integer(c_int), value :: order
            type(c_ptr), intent(out) :: system
            integer(c_int) :: code
        end function
        function c_csc(rows, cols, begin, inner, value, base, system) bind(c, name="residua_system_csc64") result(code)
            import
            integer(i8), value :: rows, cols
            integer(i8), intent(in) :: begin(*), inner(*)
            type(numbers), value :: value
            integer(c_int), value :: base
            type(c_ptr), intent(out) :: system
            integer(c_int) :: code
        end function
        function c_csr(rows, cols, begin, inner, value, base, system) bind(c, name="residua_system_csr64") result(code)
            import
            integer(i8), value :: rows, cols
            integer(i8), intent(in) :: begin(*), inner(*)
            type(numbers), value :: value
            integer(c_int), value :: base
            type(c_ptr), intent(out) :: system
            integer(c_int) :: code
        end function
        function c_coo(rows, cols, count, row, column, value, base, system) bind(c, name="residua_system_coo64") result(code)
            import
            integer(i8), value :: rows, cols, count
            integer(i8), intent(in) :: row(*), column(*)
            type(numbers), value :: value
            integer(c_int), value :: base
            type(c_ptr), intent(out) :: system
            integer(c_int) :: code
        end function
        function c_read(path, reading, system) bind(c, name="residua_system_read") result(code)
            import
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), value :: reading
            type(c_ptr), intent(out) :: system
            integer(c_int) :: code
        end function
        function c_solver_new(system, options, solver) bind(c, name="residua_solver_new") result(code)
            import
            type(c_ptr), value :: system, options
            type(c_ptr), intent(out) :: solver
            integer(c_int) :: code
        end function
        function c_solve(solver, transposed, columns, b, stride, solution) bind(c, name="residua_solve") result(code)
            import
            type(c_ptr), value :: solver
            integer(c_int), value :: transposed
            integer(i8), value :: columns, stride
            type(numbers), value :: b
            type(c_ptr), intent(out) :: solution
            integer(c_int) :: code
        end function
        function c_status(solution, column, status, digits) bind(c, name="residua_solution_status") result(code)
            import
            type(c_ptr), value :: solution
            integer(i8), value :: column
            integer(c_int), intent(out) :: status, digits
            integer(c_int) :: code
        end function
        function c_x(solution) bind(c, name="residua_solution_x") result(x)
            import
            type(c_ptr), value :: solution
            type(c_ptr) :: x
        end function
        function c_terms(x, column, each, to, room) bind(c, name="residua_vector_terms") result(code)
            import
            type(c_ptr), value :: x
            integer(i8), value :: column, room
            integer(c_int), value :: each
            real(dp), intent(out) :: to(*)
            integer(c_int) :: code
        end function
        function c_decimal(x, column, i, digits, text, room, needed) bind(c, name="residua_vector_decimal") result(code)
            import
            type(c_ptr), value :: x
            integer(i8), value :: column, i
            integer(c_int), value :: digits
            character(kind=c_char), intent(out) :: text(*)
            integer(c_size_t), value :: room
            integer(c_size_t), intent(out) :: needed
            integer(c_int) :: code
        end function
        function c_report(solution, column, json) bind(c, name="residua_solution_report") result(code)
            import
            type(c_ptr), value :: solution
            integer(i8), value :: column
            type(c_ptr), intent(out) :: json
            integer(c_int) :: code
        end function
        subroutine c_system_free(handle) bind(c, name="residua_system_free")
            import
            type(c_ptr), value :: handle
        end subroutine
        subroutine c_options_free(handle) bind(c, name="residua_options_free")
            import
            type(c_ptr), value :: handle
        end subroutine
        subroutine c_solver_free(handle) bind(c, name="residua_solver_free")
            import
            type(c_ptr), value :: handle
        end subroutine
        subroutine c_solution_free(handle) bind(c, name="residua_solution_free")
            import
            type(c_ptr), value :: handle
        end subroutine
        function strlen(text) bind(c, name="strlen") result(length)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface
end module

! What of a solver does not depend on the kind of its numbers.
module residua_base
    use, intrinsic :: iso_c_binding
    use residua_c
    implicit none
    private
    public :: residua_handles, residua_message, drop, finish, take, i8
    integer, parameter :: i8 = c_int64_t

    type :: residua_handles
        type(c_ptr) :: system = c_null_ptr, options = c_null_ptr, solver = c_null_ptr, solution = c_null_ptr
    contains
        procedure :: set
        procedure :: read => read_file
        procedure :: status
        procedure :: digits => correct_digits
        procedure :: decimal
        procedure :: report
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

    subroutine drop(s)
        class(residua_handles), intent(inout) :: s
        call c_solution_free(s%solution)
        call c_solver_free(s%solver)
        s%solution = c_null_ptr
        s%solver = c_null_ptr
    end subroutine

    impure elemental subroutine free(s)
        type(residua_handles), intent(inout) :: s
        call drop(s)
        call c_options_free(s%options)
        call c_system_free(s%system)
        s%options = c_null_ptr
        s%system = c_null_ptr
    end subroutine

    ! The new matrix, if it could be made.
    subroutine take(s, code, system, stat)
        class(residua_handles), intent(inout) :: s
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
        class(residua_handles), intent(inout) :: self
        character(len=*), intent(in) :: name, value
        integer, intent(out), optional :: stat
        integer(c_int) :: code
        code = 0
        if (.not. c_associated(self%options)) code = c_options_new(self%options)
        if (code == 0) code = c_options_set(self%options, trim(name)//c_null_char, trim(value)//c_null_char)
        if (code == 0) call drop(self)
        call finish(code, stat)
    end subroutine

    subroutine read_file(self, path, stat)
        class(residua_handles), intent(inout) :: self
        character(len=*), intent(in) :: path
        integer, intent(out), optional :: stat
        type(c_ptr) :: system
        integer(c_int) :: code
        code = c_read(trim(path)//c_null_char, c_null_ptr, system)
        call take(self, code, system, stat)
    end subroutine

    ! The column that is meant, from 0; the first by default.
    pure integer(i8) function place(column)
        integer, intent(in), optional :: column
        place = 0
        if (present(column)) place = int(column, i8) - 1
    end function

    integer function status(self, column)
        class(residua_handles), intent(in) :: self
        integer, intent(in), optional :: column
        integer(c_int) :: correct
        call finish(c_status(self%solution, place(column), status, correct))
    end function

    integer function correct_digits(self, column)
        class(residua_handles), intent(in) :: self
        integer, intent(in), optional :: column
        integer(c_int) :: ended
        call finish(c_status(self%solution, place(column), ended, correct_digits))
    end function

    function decimal(self, i, digits, column) result(text)
        class(residua_handles), intent(in) :: self
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
        class(residua_handles), intent(in) :: self
        integer, intent(in), optional :: column
        character(len=:), allocatable :: json
        type(c_ptr) :: text
        call finish(c_report(self%solution, place(column), text))
        json = text_at(text)
    end function

end module
