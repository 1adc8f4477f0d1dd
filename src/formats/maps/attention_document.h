// The JSON document "attnviz.attention/1" (docs/JSON.md) -> Trace. Fields may come in any order, because another program may have
// saved the document again. Unknown fields are ignored, with a remark. Tested in tests/unit/formats/maps/map_file_test.cpp.
#pragma once

#include <string_view>

#include "formats/json_scanner.h"
#include "formats/maps/map_file.h"

namespace attnviz {

// The cursor is at the object's brace. `with_maps`: the document contains the maps; otherwise (in an NPZ) its list of maps is
// empty. Throws Error(kInput) for any other object, and for fields that break the schema.
MapFile read_attention_document(JsonScanner* json, bool with_maps = true);

// Sorts the maps by layer, then head. Throws Error(kInput) for a layer and head that occurs twice or that the model does not have,
// and for a map whose size does not match the tokens.
void check_maps_fit(Trace* trace, const std::string& where);

}  // namespace attnviz
