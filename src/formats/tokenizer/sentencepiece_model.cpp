// See sentencepiece_model.h. Protobuf's wire format: a field is a varint key (number << 3 | type) and its value: a varint (type 0),
// eight bytes (1), a length and so many bytes (2) or four bytes (5). Unknown fields are skipped.
#include "formats/tokenizer/sentencepiece_model.h"

#include <attnviz/error.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace attnviz {
namespace {

constexpr std::size_t kMaxPieceBytes = 512;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kModel, fmt::format("{}: {}; expected a SentencePiece model; get the file again", where, what));
}

// One field of a message.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t type = 0;
  std::uint64_t value = 0;   // types 0, 1 and 5
  std::string_view bytes{};  // type 2
};

class Message {
 public:
  Message(std::string_view bytes, const std::string& where)
      : reader_(std::as_bytes(std::span(bytes.data(), bytes.size())), where), where_(where) {}

  std::optional<Field> next() {
    if (reader_.remaining() == 0) return std::nullopt;
    const std::uint64_t key = varint();
    Field field{.number = key >> 3, .type = key & 7};
    if (field.number == 0) fail(where_, fmt::format("has a field with the number 0 before byte {}", reader_.position()));
    switch (field.type) {
      case 0: field.value = varint(); break;
      case 1: field.value = reader_.read<std::uint64_t>("a field"); break;
      case 2: field.bytes = text(varint()); break;
      case 5: field.value = reader_.read<std::uint32_t>("a field"); break;
      default: fail(where_, fmt::format("has a field of the wire type {} before byte {}", field.type, reader_.position()));
    }
    return field;
  }

 private:
  std::string_view text(std::uint64_t size) {
    if (size > reader_.remaining()) {
      fail(where_, fmt::format("ends early: a field has {} bytes, but only {} are left", size, reader_.remaining()));
    }
    return reader_.take_text(size, "a field");
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = reader_.read<std::uint8_t>("a number");
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail(where_, fmt::format("has a number of more than ten bytes before byte {}", reader_.position()));
  }

  ByteReader reader_;
  const std::string& where_;
};

void expect_type(const Field& field, std::uint64_t type, const char* what, const std::string& where) {
  if (field.type == type) return;
  fail(where, fmt::format("has {} of the wire type {}, not {}", what, field.type, type));
}

bool flag(const Field& field, const char* what, const std::string& where) {
  expect_type(field, 0, what, where);
  return field.value != 0;
}

SpmPiece read_piece(std::string_view bytes, std::size_t id, const std::string& where) {
  SpmPiece piece;
  Message message(bytes, where);
  while (const auto field = message.next()) {
    if (field->number == 1) {
      expect_type(*field, 2, "a piece's text", where);
      piece.text = field->bytes;
    } else if (field->number == 2) {
      expect_type(*field, 5, "a piece's score", where);
      const auto bits = static_cast<std::uint32_t>(field->value);
      std::memcpy(&piece.score, &bits, sizeof bits);
    } else if (field->number == 3) {
      expect_type(*field, 0, "a piece's type", where);
      if (field->value < 1 || field->value > 6) fail(where, fmt::format("piece {} has the type {}", id, field->value));
      piece.type = static_cast<SpmPiece::Type>(field->value);
    }
  }
  if (piece.text.empty() || piece.text.size() > kMaxPieceBytes) {
    fail(where, fmt::format("piece {} has {} bytes; it must have 1 to {}", id, piece.text.size(), kMaxPieceBytes));
  }
  if (find_invalid_utf8(piece.text)) fail(where, fmt::format("piece {} is not UTF-8", id));
  if (!std::isfinite(piece.score)) fail(where, fmt::format("piece {} has a score that is not a number", id));
  return piece;
}

void read_trainer(std::string_view bytes, const std::string& where, SentencePieceModel* model) {
  Message message(bytes, where);
  while (const auto field = message.next()) {
    if (field->number == 3) {
      expect_type(*field, 0, "the model's type", where);
      if (field->value < 1 || field->value > 4) fail(where, fmt::format("is a model of the type {}", field->value));
      model->type = static_cast<SentencePieceModel::Type>(field->value);
    } else if (field->number == 24) {
      model->treat_whitespace_as_suffix = flag(*field, "treat_whitespace_as_suffix", where);
    } else if (field->number == 35) {
      model->byte_fallback = flag(*field, "byte_fallback", where);
    }
  }
}

void read_normalizer(std::string_view bytes, const std::string& where, SentencePieceModel* model) {
  Message message(bytes, where);
  while (const auto field = message.next()) {
    if (field->number == 2) {
      expect_type(*field, 2, "the character map", where);
      model->charsmap = field->bytes;
    } else if (field->number == 3) {
      model->add_dummy_prefix = flag(*field, "add_dummy_prefix", where);
    } else if (field->number == 4) {
      model->remove_extra_whitespaces = flag(*field, "remove_extra_whitespaces", where);
    } else if (field->number == 5) {
      model->escape_whitespaces = flag(*field, "escape_whitespaces", where);
    }
  }
}

void check_pieces(const std::vector<SpmPiece>& pieces, const std::string& where) {
  if (pieces.empty()) fail(where, "has no pieces");
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(pieces.size());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const auto [earlier, is_new] = seen.try_emplace(pieces[id].text, id);
    if (!is_new)
      fail(where, fmt::format("the pieces {} and {} are the same, {}", earlier->second, id, quote_text(pieces[id].text)));
  }
}

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, const std::string& where) {
  SentencePieceModel model;
  Message message(bytes, where);
  while (const auto field = message.next()) {
    if (field->number > 3) continue;
    expect_type(*field, 2, "a part", where);
    if (field->number == 1) model.pieces.push_back(read_piece(field->bytes, model.pieces.size(), where));
    if (field->number == 2) read_trainer(field->bytes, where, &model);
    if (field->number == 3) read_normalizer(field->bytes, where, &model);
  }
  check_pieces(model.pieces, where);
  return model;
}

TokenizerSpec make_spm_tokenizer_spec(SpmVocabulary vocabulary, const std::string& where) {
  using Type = SpmPiece::Type;
  TokenizerSpec spec;
  spec.where = where;
  const auto replace = [&](const char* pattern, bool regex, const char* content) {
    ReplaceSpec step;
    step.pattern = {pattern, regex};
    step.content = content;
    spec.normalizers.emplace_back(std::move(step));
  };
  if (vocabulary.remove_extra_whitespaces) {
    replace(R"(\A +| +\z)", true, "");
    replace(" {2,}", true, " ");
  }
  if (vocabulary.add_space_prefix) spec.normalizers.emplace_back(PrependSpec{" "});
  replace(" ", false, "\xE2\x96\x81");  // U+2581
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
    const SpmPiece& piece = vocabulary.pieces[id];
    if ((piece.type != Type::kControl && piece.type != Type::kUnknown) || piece.text.empty()) continue;
    spec.added_tokens.push_back({.id = static_cast<std::int32_t>(id), .content = piece.text, .special = true});
  }
  const auto template_piece = [&](std::optional<std::int32_t> id, std::int32_t segment, std::vector<TemplatePiece>* pieces) {
    if (!id) return;
    if (*id < 0 || static_cast<std::size_t>(*id) >= vocabulary.pieces.size()) {
      fail(where,
           fmt::format("the token {} at an end of the text is not below the vocabulary's {}", *id, vocabulary.pieces.size()));
    }
    pieces->push_back({TemplatePiece::What::kSpecial, vocabulary.pieces[static_cast<std::size_t>(*id)].text, *id, segment});
  };
  for (const bool second : {false, true}) {
    const std::int32_t segment = second ? 1 : 0;
    template_piece(vocabulary.bos_id, segment, &spec.pair);
    spec.pair.push_back({second ? TemplatePiece::What::kSecond : TemplatePiece::What::kFirst, "", 0, segment});
    template_piece(vocabulary.eos_id, segment, &spec.pair);
    if (!second) spec.single = spec.pair;
  }
  spec.model = SpmSpec{std::move(vocabulary.pieces)};
  return spec;
}

}  // namespace attnviz
