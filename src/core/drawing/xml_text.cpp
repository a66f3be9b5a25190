#include "core/drawing/xml_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace dpmix {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct Decoded {
  char32_t code;
  std::size_t bytes;
};

// The shortest form alone, no surrogates, up to U+10FFFF (RFC 3629).
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {replacement, 1};
  char32_t code = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {replacement, 1};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return {replacement, 1};
  }
  return {code, bytes};
}

char32_t allowed(char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return ' ';
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || turns || code == 0xFFFE || code == 0xFFFF ? replacement : code;
}

double width_of(char32_t code) {
  if (code >= 0x1100) return 2;
  if (code == 'W' || code == 'M' || code == '@') return 1.8;
  return (code >= 'A' && code <= 'Z') || code == 'm' || code == 'w' ? 1.4 : 1;
}

std::string reference(char32_t code) {
  const bool plain = code >= 0x20 && code < 0x7F && code != '&' && code != '<' && code != '>' &&
                     code != '"' && code != '\'';
  if (plain) return std::string(1, static_cast<char>(code));
  return "&#" + std::to_string(static_cast<unsigned long>(code)) + ";";
}

}  // namespace

std::string svg_text(std::string_view text, double width) {
  std::string out;
  std::size_t fits = 0;  // bytes of `out` that leave room for an ellipsis
  double used = 0;
  while (!text.empty()) {
    const Decoded next = decode(text);
    text.remove_prefix(next.bytes);
    const char32_t code = allowed(next.code);
    used += width_of(code);
    if (used > width) return out.substr(0, fits) + reference(0x2026);
    out += reference(code);
    if (used + 1 <= width) fits = out.size();
  }
  return out;
}

double svg_text_width(std::string_view text, double most) {
  double used = 0;
  while (!text.empty() && used < most) {
    const Decoded next = decode(text);
    text.remove_prefix(next.bytes);
    used += width_of(allowed(next.code));
  }
  return std::min(used, most);
}

namespace {

// The first of an XML text that svg_text() made: a byte, or a reference such as &#955;
struct Letter {
  std::string_view xml;
  double width;
};

Letter first_letter(std::string_view xml) {
  if (xml[0] != '&') return {xml.substr(0, 1), width_of(static_cast<unsigned char>(xml[0]))};
  const std::size_t end = std::min(xml.find(';'), xml.size() - 1);
  unsigned long code = 0;
  std::from_chars(xml.data() + std::min<std::size_t>(2, end), xml.data() + end, code);
  return {xml.substr(0, end + 1), width_of(static_cast<char32_t>(code))};
}

}  // namespace

double svg_line_width(std::string_view xml) {
  double used = 0;
  while (!xml.empty()) {
    const Letter letter = first_letter(xml);
    xml.remove_prefix(letter.xml.size());
    used += letter.width;
  }
  return used;
}

std::vector<std::string> svg_lines(std::string_view xml, double width) {
  std::vector<std::string> lines;
  std::string line;
  double used = 0;
  while (!xml.empty()) {
    const Letter letter = first_letter(xml);
    xml.remove_prefix(letter.xml.size());
    const bool space = letter.xml == " ";
    if (used + letter.width > width && !line.empty()) {
      const std::size_t last = space ? line.size() : line.rfind(' ');
      lines.push_back(line.substr(0, last));
      line = last < line.size() ? line.substr(last + 1) : "";
      used = svg_line_width(line);
    }
    if (space && line.empty()) continue;
    line += letter.xml;
    used += letter.width;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string short_number(double value, int digits) {
  const double size = std::abs(value);
  if (size >= 1 && size < 1e6) digits = std::max(digits, static_cast<int>(std::log10(size)) + 1);
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  std::string text(buffer, end);
  const std::size_t e = text.find('e');  // e+06 -> e6, e-07 -> e-7
  if (e == std::string::npos) return text;
  std::size_t zeros = e + 2;
  while (zeros + 1 < text.size() && text[zeros] == '0') ++zeros;
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(zeros);
}

}  // namespace dpmix
