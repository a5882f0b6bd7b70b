#pragma once

/// Positional floating-point numbers with digits of 32 or 64 bits, every operation correctly rounded.
#include <residua/arith/multidigit/accumulator.hpp>
#include <residua/arith/multidigit/add.hpp>
#include <residua/arith/multidigit/compare.hpp>
#include <residua/arith/multidigit/compiled.hpp>
#include <residua/arith/multidigit/convert.hpp>
#include <residua/arith/multidigit/div.hpp>
#include <residua/arith/multidigit/mul.hpp>
#include <residua/arith/multidigit/sqrt.hpp>
