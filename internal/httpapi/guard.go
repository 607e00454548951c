package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rstate/internal/secret"
)

const leastToken = 16 // characters

// Address returns the address to listen on. A port alone means this host only; every address of
// the host has to be asked for, as 0.0.0.0 or [::].
func Address(text string) (string, error) {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("cannot listen on %q: %w; use PORT, HOST:PORT or [IPV6]:PORT", text, err)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return "", fmt.Errorf("cannot listen on %q: there is no port %q", text, port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Hosts returns the names in a list with commas, under which clients may call the server. Its port
// does not matter, because the guard compares names alone.
func Hosts(list string) ([]string, error) {
	var names []string
	for _, entry := range strings.Split(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		name := entry
		if host, port, err := net.SplitHostPort(entry); err == nil {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return nil, fmt.Errorf("cannot use the host %q: there is no port %q; write a name, like robot.local",
					entry, port)
			}
			name = host
		}
		if name = bareHost(name); !hostForm.MatchString(name) {
			return nil, fmt.Errorf("cannot use the host %q: it is neither a name nor an address; write a name, like robot.local", entry)
		}
		names = append(names, name)
	}
	return names, nil
}

// hostForm is that of a name or an address. There are no wildcards.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9_:][A-Za-z0-9_.:%-]*$`)

// bareHost is a host without the brackets of an IPv6 address.
func bareHost(host string) string { return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]") }

// ReadToken reads the bearer token from a file. The warning says that other users can read it.
func ReadToken(path string) (token, warning string, err error) {
	text, open, err := secret.Read(path)
	if err != nil {
		return "", "", fmt.Errorf("cannot read the token file: %w", err)
	}
	token = strings.TrimSpace(text)
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", fmt.Errorf("cannot use the token in %s: it needs at least %d printable ASCII characters without blanks", path, leastToken)
	}
	if open {
		warning = fmt.Sprintf("other users can read %s, which holds the HTTP token; chmod 600 it", path)
	}
	return token, warning, nil
}

// guard decides which requests are let in, before anything of them is acted on.
type guard struct {
	hosts []string // names, in small letters, by which clients may call this server
	token [sha256.Size]byte
	open  bool // there is a token: writing needs it
	cross *http.CrossOriginProtection
}

func newGuard(hosts []string, token string) *guard {
	g := &guard{token: sha256.Sum256([]byte(token)), open: token != "", cross: http.NewCrossOriginProtection()}
	for _, h := range append([]string{"localhost"}, hosts...) {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	return g
}

// access is what a request may do.
type access int

// The kinds of access. A request that is not let in has none.
const (
	none     access = iota
	reads           // reads, and nothing else
	disarms         // may disarm: from loopback without the token of the server
	commands        // all
)

// check returns what a request may do, or why it is not let in.
func (g *guard) check(r *http.Request) (access, *Problem) {
	if !g.knownHost(r.Host) {
		return none, problem(http.StatusMisdirectedRequest,
			"this server does not answer for this Host; use its address, localhost, or a name that it was started with")
	}
	if !sameOrigin(r) || g.cross.Check(r) != nil {
		return none, problem(http.StatusForbidden, "pages of other origins may not use this server")
	}
	return g.checkToken(r)
}

// knownHost protects against DNS rebinding: a page under a hostile name that leads to this address
// shares its origin with this server. An address cannot be rebound.
func (g *guard) knownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = bareHost(name)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = strings.ToLower(name)
	for _, h := range g.hosts {
		if h == name {
			return true
		}
	}
	return false
}

// sameOrigin reports whether a request comes from a page of this server or from no page.
// CrossOriginProtection covers only writing, and this server has nothing to read for other pages.
func sameOrigin(r *http.Request) bool {
	all, present := r.Header["Origin"]
	if !present {
		return true
	}
	origin, err := url.Parse(all[0])
	return len(all) == 1 && err == nil && (origin.Scheme == "http" || origin.Scheme == "https") &&
		strings.EqualFold(origin.Host, r.Host)
}

// checkToken asks for the token of the server when a request writes. Without a token only this host
// writes. A wrong token is refused everywhere, so that its owner learns of it.
func (g *guard) checkToken(r *http.Request) (access, *Problem) {
	given, sent := r.Header["Authorization"]
	switch {
	case g.open && sent && !g.fits(given):
		return none, unauthorized("the token is wrong")
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return reads, nil
	case g.open && sent:
		return commands, nil
	case g.open && local(r):
		return disarms, nil
	case g.open:
		return none, needsToken()
	case local(r):
		return commands, nil
	}
	return none, problem(http.StatusForbidden,
		"writing from another host or through a proxy needs a token, and this server has none; start it with --token-file")
}

// fits reports whether the lines of the header Authorization are one line with the token.
func (g *guard) fits(lines []string) bool {
	if len(lines) != 1 {
		return false
	}
	kind, token, _ := strings.Cut(lines[0], " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(kind, "Bearer") && subtle.ConstantTimeCompare(hash[:], g.token[:]) == 1
}

func needsToken() *Problem {
	return unauthorized("writing needs the token of the server: Authorization: Bearer TOKEN")
}

func unauthorized(detail string) *Problem {
	p := problem(http.StatusUnauthorized, detail)
	p.bare = true
	return p
}

// proxyHeaders are those by which a proxy says that it forwards a request, in canonical form. So do
// all that begin with forwardedPrefix.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "X-Proxyuser-Ip",
	"True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip", "X-Envoy-External-Address",
}

const forwardedPrefix = "X-Forwarded"

// local reports whether a request comes from this host. One that a proxy forwards may come from
// anywhere. A client can send the first lines of each header, and empty ones: any line counts.
func local(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, forwardedPrefix) || slices.Contains(proxyHeaders, name) {
			return false
		}
	}
	return loopback(r.RemoteAddr)
}

func loopback(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err == nil && a.Addr().IsLoopback()
}
