#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A strict reader of pages: everything must be as plainly written as our pages are.

namespace upsweep::testing {

struct Tag {
  std::string name;  ///< "/p" of an end tag
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string raw;  ///< what stands inside a script or style element
};

struct PageTags {
  std::vector<Tag> tags;
  std::string text;  ///< all text outside of script and style, references not yet replaced

  /// Throws std::runtime_error where something is neither text nor a tag with quoted attributes.
  explicit PageTags(const std::string& page) {
    std::size_t at = page.find('\n') + 1;  // after the doctype
    while (at < page.size()) {
      if (page[at] != '<') {
        if (page[at] == '>') fail(page, at);
        text += page[at++];
        continue;
      }
      at = read_tag(page, at + 1);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& page, std::size_t at) {
    throw std::runtime_error("unexpected markup: " + page.substr(at > 60 ? at - 60 : 0, 120));
  }

  std::size_t read_tag(const std::string& page, std::size_t at) {
    Tag tag;
    while (std::isalnum(static_cast<unsigned char>(page[at])) != 0 || (page[at] == '/' && tag.name.empty())) {
      tag.name += page[at++];
    }
    if (tag.name.empty()) fail(page, at);
    while (page[at] == ' ') {
      ++at;
      std::string name;
      while (std::isalpha(static_cast<unsigned char>(page[at])) != 0 || page[at] == '-') name += page[at++];
      if (name.empty()) fail(page, at);
      std::string value;
      if (page[at] == '=') {
        if (page[++at] != '"') fail(page, at);
        const std::size_t end = page.find('"', ++at);
        value = page.substr(at, end - at);
        at = end + 1;
      }
      tag.attributes.emplace_back(name, value);
    }
    if (page[at] != '>') fail(page, at);
    ++at;
    if (tag.name == "script" || tag.name == "style") {
      const std::size_t end = page.find("</" + tag.name + ">", at);
      tag.raw = page.substr(at, end - at);
      at = end;
    }
    tags.push_back(std::move(tag));
    return at;
  }
};

}  // namespace upsweep::testing
