package proxies

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rstate/internal/httpapi"
	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

const token = "s3cret-token-of-20-letters"

// headers are those that proxies add, with the setting of each proxy that adds it.
var headers = []struct{ name, haproxy, nginx string }{
	{"X-Forwarded-For", "option forwardfor", "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"},
	{"X-Real-IP", "http-request add-header X-Real-IP %[src]", "proxy_set_header X-Real-IP $remote_addr;"},
	{"Forwarded", "http-request add-header Forwarded for=%[src]", "proxy_set_header Forwarded for=$remote_addr;"},
	{"Via", `http-request add-header Via "1.1 proxy"`, `proxy_set_header Via "1.1 proxy";`},
}

// writes are all requests that write.
var writes = [][3]string{
	{"PUT", "/simulation/0/state", `{"state":"start"}`}, {"PUT", "/simulation/0/state", `{"state":"disarm"}`},
	{"POST", "/simulation", `{"experiment":"demo"}`}, {"POST", "/simulation/0/challenge", ""},
	{"DELETE", "/simulation/0", ""},
}

// TestH2NoWriteThroughAProxyWithoutToken: whatever lines of these headers the client sends itself, first or alone,
// empty or not. A server without a token is not written through a proxy at all.
func TestH2NoWriteThroughAProxyWithoutToken(t *testing.T) {
	with, without := serve(t, token), serve(t, "")
	for name, start := range map[string]func(*testing.T, string) []string{"haproxy": haproxy, "nginx": nginx} {
		t.Run(name, func(t *testing.T) {
			for _, s := range []*server{with, without} {
				ports := start(t, s.address)
				for k, h := range headers {
					through(t, s, ports[k], h.name)
				}
			}
		})
	}
}

// TestH2ABareProxyNeedsTheToken: a proxy that adds no header cannot be seen. With a token, what comes through it is at
// most a disarm.
func TestH2ABareProxyNeedsTheToken(t *testing.T) {
	s := serve(t, token)
	for name, start := range map[string]func(*testing.T, string) []string{"haproxy": haproxy, "nginx": nginx} {
		t.Run(name, func(t *testing.T) {
			ports := start(t, s.address)
			for _, w := range writes {
				want := http.StatusUnauthorized
				if strings.Contains(w[2], "disarm") {
					want = http.StatusOK
				}
				if status := send(t, ports[len(headers)], w, nil); status != want {
					t.Errorf("%v through a bare proxy: %d, want %d", w, status, want)
				}
			}
		})
	}
}

// through sends all requests that write, with all that a client could send to look local.
func through(t *testing.T, s *server, port, header string) {
	t.Helper()
	refused := http.StatusForbidden
	if s.token != "" {
		refused = http.StatusUnauthorized
	}
	forged := []http.Header{nil}
	for _, h := range headers {
		for _, lines := range [][]string{{""}, {"", ""}, {"127.0.0.1"}, {"", "127.0.0.1"}} {
			forged = append(forged, http.Header{http.CanonicalHeaderKey(h.name): lines})
		}
	}
	for _, w := range writes {
		for _, f := range forged {
			if status := send(t, port, w, f); status != refused {
				t.Errorf("%v with %v through a proxy that adds %s: %d, want %d", w, f, header, status, refused)
			}
		}
		if s.token != "" {
			bearer := http.Header{"Authorization": {"Bearer " + token}}
			if status := send(t, port, w, bearer); status >= 300 {
				t.Errorf("%v with the token through a proxy that adds %s: %d", w, header, status)
			}
		}
	}
	if status := send(t, port, [3]string{"GET", "/simulation", ""}, nil); status != http.StatusOK {
		t.Errorf("reading through a proxy that adds %s: %d", header, status)
	}
}

func send(t *testing.T, port string, w [3]string, more http.Header) int {
	t.Helper()
	status, err := try(t, port, w, more)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func try(t *testing.T, port string, w [3]string, more http.Header) (int, error) {
	t.Helper()
	r, err := http.NewRequest(w[0], "http://127.0.0.1:"+port+w[1], strings.NewReader(w[2]))
	if err != nil {
		t.Fatal(err)
	}
	if w[2] != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, lines := range more {
		r.Header[name] = lines
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// haproxy starts one with a port for each header, and a last one for none.
func haproxy(t *testing.T, address string) []string {
	program := find(t, "haproxy")
	ports := free(t, len(headers)+1)
	text := "global\n maxconn 100\ndefaults\n mode http\n timeout connect 30s\n timeout client 30s\n timeout server 30s\n"
	for k, port := range ports {
		text += fmt.Sprintf("listen p%d\n bind 127.0.0.1:%s\n", k, port)
		if k < len(headers) {
			text += " " + headers[k].haproxy + "\n"
		}
		text += " server s " + address + "\n"
	}
	start(t, ports, program, "-db", "-f", write(t, "haproxy.cfg", text))
	return ports
}

func nginx(t *testing.T, address string) []string {
	program := find(t, "nginx")
	ports := free(t, len(headers)+1)
	dir := t.TempDir()
	text := "daemon off;\nworker_processes 1;\nerror_log stderr;\npid " + dir +
		"/pid;\nevents {}\nhttp {\n access_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		text += fmt.Sprintf(" %s_temp_path %s/%s;\n", kind, dir, kind)
	}
	for k, port := range ports {
		added := ""
		if k < len(headers) {
			added = headers[k].nginx
		}
		text += fmt.Sprintf(" server { listen 127.0.0.1:%s; location / { proxy_pass http://%s; %s } }\n", port, address,
			added)
	}
	start(t, ports, program, "-p", dir, "-e", "stderr", "-c", write(t, "nginx.conf", text+"}\n"))
	return ports
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// start starts a proxy and waits until each of its ports forwards.
func start(t *testing.T, ports []string, args ...string) {
	t.Helper()
	libraries, err := filepath.Abs(filepath.Join(fetched, "usr/lib/x86_64-linux-gnu"))
	if err != nil {
		t.Fatal(err)
	}
	bed.StartCommand(t, filepath.Base(args[0]), bed.Command{Args: args, Env: []string{"LD_LIBRARY_PATH=" + libraries}})
	for _, port := range ports {
		bed.Eventually(t, "the proxy forwards", func() (string, bool) {
			status, err := try(t, port, [3]string{"GET", "/healthz", ""}, nil)
			return fmt.Sprint(status, " ", err), status == http.StatusOK
		})
	}
}

// fetched is where setup puts the proxies.
const fetched = "../../.ros/proxies"

// find returns the program that setup has fetched, or that of this machine.
func find(t *testing.T, name string) string {
	t.Helper()
	ours, err := filepath.Abs(filepath.Join(fetched, "usr/sbin", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{ours, name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	why, err := os.ReadFile(filepath.Join(fetched, "absent"))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("there is no %s: run `make setup`, which fetches it", name)
	}
	t.Skipf("left out: %s; `make setup` fetches it; %s", name, why)
	return ""
}

// free returns ports that are free now.
func free(t *testing.T, count int) (ports []string) {
	t.Helper()
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

type server struct{ address, token string }

// serve starts a server of one simulation.
func serve(t *testing.T, token string) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := httpapi.New(httpapi.Config{Simulations: one{}, Factory: one{}, Token: token, Limits: httpapi.DefaultLimits()})
	s.Start(l)
	t.Cleanup(func() { s.Stop(context.Background()) })
	return &server{l.Addr().String(), token}
}
