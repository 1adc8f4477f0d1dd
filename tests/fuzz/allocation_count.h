// How many bytes the program has allocated, to detect small hostile files that make a parser allocate much memory.
#pragma once

#include <cstddef>

namespace attnviz::fuzz {

// Begins a new count of the most bytes held at once, from what is held now.
void start_counting();

// The most bytes held at once since start_counting, beyond those held then; every malloc, new and realloc counts.
std::size_t most_allocated();

}  // namespace attnviz::fuzz
