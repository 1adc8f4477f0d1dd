// See continuation.h.
#include "text/models/continuation.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"
#include "text/models/byte_level.h"
#include "text/split/reader_words.h"

namespace attnviz {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Where each byte of a text that need not be UTF-8 is found in the text that is made of it.
struct Mended {
  std::string text;
  std::vector<Place> of_byte;  // the whole character
};

Mended mend(std::string_view bytes) {
  Mended mended;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = decode_utf8(bytes, i).length;
    const std::size_t begin = mended.text.size();
    mended.text += length > 0 ? bytes.substr(i, length) : kReplacement;
    const std::size_t n = std::max<std::size_t>(length, 1);
    mended.of_byte.insert(mended.of_byte.end(), n, {begin, mended.text.size()});
    i += n;
  }
  return mended;
}

// Words go on from the last token of the text, whose own number stays.
void number_words(std::string_view text, std::span<const Token> before, std::span<Token> tokens) {
  std::int32_t next_word = 0;
  for (const Token& token : before) next_word = std::max(next_word, token.word + 1);
  std::vector<Token> run;
  const bool begins_special = !tokens.empty() && tokens.front().kind == TokenKind::kSpecial;
  if (!before.empty() && before.back().word >= 0 && !begins_special) {
    run.push_back(before.back());
    next_word = before.back().word;
  }
  const std::size_t n_before = run.size();
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].kind == TokenKind::kSpecial) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < tokens.size() && tokens[end].kind != TokenKind::kSpecial) ++end;
    const std::size_t n_kept = i == 0 ? n_before : 0;
    run.resize(n_kept);
    run.insert(run.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin() + static_cast<std::ptrdiff_t>(end));
    number_reader_words(text, run, &next_word);
    std::copy(run.begin() + static_cast<std::ptrdiff_t>(n_kept), run.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i));
    i = end;
  }
}

}  // namespace

std::vector<Token> append_pieces(std::span<const GeneratedPiece> pieces, std::span<const Token> before, std::string* text) {
  std::string bytes;
  for (const GeneratedPiece& piece : pieces) bytes += piece.bytes;
  const Mended mended = mend(bytes);
  const std::size_t base = text->size();
  *text += mended.text;
  const std::int32_t segment = before.empty() ? 0 : before.back().segment;

  std::vector<Token> tokens;
  std::size_t place = 0;  // byte
  for (const GeneratedPiece& piece : pieces) {
    Token token;
    token.id = piece.id;
    token.segment = segment;
    token.generated = true;
    const std::size_t end = place + piece.bytes.size();
    if (piece.bytes.empty()) {
      const std::size_t here = base + (place < mended.of_byte.size() ? mended.of_byte[place].begin : mended.text.size());
      token.begin = token.end = here;
      token.kind = piece.special ? TokenKind::kSpecial : TokenKind::kWord;
      token.text = piece.name;
    } else {
      const Place inner = without_space(*text, {base + mended.of_byte[place].begin, base + mended.of_byte[end - 1].end});
      token.begin = inner.begin;
      token.end = inner.end;
      token.text = text->substr(inner.begin, inner.end - inner.begin);
      if (find_invalid_utf8(piece.bytes)) {
        token.kind = TokenKind::kBytes;
        token.text = spell_broken_bytes(piece.bytes);
      }
    }
    place = end;
    tokens.push_back(std::move(token));
  }
  number_words(*text, before, tokens);
  return tokens;
}

}  // namespace attnviz
