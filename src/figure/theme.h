// The colours and sizes that all pictures share: ink for data, grey for everything else. All text has a contrast of at least 4.5
// on its ground (tests/unit/figure/layout/layout_test.cpp).
#pragma once

#include "figure/colour.h"

namespace attnviz {

struct Theme {
  Rgb background;
  Rgb ink;
  Rgb grey;     // captions, axis names, ticks
  Rgb special;  // labels of special tokens
  Rgb made;     // labels of tokens that the model generated
  Rgb frame;    // hairlines around areas that would blend into the ground
  Rgb paper;    // the light one of the two inks for numbers in cells
  Rgb coal;     // the dark one
  Rgb warm;     // marks: frames, and the words and numbers that belong to them
  Rgb hatch;    // lines over bad cells
  Rgb blank;    // under them, and cells that a scale leaves out
};

inline constexpr Theme kLightTheme{rgb(0xffffff), rgb(0x1a1d21), rgb(0x666b72), rgb(0x73787f), rgb(0x9c4a12), rgb(0xd9dce0),
                                   rgb(0xffffff), rgb(0x1a1d21), rgb(0xc2410c), rgb(0xa6abb2), rgb(0xeceef0)};
inline constexpr Theme kDarkTheme{rgb(0x0f1215), rgb(0xe6e8ea), rgb(0x9aa0a7), rgb(0x8a9097), rgb(0xe8a15c), rgb(0x343a41),
                                  rgb(0xe6e8ea), rgb(0x0f1215), rgb(0xfb923c), rgb(0x636b74), rgb(0x22272c)};

inline constexpr const Theme& theme_for(bool dark) { return dark ? kDarkTheme : kLightTheme; }

// Font sizes in units of 1/96 inch: 12 are 9 points.
inline constexpr double kTitleSize = 17;
inline constexpr double kSubtitleSize = 12;
inline constexpr double kLabelSize = 12.5;
inline constexpr double kThinnedLabelSize = 11;
inline constexpr double kSmallestSize = 8;  // 6 points
inline constexpr double kAxisSize = 11.5;
inline constexpr double kTickSize = 11;
inline constexpr double kLineSpacing = 1.4;

inline constexpr double kNarrowPage = 480;  // 127 mm; narrower ones have smaller type

inline constexpr double kMargin = 18;  // around the whole picture

}  // namespace attnviz
