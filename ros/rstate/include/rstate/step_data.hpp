// The messages of a participant of a stepped loop that counts them, for C++17. It needs no ROS. The tests use the same
// vectors for C++, Go and Python: test/stepdata.
//
// Use an object in one thread at a time.
#ifndef RSTATE__STEP_DATA_HPP_
#define RSTATE__STEP_DATA_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rstate
{

// StepCount is a number of messages of a topic. Without a participant it belongs to the node itself.
struct StepCount
{
  std::string topic, participant;
  std::uint64_t count{0};
};

// StepData keeps the messages that arrive until a step makes them visible, and counts those that the node publishes.
template<typename Message>
class StepData
{
public:
  // settle forbids publishing. Steps of the present epoch are refused from now on.
  void settle()
  {
    epoch_ = 0;
    stepping_ = false;
  }

  // zero begins an epoch: it forgets all messages and counts. counted are the topics whose messages wait for a step that names
  // them; published are those that the node publishes.
  void zero(
    std::uint64_t epoch, const std::set<std::string> & counted, const std::set<std::string> & published)
  {
    settle();
    epoch_ = epoch;
    counted_ = counted;
    kept_.clear();
    arrived_.clear();
    sent_.clear();
    for (const std::string & topic : published) {
      sent_[topic] = 0;
    }
  }

  // arrived keeps a message. A participant's messages of one topic arrive in the order in which it published them.
  void arrived(const std::string & topic, const std::string & participant, Message message)
  {
    kept_.push_back({topic, participant, ++arrived_[{topic, participant}], std::move(message)});
  }

  // refused returns why a step of this epoch must not run; it is empty if the step may run.
  std::string refused(std::uint64_t epoch) const
  {
    if (epoch == 0 || epoch == epoch_) {
      return "";
    }
    return "its counts are of epoch " + std::to_string(epoch_) + ", and the step is of epoch " + std::to_string(epoch) +
           "; start the loop again";
  }

  // missing names the first message of the list that has not arrived; it is empty if all have arrived.
  std::string missing(const std::vector<StepCount> & visible) const
  {
    for (const StepCount & v : visible) {
      const auto found = arrived_.find({v.topic, v.participant});
      const std::uint64_t n = found == arrived_.end() ? 0 : found->second;
      if (n < v.count) {
        return "message " + std::to_string(n + 1) + " of " + v.topic + " from " + v.participant + " has not arrived";
      }
    }
    return "";
  }

  // begin begins a step that is neither refused nor misses a message, and hands over the messages. Those of topics that are not
  // counted come first, as they arrived. The others follow in the order of the list. In epoch 0 all are handed over as they
  // arrived. Each take is called with topic, participant, number and message.
  template<typename Take>
  void begin(std::uint64_t epoch, const std::vector<StepCount> & visible, Take take)
  {
    stepping_ = true;
    std::vector<Kept> handed = move_if([&](const Kept & k) {return epoch == 0 || counted_.count(k.topic) == 0;});
    for (const StepCount & v : visible) {
      if (epoch == 0) {
        break;
      }
      std::vector<Kept> more = move_if(
        [&](const Kept & k) {return k.topic == v.topic && k.participant == v.participant && k.number <= v.count;});
      for (Kept & k : more) {
        handed.push_back(std::move(k));
      }
    }
    for (Kept & k : handed) {
      take(k.topic, k.participant, k.number, k.message);
    }
  }

  // end ends the step.
  void end() {stepping_ = false;}

  // publish counts a message that the node is about to publish; false if no step runs.
  bool publish(const std::string & topic)
  {
    if (stepping_) {
      sent_[topic]++;
    }
    return stepping_;
  }

  // sent returns how many messages the node has published in this epoch, by topic.
  std::vector<StepCount> sent() const
  {
    std::vector<StepCount> counts;
    for (const auto & [topic, count] : sent_) {
      counts.push_back({topic, "", count});
    }
    return counts;
  }

private:
  struct Kept
  {
    std::string topic, participant;
    std::uint64_t number;
    Message message;
  };

  template<typename Which>
  std::vector<Kept> move_if(Which which)
  {
    std::vector<Kept> moved;
    std::deque<Kept> rest;
    for (Kept & k : kept_) {
      if (which(k)) {
        moved.push_back(std::move(k));
      } else {
        rest.push_back(std::move(k));
      }
    }
    kept_ = std::move(rest);
    return moved;
  }

  std::uint64_t epoch_{0};
  bool stepping_{false};
  std::set<std::string> counted_;
  std::deque<Kept> kept_;  // in the order of their arrival
  std::map<std::pair<std::string, std::string>, std::uint64_t> arrived_;  // by topic and participant
  std::map<std::string, std::uint64_t> sent_;
};

}  // namespace rstate

#endif  // RSTATE__STEP_DATA_HPP_
