#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace residua::support {

/// Random texts of all kinds that the standard allows, and of some that are wrong.
class random_market_text {
public:
    explicit random_market_text(std::uint64_t seed) : random_(seed) {}

    std::string operator()()
    {
        static const std::vector<std::string> ends{"\n", "\r\n", "\r"};
        end_ = ends[below(ends.size())];
        const bool array = below(3) == 0;
        const std::string symmetry = pick({"general", "symmetric", "skew-symmetric", "hermitian"});
        const std::string field = symmetry == "hermitian" ? "complex" : pick({"real", "real", "integer", "complex"});
        const std::size_t n = 1 + below(6);
        const std::size_t stored = array ? (symmetry == "general"          ? n * n
                                            : symmetry == "skew-symmetric" ? n * (n - 1) / 2
                                                                           : n * (n + 1) / 2)
                                         : below(30);
        std::string body;
        for (std::size_t k = 0; k < stored; ++k) {
            body += noise();
            if (!array) {
                std::size_t row = 1 + below(n);
                std::size_t col = 1 + below(n);
                if (symmetry != "general" && row < col) {
                    std::swap(row, col);
                }
                body += std::to_string(row) + " " + std::to_string(col) + " ";
                values(body, field, symmetry != "general" && row == col ? symmetry : "");
            } else {
                values(body, field, "");
            }
            body += array && below(3) == 0 && field != "complex" ? " " : end_;
        }
        body += noise();
        if (below(4) == 0 && !body.empty()) {  // without a last line end, or cut short
            body.resize(body.size() - 1 - (below(4) == 0 ? below(body.size()) : 0));
        }
        if (below(4) == 0 && !body.empty()) {
            body[below(body.size())] = "x%. 7-"[below(6)];
        }
        const std::size_t announced = below(10) == 0 ? stored + 1 - 2 * below(2) : stored;
        return "%%MatrixMarket matrix " + std::string(array ? "array " : "coordinate ") + field + " " + symmetry +
               end_ + "% comment" + end_ + std::to_string(n) + " " + std::to_string(n) +
               (array ? "" : " " + std::to_string(announced)) + end_ + body;
    }

private:
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

    std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

    std::string noise()
    {
        switch (below(12)) {
            case 0:
                return "% 1 1 1" + end_;
            case 1:
                return end_;
            case 2:
                return " \t" + end_;
            case 3:
                return " ";
            default:
                return {};
        }
    }

    std::string number(const std::string& field)
    {
        if (field == "integer") {
            return std::to_string(static_cast<int>(below(2000)) - 1000);
        }
        return pick({"1.5", "-0.1", "3", "2.5e-1", "1D2", "0.12345678901234567890123", "7e-320",
                     "17976931348623157e292", "9007199254740993", "+.5"});
    }

    void values(std::string& to, const std::string& field, const std::string& diagonal_of)
    {
        to += diagonal_of == "skew-symmetric" ? "0" : number(field);
        if (field == "complex") {
            to += " ";
            to += diagonal_of == "skew-symmetric" || diagonal_of == "hermitian" ? "0" : number(field);
        }
    }

    std::mt19937_64 random_;
    std::string end_;
};

}  // namespace residua::support
