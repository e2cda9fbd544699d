// show.hpp - which pods of an answer are shown: -n, -A, -l.
#pragma once

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/model/facts.hpp"
#include "options.hpp"

namespace gedge::cli {

/// Errors: kInvalidInput where the selector of -l cannot be read.
Status check_show(const ShowOptions& show);

/// The plan without the decisions about pods of other namespaces (with -n and without -A) and about
/// pods whose labels the selector does not match. What is left out was planned all the same.
Plan only_shown(const Plan& plan, const Facts& facts, const ShowOptions& show,
                const InputOptions& input);

}  // namespace gedge::cli
