// The page's own source as embed.py joined it at build: no byte of it depends on the trace.
#pragma once

#include <string_view>

namespace attnviz {

extern const std::string_view kPageStyle;      // the content of <style>
extern const std::string_view kPageMarkup;     // the content of <body> before the data
extern const std::string_view kPageScript;     // the content of the only <script> that runs
extern const std::string_view kPageStyleHash;  // "sha256-...", for the page's content security policy
extern const std::string_view kPageScriptHash;

}  // namespace attnviz
