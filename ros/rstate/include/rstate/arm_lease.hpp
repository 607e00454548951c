// The arithmetic of the arm lease for C++17: a node that uses it does not stay armed if its coordinator dies. It needs no ROS,
// reads a clock only in now(), and starts nothing. The tests use the same vectors as the tests of the coordinator.
//
//   rstate::ArmLease lease;
//   on each message of ~/arm_lease:     lease.take(rstate::ArmLease::now(), message, rstate::ArmLease::writer(info));
//   when told to arm:                   armed = lease.holds(rstate::ArmLease::now());  // and answer with that
//                                       lapses = lease.lapses();
//   when told to disarm:                armed = false;
//   in every cycle, or every 20 ms:     if (armed && !(lease.holds(rstate::ArmLease::now()) && lease.lapses() == lapses)) {
//                                         armed = false; …
//                                       }
//
// If holds() says no to a call to arm, wait a second for it, as leased_node.cpp does: the first lease of a coordinator that was
// just heard holds from its second or third message on, a fifth of a second later.
//
// The timer that looks must be steady: one of ROS time stands still with /clock. create_wall_timer() of rclcpp is steady,
// rclcpp::create_timer() with the node's clock is not.
//
// Take a message within 50 ms. A lease that has ended does not become valid again, so only the next call arms the node again.
// lapses() tells of an end while the process was suspended. Use an object in one thread only. take() may allocate: give a
// real-time loop ends() in a std::atomic<std::int64_t>, and compare it with now() there.
#ifndef RSTATE__ARM_LEASE_HPP_
#define RSTATE__ARM_LEASE_HPP_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace rstate
{

// ArmLease computes the end of the lease from its messages. All times are nanoseconds of this machine's steady clock.
//
// A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it. Which of
// several sources armed the node is unknown, so the lease is valid only until the first of them ends, also if that one does not
// give a lease yet. Then it is not valid for a pause, whatever the others say.
class ArmLease
{
public:
  // window is for how long two messages that agree vouch for the distance of the clocks.
  static constexpr std::int64_t window = 10'000'000'000;
  // every is the least time between two messages of a term.
  static constexpr std::int64_t every = 100'000'000;
  // apart is how far two messages that agree are apart at least, within by how much their distances may differ.
  static constexpr std::int64_t apart = 100'000'000, within = 50'000'000;
  // drift is the part of a second by which two steady clocks go apart in one.
  static constexpr std::int64_t drift = 1000;
  // steps is how many numbers may be missing between two messages that are compared.
  static constexpr std::uint64_t steps = 1000;
  // sources is how many sources are known.
  static constexpr std::size_t sources = 64;
  // pause is for how long after the end of one source's lease another source's does not count.
  static constexpr std::int64_t pause = 150'000'000;
  // most is the greatest term or number of a message, jump how far a term may be above the one before, longest the greatest
  // time. Beyond them, a message was not sent by rstate.
  static constexpr std::uint64_t most = std::uint64_t{1} << 48, jump = std::uint64_t{1} << 32;
  static constexpr std::int64_t longest = std::int64_t{1} << 61;

  // now reads the steady clock.
  static std::int64_t now()
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  // writer returns what identifies the publisher of a message: of a rclcpp::MessageInfo, or of anything like it.
  template<typename Info>
  static std::string writer(const Info & info)
  {
    const auto & gid = info.get_rmw_message_info().publisher_gid.data;
    return std::string(reinterpret_cast<const char *>(&gid[0]), sizeof(gid));
  }

  // take processes a message that was received at a moment, and returns whether it counts. A message does not count if it is
  // old, if its term has ended, if it says that no lease is held, or if no daemon can have sent it. A message is a
  // rstate_msgs::msg::ArmLease, or anything that has its fields. Without the writer, another publisher can extend the lease in
  // the name of its instance.
  template<typename Message>
  bool take(std::int64_t at, const Message & m, const std::string & writer = std::string())
  {
    look(at);
    const auto found = std::find_if(
      sources_.begin(), sources_.end(),
      [&](const Source & s) {return s.instance == m.instance_id && s.writer == writer;});
    Source source;
    source.instance = m.instance_id;
    source.writer = writer;
    if (found != sources_.end()) {
      source = *found;
    }
    const bool taken = source.take(at, m);
    if (taken || idle(m)) {
      if (taken && source.lapsed) {
        lapse(source);
      }
      bool room = sources_.size() < sources;
      if (found != sources_.end()) {
        sources_.erase(found);
        room = true;
      }
      if (room || forget(at, taken)) {
        sources_.push_back(std::move(source));
      }
    }
    holds(at);
    return taken;
  }

  // holds says whether there is a lease that has not run out. One that has is over for good.
  bool holds(std::int64_t at)
  {
    look(at);
    bool valid = false, gives = false, paused = evicted_ != 0 && at < evicted_ + pause;
    std::int64_t first = 0;
    for (const Source & s : sources_) {
      paused = paused || (s.leased && s.lapsed && at < s.ends + pause);
      if (s.leased && !s.lapsed) {
        first = valid ? std::min(first, s.ends) : s.ends;
        valid = true;
        gives = gives || s.gives;
      }
    }
    if (!gives || paused) {
      return false;
    }
    ends_ = first;
    return true;
  }

  // ends is when the lease ends, or ended; 0 before the first.
  std::int64_t ends() const {return ends_;}

  // lapses counts the leases that have run out: compare it with its value at arming if your process may be suspended.
  std::uint64_t lapses() const {return lapses_;}

private:
  // sane says whether a daemon may have sent the message, idle whether it says that it holds no lease.
  template<typename Message>
  static bool sane(const Message & m)
  {
    return !m.instance_id.empty() && m.term <= most && m.seq <= most && m.proved_ns >= 0 && m.proved_ns <= longest &&
           m.valid_ns >= 0 && m.valid_ns <= longest;
  }

  template<typename Message>
  static bool idle(const Message & m) {return m.valid_ns == 0 && sane(m);}

  // Mark is a message that was received at a moment, and when it left, counted from any moment.
  struct Mark
  {
    std::int64_t at, left;
  };

  // Source is an instance, with one writer, that says something of a lease, and what is known of its messages.
  //
  // The lease ends at proved + valid + the distance of the two clocks. Receipt minus departure is that distance plus the time
  // that the message took, so the smallest one counts. It counts only while two messages agree: they were received as far from
  // each other as they were sent. Messages that waited for a suspended process come faster. Until then the source gives no
  // lease.
  struct Source
  {
    std::string instance, writer;
    bool leased{false};                // it has ever said that it holds a lease
    std::uint64_t term{0}, seq{0};     // of the newest message of a lease
    bool known{false};                 // the two after this one are set
    std::int64_t way_at{0}, took{0};   // receipt, and receipt minus departure: the smallest one
    std::deque<Mark> idles, said;      // the newest messages without a lease, and of the term
    std::int64_t beat{0}, left{0};     // the departure, in steps of every, and the earliest by the sender's clock
    bool agreed{false};                // two messages have agreed
    std::int64_t agreed_at{0};         // the newest time
    std::int64_t ends{0};              // when the newest lease ends, or ended
    bool gives{false};                 // the newest term ends by a distance that two messages vouch for
    bool lapsed{false};                // the newest term has run out

    // take takes a message, unless it is old or of a term that is over.
    template<typename Message>
    bool take(std::int64_t at, const Message & m)
    {
      holds(at);  // what has run out by now is over, whatever this message says
      if (idle(m)) {
        note(idles, {at, m.proved_ns}, at - m.proved_ns);
        return false;
      }
      if (!sane(m) || (leased && (m.term < term || m.term - term > jump))) {
        return false;
      }
      if (leased && m.term == term) {
        if (lapsed || m.seq <= seq) {
          return false;
        }
        follow(m.seq, m.proved_ns);
      } else {
        begin(m.proved_ns);
        gives = false;
      }
      leased = true;
      lapsed = false;
      term = m.term;
      seq = m.seq;
      note(said, {at, beat}, at - left);
      if (agreed && at - agreed_at <= window) {
        ends = m.proved_ns + distance(at) + m.valid_ns;
        gives = true;
      } else if (!gives) {
        ends = at + m.valid_ns;  // it cannot be later
      }
      holds(at);  // it may have been too long on its way
      return true;
    }

    void begin(std::int64_t proved)
    {
      said.clear();
      beat = 0;
      left = proved;
    }

    // follow counts on: a message left no earlier than its proof was made, and than the one before it and every.
    void follow(std::uint64_t number, std::int64_t proved)
    {
      const std::uint64_t more = number - seq;
      if (more > steps || beat > longest || left > longest) {
        begin(proved);
        return;
      }
      const std::int64_t after = static_cast<std::int64_t>(more) * every;
      beat += after;
      left = std::max(proved, left + after);
    }

    void note(std::deque<Mark> & pace, const Mark & m, std::int64_t way)
    {
      if (!known || way <= distance(m.at)) {
        known = true;
        way_at = m.at;
        took = way;
      }
      for (const Mark & o : pace) {
        const std::int64_t came = m.at - o.at, went = m.left - o.left;
        if (came >= apart && std::max(came - went, went - came) <= within) {
          agreed = true;
          agreed_at = m.at;
        }
      }
      pace.push_back(m);
      if (pace.size() > 4) {
        pace.pop_front();
      }
    }

    // The smallest way is not forgotten, because all later messages may wait. It grows as the clocks may go apart.
    std::int64_t distance(std::int64_t at) const {return took + std::max<std::int64_t>(0, at - way_at) / drift;}

    bool holds(std::int64_t at)
    {
      lapsed = lapsed || (leased && at >= ends);
      return leased && !lapsed;
    }
  };

  // look notes which leases have run out.
  void look(std::int64_t at)
  {
    for (Source & s : sources_) {
      if (s.leased && !s.lapsed && !s.holds(at)) {
        lapse(s);
      }
    }
  }

  void lapse(const Source & s)
  {
    lapses_++;
    ends_ = s.ends;
  }

  // forget forgets a source without a valid lease, else for a lease the first one: its end will not be seen, so it is over now.
  bool forget(std::int64_t at, bool for_lease)
  {
    auto one = std::find_if(sources_.begin(), sources_.end(), [at](Source & s) {return !s.holds(at);});
    if (one == sources_.end() && for_lease) {
      one = sources_.begin();
      evicted_ = ends_ = at;
      lapses_++;
    }
    if (one == sources_.end()) {
      return false;
    }
    sources_.erase(one);
    return true;
  }

  std::deque<Source> sources_;  // the one that was heard last is the last
  std::int64_t ends_{0}, evicted_{0};
  std::uint64_t lapses_{0};
};

}  // namespace rstate

#endif  // RSTATE__ARM_LEASE_HPP_
