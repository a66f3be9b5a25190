#include "core/report/dashboard.hpp"

#include "core/report/html.hpp"

namespace dpmix {

std::string dashboard_page(std::string_view title, std::span<const std::string_view> pictures) {
  Html body("<header>\n<h1>");
  body += name_of(title);
  body += "</h1>\n</header>\n<div class=\"pictures\">\n";
  for (const std::string_view svg : pictures) {
    body += "<figure>";
    body += picture(svg);
    body += "</figure>\n";
  }
  body += "</div>\n";
  return html_document(title, body, Loads::pictures);
}

}  // namespace dpmix
