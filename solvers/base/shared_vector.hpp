#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace residua {

/// A vector whose copies share its elements until one of them is changed. Reading is as of a std::vector, also by
/// std::span and ranges; elements are changed through own() alone.
template <class T>
class shared_vector {
public:
    using value_type = T;

    shared_vector() = default;
    shared_vector(std::vector<T> elements)
        : elements_(elements.empty() ? nullptr : std::make_shared<std::vector<T>>(std::move(elements)))
    {}
    shared_vector(std::initializer_list<T> elements) : shared_vector(std::vector<T>(elements)) {}

    std::size_t size() const { return elements_ == nullptr ? 0 : elements_->size(); }
    bool empty() const { return size() == 0; }
    const T* data() const { return elements_ == nullptr ? nullptr : elements_->data(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    const T& operator[](std::size_t k) const { return (*elements_)[k]; }
    const T& front() const { return elements_->front(); }
    const T& back() const { return elements_->back(); }

    /// The vector, to be changed: a copy first, if others share it.
    ///
    /// cost  O(size) where it is shared
    std::vector<T>& own()
    {
        if (elements_ == nullptr) {
            elements_ = std::make_shared<std::vector<T>>();
        } else if (elements_.use_count() > 1) {
            elements_ = std::make_shared<std::vector<T>>(*elements_);
        }
        return *elements_;
    }
    void push_back(T x) { own().push_back(std::move(x)); }
    void reserve(std::size_t size) { own().reserve(size); }
    void resize(std::size_t size) { own().resize(size); }

    /// The elements at a fixed address for as long as somebody holds the pointer; null if there are none.
    std::shared_ptr<const T> held() const { return {elements_, data()}; }

    friend bool operator==(const shared_vector& a, const shared_vector& b)
    {
        return a.elements_ == b.elements_ || std::vector<T>(a.begin(), a.end()) == std::vector<T>(b.begin(), b.end());
    }

private:
    std::shared_ptr<std::vector<T>> elements_;
};

}  // namespace residua
