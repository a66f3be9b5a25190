#include "core/report/dashboard.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/report/html.hpp"
#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

std::string page_of(std::string_view title, std::vector<std::string_view> pictures) {
  return dashboard_page(title, pictures);
}

std::string decoded(std::string_view text) {
  std::string out;
  unsigned bits = 0;
  int have = 0;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((have += 6) < 8) continue;
    have -= 8;
    out += static_cast<char>(bits >> have & 0xff);
  }
  return out;
}

// What the images of a page hold.
std::vector<std::string> images_of(const std::string& page) {
  constexpr std::string_view start = "src=\"data:image/svg+xml;base64,";
  std::vector<std::string> found;
  for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at)) {
    at += start.size();
    found.push_back(decoded(std::string_view(page).substr(at, page.find('"', at) - at)));
  }
  return found;
}

TEST(Dashboard, ShowsEachPictureAsItIs) {
  std::vector<std::string> pictures;
  for (int size = 0; size < 40; ++size) {
    pictures.push_back("<svg><title>no. " + std::to_string(size) + "</title>" +
                       std::string(static_cast<std::size_t>(size), '\xff') + "</svg>");
  }
  const std::string page = page_of("t", {pictures.begin(), pictures.end()});
  EXPECT_EQ(images_of(page), pictures);
  EXPECT_TRUE(contains(page, "<img alt=\"no. 7\" src="));
  EXPECT_TRUE(well_formed(page.substr(page.find("<html"))));
  EXPECT_EQ(page, page_of("t", {pictures.begin(), pictures.end()}));
}

TEST(Dashboard, NothingOfAPictureIsMarkup) {
  const std::string hostile[] = {
      "<svg "
      "onload=\"alert(1)\"><script>alert(1)</script><title>\"><script>x</script></title></svg>",
      "<svg><title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title></svg>",
      "<svg><title>&#34; "
      "onerror=&#34;alert(1)&#62;&#x3c;b&#x3e;&#0;&#1114112;&#99999999999;&#x;&#;&;</title></svg>",
      "<svg><title>" + std::string(100000, '<') + "</title></svg>",
      "<svg><title>\xF0\x9F\x98\x80&#128512;&#228;&#8239;\xE2\x80\xAE</title></svg>",
      "<svg><title>",
      "<svg"};
  for (const std::string& svg : hostile) {
    const std::string page = page_of("\"><script>alert(1)</script>", {svg, "<svg/>"});
    EXPECT_TRUE(well_formed(page.substr(page.find("<html")))) << svg.substr(0, 80);
    EXPECT_FALSE(contains(page, "<script"));
    EXPECT_FALSE(contains(page, "onerror=\"") || contains(page, "onload="));
    EXPECT_EQ(images_of(page).at(0), svg);
    for (const char c : page) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  }
  EXPECT_TRUE(contains(page_of("t", {"<svg><title>a &amp; b &#8211; c</title></svg>"}),
                       "alt=\"a &#38; b &#8211; c\""));
}

TEST(Dashboard, LoadsItsOwnPicturesAlone) {
  const std::string page = page_of("t", {"<svg/>"});
  EXPECT_TRUE(contains(page, "default-src 'none'; style-src 'unsafe-inline'; img-src data:\""));
  EXPECT_FALSE(contains(page, "http:") || contains(page, "https:"));
  EXPECT_FALSE(contains(html_document("t", Html()), "img-src"));
}

}  // namespace
}  // namespace dpmix::test
