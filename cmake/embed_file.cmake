file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${SOURCE}.new "#include <string>

namespace upsweep {
namespace {
constexpr unsigned char kBytes[] = {
${bytes}0};
}

const std::string& ${FUNCTION}() {
  static const std::string text(reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1);
  return text;
}

}  // namespace upsweep
")
file(RENAME ${SOURCE}.new ${SOURCE})
