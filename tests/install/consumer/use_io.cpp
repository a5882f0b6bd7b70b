#include <string>
#include <string_view>

#include <residua/io/matrix_market.hpp>

int main()
{
    const residua::io::text file =
        residua::io::make_text("inline", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 0.1\n");
    // The values reach the caller as text: here they stay text.
    struct decimal {
        std::string text;
        decimal operator+(const decimal& other) const { return {text + "+" + other.text}; }
        decimal operator-() const { return {"-" + text}; }
    };
    const auto matrix =
        residua::io::read_matrix_market(file, [](std::string_view value) { return decimal{std::string(value)}; });

    return matrix.entries.size() == 3 && matrix.entries.value[2].text == "0.1" ? 0 : 1;
}
