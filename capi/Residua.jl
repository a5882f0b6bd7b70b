"""
Real linear systems A x = b that double precision cannot solve, by libresidua.

    include("Residua.jl")
    s = Residua.Solver(A; digits = 30)  # A: a matrix, dense or sparse
    solution = Residua.solve(s, b)      # b: a vector, or a matrix with a right-hand side in each column
    x = Residua.values(solution)        # BigFloat; values(solution, T) for Float64, NTuple{2,Float64}, a MultiFloat, a Double64
    Residua.digits(solution)            # how many decimal digits of x are known to be correct; 0: none, or unknown
    Residua.report(solution)            # the JSON that docs/command-line.md describes

`Residua.solve(A, b; digits = 30)` does both. Keywords are the options of the command line, with `_` for `-`:
`method = "gmres"`, `time_limit = 10`.

Numbers of A and b are taken exactly: Float64 and what it holds, integers, BigFloat, sums of Float64 such as NTuple{N,Float64},
MultiFloats.jl and DoubleFloats.jl, and decimals as strings. The library is found as libresidua, or where the environment
variable RESIDUA_LIBRARY says.
"""
module Residua

using SparseArrays: SparseMatrixCSC, issparse, nonzeros, rowvals, sparse

const libresidua = get(ENV, "RESIDUA_LIBRARY", "libresidua")

"What the library refused, with the code of residua.h and the reason in one line."
struct ResiduaError <: Exception
    code::Int
    message::String
end

Base.showerror(io::IO, e::ResiduaError) = print(io, e.message)

check(code::Cint) = code == 0 || throw(ResiduaError(code, unsafe_string(@ccall libresidua.residua_error()::Cstring)))

# ---- numbers, as residua_numbers has them; `roots` must live while they are read ----

struct Numbers
    kind::Int32
    each::Int32
    at::Ptr{Cvoid}
    sign::Ptr{Int32}
    exponent::Ptr{Int64}
end

struct Packed
    numbers::Numbers
    roots::Any
end

"Whether numbers of this type consist of Float64 alone, whose sum they are."
function is_sum(T::Type)
    return T <: Union{AbstractFloat,Tuple} && isbitstype(T) && fieldcount(T) > 0 &&
           all(F -> F === Float64 || is_sum(F), fieldtypes(T))
end

address(x) = Ptr{Cvoid}(pointer(x))

function packed(x::Vector{Float64}, kind = 0, each = 1)
    return Packed(Numbers(kind, each, address(x), C_NULL, C_NULL), x)
end

packed(x::AbstractVector{<:Union{Float16,Float32}}) = packed(collect(Float64, x))

packed(x::AbstractVector{<:Integer}) = all(v -> -2^53 <= v <= 2^53, x) ? packed(collect(Float64, x)) : limbs_of(x)

packed(x::AbstractVector{BigFloat}) = limbs_of(x)

function limbs_of(x)
    parts = map(parts_of, x)
    each = maximum(p -> max(1, cld(ndigits(p[3]; base = 2), 64)), parts; init = 1)
    signs = Int32[p[1] for p in parts]
    exponents = Int64[p[2] for p in parts]
    limbs = UInt64[(p[3] >> (64 * (k - 1))) % UInt64 for k in 1:each, p in parts]
    numbers = Numbers(3, each, address(limbs), pointer(signs), pointer(exponents))
    return Packed(numbers, (signs, exponents, limbs))
end

function packed(x::AbstractVector{<:AbstractString})
    texts = String[String(t) for t in x]
    pointers = [Base.unsafe_convert(Cstring, t) for t in texts]
    return Packed(Numbers(1, 1, address(pointers), C_NULL, C_NULL), (texts, pointers))
end

function packed(x::AbstractVector{T}) where {T}
    is_sum(T) || throw(ArgumentError("residua: numbers of type $T are not taken; convert them to BigFloat or to strings"))
    return packed(collect(reinterpret(Float64, collect(x))), 2, sizeof(T) ÷ 8)
end

"Sign, exponent and magnitude m of a number: sign * m * 2^exponent."
parts_of(x::Integer) = (sign(x), 0, abs(big(x)))

function parts_of(x::BigFloat)
    isfinite(x) || throw(ArgumentError("residua: $x is not a finite number"))
    iszero(x) && return (0, 0, big(0))
    e = exponent(x) + 1 - precision(x)
    return (sign(x) < 0 ? -1 : 1, e, setprecision(() -> BigInt(ldexp(abs(x), -e)), BigFloat, precision(x)))
end

# ---- handles ----

function option_handle(options)
    handle = Ref{Ptr{Cvoid}}(C_NULL)
    check(@ccall libresidua.residua_options_new(handle::Ref{Ptr{Cvoid}})::Cint)
    try
        for (name, value) in options
            key = replace(String(name), '_' => '-')
            check(@ccall libresidua.residua_options_set(handle[]::Ptr{Cvoid}, key::Cstring, string(value)::Cstring)::Cint)
        end
    catch
        @ccall libresidua.residua_options_free(handle[]::Ptr{Cvoid})::Cvoid
        rethrow()
    end
    return handle[]
end

function system_handle(A::SparseMatrixCSC)
    handle = Ref{Ptr{Cvoid}}(C_NULL)
    begins, rows, p = Vector{Int64}(A.colptr), Vector{Int64}(rowvals(A)), packed(nonzeros(A))
    GC.@preserve p check(
        @ccall libresidua.residua_system_csc64(
            size(A, 1)::Int64, size(A, 2)::Int64, begins::Ptr{Int64}, rows::Ptr{Int64}, p.numbers::Numbers, 1::Cint,
            handle::Ref{Ptr{Cvoid}},
        )::Cint
    )
    return handle[]
end

function system_handle(A::AbstractMatrix)
    issparse(A) && return system_handle(sparse(A))  # a transposed or symmetric view of one
    handle = Ref{Ptr{Cvoid}}(C_NULL)
    p = packed(vec(collect(A)))
    GC.@preserve p check(
        @ccall libresidua.residua_system_dense(
            size(A, 1)::Int64, size(A, 2)::Int64, p.numbers::Numbers, 1::Cint, 0::Int64, handle::Ref{Ptr{Cvoid}},
        )::Cint
    )
    return handle[]
end

"""
    Solver(A; options...)

Solves systems with one matrix; what belongs to the matrix is made when it is first needed, and kept.
One task at a time may use it.
"""
mutable struct Solver
    handle::Ptr{Cvoid}
    size::Tuple{Int,Int}

    function Solver(A::AbstractMatrix; options...)
        with = option_handle(options)
        system = C_NULL
        handle = Ref{Ptr{Cvoid}}(C_NULL)
        try
            system = system_handle(A)
            check(@ccall libresidua.residua_solver_new(
                system::Ptr{Cvoid}, with::Ptr{Cvoid}, handle::Ref{Ptr{Cvoid}})::Cint)
        finally
            @ccall libresidua.residua_system_free(system::Ptr{Cvoid})::Cvoid
            @ccall libresidua.residua_options_free(with::Ptr{Cvoid})::Cvoid
        end
        solver = new(handle[], size(A))
        return finalizer(s -> (@ccall libresidua.residua_solver_free(s.handle::Ptr{Cvoid})::Cvoid), solver)
    end
end

"What a solve found: `values`, `digits`, `status` and `report` read it."
mutable struct Solution
    handle::Ptr{Cvoid}
    size::Tuple{Vararg{Int}}

    function Solution(handle::Ptr{Cvoid}, size)
        return finalizer(s -> (@ccall libresidua.residua_solution_free(s.handle::Ptr{Cvoid})::Cvoid), new(handle, size))
    end
end

"""
    solve(s::Solver, b; transposed = false)
    solve(A, b; options...)

A x = b, or A' x = b, for a vector or for the columns of a matrix.
"""
function solve(s::Solver, b::AbstractVecOrMat; transposed::Bool = false)
    rows, n = transposed ? reverse(s.size) : s.size
    size(b, 1) == rows || throw(DimensionMismatch("residua: b has $(size(b, 1)) rows, the matrix $rows"))
    handle = Ref{Ptr{Cvoid}}(C_NULL)
    p = packed(vec(collect(b)))
    GC.@preserve s p check(
        @ccall libresidua.residua_solve(
            s.handle::Ptr{Cvoid}, transposed::Cint, size(b, 2)::Int64, p.numbers::Numbers, 0::Int64,
            handle::Ref{Ptr{Cvoid}},
        )::Cint
    )
    return Solution(handle[], (n, size(b)[2:end]...))
end

solve(A::AbstractMatrix, b::AbstractVecOrMat; options...) = solve(Solver(A; options...), b)

columns(s::Solution) = length(s.size) == 1 ? 1 : s.size[2]

"Calls read(x, column, first) for each column of x, from 0, of which number i is number first + i of the result."
function each_column(read, s::Solution)
    GC.@preserve s begin
        x = @ccall libresidua.residua_solution_x(s.handle::Ptr{Cvoid})::Ptr{Cvoid}
        foreach(j -> read(x, j - 1, (j - 1) * s.size[1]), 1:columns(s))
    end
end

"""
    values(solution, T = BigFloat)

x in the type T, each number the nearest one: BigFloat at its current precision, Float64, or a sum of Float64.
"""
function values(s::Solution, ::Type{T} = BigFloat) where {T}
    T === Float64 || is_sum(T) || throw(ArgumentError("residua: x has no numbers of type $T; take BigFloat and convert them"))
    each = sizeof(T) ÷ 8
    terms = Vector{Float64}(undef, each * prod(s.size))
    each_column(s) do x, j, first
        GC.@preserve terms check(
            @ccall libresidua.residua_vector_terms(
                x::Ptr{Cvoid}, j::Int64, each::Cint, pointer(terms, each * first + 1)::Ptr{Float64},
                (each * s.size[1])::Int64,
            )::Cint
        )
    end
    return reshape(T === Float64 ? terms : collect(reinterpret(T, terms)), s.size)
end

function values(s::Solution, ::Type{BigFloat})
    bits = precision(BigFloat)
    each = cld(bits, 64) + 1
    all = Vector{BigFloat}(undef, prod(s.size))
    n = s.size[1]
    signs, exponents, limbs = Vector{Int32}(undef, n), Vector{Int64}(undef, n), Matrix{UInt64}(undef, each, n)
    each_column(s) do x, j, first
        check(
            @ccall libresidua.residua_vector_limbs(
                x::Ptr{Cvoid}, j::Int64, each::Cint, signs::Ptr{Int32}, exponents::Ptr{Int64}, limbs::Ptr{UInt64},
                length(limbs)::Int64,
            )::Cint
        )
        for i in 1:n
            magnitude = sum(big(limbs[k, i]) << (64 * (k - 1)) for k in 1:each)
            all[first+i] = ldexp(BigFloat(signs[i] * magnitude; precision = bits), exponents[i])
        end
    end
    return reshape(all, s.size)
end

const names_of_status = (:converged, :not_converged, :stagnated, :breakdown, :interrupted, :time_limit)

function figures(s::Solution, column)
    status, correct = Ref{Cint}(0), Ref{Cint}(0)
    GC.@preserve s check(
        @ccall libresidua.residua_solution_status(
            s.handle::Ptr{Cvoid}, (column - 1)::Int64, status::Ref{Cint}, correct::Ref{Cint})::Cint
    )
    return names_of_status[status[]+1], Int(correct[])
end

"How the solve for a column ended: :converged, :not_converged, :stagnated, :breakdown, :interrupted or :time_limit."
status(s::Solution, column::Integer = 1) = figures(s, column)[1]

"How many decimal digits of a column of x are known to be correct; 0: none, or unknown."
digits(s::Solution, column::Integer = 1) = figures(s, column)[2]

"The report of a column as JSON."
function report(s::Solution, column::Integer = 1)
    json = Ref{Cstring}(C_NULL)
    GC.@preserve s begin
        check(@ccall libresidua.residua_solution_report(
            s.handle::Ptr{Cvoid}, (column - 1)::Int64, json::Ref{Cstring})::Cint)
        return unsafe_string(json[])
    end
end

end
