// See byte_reader.h.
#include "base/byte_reader.h"

#include <attnviz/error.h>

#include <fmt/format.h>

namespace attnviz {

void ByteReader::fail_short(std::size_t n, std::string_view what) const {
  throw Error(ErrorKind::kModel,
              fmt::format("{}: ends early; expected {} bytes of {} at offset {}, found {}; download the file again", where_, n,
                          what, position_, remaining()));
}

}  // namespace attnviz
