#pragma once

#include <string>
#include <vector>

#include <apps/residua/bench/case.hpp>
#include <apps/residua/bench/timing.hpp>
#include <apps/residua/cli/args.hpp>

#include "report.hpp"

namespace residua {

/// A line of the table.
struct bench_row {
    index_t size = 0;
    bench_format format = bench_format::rns;
    long precision_bits = 0;
    double operations = 0.0;
    double bytes = 0.0;
    timing time;
    bench_verdict verdict;

    double operations_per_second() const { return operations / time.median_seconds; }
    double bytes_per_second() const { return bytes / time.median_seconds; }
};

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

/// "dot of 1000 rns numbers of 106 bits: the relative error 1e-3 is beyond the bound 1e-30"
std::string wrong_text(const bench_args& args, const bench_row& row);

}  // namespace residua
