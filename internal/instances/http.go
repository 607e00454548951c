//go:build ros

package instances

import (
	"context"
	"fmt"
	"net"
	"time"

	"go.uber.org/zap"

	"rstate/internal/httpapi"
	"rstate/internal/page"
)

// HTTPConfig says how this process is reached over HTTP.
type HTTPConfig struct {
	Address   string // as the user wrote it; a port alone means this host only
	TokenFile string // empty: only this host may write
	Hosts     string // names with commas, as the user wrote them
	Version   string
	Log       *zap.Logger
}

// HTTP serves the simulations of this process.
type HTTP struct {
	server *httpapi.Server
	l      net.Listener
	log    *zap.Logger
}

// stopHTTPIn is how long requests have to end.
const stopHTTPIn = 2 * time.Second

// ListenHTTP takes the address. Nothing is served before Serve. Without a factory, simulations are
// neither made nor removed.
func ListenHTTP(c HTTPConfig, simulations *Simulations, factory httpapi.Factory) (*HTTP, error) {
	address, err := httpapi.Address(c.Address)
	if err != nil {
		return nil, err
	}
	hosts, err := httpapi.Hosts(c.Hosts)
	if err != nil {
		return nil, err
	}
	token, warning := "", ""
	if c.TokenFile != "" {
		if token, warning, err = httpapi.ReadToken(c.TokenFile); err != nil {
			return nil, err
		}
	}
	if warning != "" {
		c.Log.Warn(warning)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot serve HTTP: %w; choose another address with --http", err)
	}
	site, err := page.New()
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("cannot serve HTTP: %w", err)
	}
	h := &HTTP{l: l, log: c.Log}
	config := httpapi.Config{
		Page:        site,
		Simulations: simulations, Log: c.Log, Version: c.Version, Hosts: hosts, Token: token,
		Limits: httpapi.DefaultLimits(), Factory: factory,
	}
	h.server = httpapi.New(config)
	return h, nil
}

// Page is the address of the page for a browser on this host.
func (h *HTTP) Page() string {
	address, ok := h.l.Addr().(*net.TCPAddr)
	if ok && address.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d/", address.Port)
	}
	return "http://" + h.l.Addr().String() + "/"
}

// Serve begins to answer.
func (h *HTTP) Serve() {
	failed := h.server.Start(h.l)
	h.log.Info("HTTP is served", zap.String("address", "http://"+h.l.Addr().String()), zap.String("page", h.Page()))
	go func() {
		if err := <-failed; err != nil {
			h.log.Error(err.Error())
		}
	}()
}

// Stop lets requests end, and closes all connections.
func (h *HTTP) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopHTTPIn)
	defer cancel()
	h.server.Stop(ctx)
}
