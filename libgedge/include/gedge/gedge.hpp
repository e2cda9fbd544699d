// gedge/gedge.hpp - the whole library, for programs that embed it.
//
// The path of data is the path through the rooms: codec reads bytes into Facts (model) and an
// RttMatrix (latency), plan decides by the policies of a Profile, effect holds the answer, verify
// checks it; pin is the same for the CPUs of one machine. Include single headers where compile time
// counts.
#pragma once

#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/write_latency.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/pin/admission.hpp"
#include "gedge/plan/edit.hpp"
#include "gedge/plan/planner.hpp"
#include "gedge/plan/what_if_session.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/verify/verify.hpp"
#include "gedge/version.hpp"
