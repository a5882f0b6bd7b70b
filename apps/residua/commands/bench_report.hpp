#pragma once

#include <string>
#include <vector>

#include <apps/residua/cli/args.hpp>

#include "measure.hpp"
#include "report.hpp"

namespace residua {

/// All measurements, and the machine they were made on.
struct bench_record {
    std::string device;
    int threads = 0;
    copy_ceiling copy;
    std::vector<bench_row> rows;
};

/// The report for people: operation, machine, table, and the results that were wrong.
std::string bench_text(const bench_args& args, const bench_record& record);

/// The report as JSON.
json bench_json(const bench_args& args, const bench_record& record);

}  // namespace residua
