// A static HTML page, put together so that no text from anywhere can become markup.
//
// Enters: words of this library as literals, which may hold tags, and texts from anywhere, which
// are escaped. Leaves: one document (HTML 5) in printable ASCII, well-formed in every encoding,
// that loads and runs nothing: no script, no link, no reference to anything outside; a content
// security policy forbids it besides. One type, Html, holds what is markup already: a std::string
// is not.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dpmix {

// A literal of ours; nothing that a program made at run time.
struct Markup {
  std::string_view text;
  consteval Markup(const char* literal) : text(literal) {}
};

class Html {
 public:
  Html() = default;
  Html(Markup words) : html_(words.text) {}
  // A text of at most about `width` average letters, then an ellipsis. Marks that turn the
  // direction of writing, by which one name could look like another, are replaced.
  static Html text(std::string_view anything, double width = 400);
  // What our own code drew, as draw_marginal does: a whole SVG document.
  static Html drawn(std::string_view svg);

  Html& operator+=(const Html& more);
  Html& operator+=(Markup words);
  friend Html operator+(Html a, const Html& b) { return a += b; }
  friend Html operator+(Html a, Markup b) { return a += b; }
  bool empty() const { return html_.empty(); }
  const std::string& str() const { return html_; }

 private:
  std::string html_;
};

// A name as it is shown, apart from the direction of what is around it.
Html name_of(std::string_view text);

// Numbers as they are read: at most so many significant digits, thousands apart: 12 345, 0.0123,
// 4e-12.
Html number(double value, int digits = 4);
Html count(long long value);

enum class Column { words, numbers, code };
struct Heading {
  Markup title;
  Column kind = Column::words;
};
// A table that becomes a list of cards where there is no room for it. Rows have one cell for each
// heading; an empty cell shows a dash.
Html table(std::initializer_list<Heading> headings, const std::vector<std::vector<Html>>& rows);

// A picture, by itself: whatever an SVG document (any bytes) holds, nothing of it runs or loads,
// and nothing of it is markup of the page. Its alternative text is its title.
Html picture(std::string_view svg);

// The whole document: its title (anything) and what is in its body.
enum class Loads { nothing, pictures };  // what the document loads of itself
std::string html_document(std::string_view title, const Html& body, Loads loads = Loads::nothing);

}  // namespace dpmix
