package tally

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func publishes(node, topic string) Topic {
	return Topic{Name: topic, Type: "std_msgs/msg/Float64", Publishers: []string{node}}
}

func receives(node, topic string) Topic {
	return Topic{Name: topic, Type: "std_msgs/msg/Float64", Subscribers: []string{node}}
}

func TestL11BetweenKeepsTopicsWithBothEnds(t *testing.T) {
	got, err := Between([][]Topic{
		{publishes("/physics", "/scan"), receives("/physics", "/force"), publishes("/physics", "/alone")},
		nil,
		{receives("/pilot", "/scan"), publishes("/pilot", "/force"), receives("/pilot", "/unheard"),
			publishes("/pilot", "/kept")},
	}, "/rstate", func(topic string) bool { return topic == "/kept" || topic == "/scan" })
	if err != nil {
		t.Fatal(err)
	}
	want := []Topic{
		{"/force", "std_msgs/msg/Float64", []string{"/pilot"}, []string{"/physics"}},
		{"/kept", "std_msgs/msg/Float64", []string{"/pilot"}, []string{"/rstate"}},
		{"/scan", "std_msgs/msg/Float64", []string{"/physics"}, []string{"/pilot", "/rstate"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}

func TestL11BetweenNamesATopicOfTwoTypes(t *testing.T) {
	other := receives("/pilot", "/scan")
	other.Type = "std_msgs/msg/Bool"
	_, err := Between([][]Topic{{publishes("/physics", "/scan")}, {other}}, "", nil)
	if want := "/scan is std_msgs/msg/Float64 for /physics and std_msgs/msg/Bool for /pilot"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestL11ACountThatFallsIsAnError(t *testing.T) {
	tally := New([]string{"/physics", "/pilot"},
		[]Topic{{Name: "/scan", Publishers: []string{"/physics"}, Subscribers: []string{"/pilot"}}})
	for _, n := range []uint64{3, 3, 7} {
		if err := tally.Said("/physics", []Count{{Topic: "/scan", N: n}, {Topic: "/unheard", N: 9 - n}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := tally.Said("/physics", []Count{{Topic: "/scan", N: 6}}); err == nil ||
		!strings.Contains(err.Error(), "/scan") {
		t.Errorf("got %v, want an error that names /scan", err)
	}
	if got := tally.Visible(1, nil); !slices.Equal(got, []Count{{"/scan", "/physics", 7}}) {
		t.Errorf("got %v, want 7 of /scan", got)
	}
}

// TestL11VisibleIsWhatWasSaid: drawn networks and answers, against a model that keeps every answer and looks through
// all.
func TestL11VisibleIsWhatWasSaid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(list []string) (some []string) {
		for _, s := range list {
			if r.IntN(2) == 0 {
				some = append(some, s)
			}
		}
		return some
	}
	nodes, names := []string{"/d", "/b", "/c", "/a"}, []string{"/p", "/q", "/r"}
	for range 300 {
		told := make([]map[Count]uint64, len(nodes)) // of each reader
		for i := range told {
			told[i] = map[Count]uint64{}
		}
		var topics []Topic
		for _, n := range names {
			topics = append(topics, Topic{Name: n, Publishers: draw(nodes), Subscribers: draw(nodes)})
		}
		tally, said := New(nodes, topics), map[Count]uint64{}
		for range 20 {
			node := nodes[r.IntN(len(nodes))]
			var sent []Count
			for _, n := range draw(names) {
				at := Count{Topic: n, Node: node}
				said[at] += uint64(r.IntN(3))
				sent = append(sent, Count{Topic: n, N: said[at]})
			}
			r.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
			if err := tally.Said(node, sent); err != nil {
				t.Fatal(err)
			}
			for i, reader := range nodes {
				if r.IntN(2) == 0 { // it is not called
					continue
				}
				var want []Count
				for _, writer := range nodes {
					for _, topic := range topics {
						at := Count{Topic: topic.Name, Node: writer}
						if slices.Contains(topic.Publishers, writer) && slices.Contains(topic.Subscribers, reader) &&
							said[at] > told[i][at] {
							told[i][at] = said[at]
							want = append(want, Count{topic.Name, writer, said[at]})
						}
					}
				}
				if got := tally.Visible(i, nil); !slices.Equal(got, want) {
					t.Fatalf("%s sees %v, want %v", reader, got, want)
				}
			}
		}
	}
}
