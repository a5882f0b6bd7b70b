#pragma once

#include <string>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// Saves the results of a command, in the order of the calls: the most expensive first. A failure stops no later one.
class saver {
public:
    /// save() writes the file `path`; nothing if the path is empty.
    template <class F>
    void save(const std::string& path, const F& save)
    {
        if (path.empty()) {
            return;
        }
        try {
            save();
            saved_.push_back(path);
        } catch (const resource_error& e) {
            lost_.emplace_back(e.what());
        }
    }

    const std::vector<std::string>& saved() const { return saved_; }

    /// throws  resource_error that says what is saved and what is not, unless everything is saved
    void require_all() const;

private:
    std::vector<std::string> saved_, lost_;
};

}  // namespace residua
