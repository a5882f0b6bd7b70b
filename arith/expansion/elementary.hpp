#pragma once

/// The elementary functions of expansions, N = 2, 3, 4, for host and device, with the same bits on
/// both. docs/elementary-functions.md has the measured errors.

#include <residua/arith/expansion/elementary/atan.hpp>
#include <residua/arith/expansion/elementary/exp.hpp>
#include <residua/arith/expansion/elementary/log.hpp>
#include <residua/arith/expansion/elementary/power.hpp>
#include <residua/arith/expansion/elementary/trigonometric.hpp>
