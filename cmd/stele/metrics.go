package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
)

const flagMetrics = "metrics-listen"

// metricsPath is the one path of the address for metrics.
const metricsPath = "/metrics"

// Bounds of what reads the metrics. Who asks for them does so seldom and is answered from memory.
const (
	scrapesAtOnce   = 8
	scrapeTimeout   = 10 * time.Second
	maxScrapeHeader = 16 << 10
)

// metricsConfig is what stele serve can be told about metrics.
type metricsConfig struct {
	listen string
	// registry takes the metrics and url is where they are shown, both set by startMetrics when there is an address.
	registry *prometheus.Registry
	url      string
}

func (c *metricsConfig) define(f *pflag.FlagSet) {
	f.StringVar(&c.listen, flagMetrics, "", "host:port at which "+metricsPath+" shows Prometheus metrics, without any credential; none are kept without one")
}

func (c *metricsConfig) check(given func(flag string) bool, problem func(flag, format string, args ...any)) {
	if c.listen == "" {
		if given(flagMetrics) {
			problem(flagMetrics, "must not be empty; leave it out to show no metrics")
		}
		return
	}
	if _, _, err := net.SplitHostPort(c.listen); err != nil {
		problem(flagMetrics, "must be host:port: %w", err)
	}
}

// registerer is where a front registers its metrics, nil when none are kept.
func (c *metricsConfig) registerer() prometheus.Registerer {
	if c.registry == nil {
		return nil
	}
	return c.registry
}

// metricsServer shows the metrics, apart from what clients reach.
type metricsServer struct {
	http  *http.Server
	ended chan error
}

// startMetrics listens at the configured address; without one the result is nil.
func startMetrics(ctx context.Context, c *metricsConfig, logger *zap.Logger) (*metricsServer, error) {
	if c.listen == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", c.listen)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	c.registry, c.url = prometheus.NewRegistry(), "http://"+ln.Addr().String()+metricsPath
	c.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, promhttp.HandlerFor(c.registry, promhttp.HandlerOpts{
		ErrorLog: zap.NewStdLog(logger), MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeTimeout,
	}))
	s := &metricsServer{
		http: &http.Server{
			Handler: mux, ReadTimeout: scrapeTimeout, WriteTimeout: 2 * scrapeTimeout, MaxHeaderBytes: maxScrapeHeader,
			ErrorLog: zap.NewStdLog(logger), BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		},
		ended: make(chan error, 1),
	}
	go func() { s.ended <- s.http.Serve(ln) }()
	return s, nil
}

// close lets those who read finish until ctx ends, then cuts them: nothing is lost with them.
func (s *metricsServer) close(ctx context.Context) (err error) {
	if s == nil {
		return nil
	}
	if s.http.Shutdown(ctx) != nil {
		err = s.http.Close()
	}
	if serr := <-s.ended; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}
