// The command line of this run as typed values, for the provenance of what it makes: which words belong to which option is known
// here, where the options are declared. Tested in tests/unit/cli/provenance_test.cpp.
#pragma once

#include <attnviz/figure.h>
#include <attnviz/provenance.h>
#include <attnviz/trace.h>

#include <span>
#include <string>
#include <string_view>

#include "render/format_registry.h"

namespace CLI {
class App;
}

namespace attnviz {

// `arguments`: all words after the program's name, which `app` has parsed without an error. `command`: the first of them where it
// names a command, else empty.
CommandLine typed_command(const CLI::App& app, std::string_view command, std::span<const std::string> arguments);

// What made an output in `format`: without the options that change no byte of it (threads, notes, timings, the name of the file).
// Where that name decided the format, -f FORMAT is added. So the same request gives the same bytes wherever they are written.
CommandLine made_by(const CommandLine& typed, std::string_view format);

// The command that draws the maps of `trace` again, without the options that a page's own controls set: layer, head, view, colours
// and format, and of words merged and special tokens hidden what the page opens with. The text of a pipe, or of one line of a
// batch, is spelled out.
CommandLine redraw_by(const CommandLine& typed, const Trace& trace, const PageOptions& page);

// What made an output in `format`, with the version of the program.
Provenance provenance_of(const CommandLine& typed, OutputFormat format);

// Sets the provenance of a trace that goes to an output in `format`; a source that it has stays. Only pages get redraw_by.
void record_command(const CommandLine& typed, OutputFormat format, const PageOptions& page, Trace* trace);

}  // namespace attnviz
