//go:build ros

package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The tests TestReal… open the page of the built binary, over real ROS 2 and nodes in rclpy. The nodes themselves say
// whether the page is right.

// binary is the rstate binary as shipped, built once for these tests.
var binary string

func TestMain(m *testing.M) { daemon.Main(m, &binary, 0) }

// plant is a network of rclpy nodes, its daemon, and the page that shows it.
type plant struct {
	*tab
	host   *bed.Host
	space  string // the namespace, for which ~ stands in names
	daemon *daemon.Daemon
	nodes  map[string]*bed.Node
}

// newPlant starts the host of the nodes. The test makes nodes, and then runs the daemon.
func newPlant(t testing.TB) *plant {
	t.Helper()
	return &plant{tab: &tab{TB: t}, host: bed.StartHost(t), space: "/" + bed.Unique(t, "plant"), nodes: map[string]*bed.Node{}}
}

// node makes a node in a host.
func (p *plant) node(host *bed.Host, name string, spec bed.NodeSpec) {
	p.Helper()
	spec.Name, spec.Threads = p.space+"/"+name, 2
	p.nodes[name] = host.Node(spec)
}

// runs starts the daemon over the nodes, and opens its page.
func (p *plant) runs(network string) {
	p.Helper()
	p.daemon = daemon.Start(p.TB, p.host, daemon.Config{Binary: binary, Name: p.space + "/rstate", HTTP: true,
		Network: p.spell("defaults: {deadline: {discover: 25s}}\n" + network)})
	p.tab = browse(p.TB, strings.TrimPrefix(p.daemon.Address(), "http://"))
	p.shows(".link", "Live")
}

func (p *plant) spell(text string) string { return strings.ReplaceAll(text, "~", p.space) }

// in returns the plant for a subtest.
func (p *plant) in(t *testing.T) *plant {
	part, view := *p, *p.tab
	view.TB = t
	part.tab = &view
	return &part
}

// where asks nodes for their states: "inactive active+armed".
func (p *plant) where(names ...string) string {
	p.Helper()
	var list []string
	for _, name := range names {
		truth := p.nodes[name].Truth()
		if truth.Armed {
			truth.State += "+armed"
		}
		list = append(list, truth.State)
	}
	return strings.Join(list, " ")
}

// wants checks the states of nodes, as they themselves say.
func (p *plant) wants(want string, names ...string) {
	p.Helper()
	if got := p.where(names...); got != want {
		p.Errorf("the page is right if %v are %s; they are %s", names, want, got)
	}
}

// presses clicks a command, as soon as it is legal and a click counts.
func (b *tab) presses(command string) {
	b.Helper()
	button := fmt.Sprintf(`//div[@class="buttons"]//button[text()=%q and @aria-disabled="false"]`, command)
	b.module("places")
	b.until(`(() => { const e = document.evaluate(` + quoted(button) + `, document).iterateNext(); return ` + isCalm + ` })()`)
	b.do(chromedp.Click(button))
}

// armed waits until the page shows that the network is armed, and holds the button once more if the daemon has disarmed
// because it did not run for a while.
func (p *plant) armed() {
	p.Helper()
	const stood = `document.body.innerText.includes("did not run for")`
	for p.text(".state") != "armed" {
		p.until(`document.querySelector(".state")?.innerText === "armed" || ` + stood)
		if p.text(".state") != "armed" {
			p.arms()
			p.shows(".state", "arm")
		}
	}
	p.rests("armed", "as commanded", "intact")
}

// list opens one of the lists beside the nodes.
func (b *tab) list(name string) {
	b.Helper()
	b.do(chromedp.Click("#tab-" + name))
	b.until(`document.querySelector("#tab-` + name + `").getAttribute("aria-selected") === "true"`)
}

// stopButton is the stop button of the examples.
type stopButton struct {
	p    *plant
	name string
}

// startButton starts it. It says that nothing is to be stopped.
func (p *plant) startButton() *stopButton {
	p.Helper()
	folder, err := filepath.Abs("../../ros/rstate")
	if err != nil {
		p.Fatal(err)
	}
	s := &stopButton{p, p.space + "/button"}
	bed.StartCommand(p.TB, "stop button", bed.Command{
		Args: []string{"python3", "-B", filepath.Join(folder, "examples", "stop_button.py"), "--ros-args",
			"-r", "__ns:=" + p.space, "-r", "__node:=button", "-r", "estop:=" + p.space + "/estop"},
		Env: []string{"PYTHONPATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")},
	})
	return s
}

// press presses the button, or releases it.
func (s *stopButton) press(on bool) {
	s.p.Helper()
	if err := s.p.host.Call("std_srvs/srv/SetBool", s.name+"/press", map[string]any{"data": on}, bed.Deadline, nil); err != nil {
		s.p.Fatal(err)
	}
}
