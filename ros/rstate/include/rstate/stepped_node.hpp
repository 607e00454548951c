// A lifecycle node for rclcpp that takes part in a stepped loop and counts its messages. It was written against rclcpp's
// documented API, and no test of this repository compiles it: the tests cover step_data.hpp, which makes the decisions.
//
//   class World : public rstate::SteppedNode { void on_step(Step & step) override { … } };
#ifndef RSTATE__STEPPED_NODE_HPP_
#define RSTATE__STEPPED_NODE_HPP_

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rosidl_runtime_cpp/traits.hpp"
#include "rstate/step_data.hpp"
#include "rstate_msgs/srv/step.hpp"
#include "rstate_msgs/srv/step_data.hpp"

namespace rstate
{

class SteppedNode : public rclcpp_lifecycle::LifecycleNode
{
public:
  // Step is a call of ~/step: read request, and fill response.
  struct Step
  {
    const rstate_msgs::srv::Step::Request & request;
    rstate_msgs::srv::Step::Response & response;
  };

  explicit SteppedNode(const std::string & name, const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  : LifecycleNode(name, options), incarnation_((std::uint64_t{std::random_device()()} << 32) | 1)
  {
    using Data = rstate_msgs::srv::StepData;
    using Call = rstate_msgs::srv::Step;
    group_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);  // the step takes, not the executor
    data_service_ = create_service<Data>(
      "~/step_data", [this](const std::shared_ptr<Data::Request> q, std::shared_ptr<Data::Response> a) {stage(*q, *a);});
    step_service_ = create_service<Call>(
      "~/step", [this](const std::shared_ptr<Call::Request> q, std::shared_ptr<Call::Response> a) {run(*q, *a);});
  }

  // Publisher publishes within a step only.
  template<typename M>
  class Publisher
  {
public:
    void publish(const M & message)
    {
      if (!publisher_->is_activated()) {
        return;  // rclcpp publishes nothing either
      }
      if (!node_->counts_.publish(publisher_->get_topic_name())) {
        throw std::logic_error(std::string(publisher_->get_topic_name()) + ": publish within the step");
      }
      publisher_->publish(message);
    }

private:
    friend class SteppedNode;
    SteppedNode * node_{nullptr};
    std::shared_ptr<rclcpp_lifecycle::LifecyclePublisher<M>> publisher_;
  };

  // create_publisher replaces the depth: counted topics are reliable, keep all and volatile.
  template<typename M>
  std::shared_ptr<Publisher<M>> create_publisher(const std::string & topic, std::size_t)
  {
    auto made = std::make_shared<Publisher<M>>();
    made->node_ = this;
    made->publisher_ = LifecycleNode::create_publisher<M>(topic, profile());
    auto p = made->publisher_;
    writers_.push_back(
      {p->get_topic_name(), rosidl_generator_traits::name<M>(), [p] {return p->get_subscription_count();},
        [p] {return p->wait_for_all_acked(std::chrono::milliseconds(500));}});
    return made;
  }

  // create_subscription makes a subscription whose callback runs at the beginning of a step.
  template<typename M>
  void create_subscription(const std::string & topic, std::size_t, std::function<void(const M &)> callback)
  {
    rclcpp::SubscriptionOptions options;
    options.callback_group = group_;
    auto s = LifecycleNode::create_subscription<M>(topic, profile(), [](std::shared_ptr<const M>) {}, options);
    const std::string name = s->get_topic_name();
    readers_.push_back(
      {name, rosidl_generator_traits::name<M>(), [s] {return s->get_publisher_count();},
        [this, s, name, callback] {
          for (;;) {
            auto m = std::make_shared<M>();
            rclcpp::MessageInfo info;
            if (!s->take(*m, info)) {
              return;
            }
            const auto & gid = info.get_rmw_message_info().publisher_gid.data;
            counts_.arrived(name, writer(name, std::string(gid, gid + sizeof(gid))), [m, callback] {callback(*m);});
          }
        }});
  }

protected:
  virtual void on_step(Step & step) = 0;

private:
  struct Writer
  {
    std::string topic, type;
    std::function<std::size_t()> matched;
    std::function<bool()> acked;
  };
  struct Reader
  {
    std::string topic, type;
    std::function<std::size_t()> matched;
    std::function<void()> drain;
  };

  static rclcpp::QoS profile() {return rclcpp::QoS(rclcpp::KeepAll()).reliable().durability_volatile();}

  static std::string full(const rclcpp::TopicEndpointInfo & e)
  {
    return (e.node_namespace() == "/" ? "" : e.node_namespace()) + "/" + e.node_name();
  }

  std::string writer(const std::string & topic, const std::string & gid)
  {
    if (names_.count(gid) == 0) {
      for (const auto & e : get_publishers_info_by_topic(topic)) {
        names_[std::string(e.endpoint_gid().begin(), e.endpoint_gid().end())] = full(e);
      }
    }
    return names_.count(gid) ? names_[gid] : "?";
  }

  void drain() {for (auto & r : readers_) {r.drain();}}

  void stage(const rstate_msgs::srv::StepData::Request & q, rstate_msgs::srv::StepData::Response & a)
  {
    using Q = rstate_msgs::srv::StepData::Request;
    const std::lock_guard<std::mutex> lock(mutex_);
    a.incarnation = incarnation_;
    if (q.stage == Q::DECLARE) {
      std::map<std::string, rstate_msgs::msg::StepTopic> all;
      for (const auto & w : writers_) {
        all[w.topic].type = w.type;
        all[w.topic].publishers = {get_fully_qualified_name()};
      }
      for (const auto & r : readers_) {
        all[r.topic].type = r.type;
        all[r.topic].subscribers = {get_fully_qualified_name()};
      }
      for (auto & [topic, t] : all) {
        t.topic = topic;
        a.topics.push_back(t);
      }
    } else if (q.stage == Q::MATCH) {
      a.message = match(q.topics);
    } else if (q.stage == Q::SETTLE) {
      counts_.settle();
      for (const auto & w : writers_) {
        if (!w.acked()) {
          a.message = w.topic + " is not acknowledged";
        }
      }
    } else {
      drain();
      std::set<std::string> counted, published;
      for (const auto & t : q.topics) {
        counted.insert(t.topic);
      }
      for (const auto & w : writers_) {
        published.insert(w.topic);
      }
      counts_.zero(q.epoch, counted, published);
    }
    a.ok = a.message.empty();
  }

  std::string match(const std::vector<rstate_msgs::msg::StepTopic> & topics)
  {
    for (const auto & t : topics) {
      for (const auto & r : readers_) {
        if (r.topic != t.topic) {continue;}
        const auto found = get_publishers_info_by_topic(t.topic);
        for (const auto & e : found) {
          if (std::find(t.publishers.begin(), t.publishers.end(), full(e)) == t.publishers.end()) {
            return full(e) + " publishes on " + t.topic + " and does not take part";
          }
        }
        if (found.size() != t.publishers.size() || r.matched() != found.size()) {
          return t.topic + " is not matched with its publishers yet";
        }
      }
      for (const auto & w : writers_) {
        if (w.topic != t.topic) {continue;}
        std::set<std::string> names;
        std::size_t n = 0;
        for (const auto & e : get_subscriptions_info_by_topic(t.topic)) {
          names.insert(full(e));
          n += e.qos_profile().durability() != rclcpp::DurabilityPolicy::TransientLocal;
        }
        for (const auto & s : t.subscribers) {
          if (names.count(s) == 0) {return s + " does not subscribe to " + t.topic + " yet";}
        }
        if (w.matched() < n) {return t.topic + " is not matched with its subscriptions yet";}
      }
    }
    return "";
  }

  void run(const rstate_msgs::srv::Step::Request & q, rstate_msgs::srv::Step::Response & a)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    a.counts = true;
    std::vector<StepCount> visible;
    for (const auto & v : q.visible) {visible.push_back({v.topic, v.participant, v.count});}
    a.message = counts_.refused(q.epoch);
    if (!a.message.empty()) {return;}
    const auto limit = std::chrono::seconds(q.deadline.sec) + std::chrono::nanoseconds(q.deadline.nanosec);
    const auto end = std::chrono::steady_clock::now() + limit * 9 / 10;
    for (drain(); q.epoch != 0 && !(a.message = counts_.missing(visible)).empty(); drain()) {
      if (std::chrono::steady_clock::now() >= end) {return;}
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    counts_.begin(
      q.epoch, visible,
      [](const std::string &, const std::string &, std::uint64_t, std::function<void()> & call) {call();});
    Step step{q, a};
    on_step(step);
    counts_.end();
    for (const auto & s : counts_.sent()) {
      rstate_msgs::msg::StepCount c;
      c.topic = s.topic;
      c.count = s.count;
      a.sent.push_back(c);
    }
  }

  std::mutex mutex_;
  std::uint64_t incarnation_;
  StepData<std::function<void()>> counts_;
  std::vector<Writer> writers_;
  std::vector<Reader> readers_;
  std::map<std::string, std::string> names_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::Service<rstate_msgs::srv::StepData>::SharedPtr data_service_;
  rclcpp::Service<rstate_msgs::srv::Step>::SharedPtr step_service_;
};

}  // namespace rstate

#endif  // RSTATE__STEPPED_NODE_HPP_
