#pragma once

#include <residua/arith/rns/rns_float.hpp>

namespace residua::support {

/// What every operation makes of x and y: the same function for host and device.
template <int L>
struct rns_results {
    static constexpr int numbers = 7;
    rns_float<L> number[numbers];
    double nearest;
    int order;
};

template <int L>
RESIDUA_HD rns_results<L> every_operation(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    rns_results<L> r;
    r.number[0] = add(set, x, y);
    r.number[1] = sub(set, x, y);
    r.number[2] = mul(set, x, y);
    r.number[3] = div(set, x, y);
    r.number[4] = sqrt(set, x);
    r.nearest = to_double(set, r.number[2]);
    r.number[5] = to_rns(set, r.nearest);
    r.number[6] = mul(set, r.nearest, y);
    r.order = compare(set, x, y);
    return r;
}

/// every_operation for n pairs on the device; false if there is none.
template <int L>
bool every_operation_on_device(const rns_float<L>* x, const rns_float<L>* y, rns_results<L>* result, int n);

}  // namespace residua::support
