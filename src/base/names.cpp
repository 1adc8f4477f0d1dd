// The names and small functions that the public headers site.h, token.h and trace.h declare.
#include <attnviz/site.h>
#include <attnviz/token.h>
#include <attnviz/trace.h>

namespace attnviz {

std::string_view token_kind_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::kWord: return "word";
    case TokenKind::kContinuation: return "continuation";
    case TokenKind::kUnknown: return "unknown";
    case TokenKind::kSpecial: return "special";
    case TokenKind::kBytes: return "bytes";
  }
  return "?";
}

std::string_view site_name(Site site) {
  switch (site) {
    case Site::kSelf: return "self";
    case Site::kEncoder: return "encoder";
    case Site::kDecoder: return "decoder";
    case Site::kCross: return "cross";
    case Site::kVision: return "vision";
  }
  return "?";
}

std::optional<Site> site_from_name(std::string_view name) {
  for (const Site site : {Site::kSelf, Site::kEncoder, Site::kDecoder, Site::kCross, Site::kVision}) {
    if (site_name(site) == name) return site;
  }
  return std::nullopt;
}

std::string_view pool_by_name(PoolBy by) {
  switch (by) {
    case PoolBy::kMax: return "max";
    case PoolBy::kMean: return "mean";
  }
  return "?";
}

std::string_view reduce_by_name(ReduceBy by) {
  switch (by) {
    case ReduceBy::kMean: return "mean";
    case ReduceBy::kMax: return "max";
  }
  return "?";
}

void TokenBatch::append(std::span<const Token> tokens) {
  for (const Token& token : tokens) {
    ids.push_back(token.id);
    segments.push_back(token.type_id.value_or(token.segment));
  }
  offsets.push_back(ids.size());
}

}  // namespace attnviz
