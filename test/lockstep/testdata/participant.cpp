// A controller that counts its messages, over rcl and step_data.hpp. It stands for a node in C++, because rclcpp is not on
// every machine that runs the tests.
//
//   participant IN OUT FILE --ros-args -r __node:=NAME
//
// It writes a line "step phase count value" to FILE for each message that is handed over.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lifecycle_msgs/msg/transition_event.h"
#include "lifecycle_msgs/srv/change_state.hpp"
#include "lifecycle_msgs/srv/get_available_states.hpp"
#include "lifecycle_msgs/srv/get_available_transitions.hpp"
#include "lifecycle_msgs/srv/get_state.hpp"
#include "rcl/error_handling.h"
#include "rcl/graph.h"
#include "rcl/rcl.h"
#include "rcl_lifecycle/rcl_lifecycle.h"
#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "rosidl_typesupport_cpp/service_type_support.hpp"
#include "rstate/step_data.hpp"
#include "rstate_msgs/srv/step.hpp"
#include "rstate_msgs/srv/step_data.hpp"
#include "std_msgs/msg/float64.hpp"

using rstate_msgs::srv::Step;
using StepDataService = rstate_msgs::srv::StepData;
using std_msgs::msg::Float64;

namespace
{

volatile std::sig_atomic_t ended = 0;

void need(rcl_ret_t code, const char * what)
{
  if (code != RCL_RET_OK) {
    std::fprintf(stderr, "cannot %s: %s\n", what, rcl_get_error_string().str);
    std::exit(1);
  }
}

template<typename Srv>
const rosidl_service_type_support_t * service_type()
{
  return rosidl_typesupport_cpp::get_service_type_support_handle<Srv>();
}

// serve answers the requests that wait.
template<typename Srv, typename Answer>
void serve(rcl_service_t & service, Answer answer)
{
  typename Srv::Request request;
  rmw_request_id_t id;
  while (rcl_take_request(&service, &id, &request) == RCL_RET_OK) {
    typename Srv::Response response;
    answer(request, response);
    need(rcl_send_response(&service, &id, &response), "answer");
    request = typename Srv::Request();
  }
  rcl_reset_error();
}

struct Endpoint
{
  std::string node, gid;
  bool volatile_;
};

class Participant
{
public:
  Participant(rcl_node_t & node, const char * in, const char * out, const char * file)
  : node_(node), file_(std::fopen(file, "w")), incarnation_(std::random_device()() + 1ull)
  {
    const auto * type = rosidl_typesupport_cpp::get_message_type_support_handle<Float64>();
    auto service_options = rcl_service_get_default_options();
    need(rcl_service_init(&data_, &node_, service_type<StepDataService>(), "~/step_data", &service_options), "offer step_data");
    auto pub = rcl_publisher_get_default_options();
    pub.qos.history = RMW_QOS_POLICY_HISTORY_KEEP_ALL;
    need(rcl_publisher_init(&out_, &node_, type, out, &pub), "publish");
    auto sub = rcl_subscription_get_default_options();
    sub.qos = pub.qos;
    need(rcl_subscription_init(&in_, &node_, type, in, &sub), "subscribe");
    need(rcl_service_init(&step_, &node_, service_type<Step>(), "~/step", &service_options), "offer step");
    in_name_ = rcl_subscription_get_topic_name(&in_);
    out_name_ = rcl_publisher_get_topic_name(&out_);
  }

  ~Participant()
  {
    std::fclose(file_);
    need(rcl_service_fini(&step_, &node_), "end step");
    need(rcl_service_fini(&data_, &node_), "end step_data");
    need(rcl_subscription_fini(&in_, &node_), "end the subscription");
    need(rcl_publisher_fini(&out_, &node_), "end the publisher");
  }

  void spin_some()
  {
    serve<StepDataService>(data_, [this](const auto & q, auto & a) {stage(q, a);});
    serve<Step>(step_, [this](const auto & q, auto & a) {step(q, a);});
  }

private:
  std::vector<Endpoint> endpoints(const std::string & topic, bool publishers)
  {
    auto allocator = rcl_get_default_allocator();
    auto infos = rcl_get_zero_initialized_topic_endpoint_info_array();
    need(
      (publishers ? rcl_get_publishers_info_by_topic : rcl_get_subscriptions_info_by_topic)(
        &node_, &allocator, topic.c_str(), false, &infos), "read the graph");
    std::vector<Endpoint> all;
    for (std::size_t i = 0; i < infos.size; i++) {
      const auto & e = infos.info_array[i];
      const std::string space = e.node_namespace;
      all.push_back(
        {(space == "/" ? "" : space) + "/" + e.node_name,
          std::string(reinterpret_cast<const char *>(e.endpoint_gid), sizeof(e.endpoint_gid)),
          e.qos_profile.durability != RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL});
    }
    need(rmw_topic_endpoint_info_array_fini(&infos, &allocator), "free the graph");
    return all;
  }

  // name returns the node of the publisher of a message. A middleware may put another identifier into messages than into
  // the graph. There, one identifier is bound to the only publisher while no other has joined.
  std::string name(const std::string & gid)
  {
    if (names_.count(gid) == 0 && gid != other_) {
      learn();
    }
    if (names_.count(gid)) {
      graphed_ = true;
      other_.clear();
      return names_[gid];
    }
    if (!graphed_ && other_.empty() && !only_.empty() && publishers() == 1) {
      other_ = gid;
    }
    return gid == other_ ? only_ : "?";
  }

  void learn()
  {
    for (const auto & e : endpoints(in_name_, true)) {
      names_[e.gid] = e.node;
    }
  }

  std::size_t publishers()
  {
    std::size_t n = 0;
    need(rcl_subscription_get_publisher_count(&in_, &n), "count publishers");
    return n;
  }

  // zero_in notes the publishers of the topic; it returns why the only one is not alone.
  std::string zero_in(const std::vector<std::string> & counted)
  {
    names_.clear();
    other_.clear();
    only_ = counted.size() == 1 ? counted[0] : "";
    learn();
    if (!only_.empty() && publishers() != 1) {
      return in_name_ + " has other publishers than " + only_;
    }
    return "";
  }

  void drain()
  {
    Float64 m;
    auto info = rmw_get_zero_initialized_message_info();
    while (rcl_take(&in_, &m, &info, nullptr) == RCL_RET_OK) {
      const auto & gid = info.publisher_gid.data;
      counts_.arrived(in_name_, name(std::string(reinterpret_cast<const char *>(gid), sizeof(gid))), m.data);
    }
    rcl_reset_error();
  }

  std::string match(const StepDataService::Request & request)
  {
    for (const auto & t : request.topics) {
      if (t.topic == in_name_) {
        const auto found = endpoints(t.topic, true);
        std::set<std::string> names;
        for (const auto & e : found) {
          if (std::set<std::string>(t.publishers.begin(), t.publishers.end()).count(e.node) == 0) {
            return e.node + " publishes on " + t.topic + " and does not take part";
          }
          names.insert(e.node);
        }
        for (const auto & p : t.publishers) {
          if (names.count(p) == 0) {
            return "it has not found " + p + " on " + t.topic + " yet";
          }
        }
        const std::size_t n = publishers();
        if (found.size() != n) {
          return t.topic + " is matched with " + std::to_string(n) + " of " + std::to_string(found.size()) + " publishers";
        }
      }
      if (t.topic == out_name_) {
        std::set<std::string> names;
        std::size_t readers = 0, n = 0;
        for (const auto & e : endpoints(t.topic, false)) {
          names.insert(e.node);
          readers += e.volatile_ ? 1 : 0;
        }
        for (const auto & s : t.subscribers) {
          if (names.count(s) == 0) {
            return s + " does not subscribe to " + t.topic + " yet";
          }
        }
        need(rcl_publisher_get_subscription_count(&out_, &n), "count subscriptions");
        if (n < readers) {
          return t.topic + " has " + std::to_string(n) + " of " + std::to_string(readers) + " subscriptions";
        }
      }
    }
    return "";
  }

  void stage(const StepDataService::Request & request, StepDataService::Response & response)
  {
    response.incarnation = incarnation_;
    const std::string self = rcl_node_get_fully_qualified_name(&node_);
    if (request.stage == StepDataService::Request::DECLARE) {
      rstate_msgs::msg::StepTopic in, out;
      in.topic = in_name_;
      out.topic = out_name_;
      in.type = out.type = "std_msgs/msg/Float64";
      in.subscribers = out.publishers = {self};
      response.topics = {in, out};
    } else if (request.stage == StepDataService::Request::MATCH) {
      response.message = match(request);
    } else if (request.stage == StepDataService::Request::SETTLE) {
      counts_.settle();
      if (rcl_publisher_wait_for_all_acked(&out_, RCL_MS_TO_NS(50)) != RCL_RET_OK) {
        response.message = out_name_ + " is not acknowledged";
        rcl_reset_error();
      }
    } else if (request.stage == StepDataService::Request::ZERO) {
      drain();
      std::set<std::string> counted;
      for (const auto & t : request.topics) {
        counted.insert(t.topic);
        if (t.topic == in_name_) {
          response.message = zero_in({t.publishers.begin(), t.publishers.end()});
        }
      }
      counts_.zero(request.epoch, counted, {out_name_});
    } else {
      response.message = "unknown stage " + std::to_string(request.stage);
    }
    response.ok = response.message.empty();
  }

  void step(const Step::Request & request, Step::Response & response)
  {
    response.counts = true;
    std::vector<rstate::StepCount> visible;
    for (const auto & v : request.visible) {
      visible.push_back({v.topic, v.participant, v.count});
    }
    response.message = counts_.refused(request.epoch);
    if (!response.message.empty()) {
      return;
    }
    const auto limit = std::chrono::seconds(request.deadline.sec) + std::chrono::nanoseconds(request.deadline.nanosec);
    const auto end = std::chrono::steady_clock::now() + limit * 9 / 10;
    for (drain(); request.epoch != 0 && !(response.message = counts_.missing(visible)).empty(); drain()) {
      if (std::chrono::steady_clock::now() >= end) {
        return;
      }
      usleep(200);
    }
    counts_.begin(
      request.epoch, visible, [&](const std::string &, const std::string &, std::uint64_t, double value) {
        count_++;
        sum_ = 0.5 * sum_ + value;
        std::fprintf(
          file_, "%llu %d %llu %.6f\n", static_cast<unsigned long long>(request.step), request.phase,
          static_cast<unsigned long long>(count_), value);
      });
    std::fflush(file_);
    if (request.phase == Step::Request::STEP_CONTROLLER && counts_.publish(out_name_)) {
      Float64 m;
      m.data = sum_ + static_cast<double>(count_);
      need(rcl_publish(&out_, &m, nullptr), "publish");
    }
    counts_.end();
    for (const auto & s : counts_.sent()) {
      rstate_msgs::msg::StepCount c;
      c.topic = s.topic;
      c.count = s.count;
      response.sent.push_back(c);
    }
    response.ok = true;
  }

  rcl_node_t & node_;
  std::FILE * file_;
  std::uint64_t incarnation_, count_{0};
  double sum_{0};
  rcl_service_t data_ = rcl_get_zero_initialized_service(), step_ = rcl_get_zero_initialized_service();
  rcl_publisher_t out_ = rcl_get_zero_initialized_publisher();
  rcl_subscription_t in_ = rcl_get_zero_initialized_subscription();
  std::string in_name_, out_name_;
  std::map<std::string, std::string> names_;  // the publishers that the graph has shown since counts were zero
  std::string only_, other_;  // the publisher, if there is one; its identifier in messages, if the graph has another
  bool graphed_{false};  // messages carry identifiers of the graph
  rstate::StepData<double> counts_;
};

// Lifecycle offers change_state and get_state. Every transition succeeds.
class Lifecycle
{
public:
  explicit Lifecycle(rcl_node_t & node)
  : node_(node)
  {
    auto options = rcl_lifecycle_get_default_state_machine_options();
    need(
      rcl_lifecycle_state_machine_init(
        &machine_, &node_, ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
        service_type<lifecycle_msgs::srv::ChangeState>(), service_type<lifecycle_msgs::srv::GetState>(),
        service_type<lifecycle_msgs::srv::GetAvailableStates>(),
        service_type<lifecycle_msgs::srv::GetAvailableTransitions>(),
        service_type<lifecycle_msgs::srv::GetAvailableTransitions>(), &options), "make the state machine");
  }

  ~Lifecycle() {need(rcl_lifecycle_state_machine_fini(&machine_, &node_), "end the state machine");}

  void spin_some()
  {
    serve<lifecycle_msgs::srv::ChangeState>(
      machine_.com_interface.srv_change_state, [this](const auto & q, auto & a) {
        const auto * t = q.transition.label.empty() ?
          rcl_lifecycle_get_transition_by_id(machine_.current_state, q.transition.id) :
          rcl_lifecycle_get_transition_by_label(machine_.current_state, q.transition.label.c_str());
        a.success = t != nullptr &&
          rcl_lifecycle_trigger_transition_by_id(&machine_, static_cast<std::uint8_t>(t->id), true) == RCL_RET_OK &&
          rcl_lifecycle_trigger_transition_by_label(&machine_, rcl_lifecycle_transition_success_label, true) == RCL_RET_OK;
      });
    serve<lifecycle_msgs::srv::GetState>(
      machine_.com_interface.srv_get_state, [this](const auto &, auto & a) {
        a.current_state.id = static_cast<std::uint8_t>(machine_.current_state->id);
        a.current_state.label = machine_.current_state->label;
      });
  }

private:
  rcl_node_t & node_;
  rcl_lifecycle_state_machine_t machine_ = rcl_lifecycle_get_zero_initialized_state_machine();
};

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s IN OUT FILE\n", argv[0]);
    return 2;
  }
  std::signal(SIGTERM, [](int) {ended = 1;});
  std::signal(SIGINT, [](int) {ended = 1;});
  auto options = rcl_get_zero_initialized_init_options();
  need(rcl_init_options_init(&options, rcl_get_default_allocator()), "make options");
  auto context = rcl_get_zero_initialized_context();
  need(rcl_init(argc, argv, &options, &context), "init");
  auto node = rcl_get_zero_initialized_node();
  auto node_options = rcl_node_get_default_options();
  need(rcl_node_init(&node, "participant", "", &context, &node_options), "make the node");
  {
    Participant participant(node, argv[1], argv[2], argv[3]);
    Lifecycle lifecycle(node);
    while (!ended) {
      participant.spin_some();
      lifecycle.spin_some();
      usleep(200);
    }
  }
  need(rcl_node_fini(&node), "end the node");
  need(rcl_shutdown(&context), "shut down");
  need(rcl_context_fini(&context), "end the context");
  need(rcl_init_options_fini(&options), "end the options");
}
