// A model of pieces with the tables that it looks up, and the spec, kept together: what most tests want of freezing and opening.
#pragma once

#include <attnviz/tokenizer_spec.h>

#include <memory>
#include <string>
#include <utility>

#include "base/flat_bytes.h"
#include "text/stages.h"

namespace attnviz {

class FrozenModel {
 public:
  explicit FrozenModel(PieceModelSpec spec, const std::string& where = "test")
      : spec_(std::move(spec)), tables_(FlatBytes::of(freeze_piece_model(spec_, where))) {
    FlatReader reader(tables_.bytes, where);
    model_ = open_piece_model(spec_, where, &reader);
  }

  const PieceModel* operator->() const { return model_.get(); }

 private:
  const PieceModelSpec spec_;
  const FlatBytes tables_;
  std::unique_ptr<PieceModel> model_;
};

}  // namespace attnviz
