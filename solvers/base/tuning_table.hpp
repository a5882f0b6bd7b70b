// Written by bench/solvers/tune.py by the rules of docs/tuning.md, from measurements of 2026-11-22 to 2026-11-24
// on AMD EPYC, Intel(R) Xeon(R) Processor, NVIDIA H200:
//   bench/results/2026-11-22-h200-dense.json
//   bench/results/2026-11-22-h200-formats.json
//   bench/results/2026-11-22-host-panels.json
//   bench/results/2026-11-22-host-poisson-formats.json
//   bench/results/2026-11-24-host-formats.json
// Not to be edited: tune.py --check compares.
#pragma once

#include <residua/solvers/base/tuning.hpp>

namespace residua::tuning {

inline constexpr format_row formats[] = {
    {53, number_format::native},
    {212, number_format::expansion},
    {4096, number_format::multidigit},
};

inline constexpr format_row refine_formats[] = {
    {53, number_format::native},
    {159, number_format::expansion},
    {4096, number_format::multidigit},
};

inline constexpr panel_row expansion_panels[] = {
    {159, 48, never, never},
    {212, 192, 193, 385},
    {424, 96, 145, 289},
};

inline constexpr panel_row multidigit_panels[] = {
    {106, 192, 193, 289},
    {212, 128, 145, 385},
    {848, 192, 193, 289},
    {4096, 96, 145, 289},
};

inline constexpr product_row products[] = {
    {4096, 0.0},
};

inline constexpr device_row devices[] = {
    {4096, 20000},
};

}  // namespace residua::tuning
