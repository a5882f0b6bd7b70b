#pragma once

#include <memory>

namespace residua {

/// What solves systems to a number of digits and is made for that number: of those that every solve begins with, and of those
/// to which digits were raised last. at() returns what depends on the digits alone, not on what was asked before, so that a
/// solve has the bits that it has as the first one.
template <class Made>
class made_for_digits {
public:
    /// What make(digits) returns. A reference holds until other digits are asked for.
    ///
    /// throws  what make() does; then the object is as it was, but for what other raised digits have
    template <class Make>
    Made& at(int digits, const Make& make)
    {
        entry& kept = first_.made == nullptr || first_.digits == digits ? first_ : raised_;
        if (kept.made == nullptr || kept.digits != digits) {
            kept.made.reset();
            kept.made = std::make_unique<Made>(make(digits));
            kept.digits = digits;
        }
        return *kept.made;
    }

private:
    struct entry {
        int digits = 0;
        std::unique_ptr<Made> made;
    };

    entry first_;
    entry raised_;
};

}  // namespace residua
