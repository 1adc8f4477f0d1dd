// See byte_reader.h.
#include "base/byte_reader.h"

#include <attnviz/error.h>

#include <fmt/format.h>

namespace attnviz {

std::span<const std::byte> ByteReader::take(std::size_t n, std::string_view what) {
  if (n > remaining()) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: ends early; expected {} bytes of {} at offset {}, found {}; download the file again", where_, n,
                            what, position_, remaining()));
  }
  auto bytes = bytes_.subspan(position_, n);
  position_ += n;
  return bytes;
}

}  // namespace attnviz
