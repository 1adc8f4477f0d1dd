// Trace -> one HTML file to explore every map in, offline: markup, style, script and data in it, and no link to anything else. What
// a browser runs is in assets/, joined at build by embed.py; the bytes are described in docs/page.md. Tested in
// tests/unit/render/page/page_test.cpp and tests/browser.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <cstddef>

#include "base/thread_pool.h"
#include "render/byte_sink.h"

namespace attnviz {

struct PageMaps {
  std::size_t n_query = 0;
  std::size_t n_key = 0;
  std::size_t n_map = 0;
  bool exact = false;
};

// Throws Error(kInput) for maps that a browser could not hold, with the settings that ask for less.
void check_page_maps(const PageMaps& size);

// The same bytes whatever the pool; it may be null.
void write_page(const Trace& trace, const PictureOptions& picture, const ByteSink& sink, ThreadPool* pool);

}  // namespace attnviz
