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
