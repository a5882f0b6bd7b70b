#pragma once

#include <cstdint>
#include <vector>

#include <gmp.h>

#include <residua/arith/slices/slices.hpp>

namespace residua::support {

/// An integer of GMP.
class integer {
public:
    integer() { mpz_init(z_); }
    explicit integer(const long_integer& n) : integer()
    {
        std::vector<std::uint64_t> words;
        for (int w = 0; w < n.words; ++w) {
            words.push_back(n.word[w * n.stride]);
        }
        mpz_import(z_, words.size(), -1, sizeof(std::uint64_t), 0, 0, words.data());
        if (words.back() >> 63 != 0) {  // two's complement
            integer base;
            mpz_setbit(base.z_, 64 * words.size());
            mpz_sub(z_, z_, base.z_);
        }
    }
    integer(const integer& other) { mpz_init_set(z_, other.z_); }
    integer& operator=(const integer&) = delete;
    ~integer() { mpz_clear(z_); }

    void add_product(const integer& x, const integer& y) { mpz_addmul(z_, x.z_, y.z_); }
    bool operator==(const integer& other) const { return mpz_cmp(z_, other.z_) == 0; }

private:
    mpz_t z_;
};

}  // namespace residua::support
