// SPDX-License-Identifier: Apache-2.0
// Parts of instructions that are put together when the program is compiled: asm takes them by the constraint
// "C" (CUDA, inline PTX), an array of const char with a static place.
#pragma once

#include <cstddef>
#include <utility>

namespace plumb::mma {

struct Writer {
  char text[1024]{};
  int size = 0;

  constexpr Writer& operator<<(const char* more) {
    while (*more != 0) text[size++] = *more++;
    return *this;
  }
  constexpr Writer& operator<<(int number) {
    if (number >= 10) *this << number / 10;
    text[size++] = static_cast<char>('0' + number % 10);
    return *this;
  }
};

/// `Part::write(Writer&)` writes the text.
template <class Part>
constexpr Writer written() {
  Writer w;
  Part::write(w);
  return w;
}

template <class Part, class Places>
struct Chars;
template <class Part, std::size_t... I>
struct Chars<Part, std::index_sequence<I...>> {
  static constexpr const char text[] = {written<Part>().text[I]...};
};
template <class Part, std::size_t... I>
constexpr const char Chars<Part, std::index_sequence<I...>>::text[];

template <class Part>
struct Text : Chars<Part, std::make_index_sequence<static_cast<std::size_t>(written<Part>().size) + 1>> {};

}  // namespace plumb::mma
