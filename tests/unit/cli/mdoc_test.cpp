#include "mdoc.hpp"

#include <doctest/doctest.h>

using namespace gedge::cli;

TEST_CASE("mdoc: text cannot become a request") {
  Mdoc page("gedge-x", 1, "Do it");
  page.section("DESCRIPTION");
  page.text(".Sh not a section\n\n'apostrophe first, a back\\slash and \"quotes\"");
  const std::string text = page.done();
  CHECK(text.find("\n\\&.Sh not a section\n") != std::string::npos);
  CHECK(text.find("\n\\(aqapostrophe first, a back\\eslash and \\(dqquotes\\(dq\n") !=
        std::string::npos);
  CHECK(text.find(".Dt GEDGE-X 1\n") != std::string::npos);
  CHECK(text.find(".Nd do it\n") != std::string::npos);
}

TEST_CASE("mdoc: backquotes are bold with hyphens that can be copied") {
  Mdoc page("gedge-x", 1, "x");
  page.section("DESCRIPTION");
  page.text("see `gedge plan --what-if` for more");
  CHECK(page.done().find("see \\fBgedge plan \\-\\-what\\-if\\fR for more\n") != std::string::npos);
}

TEST_CASE("mdoc: a sentence ends a line so that roff sees it") {
  Mdoc page("gedge-x", 1, "x");
  page.section("DESCRIPTION");
  page.text("One. Two.");
  CHECK(page.done().ends_with("One.\nTwo.\n"));
}

TEST_CASE("mdoc: pages are named by section and then by name and each once") {
  Mdoc page("gedge-x", 1, "x");
  page.see_also("gedge-policies(7) gedge-plan(1) gedge(1) gedge-plan(1)");
  CHECK(page.done().ends_with(".Xr gedge 1 ,\n.Xr gedge-plan 1 ,\n.Xr gedge-policies 7\n"));
}

TEST_CASE("mdoc: flags keep their letters and values") {
  CHECK(Mdoc::tag({.name = "filename", .letter = 'f', .value = "FILE"}) ==
        ".Fl f , Fl Fl filename Ar FILE");
  CHECK(Mdoc::tag({.name = "seed", .value = "N"}) == ".Fl Fl seed Ar \\&N");
  CHECK(Mdoc::tag({.name = "POD", .operand = true}) == ".Ar \\&POD");
}
