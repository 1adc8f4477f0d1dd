// See derived.h.
#include "trace/derived.h"

namespace attnviz {

Trace without_maps(const Trace& trace) {
  Trace copy;
  copy.model = trace.model;
  copy.texts = trace.texts;
  copy.value = trace.value;
  copy.pool = trace.pool;
  copy.reduced = trace.reduced;
  copy.focus = trace.focus;
  copy.words_merged = trace.words_merged;
  copy.special_hidden = trace.special_hidden;
  copy.notes = trace.notes;
  copy.provenance = trace.provenance;
  copy.maps.reserve(trace.maps.size());
  return copy;
}

}  // namespace attnviz
