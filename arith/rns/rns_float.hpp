#pragma once

/// Floating-point numbers in a residue number system: the type and every operation for host and device.
#include <residua/arith/rns/add.hpp>
#include <residua/arith/rns/compare.hpp>
#include <residua/arith/rns/convert.hpp>
#include <residua/arith/rns/div.hpp>
#include <residua/arith/rns/mul.hpp>
#include <residua/arith/rns/sqrt.hpp>
