# The module Residua: numbers of every kind, dense and sparse, several right-hand sides, misuse.
include(joinpath(@__DIR__, "..", "..", "capi", "Residua.jl"))

using SparseArrays, Test

# singular in Float64; A x = (1 + 2^-80, 0) has x = (2^80 + 1, -2^80 - 1)
const tiny = big(2.0)^-80
const A = [1 + tiny 1; 2 2]
const b = [1 + tiny, 0]
const large = big(2)^80 + 1

struct Pair <: AbstractFloat  # as MultiFloats.jl has them
    limbs::NTuple{2,Float64}
end
pair(x) = (hi = Float64(x); Pair((hi, Float64(x - hi))))

@testset "every kind of number" begin
    one_and = "1.00000000000000000000000082718061255302767487140869206996285356581211090087890625"
    for (M, right) in (
        (A, b),
        (sparse(A), b),
        (pair.(A), pair.(b)),
        ([(1.0, 2.0^-80) (1.0, 0.0); (2.0, 0.0) (2.0, 0.0)], [(1.0, 2.0^-80), (0.0, 0.0)]),
        ([one_and "1"; "2" "2"], [one_and, "0"]),
        ([big(2)^80+1 big(2)^80; 2 2], [big(2)^80 + 1, 0]),
        (transpose(sparse(transpose(A))), b),
    )
        s = Residua.solve(M, right; digits = 30)
        x = Residua.values(s)
        @test all(abs.(x .- [large, -large]) .< large * big(1e-30))
        @test Residua.values(s, Float64) == [2.0^80, -2.0^80]
        @test Residua.values(s, NTuple{2,Float64})[1][1] == 2.0^80
        @test Residua.values(s, Pair)[2].limbs[1] == -2.0^80
        @test Residua.status(s) == :converged && Residua.digits(s) >= 30
        @test occursin("\"status\":\"converged\"", Residua.report(s))
    end
end

@testset "several right-hand sides, transposed" begin
    s = Residua.Solver([4 1; 0 3])
    x = Residua.values(Residua.solve(s, [6.0 4.0; 9.0 0.0]), Float64)
    @test x == [0.75 1.0; 3.0 0.0]
    @test Residua.values(Residua.solve(s, [6, 9]; transposed = true), Float64) == [1.5, 2.5]
end

@testset "misuse" begin
    @test_throws Residua.ResiduaError Residua.Solver([1.0 0; 0 1]; digit = 30)
    @test_throws DimensionMismatch Residua.solve([1.0 0; 0 1], [1.0, 2.0, 3.0])
    @test_throws ArgumentError Residua.solve([1.0im 0; 0 1], [1.0, 2.0])
    @test_throws ArgumentError Residua.solve([1//3 0; 0 1], [1.0, 2.0])
    @test_throws Residua.ResiduaError Residua.solve([1.0 0; 0 NaN], [1.0, 2.0])
end
