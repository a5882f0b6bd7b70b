// Engines of several processes: what they take, what they tell each other, and those in binary64 and in expansions.
#include <residua/solvers/build/shared_engine.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <residua/io/team.hpp>
#include <residua/solvers/build/shared_format_engine.hpp>
#include <residua/solvers/checkpoint/message_archive.hpp>

namespace residua {
namespace {

constexpr std::array shared_by_products{preconditioner::none, preconditioner::jacobi, preconditioner::block_jacobi,
                                        preconditioner::chebyshev};

template <class... M>
constexpr std::array<method, sizeof...(M)> methods_of(method_list<M...>)
{
    return {M::traits.method...};
}
constexpr std::array methods_shared = methods_of(shared_method_list{});

#if !defined(RESIDUA_CUDA)
[[noreturn]] void refuse_device()
{
    throw unsupported_error("this build computes on the host only: " + why_no_cuda_device());
}
#endif

}  // namespace

void engine_order::archive(state_archive& io)
{
    io.value(in);
    io.value(method);
    io.value(restart);
    io.value(matrix);
    io.value(inverse);
    io.value(needs_norm);
    io.value(complex_scalars);
    io.value(has_polynomial);
    io.value(lower);
    io.value(upper);
    io.value(threads);
    io.value(device);
}

void service_order::archive(state_archive& io)
{
    io.value(what);
    io.value(number);
    make.archive(io);
    io.value(rule.relative_residual);
    io.value(rule.normal_reduction);
    io.value(rule.max_iterations);
    io.value(rule.keeps_bits);
    io.value(has_keeper);
    io.value(code);
    io.list(begin);
    io.text(path);
    io.value(transposed);
    io.value(bits);
    io.value(rhs);
    io.value(first);
    io.value(last);
    io.value(made);
    io.value(operands);
    io.value(preconditioner);
    io.value(definite);
    io.value(indefinite_matrix);
}

void broadcast(processes& all, service_order& order)
{
    message_writer writer;
    order.archive(writer);
    all.broadcast(writer.message());
    if (all.rank() != 0) {
        message_reader reader(writer.message());
        order.archive(reader);
    }
}

bool shares(method m) { return std::find(methods_shared.begin(), methods_shared.end(), m) != methods_shared.end(); }

bool shares(preconditioner p)
{
    return std::find(shared_by_products.begin(), shared_by_products.end(), p) != shared_by_products.end();
}

std::vector<std::string_view> shared_methods()
{
    std::vector<std::string_view> names;
    for (const method each : methods_shared) {
        names.push_back(to_string(each));
    }
    return names;
}

std::vector<std::string_view> shared_preconditioners()
{
    std::vector<std::string_view> names;
    for (const preconditioner each : shared_by_products) {
        names.push_back(to_string(each));
    }
    return names;
}

bool is_shared(const arithmetic& in, const engine_request& request, preconditioner p)
{
    if (request.all == nullptr || request.all->count() == 1 || !shares(request.method) || !shares(p) ||
        in.format == number_format::rns) {
        return false;
    }
    const bool may_be_dense =
        in.format != number_format::multidigit && request.storage != nullptr && request.matrix.exact.empty();
    return !may_be_dense || request.storage->dense_on(host_executor{}) == nullptr;
}

engine_order order_of(const arithmetic& in, const engine_request& request)
{
    engine_order order{.in = in,
                       .method = request.method,
                       .restart = request.restart,
                       .complex_scalars = request.complex && traits_of(request.method).complex_scalars,
                       .has_polynomial = request.polynomial.has_value(),
                       .threads = io::available_threads(),
                       .device = request.device ? request.device->device : -1};
    if (request.polynomial) {
        order.lower = request.polynomial->lower;
        order.upper = request.polynomial->upper;
    }
    return order;
}

std::unique_ptr<correction_engine> make_shared_engine(const arithmetic& in, const engine_request& request)
{
    if (request.device) {
#if defined(RESIDUA_CUDA)
        return make_shared_device_engine(in, request);
#else
        refuse_device();
#endif
    }
    if (in.format == number_format::multidigit) {
        return make_shared_multidigit_engine(in, request);
    }
    std::unique_ptr<correction_engine> engine;
    with_expansions(host_executor{}, in.bits, [&]<class S>(const S& space) {
        engine = std::make_unique<shared_format_engine<S>>(space, in, request);
    });
    return engine;
}

std::unique_ptr<engine_part> make_engine_part(const engine_order& order, const engine_rows& rows, processes& all)
{
    if (order.device >= 0) {
#if defined(RESIDUA_CUDA)
        return make_device_part(order, rows, all);
#else
        refuse_device();
#endif
    }
    if (order.in.format == number_format::multidigit) {
        return make_multidigit_part(order, rows, all);
    }
    std::unique_ptr<engine_part> part;
    with_expansions(host_executor{}, order.in.bits,
                    [&]<class S>(const S& space) { part = std::make_unique<shared_part<S>>(space, order, rows, all); });
    return part;
}

}  // namespace residua
