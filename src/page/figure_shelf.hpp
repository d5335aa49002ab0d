#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "html.hpp"
#include "upsweep/figure/figure.hpp"

namespace upsweep {

/// The figures of a page, as many as there is room for: each that fits is taken, in the order in which they come.
class FigureShelf {
 public:
  /// `room`: bytes for figures and their templates. No figures are taken where the program has no charts.
  explicit FigureShelf(std::size_t room);

  /// Whether it is worth while to make more figures.
  [[nodiscard]] bool is_open() const;
  /// Whether there would be figures, were there room for them.
  [[nodiscard]] bool is_full() const;

  /// Adds a figure to a section, or counts it as left out.
  void put(const std::optional<Figure>& figure, Markup& section);

  /// How many were left out since the last call.
  [[nodiscard]] std::size_t take_left_out();

  [[nodiscard]] std::size_t room() const { return room_; }
  /// Changes the room for further figures.
  void set_room(std::size_t bytes) { room_ = has_figures_ ? bytes : 0; }
  /// What figures have taken so far, without templates.
  [[nodiscard]] std::size_t taken() const { return taken_; }

  /// A data element for each template that was used.
  [[nodiscard]] Markup templates() const;

 private:
  bool has_figures_;
  std::size_t room_;
  std::size_t taken_ = 0;
  std::size_t figures_ = 0;
  std::size_t left_out_ = 0;
  std::set<std::string> kinds_;
};

}  // namespace upsweep
