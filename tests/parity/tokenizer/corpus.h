// The lines that tokenizers are compared on, and the tables that hold what the reference says of each.
#pragma once

#include <attnviz/token.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnviz {

// corpus.jsonl: a text or a pair a line.
inline std::vector<TextInput> read_corpus() {
  std::ifstream file(ATTNVIZ_TEST_DIR "/corpus.jsonl");
  std::vector<TextInput> inputs;
  for (std::string line; std::getline(file, line);) {
    const auto texts = nlohmann::json::parse(line);
    inputs.push_back({texts.at(0), std::nullopt});
    if (texts.size() > 1) inputs.back().text2 = texts.at(1).get<std::string>();
  }
  return inputs;
}

inline std::vector<std::string> columns_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> columns;
  for (std::string column; stream >> column;) columns.push_back(column);
  return columns;
}

}  // namespace attnviz
