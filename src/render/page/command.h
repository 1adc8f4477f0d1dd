// The command of a page without what the page itself lets people choose, so that the page can offer the command of the picture it
// shows at the moment. Tested in tests/unit/render/page/page_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/trace.h>

#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct BaseCommand {
  std::vector<std::string> words{};  // "attnviz" and what still holds for a picture of one head
  std::vector<std::string> texts{};  // what must stand behind "--"
};

// The words of a command as cli/quote.h quotes them: bare, in double quotes without $ ` \ " inside, or in single quotes.
std::vector<std::string> split_command(std::string_view command);

// Of a batch, which has a line of many: the command that shows this text. What `page` does not open with, and so cannot be switched
// off in it, stays in the command.
BaseCommand base_command(const Trace& trace, const PageOptions& page);

}  // namespace attnviz
