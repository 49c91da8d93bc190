// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/access.h"

#include "support.h"

namespace plumb {
namespace {

using test::message_of;

Access legal() { return {.bytes = 65536}; }

template <class Change>
std::string refusal(Change&& change) {
  Access a = legal();
  change(a);
  return message_of([&] { validate(a); });
}

TEST(Access, TheWindowIsWhatAllThreadsTouchOnce) {
  EXPECT_EQ(window(legal()), 65536);  // 16 warps x 8 accesses x 32 lanes x 16 bytes
  EXPECT_EQ(window({.width = 4}), 16384);
  EXPECT_EQ(window({.form = Form::bulk, .width = 1024, .warps = 2, .in_flight = 4}), 8192);
}

TEST(Access, AnMbarrierIsTimedWhereItIs) {
  EXPECT_EQ(observer({.form = Form::store, .target = Target::peer}), 0);
  EXPECT_EQ(observer({.form = Form::async_store, .target = Target::peer}), 1);
  EXPECT_EQ(observer({.form = Form::async_store, .target = Target::own}), 0);
}

TEST(Access, PatternsHaveNames) {
  EXPECT_EQ(pattern_of({}), "coalesced");
  EXPECT_EQ(pattern_of({.lanes = Lanes::strided, .stride = 8}), "stride-8");
  EXPECT_EQ(pattern_of({.lanes = Lanes::strided, .stride = 32, .run = 4}), "stride-32-run-4");
}

TEST(Access, NamesGoThereAndBack) {
  for (const Form f : {Form::load, Form::generic_load, Form::store, Form::red, Form::async_store,
                       Form::async_red, Form::bulk})
    EXPECT_EQ(form_from(name_of(f)), f);
  for (const Target t : {Target::local, Target::own, Target::peer}) EXPECT_EQ(target_from(name_of(t)), t);
  for (const Lanes l : {Lanes::coalesced, Lanes::strided, Lanes::swizzled, Lanes::broadcast, Lanes::shuffled,
                        Lanes::shuffled_4k})
    EXPECT_EQ(lanes_from(name_of(l)), l);
  EXPECT_EQ(message_of([] { (void)target_from("far"); }),
            "unknown target 'far'; allowed are local, own, peer.");
}

TEST(Access, EachRefusalNamesTheFieldItsValueAndWhatIsAllowed) {
  validate(legal());
  EXPECT_EQ(refusal([](Access& a) { a.width = 12; }), "width = 12: load takes 4, 8, 16 bytes.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::red; }), "width = 16: red takes 4, 8 bytes.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::bulk, a.target = Target::own, a.width = 24; }),
            "width = 24: a bulk copy moves 16 bytes or a multiple.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::async_store; }),
            "target = local: async-store exists in the cluster's window alone; give own or peer.");
  EXPECT_EQ(refusal([](Access& a) { a.warps = 17; }), "warps = 17: allowed is 1 to 16.");
  EXPECT_EQ(refusal([](Access& a) { a.in_flight = 3; }), "in_flight = 3: allowed are 1, 2, 4, 8.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::store, a.in_flight = 4; }),
            "in_flight = 4: it is 8 but for loads of 16 bytes and bulk copies.");
  EXPECT_EQ(refusal([](Access& a) { a.stride = 2; }), "stride = 2: only strided lanes have one; it is 1.");
  EXPECT_EQ(refusal([](Access& a) { a.run = 2; }), "run = 2: only strided lanes have one; it is 1.");
  EXPECT_EQ(refusal([](Access& a) { a.lanes = Lanes::strided, a.stride = 3; }),
            "stride = 3: allowed are 2, 4, 8, 16, 32.");
  EXPECT_EQ(refusal([](Access& a) { a.lanes = Lanes::strided, a.stride = 4, a.run = 4; }),
            "run = 4: give a power of two below the stride, 4.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::store, a.lanes = Lanes::broadcast; }),
            "lanes = broadcast: store to one address leaves one lane's value; loads and reds may.");
  EXPECT_EQ(refusal([](Access& a) { a.lanes = Lanes::swizzled, a.warps = 3; }),
            "warps x in_flight = 24: swizzled lanes need a multiple of 32 to fill their rows.");
  EXPECT_EQ(refusal([](Access& a) { a.lanes = Lanes::shuffled_4k, a.warps = 1, a.in_flight = 1; }),
            "warps x in_flight = 1: the window of 512 bytes is no multiple of the 4096 that are shuffled.");
  EXPECT_EQ(refusal([](Access& a) { a.form = Form::bulk, a.target = Target::peer, a.width = 4096; }),
            "width x warps x in_flight makes a window of 524288 bytes; shared memory has room for 102400.");
  EXPECT_EQ(refusal([](Access& a) { a.bytes = 4096; }),
            "bytes = 4096: give a positive multiple of the window, 65536.");
  EXPECT_EQ(
      refusal([](Access& a) { a.form = Form::async_store, a.target = Target::peer, a.bytes = 1 << 20; }),
      "bytes = 1048576: an mbarrier counts fewer than 1048576 bytes.");
}

}  // namespace
}  // namespace plumb
