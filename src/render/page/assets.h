// The page's own source as embed.py joined it at build: no byte of it depends on what is shown.
#pragma once

#include <string_view>

namespace attnviz {

extern const std::string_view kPageStyle;      // what is in <style>
extern const std::string_view kPageMarkup;     // what is in <body> before the data
extern const std::string_view kPageScript;     // what is in the one <script> that runs
extern const std::string_view kPageStyleHash;  // "sha256-...", for the page's content security policy
extern const std::string_view kPageScriptHash;

}  // namespace attnviz
