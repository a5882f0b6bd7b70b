#pragma once

/// expansion<double, N> and its arithmetic, for host and device. Real numbers and text, on the host
/// only, are in convert.hpp.

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/arith/expansion/add.hpp>
#include <residua/arith/expansion/compare.hpp>
#include <residua/arith/expansion/div.hpp>
#include <residua/arith/expansion/functions.hpp>
#include <residua/arith/expansion/mul.hpp>
#include <residua/arith/expansion/sqrt.hpp>
#include <residua/arith/expansion/type.hpp>
