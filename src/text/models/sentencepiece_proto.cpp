// See sentencepiece_proto.h. Protobuf's wire format: a field is a varint key (number << 3 | type) and its value: a varint (type 0),
// a length and so many bytes (2), or four bytes (5).
#include "text/models/sentencepiece_proto.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace attnviz {
namespace {

class Message {
 public:
  void add_number(std::uint32_t field, std::uint64_t value) {
    add_varint(field << 3);
    add_varint(value);
  }
  void add_bytes(std::uint32_t field, std::string_view bytes) {
    add_varint(field << 3 | 2);
    add_varint(bytes.size());
    bytes_ += bytes;
  }
  void add_float(std::uint32_t field, float value) {
    add_varint(field << 3 | 5);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xFF);
  }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace

std::string sentencepiece_proto(ProtoModel type, const std::vector<SpmPiece>& pieces) {
  Message model, part;
  for (const SpmPiece& piece : pieces) {
    part.clear();
    part.add_bytes(1, piece.text);
    part.add_float(2, piece.score);
    part.add_number(3, static_cast<std::uint64_t>(piece.type));
    model.add_bytes(1, part.bytes());
  }
  part.clear();
  part.add_number(3, static_cast<std::uint64_t>(type));  // trainer_spec.model_type
  model.add_bytes(2, part.bytes());
  part.clear();
  part.add_bytes(1, "identity");  // normalizer_spec.name
  part.add_number(3, 0);          // add_dummy_prefix
  part.add_number(4, 0);          // remove_extra_whitespaces
  part.add_number(5, 0);          // escape_whitespaces
  model.add_bytes(3, part.bytes());
  return model.bytes();
}

}  // namespace attnviz
