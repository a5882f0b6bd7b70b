#pragma once

#include <string>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// Saves the results of a command, the most dear first: one that cannot be saved keeps no other one from it.
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

    /// throws  resource_error that says what is not saved and what is, unless everything is
    void require_all() const;

private:
    std::vector<std::string> saved_, lost_;
};

}  // namespace residua
