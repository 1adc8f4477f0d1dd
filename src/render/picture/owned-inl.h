// Owning pointers to objects of Cairo and Pango.
#pragma once

#include <memory>

#include <pango/pangocairo.h>

namespace attnviz {

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
  void operator()(PangoFontDescription* description) const { pango_font_description_free(description); }
  void operator()(PangoLayoutIter* iterator) const { pango_layout_iter_free(iterator); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};

template <typename T>
using Owned = std::unique_ptr<T, Unref>;

}  // namespace attnviz
